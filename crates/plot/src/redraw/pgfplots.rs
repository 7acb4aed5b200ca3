//! A figure as a LaTeX document for pgfplots.

use super::layers::{Layer, LayerMark, Plotted, PlottedAxis};
use super::text::{MOST_LINES, SCRIPT, in_lines, one_line};
use crate::extent::Scale;
use crate::table::exact;

/// The lines of the script beside those of colours and layers.
const OTHERS: usize = 20;

pub(super) fn source(plotted: &Plotted, title: &str, (width, height): (f64, f64)) -> String {
    let layers = plotted.layers.iter().enumerate();
    let colors = layers
        .clone()
        .map(|(at, layer)| format!("\\definecolor{{c{at}}}{{HTML}}{{{}}}", &layer.css()[1..].to_uppercase()));
    let colors: String = in_lines(colors.collect(), 4, "").iter().map(|line| format!("{line}\n")).collect();
    let plots = in_lines(layers.map(|(at, layer)| plot(at, layer)).collect(), MOST_LINES - OTHERS, "");
    let plots: String = plots.iter().map(|line| format!("{line}\n")).collect();
    let equal = if plotted.has_equal_units { ", axis equal image" } else { "" };
    format!(
        r"% {title}
\begin{{filecontents*}}[overwrite]{{\jobname.csv}}
layer,x,y
{points}
\end{{filecontents*}}
% {SCRIPT}
% LuaLaTeX, XeLaTeX or pdfLaTeX. A layer is the rows of the data with its number.
\documentclass{{standalone}}
\usepackage{{pgfplots}}
\pgfplotsset{{compat=1.18}}
\pgfplotsset{{rows of/.style={{restrict expr to domain={{\thisrow{{layer}}}}{{#1:#1}}}}}}
{colors}\begin{{document}}
\fontsize{{8}}{{9.6}}\selectfont
\begin{{tikzpicture}}
\begin{{axis}}[width={width:.4}in, height={height:.4}in, axis lines=left, legend style={{draw=none, fill=none, font=\fontsize{{8}}{{9.6}}\selectfont}},
  legend pos=north west, legend cell align=left, tick label style={{font=\fontsize{{8}}{{9.6}}\selectfont}}{equal},
  {x},
  {y}]
{plots}\end{{axis}}
\end{{tikzpicture}}
\end{{document}}
",
        title = one_line(title),
        points = points(plotted).join("\n"),
        x = axis("x", &plotted.x),
        y = axis("y", &plotted.y),
    )
}

/// The points; an area is the line around it.
fn points(plotted: &Plotted) -> Vec<String> {
    let row = |at: usize, x: f64, y: f64| format!("{at},{},{}", exact(x), exact(y));
    let of_layer = |(at, layer): (usize, &Layer)| {
        let back = layer.points.iter().rev().filter(|_| layer.mark == LayerMark::Area);
        let along = layer.points.iter().map(|&(x, y, _)| row(at, x, y));
        along.chain(back.map(|&(x, _, high)| row(at, x, high))).collect::<Vec<_>>()
    };
    plotted.layers.iter().enumerate().flat_map(of_layer).collect()
}

fn plot(at: usize, layer: &Layer) -> String {
    let (opacity, width) = (layer.opacity, layer.width);
    let look = match layer.mark {
        LayerMark::Area => format!("draw=none, fill=c{at}, fill opacity={opacity}"),
        LayerMark::Dots => format!("only marks, mark=*, mark size=1.2pt, c{at}, opacity={opacity}"),
        LayerMark::Rings => format!("only marks, mark=o, mark size=1.5pt, c{at}, opacity={opacity}"),
        LayerMark::Line(_) => format!("c{at}, line width={width}pt, opacity={opacity}, {}", dashes(layer.mark)),
    };
    let forget = if layer.label.is_empty() { ", forget plot" } else { "" };
    let legend =
        if layer.label.is_empty() { String::new() } else { format!("\\addlegendentry{{{}}}", tex(&layer.label)) };
    format!("\\addplot[{look}{forget}, rows of={at}] table [col sep=comma, x=x, y=y] {{\\jobname.csv}};{legend}")
}

fn dashes(mark: LayerMark) -> &'static str {
    match mark.id() {
        "dashed" => "dashed",
        "dotted" => "dotted",
        "dashdot" => "dash dot",
        _ => "solid",
    }
}

/// The keys that set an axis.
fn axis(name: &str, axis: &PlottedAxis) -> String {
    let scale = match axis.scale {
        Scale::Linear => String::new(),
        Scale::Log => format!(", {name}mode=log"),
        Scale::Sqrt => format!(
            ", {name} coord trafo/.code={{\\pgfmathparse{{sqrt(#1)}}}}, {name} coord inv trafo/.code={{\\pgfmathparse{{(#1)^2}}}}"
        ),
    };
    let range = axis.range.filter(|range| range.lo() < range.hi());
    let range = range.map_or_else(String::new, |range| {
        format!(", {name}min={}, {name}max={}", exact(range.lo()), exact(range.hi()))
    });
    format!("{name}label={{{}}}{scale}{range}", tex(&axis.title))
}

/// A text for LaTeX: what it reads as a command is escaped, and signs that its default fonts lack are formulas.
fn tex(text: &str) -> String {
    one_line(text).chars().map(sign).collect()
}

fn sign(c: char) -> String {
    const SUPERSCRIPTS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    const SUBSCRIPTS: &str = "₀₁₂₃₄₅₆₇₈₉";
    let digit = |digits: &str| digits.chars().position(|digit| digit == c);
    if let Some(digit) = digit(SUPERSCRIPTS) {
        return format!("\\textsuperscript{{{digit}}}");
    }
    if let Some(digit) = digit(SUBSCRIPTS) {
        return format!("\\textsubscript{{{digit}}}");
    }
    let formula = match c {
        '\\' => return "\\textbackslash{}".into(),
        '~' => return "\\textasciitilde{}".into(),
        '^' => return "\\textasciicircum{}".into(),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => return format!("\\{c}"),
        '⁻' => return "\\textsuperscript{\\ensuremath{-}}".into(),
        '\u{200a}' => return "\\,".into(),
        '√' => "\\surd ",
        '≤' => "\\le ",
        '≥' => "\\ge ",
        '×' => "\\times ",
        '−' => "-",
        '∞' => "\\infty ",
        'ℓ' => "\\ell ",
        'σ' => "\\sigma ",
        'λ' => "\\lambda ",
        '→' => "\\to ",
        '≈' => "\\approx ",
        '·' => "\\cdot ",
        'ₜ' => "{}_t",
        _ => return c.to_string(),
    };
    format!("\\ensuremath{{{formula}}}")
}

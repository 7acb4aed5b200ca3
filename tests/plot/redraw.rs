//! Figures as sources for other tools: at most forty lines of script, no text of a reader is code, and Matplotlib runs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use lipscope_plot::{DrawingTool, Figure, MOST_LINES, Plotted, SCRIPT, Scatter, Series, SeriesKind};
use lipscope_testkit::pictures::{chart, plane};
use lipscope_testkit::scripts::python_with;

/// A name that each tool would read as code, if it were not escaped.
const NASTY: &str = "\"\"\"\\\"); import os #{}$&_%^~\\end{axis}\n√n ≤ 10⁻³";

/// The figures of the tests, with names.
fn figures() -> Vec<(&'static str, Plotted)> {
    let mut nasty = chart();
    nasty.series.truncate(1);
    nasty.series[0].label = NASTY.into();
    nasty.x.label = NASTY.into();
    let mut many = chart();
    let one = many.series[0].clone();
    many.series = (0..60).map(|at| Series { label: format!("curve {at}"), ..one.clone() }).collect();
    let mut scatter = Scatter::new(chart().x, chart().y);
    scatter.series = chart().series.into_iter().map(|line| Series { kind: SeriesKind::Hollow, ..line }).collect();
    let mut empty = chart();
    empty.series.clear();
    let plotted = |figure: &dyn Fn() -> Option<Plotted>| figure().expect("lines and dots");
    vec![
        ("chart", plotted(&|| Figure::plotted(&chart()))),
        ("nasty", plotted(&|| Figure::plotted(&nasty))),
        ("many", plotted(&|| Figure::plotted(&many))),
        ("scatter", plotted(&|| Figure::plotted(&scatter))),
        ("plane", plotted(&|| Figure::plotted(&plane()))),
        ("empty", plotted(&|| Figure::plotted(&empty))),
    ]
}

fn source(plotted: &Plotted, tool: DrawingTool) -> String {
    tool.source(plotted, &format!("a figure {NASTY}"), (3.3, 2.5))
}

#[test]
fn a_script_has_forty_lines_at_most() {
    for (name, plotted) in figures() {
        for tool in DrawingTool::ALL {
            let text = source(&plotted, tool);
            let script = text.split_once(SCRIPT).map_or(text.as_str(), |(_, script)| script);
            let lines = script.trim().lines().count();
            assert!((8..=MOST_LINES).contains(&lines), "{name}, {}: {lines} lines\n{script}", tool.id());
        }
    }
}

#[test]
fn matplotlib_draws_every_source() {
    let python = python_with("LIPSCOPE_NUMPY", "matplotlib", "numpy");
    let folder = tempfile::tempdir().expect("a folder");
    for (name, plotted) in figures() {
        let program = folder.path().join(format!("{name}.py"));
        fs::write(&program, source(&plotted, DrawingTool::Matplotlib)).expect("written");
        let drawn = draw(&python, &program, &folder.path().join(format!("{name}.svg")));
        for layer in plotted.layers.iter().filter(|layer| !layer.label.is_empty() && layer.label != NASTY) {
            assert!(drawn.contains(&layer.label), "{name}: {} is not in the legend", layer.label);
        }
    }
}

/// Runs a program that draws a figure into a file, and reads the file.
fn draw(python: &str, program: &Path, file: &Path) -> String {
    let mut command = Command::new(python);
    // A folder for the settings, which Matplotlib would write into the home folder. Texts stay texts in the SVG.
    let folder = program.parent().expect("a folder");
    fs::write(folder.join("matplotlibrc"), "svg.fonttype: none\n").expect("written");
    command.args([program, file]).current_dir(folder).env("MPLBACKEND", "Agg").env("MPLCONFIGDIR", folder);
    let output = command.output().expect("Python runs");
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(file).expect("a figure")
}

#[test]
fn a_source_for_pgfplots_has_one_plot_a_layer_and_balanced_braces() {
    for (name, plotted) in figures() {
        let text = source(&plotted, DrawingTool::Pgfplots);
        // The title is a comment, in which nothing is a command.
        let (title, text) = text.split_once('\n').expect("lines");
        assert!(title.starts_with("% a figure"), "{title}");
        assert_eq!(text.matches("\\addplot[").count(), plotted.layers.len(), "{name}");
        for (begin, end) in [("\\begin{axis}", "\\end{axis}"), ("\\begin{filecontents*}", "\\end{filecontents*}")] {
            assert_eq!((text.matches(begin).count(), text.matches(end).count()), (1, 1), "{name}: {begin}");
        }
        let script = text.split_once(SCRIPT).expect("a script").1;
        let mut depth = 0;
        let mut is_escaped = false;
        for c in script.chars() {
            depth += i32::from(c == '{' && !is_escaped) - i32::from(c == '}' && !is_escaped);
            assert!(depth >= 0, "{name}: a brace closes nothing");
            is_escaped = c == '\\' && !is_escaped;
        }
        assert_eq!(depth, 0, "{name}: a brace is open");
        let rows = text.split("layer,x,y\n").nth(1).and_then(|rest| rest.split("\\end").next()).expect("data");
        for row in rows.lines().filter(|row| !row.is_empty()) {
            let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().expect("a number")).collect();
            assert!(cells.len() == 3 && cells[0] < plotted.layers.len() as f64, "{name}: {row}");
        }
    }
}

#[test]
fn a_source_for_vega_lite_is_json_with_one_layer_each() {
    for (name, plotted) in figures() {
        let text = source(&plotted, DrawingTool::VegaLite);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(value["layer"].as_array().map(Vec::len), Some(plotted.layers.len()), "{name}");
        let rows = value["data"]["values"].as_str().expect("CSV").lines().count() - 1;
        assert_eq!(rows, plotted.layers.iter().map(|layer| layer.points.len()).sum::<usize>(), "{name}");
    }
}

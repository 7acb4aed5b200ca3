//! The card that stands for a link to the page where it is shared: the question, the sentence and the plot, 1200 x 630.

use std::fmt::Write;

use lipscope_plot::{Figure, LineChart, Palette, Theme, Type, css, escaped, text_width};

use super::picture::{inner, view_box};

/// The width and height that readers of Open Graph expect.
const SIZE: (f64, f64) = (1200.0, 630.0);
/// The margin.
const MARGIN: f64 = 48.0;
/// The plot begins at this height.
const PLOT_TOP: f64 = 226.0;
/// The plot is drawn smaller by this factor and then enlarged, so that its letters are read in a small preview.
const ENLARGED: f64 = 1.6;

/// The card as SVG, with the first two sentences of the opening view. `tests/e2e/card.mjs` makes the image of it that the
/// site has: what shows cards reads no SVG.
pub fn card(name: &str, question: &str, sentences: &[String], plot: &LineChart) -> String {
    let palette = Palette::of(Theme::Light);
    let (ink, muted) = (css(palette.ink), css(palette.muted));
    let (width, height) = (SIZE.0 - 2.0 * MARGIN, SIZE.1 - PLOT_TOP - 18.0);
    let drawn = plot.drawn((width / ENLARGED, height / ENLARGED), Theme::Light).expect("a string takes every drawing");
    let (inner, view_box) = (inner(&drawn), view_box(&drawn));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"{}\"><rect width=\"100%\" height=\"100%\" fill=\"{}\"/>",
        SIZE.0,
        SIZE.1,
        Type::default().text,
        css(palette.background),
    );
    let mut line = |y: f64, size: f64, weight: u32, color: &str, text: &str| {
        let text = escaped(text);
        // A string takes every line.
        let _ = write!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{y}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{color}\">{text}</text>"
        );
    };
    line(62.0, 26.0, 700, &muted, name);
    // Bold letters are wider than `text_width` says.
    let fit = width / (1.12 * text_width(question, 1.0));
    line(112.0, fit.min(36.0), 700, &ink, question);
    for (at, sentence) in sentences.iter().take(2).enumerate() {
        line(158.0 + 36.0 * at as f64, 26.0, 400, &ink, sentence);
    }
    let _ = writeln!(
        svg,
        "<svg x=\"{MARGIN}\" y=\"{PLOT_TOP}\" width=\"{width}\" height=\"{height}\" viewBox=\"{view_box}\">{inner}</svg></svg>"
    );
    svg
}

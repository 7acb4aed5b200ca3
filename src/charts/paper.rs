//! While the browser prints, the picture of a canvas drawn anew for the sheet, beside the canvas, which style/print.css
//! leaves out. Type then has its size in print whatever the window and the view, and the paper is white.

use crate::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::panels::use_panels;
use lipscope_plot::{Caption, Palette, Theme};
use plotters::style::RGBColor;

use super::picture::Picture;

/// The width between the margins of style/print.css on A4, in CSS pixels: 11 of them are more than 8 pt.
const SHEET: f64 = 680.0;
/// The width of a picture beside another one.
const HALF: f64 = 332.0;
/// The heights of pictures by the element around them, in CSS pixels: with the words under them, each fits on a sheet.
const HEIGHTS: [(&str, f64); 7] = [
    (DISCS, 219.0),
    (".explore-stage", 225.0),
    (".growth-plot", 360.0),
    (".token-stage", 600.0),
    (".lab:has(.blocks), .lab:has(.lab-plane)", 225.0),
    (".lab", 480.0),
    (".models, .train", 300.0),
];
/// Discs, which have their words beside them, and their width: that in style/print.css, 58 mm.
const DISCS: &str = ".disc-stage, .certify-plane";
const DISC: f64 = 219.0;
/// Elements in which pictures stand side by side.
const SIDE_BY_SIDE: &str = ".lab-planes, .lab-plots:has(.blocks)";
/// The class of a picture on paper.
const CLASS: &str = "on-paper";

/// Draws the picture of a canvas for the paper while the browser prints, where the canvas is on screen.
pub fn keep_for_paper(canvas: &'static str, title: &'static str, figure: impl Fn((f64, f64)) -> Picture + 'static) {
    let panels = use_panels();
    effect(move |_| {
        let is_printing = panels.printing.get();
        let Some(element) = document().get_element_by_id(canvas).and_then(|it| it.dyn_into::<HtmlElement>().ok())
        else {
            return;
        };
        if let Some(earlier) = element.next_element_sibling().filter(|next| next.class_name() == CLASS) {
            earlier.remove();
        }
        let Some(size) = size_on_paper(&element).filter(|_| is_printing && element.offset_width() > 0) else { return };
        let svg = untrack(|| figure(size)).and_then(|picture| picture.svg(size, title, &Caption::default()));
        if let Some(svg) = svg {
            let html = format!("<div class=\"{CLASS}\">{}</div>", on_white(&svg));
            // Where the page refuses, its canvas is there; `:has` in style/print.css leaves it out only beside this.
            let _ = element.insert_adjacent_html("afterend", &html);
        }
    });
}

/// The size of a canvas's picture on paper; `None` where its place is not printed.
fn size_on_paper(canvas: &HtmlElement) -> Option<(f64, f64)> {
    let within = |selector: &str| canvas.closest(selector).ok().flatten().is_some();
    let (place, height) = HEIGHTS.into_iter().find(|(selector, _)| within(selector))?;
    let width = match place {
        DISCS => DISC,
        _ if within(SIDE_BY_SIDE) => HALF,
        _ => SHEET,
    };
    Some((width, height))
}

/// A picture on white, in place of the page's background.
pub fn on_white(svg: &str) -> String {
    let RGBColor(r, g, b) = Palette::of(Theme::Light).background;
    svg.replace(&format!("#{r:02X}{g:02X}{b:02X}"), "#FFFFFF")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_plot::{AxisSpec, Figure, LineChart, Scale};

    #[test]
    fn nothing_on_paper_has_the_colour_of_the_page() {
        let chart = LineChart::new(AxisSpec::new("n", Scale::Log), AxisSpec::new("L", Scale::Log), Vec::new());
        let svg = chart.to_svg((SHEET, 300.0), "a picture", &Caption::default()).expect("a picture");
        assert_ne!(on_white(&svg), svg);
        assert!(on_white(&svg).contains("#FFFFFF"));
    }

    #[test]
    fn type_on_paper_has_eight_points_at_least() {
        let small = lipscope_plot::Style::svg(Theme::Light, 1.0).font.size_small;
        // The sheet is as wide as the picture: a CSS pixel is 3/4 pt.
        assert!(small * 0.75 >= 8.0, "{small} px");
    }
}

//! A picture of any kind, for a file or for paper.

use lipscope_plot::{Caption, Figure, Plotted, Style};

use super::easel::Paint;

/// A picture of any kind.
pub trait Exportable {
    /// The part of a size that it fills.
    fn filled(&self, size: (f64, f64)) -> (f64, f64);

    /// As SVG; `None` where it cannot be drawn.
    fn svg(&self, size: (f64, f64), title: &str, caption: &Caption) -> Option<String>;

    /// As a panel of a sheet, in the sheet's style; `None` where it cannot be drawn.
    fn panel(&self, size: (f64, f64), style: &Style) -> Option<String>;

    /// Its content in one line.
    fn description(&self) -> String;

    /// In the terms of other tools; `None` for a picture that they have no terms for.
    fn plotted(&self) -> Option<Plotted>;

    /// Leaves out the line at the x that is read.
    fn hide_cursor(&mut self);
}

impl<F: Paint> Exportable for F {
    fn filled(&self, size: (f64, f64)) -> (f64, f64) {
        Paint::filled(self, size)
    }

    fn svg(&self, size: (f64, f64), title: &str, caption: &Caption) -> Option<String> {
        self.to_svg(size, title, caption).ok()
    }

    fn panel(&self, size: (f64, f64), style: &Style) -> Option<String> {
        self.drawn_in(size, style).ok()
    }

    fn description(&self) -> String {
        Figure::description(self)
    }

    fn plotted(&self) -> Option<Plotted> {
        Figure::plotted(self)
    }

    fn hide_cursor(&mut self) {
        Paint::hide_cursor(self);
    }
}

/// A picture to be exported, if there is one.
pub type Picture = Option<Box<dyn Exportable>>;

/// Boxes a figure, as a picture to be exported.
pub fn exportable<F: Paint + 'static>(figure: Option<F>) -> Picture {
    figure.map(|figure| Box::new(figure) as Box<dyn Exportable>)
}

//! A picture of any kind, for a file or for paper.

use lipscope_plot::Caption;

use super::easel::{Easel, Paint};

/// A picture of any kind.
pub trait Exportable {
    /// The part of a size that it fills.
    fn filled(&self, size: (f64, f64)) -> (f64, f64);

    /// As SVG; `None` where it cannot be drawn.
    fn svg(&self, size: (f64, f64), title: &str, caption: &Caption) -> Option<String>;

    /// Paints it; `None` where it cannot be drawn.
    fn paint_on(&self, easel: &Easel) -> Option<()>;
}

impl<F: Paint> Exportable for F {
    fn filled(&self, size: (f64, f64)) -> (f64, f64) {
        Paint::filled(self, size)
    }

    fn svg(&self, size: (f64, f64), title: &str, caption: &Caption) -> Option<String> {
        self.to_svg(size, title, caption).ok()
    }

    fn paint_on(&self, easel: &Easel) -> Option<()> {
        self.paint(easel).map(|_| ())
    }
}

/// A picture to be exported, if there is one.
pub type Picture = Option<Box<dyn Exportable>>;

/// Boxes a figure, as a picture to be exported.
pub fn exportable<F: Paint + 'static>(figure: Option<F>) -> Picture {
    figure.map(|figure| Box::new(figure) as Box<dyn Exportable>)
}

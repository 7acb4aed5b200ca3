//! Figures as PDF files: vectors and text, with the font that they need in the file.

use std::fmt;
use std::sync::Arc;

use svg2pdf::usvg::fontdb::Database;
use svg2pdf::usvg::{self, Options, Tree};
use svg2pdf::{ConversionError, ConversionOptions, PageOptions};

/// Inter's letters and signs of figures (`scripts/font.py`). Its licence is `fonts/OFL.txt`.
const FONT: &[u8] = include_bytes!("../fonts/inter.ttf");
/// The family of the font, which is the first one that every figure asks for.
const FAMILY: &str = "Inter";
/// CSS pixels in an inch: the unit of lengths in our SVG documents.
const DOTS_PER_INCH: f32 = 96.0;

/// Why a figure is no PDF file.
#[derive(Debug)]
pub(super) enum PdfProblem {
    /// The document is no SVG.
    Svg(usvg::Error),
    /// It has something that a PDF file cannot have.
    Conversion(ConversionError),
}

impl fmt::Display for PdfProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PdfProblem::Svg(problem) => write!(f, "the figure is no SVG: {problem}"),
            PdfProblem::Conversion(problem) => write!(f, "the figure is no PDF: {problem}"),
        }
    }
}

impl std::error::Error for PdfProblem {}

/// An SVG document as a PDF file of the same size. Letters that the font lacks are left out.
///
/// # Errors
/// [`PdfProblem`] for a document that is no SVG.
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, PdfProblem> {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT.to_vec());
    let options = Options { fontdb: Arc::new(fonts), font_family: FAMILY.into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(PdfProblem::Svg)?;
    svg2pdf::to_pdf(&tree, ConversionOptions::default(), PageOptions { dpi: DOTS_PER_INCH })
        .map_err(PdfProblem::Conversion)
}

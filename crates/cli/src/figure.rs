//! The options of commands that draw a figure, and its files: SVG, PDF, and sources for other tools.

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use super::argument::{BadArgument, by_name};
use super::files::{named, probe, save};
use super::pdf::pdf;
use lipscope_plot::{Caption, DrawingTool, Figure, Ground, Sheet, SheetWidth};

/// The heading of options on what is written.
const OUTPUT: &str = "Output";
/// The group of the options that name a file.
const DRAWN: &str = "drawn";
/// Width and height of an SVG file as on a screen, in CSS pixels.
const SCREEN: (f64, f64) = (760.0, 460.0);
/// Figures up to this wide, in inches, are higher for their width: names of curves take half of it.
const NARROW: f64 = 4.5;
/// The height of a narrow figure over its width.
const NARROW_SHAPE: f64 = 0.75;

/// The files of a figure.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new(DRAWN).args(["svg", "pdf", "redraw"]).multiple(true))]
pub(super) struct FigureArguments {
    /// Also draw both estimators over n, with their slopes, into this SVG file.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,
    /// Draw the same figure into this PDF file, with its font.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pdf: Option<PathBuf>,
    /// Write data and script of the same figure: FILE.py for Matplotlib, FILE.tex for pgfplots, FILE.json for Vega-Lite.
    #[arg(long, value_name = "FILE", value_parser = source_file, help_heading = OUTPUT, hide_short_help = true)]
    redraw: Option<SourceFile>,
    /// Width of the figure: column (3.3 in), page (6.9 in), slide (16:9), or inches.
    ///
    /// Type has 8 pt at that width. Without it an SVG file is as on a screen, and others have the width of a page.
    #[arg(long = "width", value_name = "WIDTH", value_parser = width, requires = DRAWN, help_heading = OUTPUT, hide_short_help = true)]
    figure_width: Option<SheetWidth>,
    /// What is under the figure.
    #[arg(long, value_parser = by_name(Ground::ALL, |ground| ground.id()), requires = DRAWN, help_heading = OUTPUT, hide_short_help = true)]
    sheet: Option<Ground>,
}

/// A file for the source of a figure, whose name says the tool.
#[derive(Clone, Debug)]
struct SourceFile {
    path: PathBuf,
    tool: DrawingTool,
}

fn source_file(text: &str) -> Result<SourceFile, BadArgument> {
    let ends =
        |tool: &DrawingTool| tool.extension().rsplit('.').next().is_some_and(|end| text.ends_with(&format!(".{end}")));
    let tool = DrawingTool::ALL.into_iter().find(ends).ok_or(BadArgument::Source)?;
    Ok(SourceFile { path: text.into(), tool })
}

fn width(text: &str) -> Result<SheetWidth, BadArgument> {
    SheetWidth::parse(text).ok_or(BadArgument::Width)
}

impl FigureArguments {
    /// Whether a figure is asked for.
    pub(super) fn is_drawn(&self) -> bool {
        self.paths().next().is_some()
    }

    /// Tests whether the files can be written, before the hours that their numbers may take.
    pub(super) fn probe(&self) -> io::Result<()> {
        self.paths().try_for_each(|path| probe(path).map_err(|error| named(path, &error)))
    }

    /// Writes the files of a figure.
    pub(super) fn write(&self, figure: &impl Figure, title: &str) -> io::Result<()> {
        if let Some(path) = &self.svg {
            let screen = self.figure_width.is_none() && self.sheet.is_none();
            keep(path, if screen { on_screen(figure, title)? } else { self.document(figure, title)? })?;
        }
        if let Some(path) = &self.pdf {
            keep(path, pdf(&self.document(figure, title)?).map_err(io::Error::other)?)?;
        }
        self.redraw.as_ref().map_or(Ok(()), |file| self.write_source(file, figure, title))
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        let redraw = self.redraw.as_ref().map(|file| &file.path);
        [self.svg.as_ref(), self.pdf.as_ref(), redraw].into_iter().flatten().map(PathBuf::as_path)
    }

    fn chosen_sheet(&self) -> Sheet {
        Sheet { width: self.figure_width.unwrap_or_default(), ground: self.sheet.unwrap_or_default() }
    }

    fn document(&self, figure: &impl Figure, title: &str) -> io::Result<String> {
        let sheet = self.chosen_sheet();
        figure.on_sheet(&sheet, shape(sheet.width), title, &Caption::default()).map_err(io::Error::other)
    }

    fn write_source(&self, file: &SourceFile, figure: &impl Figure, title: &str) -> io::Result<()> {
        let width = self.chosen_sheet().width;
        let plotted = figure.plotted().ok_or_else(|| io::Error::other("the figure is more than lines and dots"))?;
        let inches = (width.inches(), width.inches() * shape(width));
        keep(&file.path, file.tool.source(&plotted, title, inches))
    }
}

fn on_screen(figure: &impl Figure, title: &str) -> io::Result<String> {
    figure.to_svg(SCREEN, title, &Caption::default()).map_err(io::Error::other)
}

/// The height of a figure over its width.
fn shape(width: SheetWidth) -> f64 {
    match width {
        SheetWidth::Slide => 9.0 / 16.0,
        width if width.inches() <= NARROW => NARROW_SHAPE,
        _ => SCREEN.1 / SCREEN.0,
    }
}

fn keep(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    save(path, content).map_err(|error| named(path, &error))
}

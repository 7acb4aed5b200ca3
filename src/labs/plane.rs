//! The tokens X as rings and an iterate as dots, in the plane of their first two coordinates. Where X is a grid, lines
//! join the dots along its rows and columns.

use crate::prelude::*;
use leptos::html::Canvas;

use super::player::{Frame, use_frame};

use crate::charts::{ExperimentSource, ExportFold, Paint, TableFold, Timing, exportable, use_easel};
use crate::frame::When;
use crate::page::{Page, use_page};
use crate::strings::{self, Paper};
use lipscope_core::inverse::Places;
use lipscope_plot::{
    AxisSpec, ChartLayout, Extent, LineChart, Number, Role, Scale, Series, SeriesKind, Style, Table, Theme,
};

use crate::answers::{Side, Which};
use crate::state::LabTokens;

/// Tokens along a side of the grid.
pub const GRID_SIDE: usize = 9;

type Point = (f64, f64);

/// Moves are magnified so that the longest one from X to Y has about this share of the picture.
const LONGEST_MOVE: f64 = 0.15;

/// The plane of one attention.
#[component]
pub fn Plane(
    /// The attention whose inverse is shown.
    which: Which,
) -> impl IntoView {
    let (page, Frame(frame)) = (use_page(), use_frame());
    let canvas = NodeRef::<Canvas>::new();
    let watch = move || {
        page.answers.inverse.track();
        frame.track();
    };
    use_easel(canvas, Timing::Frame(When::After), watch, move |easel| {
        let size = canvas
            .get_untracked()
            .map_or((0.0, 0.0), |canvas| (f64::from(canvas.client_width()), f64::from(canvas.client_height())));
        squared(page, frame.get_untracked(), which, size, &easel.style).paint(easel);
    });
    let times = memo(move |_| page.answers.inverse.with(|data| magnification(which.of(data))));
    let caption = move || page.answers.inverse.with(|data| strings::plane_caption(times.get(), which.of(data)));
    let csv = move || {
        page.answers
            .inverse
            .with_untracked(|data| table(which.of(data), frame.get_untracked(), |x| x.to_string()).to_csv())
    };
    let [canvas_id, table_id, take_id] = match which {
        Which::L2 => ["inverse-plane-l2", "inverse-plane-l2-table", "export-inverse-l2"],
        Which::Dot => ["inverse-plane-dot", "inverse-plane-dot-table", "export-inverse-dot"],
    };
    let words = move || strings::plane_words(which, frame.get());
    view! {
        <figure class="lab-plane">
            <div class="small-stage">
                <canvas node_ref=canvas id=canvas_id role="img" aria-label=words></canvas>
            </div>
            <figcaption class="note">
                {caption}
                <TableFold
                    id=table_id
                    name="lipscope-tokens-inverted.csv"
                    table=move || page.answers.inverse.with(|data| table(which.of(data), frame.get(), |x| Number::of(x).to_string()))
                    csv=csv
                />
                <ExportFold
                    id=take_id
                    name="lipscope-tokens-inverted"
                    canvas=canvas_id
                    title=strings::inverse_heading()
                    figure=move |size: (f64, f64)| exportable(Some(squared(page, frame.get_untracked(), which, size, &Style::canvas(Theme::Light, 1.0))))
                    csv=csv
                    paper=Paper::Kim
                    source=ExperimentSource::Others
                />
            </figcaption>
        </figure>
    }
}

/// The tokens X, and the iterate on screen. The move of each token from X is drawn longer.
fn picture(page: Page, frame: usize, which: Which) -> LineChart {
    let is_grid = page.settings.with_untracked(|settings| settings.inverse.tokens == LabTokens::Grid);
    page.answers.inverse.with_untracked(|data| {
        let side = which.of(data);
        let times = magnification(side);
        let tokens = points(&side.tokens);
        let shown = |places: &Places| -> Vec<Point> {
            let moved = |(x, y): (Point, Point)| (x.0 + times * (y.0 - x.0), x.1 + times * (y.1 - x.1));
            tokens.iter().copied().zip(points(places)).map(moved).collect()
        };
        let first = shown(&side.images);
        let now = side.step(frame).map_or_else(|| first.clone(), |step| shown(&step.positions));
        let mut series = Vec::new();
        if is_grid && now.len() == GRID_SIDE * GRID_SIDE {
            for line in lines_of_grid(&now) {
                let mut line = Series::new("grid", "", Role::Measured, SeriesKind::Line, line);
                line.opacity = 0.5;
                series.push(line);
            }
        }
        series.push(Series::new("tokens", "", Role::Measured, SeriesKind::Hollow, tokens.clone()));
        series.push(Series::new("iterate", "", Role::Selected, SeriesKind::Points, now));
        let mut chart = LineChart::new(
            AxisSpec::new(strings::plane_x(), Scale::Linear),
            AxisSpec::new(strings::plane_y(), Scale::Linear),
            series,
        );
        // The ranges come from X and Y only, so that they stay while the iterates move.
        let both = || tokens.iter().chain(&first);
        chart.x.range = Extent::of(both().map(|point| point.0));
        chart.y.range = Extent::of(both().map(|point| point.1));
        chart.note =
            if side.constant.is_some() && tokens.is_empty() { strings::plane_many().into() } else { String::new() };
        chart
    })
}

/// The picture for a size in CSS pixels, with the same unit on both axes.
fn squared(page: Page, frame: usize, which: Which, size: (f64, f64), style: &Style) -> LineChart {
    let mut chart = picture(page, frame, which);
    let layout = chart.layout(size, style);
    square(&mut chart, &layout);
    chart
}

/// Gives both axes the same unit. The range of the axis with less data for each pixel is made longer.
fn square(chart: &mut LineChart, layout: &ChartLayout) {
    const MARGIN: f64 = 1.12;
    let (Some(x), Some(y)) = (chart.x.range, chart.y.range) else { return };
    let (width, height) = (layout.plot.width(), layout.plot.height());
    let unit = (MARGIN * ((x.hi() - x.lo()) / width).max((y.hi() - y.lo()) / height)).max(f64::MIN_POSITIVE);
    let around = |extent: Extent, pixels: f64| {
        let (middle, half) = (extent.lo() / 2.0 + extent.hi() / 2.0, unit * pixels / 2.0);
        Extent::new(middle - half, middle + half)
    };
    (chart.x.range, chart.y.range) = (around(x, width), around(y, height));
}

fn points(places: &Places) -> Vec<Point> {
    places.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).collect()
}

/// The factor by which moves are drawn longer, so that they are visible: 1, 2 or 5 times a power of ten.
fn magnification(side: &Side) -> f64 {
    let (tokens, images) = (points(&side.tokens), points(&side.images));
    let spread = tokens.iter().map(|point| point.0.hypot(point.1)).fold(0.0, f64::max);
    let longest = tokens.iter().zip(&images).map(|(x, y)| (y.0 - x.0).hypot(y.1 - x.1)).fold(0.0, f64::max);
    let wanted = 2.0 * LONGEST_MOVE * spread / longest;
    if !wanted.is_finite() || wanted <= 1.0 {
        return 1.0;
    }
    let power = 10f64.powf(wanted.log10().floor());
    [5.0, 2.0, 1.0].map(|m| m * power).into_iter().find(|times| *times <= wanted).unwrap_or(1.0)
}

/// The rows and columns of a square grid.
fn lines_of_grid(points: &[Point]) -> Vec<Vec<Point>> {
    let row = |at: usize| (0..GRID_SIDE).map(|step| points[at * GRID_SIDE + step]).collect();
    let column = |at: usize| (0..GRID_SIDE).map(|step| points[step * GRID_SIDE + at]).collect();
    (0..GRID_SIDE).map(row).chain((0..GRID_SIDE).map(column)).collect()
}

/// X, Y and the iterate on screen, without magnification.
fn table(side: &Side, frame: usize, written: impl Fn(f64) -> String) -> Table {
    let now = side.step(frame).map_or_else(Vec::new, |step| points(&step.positions));
    let rows = points(&side.tokens).into_iter().zip(points(&side.images)).zip(now).enumerate();
    let row = |(at, ((x, y), now)): (usize, ((Point, Point), Point))| {
        std::iter::once((at + 1).to_string()).chain([x.0, x.1, y.0, y.1, now.0, now.1].map(&written)).collect()
    };
    Table { header: strings::plane_columns().map(String::from).to_vec(), rows: rows.map(row).collect() }
}

//! Labels of curves, placed at their ends.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::axis::Ruler;
use super::curve::Edge;
use super::frame::{ChartLayout, lay_out, shortened};
use super::labels::{LabelRequest, place};
use super::palette::{LineStyle, Role};
use super::pen::{Align, Pen, PixelRect};
use super::series::Series;
use super::style::{Style, Type, text_width, wider};

/// The space between plot and labels, crossed by leader lines.
const GUTTER: f64 = 14.0;
/// The space between the end of a curve inside the plot and its label.
const BESIDE: f64 = 8.0;
/// A curve ends early if at least this much of the plot, in CSS pixels, is free after its label.
const FREE: f64 = 16.0;
/// The widest column of labels, in font sizes.
const MOST_SIZES: f64 = 190.0 / 12.0;
/// Line height of a label, in font sizes.
const LEADING: f64 = 1.2;

/// Lays out a plot with room for the labels of its series beside it.
pub(super) fn lay_out_named(size: (f64, f64), font: &Type, (x, y): (Ruler, Ruler), series: &[Series]) -> ChartLayout {
    // The labels depend on which curves leave the frame, but not on the available width.
    let rough = lay_out(size, font, x, y, 0.0);
    let right = column_width(&labels(series, &rough), size.0, font, rough.compact);
    lay_out(size, font, x, y, right)
}

/// Draws the labels of the series, moved apart where they would overlap: beside the plot, or inside it beside the end
/// of a curve that ends early.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    series: &[Series],
) -> Result<(), DrawError> {
    let size = style.font.size_normal;
    let (inner, outer): (Vec<EndLabel>, Vec<EndLabel>) =
        labels(series, layout).into_iter().partition(|label| label.ends_early(layout, size));
    draw_inner(pen, style, layout, &inner)?;
    let left = layout.plot.right + GUTTER;
    let room = pen.size().0 - left - 2.0;
    let lines: Vec<Vec<String>> = outer.iter().map(|label| label.lines(room, size)).collect();
    let wanted: Vec<LabelRequest> = outer
        .iter()
        .zip(&lines)
        .map(|(label, lines)| LabelRequest { center: label.end.1, height: LEADING * size * lines.len() as f64 + 2.0 })
        .collect();
    let places = place(&wanted, layout.plot.top - size, layout.plot.bottom + size);
    for ((label, lines), middle) in outer.iter().zip(&lines).zip(places) {
        let Some(middle) = middle else { continue };
        let color = style.palette.role(label.role);
        if label.beyond.is_none() {
            draw_leader(pen, layout, label, middle, color)?;
        }
        let first = middle - LEADING * size * (lines.len() as f64 - 1.0) / 2.0;
        for (i, line) in lines.iter().enumerate() {
            let y = first + LEADING * size * i as f64;
            pen.text(line, (left, y), Align::Left, size, color, label.opacity)?;
        }
    }
    Ok(())
}

/// Draws labels inside the plot, on a ground that keeps them readable over other curves.
fn draw_inner<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    labels: &[EndLabel],
) -> Result<(), DrawError> {
    let size = style.font.size_normal;
    let height = LEADING * size;
    let wanted: Vec<LabelRequest> =
        labels.iter().map(|label| LabelRequest { center: label.end.1, height: height + 2.0 }).collect();
    for (label, middle) in labels.iter().zip(place(&wanted, layout.plot.top, layout.plot.bottom)) {
        let Some(middle) = middle else { continue };
        let left = label.end.0 + BESIDE;
        let right = left + text_width(&label.name, size);
        let ground = PixelRect {
            left: left - 2.0,
            top: middle - 0.5 * height,
            right: right + 2.0,
            bottom: middle + 0.5 * height,
        };
        pen.rect(ground, style.palette.background, 0.8)?;
        pen.text(&label.name, (left, middle), Align::Left, size, style.palette.role(label.role), label.opacity)?;
    }
    Ok(())
}

/// The label of a series and the point where the series ends.
struct EndLabel {
    name: String,
    /// The value of the end, if the curve leaves the frame.
    beyond: Option<String>,
    role: Role,
    opacity: f64,
    /// End of the series in CSS pixels; outside the plot if it ends outside.
    end: (f64, f64),
}

impl EndLabel {
    /// The label of a series, at its last point within the range of the horizontal axis; `None` without a name or such
    /// a point.
    fn of(series: &Series, layout: &ChartLayout) -> Option<Self> {
        let name = match &series.short_label {
            Some(short) if layout.compact => short,
            _ => &series.label,
        };
        if name.is_empty() {
            return None;
        }
        let inside = |x: f64| (-1e-9..=1.0 + 1e-9).contains(&layout.x.position(x));
        let last = series.groups().into_iter().rfind(|group| inside(group.x))?;
        let up = series.given.position(&layout.y, last.mean);
        let beyond = Edge::beyond(up).map(|edge| {
            let arrow = if edge == Edge::Top { '↑' } else { '↓' };
            format!("{arrow} {}", series.given.rough(last.mean, series.claim))
        });
        let end = (layout.px_at(layout.x.position(last.x)), layout.py_at(drawn_in(up)));
        Some(EndLabel { name: name.clone(), beyond, role: series.role, opacity: series.opacity, end })
    }

    /// Whether the label fits into the plot after the end of its curve.
    fn ends_early(&self, layout: &ChartLayout, size: f64) -> bool {
        self.beyond.is_none() && self.end.0 + BESIDE + text_width(&self.name, size) + FREE <= layout.plot.right
    }

    /// The lines of the label, broken to a width.
    fn lines(&self, room: f64, size: f64) -> Vec<String> {
        let fits = |text: &str| text_width(text, size) <= room;
        let mut lines = if fits(&self.name) { vec![self.name.clone()] } else { wrapped(&self.name, room, size) };
        if let Some(beyond) = &self.beyond {
            let joined = format!("{} {beyond}", self.name);
            if fits(&joined) {
                return vec![joined];
            }
            lines.push(shortened(beyond, size, room));
        }
        lines
    }
}

/// Moves a position outside the frame to within half an axis length of the frame. Such positions keep their order, so
/// the labels of curves that leave the frame stay in the order of their values.
fn drawn_in(position: f64) -> f64 {
    let outside = (position - position.clamp(0.0, 1.0)).abs().min(1e12);
    position.clamp(0.0, 1.0) + (0.5 * outside / (1.0 + outside)).copysign(position)
}

/// The width of the label column, including the gutter.
fn column_width(labels: &[EndLabel], width: f64, font: &Type, compact: bool) -> f64 {
    let most = if compact { 0.27 * width } else { (0.24 * width).min(MOST_SIZES * font.size_normal) };
    // No word is cut while the plot keeps more than half of the picture.
    let words = labels.iter().flat_map(|label| label.name.split(' '));
    let word = words.map(|word| text_width(word, font.size_normal)).fold(0.0, f64::max);
    let most = most.max(word.min(0.4 * width));
    let widest = labels
        .iter()
        .flat_map(|label| label.lines(most, font.size_normal))
        .map(|line| text_width(&line, font.size_normal))
        .fold(0.0, f64::max);
    let widest = wider(widest, font.size_normal);
    // In steps, so that the plot does not move when a number changes.
    if widest == 0.0 { GUTTER } else { GUTTER + ((widest + 4.0) / 12.0).ceil() * 12.0 }
}

fn labels(series: &[Series], layout: &ChartLayout) -> Vec<EndLabel> {
    series.iter().filter_map(|series| EndLabel::of(series, layout)).collect()
}

/// A thin line from the end of a curve to its label, if they are at different heights.
fn draw_leader<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    layout: &ChartLayout,
    label: &EndLabel,
    middle: f64,
    color: plotters::style::RGBColor,
) -> Result<(), DrawError> {
    let (x, y) = label.end;
    let right = layout.plot.right;
    let moved = (middle - y).abs() > 3.0;
    if right - x > 10.0 {
        // Sparse dots, because a line would look like a continuation of the curve.
        pen.path(&[(x + 8.0, y), (right, y)], LineStyle::Dotted, 0.75, color, 0.3 * label.opacity)?;
    }
    if moved {
        let bend = [(right + 2.0, y), (right + GUTTER - 3.0, middle)];
        pen.path(&bend, LineStyle::Solid, 0.75, color, 0.7 * label.opacity)?;
    }
    Ok(())
}

/// Breaks a text into two lines, at the space that makes them most equal, or into more lines if one of the two would be
/// wider than the room. Only a single word that is too wide is cut.
fn wrapped(text: &str, room: f64, size: f64) -> Vec<String> {
    let widest = |at: usize| text_width(&text[..at], size).max(text_width(&text[at + 1..], size));
    let breaks = text.match_indices(' ').map(|(at, _)| at);
    let middle = breaks.min_by(|&a, &b| widest(a).total_cmp(&widest(b)));
    if let Some(at) = middle.filter(|at| widest(*at) <= room) {
        return vec![text[..at].to_owned(), text[at + 1..].to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let joined = lines.last().map(|line| format!("{line} {word}"));
        match (lines.last_mut(), joined.filter(|joined| text_width(joined, size) <= room)) {
            (Some(line), Some(joined)) => *line = joined,
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| shortened(line, size, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_that_leave_keep_the_order_of_their_values() {
        let drawn = [f64::NEG_INFINITY, -7.0, -0.1, 0.0, 0.5, 1.0, 1.2, 30.0, f64::INFINITY].map(drawn_in);
        assert!(drawn.is_sorted_by(|a, b| a < b), "{drawn:?}");
        assert!(drawn[0] >= -0.5 && drawn[8] <= 1.5, "{drawn:?}");
    }

    #[test]
    fn long_names_are_broken_in_the_middle() {
        assert_eq!(wrapped("published general bound", 90.0, 12.0), ["published", "general bound"]);
        assert_eq!(wrapped("adversarial, largest up to n", 70.0, 12.0), ["adversarial,", "largest up", "to n"]);
        let one_word = wrapped("incomprehensibilities", 60.0, 12.0);
        assert!(one_word.len() == 1 && one_word[0].ends_with('…'), "{one_word:?}");
    }
}

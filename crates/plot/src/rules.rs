//! Rules: marked positions on the horizontal axis of a line chart, labelled at its top.

use plotters::prelude::DrawingBackend;

use super::DrawError;
use super::frame::{ChartLayout, shortened};
use super::order::ascending;
use super::palette::{Role, mix};
use super::pen::{Align, Pen, PixelRect};
use super::style::{Style, text_width};

/// The space between a rule and its label.
const GAP: f64 = 5.0;
/// How far a label may reach past the right edge of the plot: the names of curves stand further out.
const OVERHANG: f64 = 7.0;
/// The length of a dash and of a gap in CSS pixels.
const DASH: f64 = 3.0;
/// The height of a row of labels, in font sizes.
const LEADING: f64 = 1.35;

/// A marked position on the horizontal axis, such as where a growth begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its x value. A rule outside the axis range is not drawn.
    pub x: f64,
    /// Its label; may be empty.
    pub label: String,
    /// Its role, which decides the colour. `None` is ink.
    pub role: Option<Role>,
}

impl Rule {
    /// A rule in ink.
    pub fn new(x: f64, label: impl Into<String>) -> Self {
        Rule { x, label: label.into(), role: None }
    }

    /// The same rule in the colour of a role.
    pub fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// The pixel column of the rule, if it is inside the plot.
    fn column(&self, layout: &ChartLayout) -> Option<f64> {
        let at = layout.x_to_px(self.x);
        (layout.plot.left - 1e-6..=layout.plot.right + 1e-6).contains(&at).then_some(at)
    }
}

/// Draws the lines of the rules, below the data.
pub(super) fn draw_lines<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    rules: &[Rule],
) -> Result<(), DrawError> {
    for rule in rules {
        let Some(at) = rule.column(layout) else { continue };
        let color = rule.role.map_or(style.palette.ink, |role| style.palette.role(role));
        let color = mix(style.palette.background, color, 0.45);
        // Shorter dashes than any curve has, aligned to the pixel grid.
        let dashes = (layout.plot.height() / (2.0 * DASH)).max(0.0) as usize;
        for dash in 0..=dashes {
            let from = layout.plot.top + 2.0 * DASH * dash as f64;
            pen.vertical(at, from, (from + DASH).min(layout.plot.bottom), color)?;
        }
    }
    Ok(())
}

/// Writes the labels of the rules over the data. `also` is another column that labels avoid.
pub(super) fn draw_names<DB: DrawingBackend>(
    pen: &Pen<'_, DB>,
    style: &Style,
    layout: &ChartLayout,
    rules: &[Rule],
    also: Option<f64>,
) -> Result<(), DrawError> {
    let size = style.font.size_small;
    for (rule, name) in rules.iter().zip(names(rules, layout, size, also)) {
        let Some((name, rect)) = name else { continue };
        let color = rule.role.map_or(style.palette.muted, |role| style.palette.role(role));
        // Curves and grid stay faintly visible behind the label.
        pen.rect(rect, style.palette.background, 0.7)?;
        pen.text(&name, (rect.left + 2.0, (rect.top + rect.bottom) / 2.0), Align::Left, size, color, 1.0)?;
    }
    Ok(())
}

/// The label of each rule, cut to its space, and its box. A label stands to the right of its rule, or to the left if
/// the edge or another rule is in the way, and one row lower if labels would overlap. If no row is left, it is
/// omitted.
fn names(rules: &[Rule], layout: &ChartLayout, size: f64, also: Option<f64>) -> Vec<Option<(String, PixelRect)>> {
    let plot = layout.plot;
    let columns: Vec<Option<f64>> = rules.iter().map(|rule| rule.column(layout)).collect();
    let mut order: Vec<(usize, f64)> = columns.iter().enumerate().filter_map(|(i, at)| Some((i, (*at)?))).collect();
    ascending(&mut order, |rule| rule.1);

    let mut found: Vec<Option<(String, PixelRect)>> = vec![None; rules.len()];
    for (i, at) in order {
        let room = (plot.right + OVERHANG - at).max(at - plot.left) - GAP - 2.0;
        let name = shortened(&rules[i].label, size, room);
        if name.is_empty() {
            continue;
        }
        let width = text_width(&name, size) + 4.0;
        let boxed = |left: f64, row: usize| {
            let top = plot.top + 2.0 + LEADING * size * row as f64;
            PixelRect { left, top, right: left + width, bottom: top + LEADING * size }
        };
        let sides = [at + GAP - 2.0, at - GAP + 2.0 - width];
        let fits = |left: &f64| *left >= plot.left && left + width <= plot.right + OVERHANG;
        let sides: Vec<f64> = sides.into_iter().filter(fits).collect();
        let rows = ((plot.height() - 4.0) / (LEADING * size)).max(0.0) as usize;
        let taken: Vec<PixelRect> = found.iter().flatten().map(|(_, rect)| *rect).collect();
        let free = |rect: &PixelRect| !taken.iter().any(|other| rect.meets(other));
        let struck = |rect: &PixelRect| {
            columns.iter().copied().flatten().chain(also).any(|x| x != at && rect.left < x && x < rect.right)
        };
        let places = || (0..rows).flat_map(|row| sides.iter().map(move |&left| boxed(left, row)));
        // First tries a place clear of all rules; otherwise over another rule.
        let place = places().find(|r| free(r) && !struck(r)).or_else(|| places().find(free));
        found[i] = place.map(|rect| (name, rect));
    }
    found
}

//! Series: a named set of points of a line chart.

use super::axis::Ruler;
use super::number::{Kind, Number};
use super::order::ascending;
use super::palette::{LineStyle, Role};
use super::table::exact;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SeriesKind {
    /// A dot for each point.
    Points,
    /// A ring for each point.
    Hollow,
    /// One line through the points in their order, in the role's line style.
    Line,
    /// Points that share an x form one bar from minimum to maximum, with their mean.
    Range,
}

/// Whether y values are plain or logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ValueForm {
    /// Plain values.
    #[default]
    Value,
    /// log10 of the values, for values beyond f64.
    Log10,
}

impl ValueForm {
    /// The position of a y of this form on an axis, from 0 to 1.
    pub(super) fn position(self, ruler: &Ruler, y: f64) -> f64 {
        match self {
            ValueForm::Value => ruler.position(y),
            ValueForm::Log10 => ruler.position_log10(y),
        }
    }

    /// A y of this form with four significant digits and without ≤ or ≥ in front, rounded so that the sign of `claim`
    /// would be true.
    pub(super) fn number(self, y: f64, claim: Kind) -> Number {
        match self {
            ValueForm::Value => Number::digits(y, claim),
            ValueForm::Log10 => Number::digits_from_log10(y, claim),
        }
    }

    /// A y of this form with two significant digits and without ≤ or ≥ in front, rounded so that the sign of `claim`
    /// would be true.
    pub(super) fn rough(self, y: f64, claim: Kind) -> Number {
        match (self, claim) {
            (ValueForm::Value, Kind::Plain | Kind::Exact) => Number::rough(y),
            (ValueForm::Value, _) => Number::rough_claimed(y.log10(), claim),
            (ValueForm::Log10, _) => Number::rough_claimed(y, claim),
        }
    }

    /// A y of this form for a file: its value, empty past the range of f64, and its log10, empty where it has none.
    pub(super) fn exact_cells(self, y: f64) -> [String; 2] {
        let (value, log10) = match self {
            ValueForm::Value => (y, y.log10()),
            ValueForm::Log10 => (10f64.powf(y), y),
        };
        // Past the range of f64 the value would be written as 0 or infinite. Its log10 is in the cell beside it.
        let is_past = self == ValueForm::Log10 && y.is_finite() && !value.is_normal();
        [if is_past { String::new() } else { exact(value) }, if log10.is_nan() { String::new() } else { exact(log10) }]
    }

    /// A y of this form as f64; infinite if it is too large.
    pub(super) fn value(self, y: f64) -> f64 {
        match self {
            ValueForm::Value => y,
            ValueForm::Log10 => 10f64.powf(y),
        }
    }
}

/// One named set of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Identifier.
    pub id: String,
    /// Label, shown at the end of a curve.
    pub label: String,
    /// A shorter label for narrow plots; `None` uses `label`.
    pub short_label: Option<String>,
    /// Its role, which decides colour and line style.
    pub role: Role,
    /// How it is drawn.
    pub kind: SeriesKind,
    /// The points, (x, y).
    pub data: Vec<(f64, f64)>,
    /// Whether y values are plain or logarithms.
    pub given: ValueForm,
    /// Whether its values are bounds or exact, which decides how they are rounded.
    pub claim: Kind,
    /// Opacity, from 0 to 1.
    pub opacity: f64,
    /// The dash pattern of one of several lines of the same role; `None` uses the role's own.
    pub line: Option<LineStyle>,
    /// The width of its line in CSS pixels; `None` uses the role's own.
    pub width: Option<f64>,
}

impl Series {
    /// An opaque series of plain values.
    pub fn new(
        id: impl Into<String>,
        label: impl Into<String>,
        role: Role,
        kind: SeriesKind,
        data: Vec<(f64, f64)>,
    ) -> Self {
        Series {
            id: id.into(),
            label: label.into(),
            short_label: None,
            role,
            kind,
            data,
            given: ValueForm::Value,
            claim: Kind::Plain,
            opacity: 1.0,
            line: None,
            width: None,
        }
    }

    /// The same series with a label for narrow plots.
    pub fn short_label(mut self, label: impl Into<String>) -> Self {
        self.short_label = Some(label.into());
        self
    }

    /// The same series, with y values given as log10.
    pub fn given_log10(mut self) -> Self {
        self.given = ValueForm::Log10;
        self
    }

    /// The same series, with values that are bounds or exact.
    pub fn claim(mut self, claim: Kind) -> Self {
        self.claim = claim;
        self
    }

    /// The same series with a dash pattern of its own.
    pub fn line(mut self, line: LineStyle) -> Self {
        self.line = Some(line);
        self
    }

    /// The same series with a line of this width, in CSS pixels.
    pub fn width(mut self, width: f64) -> Self {
        self.width = Some(width);
        self
    }

    /// A y of its form as f64; infinite if it is too large.
    pub(super) fn value(&self, y: f64) -> f64 {
        self.given.value(y)
    }

    /// log10 of the y values; NaN where there is none, which ranges leave out.
    pub fn logs(&self) -> impl Iterator<Item = f64> {
        let given = self.given;
        self.data.iter().map(move |point| if given == ValueForm::Log10 { point.1 } else { point.1.log10() })
    }

    /// The points grouped by x, ascending; points whose x is not finite or whose y is NaN are left out.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut points: Vec<(f64, f64)> =
            self.data.iter().copied().filter(|(x, y)| x.is_finite() && !y.is_nan()).collect();
        ascending(&mut points, |point| point.0);
        points
            .chunk_by(|a, b| a.0 == b.0)
            .map(|chunk| {
                let ys = || chunk.iter().map(|p| p.1);
                Group {
                    x: chunk[0].0,
                    low: ys().fold(f64::INFINITY, f64::min),
                    mean: ys().sum::<f64>() / chunk.len() as f64,
                    high: ys().fold(f64::NEG_INFINITY, f64::max),
                    count: chunk.len(),
                }
            })
            .collect()
    }
}

/// The y values that share an x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Group {
    pub x: f64,
    pub low: f64,
    pub mean: f64,
    pub high: f64,
    pub count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_grouped_by_x_in_order() {
        let data = vec![(4.0, 1.0), (2.0, 7.0), (4.0, 3.0), (f64::NAN, 1.0), (2.0, f64::NAN)];
        let groups = Series::new("a", "a", Role::Measured, SeriesKind::Range, data).groups();
        assert_eq!(
            groups,
            [
                Group { x: 2.0, low: 7.0, mean: 7.0, high: 7.0, count: 1 },
                Group { x: 4.0, low: 1.0, mean: 2.0, high: 3.0, count: 2 },
            ]
        );
    }
}

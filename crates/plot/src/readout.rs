//! Reading a line chart: the values nearest a pixel, the x values to step through, and the data as tables and CSV.

use super::frame::ChartLayout;
use super::line_chart::LineChart;
use super::number::Number;
use super::order::ascending;
use super::palette::Role;
use super::series::{Group, Series, ValueForm};
use super::table::{Table, exact};

/// The value of one series at an x.
#[derive(Debug, Clone, PartialEq)]
pub struct HoverValue {
    /// The `id` of the series.
    pub id: String,
    /// Its label.
    pub label: String,
    /// Its role.
    pub role: Role,
    /// The x of the value: the one nearest to the requested x.
    pub x: f64,
    /// The value; the mean if there are several.
    pub y: f64,
    /// The minimum of the values there.
    pub low: f64,
    /// The maximum of the values there.
    pub high: f64,
    /// Number of values there.
    pub count: usize,
    /// Whether the values are logarithms.
    pub given: ValueForm,
    /// `y` formatted, with the unit of the axis.
    pub number: Number,
    /// The CSS pixel of (x, y), if it is inside the plot.
    pub at: Option<(f64, f64)>,
}

impl LineChart {
    /// For each series, its value nearest to a pixel column; `None` outside the plot or without data.
    pub fn nearest(&self, layout: &ChartLayout, x_px: f64) -> Option<Vec<HoverValue>> {
        // A tolerance beyond the ends, so that the outermost points can be reached.
        let reach = 8.0;
        if !(layout.plot.left - reach..=layout.plot.right + reach).contains(&x_px) {
            return None;
        }
        self.at(layout, layout.px_to_x(x_px))
    }

    /// For each series, its value nearest to an x; `None` without data.
    pub fn at(&self, layout: &ChartLayout, x: f64) -> Option<Vec<HoverValue>> {
        let target = layout.x.position(x);
        let values: Vec<HoverValue> = self
            .series
            .iter()
            .filter_map(|series| {
                let distance = |group: &Group| (layout.x.position(group.x) - target).abs();
                let groups = series.groups();
                let shown = groups.iter().filter(|group| distance(group).is_finite());
                shown.min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|g| self.hover_value(layout, series, g))
            })
            .collect();
        (!values.is_empty()).then_some(values)
    }

    /// Every x at which some series has a value, ascending, without duplicates.
    pub fn x_values(&self) -> Vec<f64> {
        let mut xs: Vec<f64> = self
            .series
            .iter()
            .flat_map(|s| &s.data)
            .filter(|p| p.0.is_finite() && !p.1.is_nan())
            .map(|p| p.0)
            .collect();
        ascending(&mut xs, |x| *x);
        xs.dedup();
        xs
    }

    /// The chart as a table: a row per x, a column per series, four significant digits. Several values at one x are
    /// given as minimum, mean and maximum.
    pub fn to_table(&self) -> Table {
        let groups: Vec<Vec<Group>> = self.series.iter().map(Series::groups).collect();
        let name = |series: &Series| if series.label.is_empty() { series.id.clone() } else { series.label.clone() };
        let row = |x: f64| {
            let cells = self.series.iter().zip(&groups).map(|(series, groups)| {
                let found = groups.binary_search_by(|g| g.x.total_cmp(&x)).ok().map(|i| &groups[i]);
                found.map_or_else(String::new, |group| cell(series, group))
            });
            std::iter::once(Number::short(x).to_string()).chain(cells).collect()
        };
        Table {
            header: std::iter::once(self.x.title()).chain(self.series.iter().map(name)).collect(),
            rows: self.x_values().into_iter().map(row).collect(),
        }
    }

    /// The data as CSV, one line per point, with all digits: the value, and its log10 in a column of its own. A value
    /// past the range of f64 has its log10 alone.
    pub fn to_csv(&self) -> String {
        let row = |series: &Series, (x, y): (f64, f64)| {
            let [value, log10] = series.given.exact_cells(y);
            vec![series.id.clone(), series.label.clone(), exact(x), value, log10]
        };
        let y = self.y.title();
        let header = ["series", "label", &self.x.title(), &y, &format!("log10 of {y}")].map(str::to_owned).to_vec();
        let rows = self.series.iter().flat_map(|s| s.data.iter().map(move |&point| row(s, point))).collect();
        Table { header, rows }.to_csv()
    }

    fn hover_value(&self, layout: &ChartLayout, series: &Series, group: &Group) -> HoverValue {
        let place = (layout.x_to_px(group.x), layout.py_at(series.given.position(&layout.y, group.mean)));
        HoverValue {
            id: series.id.clone(),
            label: series.label.clone(),
            role: series.role,
            x: group.x,
            y: group.mean,
            low: group.low,
            high: group.high,
            count: group.count,
            given: series.given,
            number: series.given.number(group.mean, series.claim).unit(&self.y.unit),
            at: layout.plot.contains(place.0, place.1).then_some(place),
        }
    }
}

fn cell(series: &Series, group: &Group) -> String {
    let number = |y| series.given.number(y, series.claim).to_string();
    if group.count == 1 {
        number(group.mean)
    } else {
        format!("{} … {} … {} ({} values)", number(group.low), number(group.mean), number(group.high), group.count)
    }
}

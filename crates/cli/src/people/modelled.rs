//! A table of `lipscope model` for people: the largest norm, and for each layer a ladder over the lengths of the windows.

use std::time::Duration;

use lipscope_core::extremum::largest;
use lipscope_models::{Cell, Estimate, Group, Table};
use lipscope_plot::{Kind, Number};

use super::duration::duration;
use super::ladder::{Rung, claim};
use super::look::{Ink, Look};
use super::page::Page;
use crate::model_chart::cell_name;

/// The most lengths of a layer that are shown.
const MOST_LENGTHS: usize = 8;
/// The most layers and heads that are shown.
const MOST_GROUPS: usize = 12;
/// What a value is that is no norm.
const RELEASED: &str = "by the released script";

/// The text of a table that took this long; `fits` are the lines about the fitted slopes.
pub(crate) fn modelled(table: &Table, fits: &str, took: Duration, look: Look) -> String {
    let groups = table.groups();
    let worst = worst(groups.iter().flat_map(|group| &group.readings));
    let headline = worst.map_or_else(
        || "No window was measured.".to_owned(),
        |(_, found)| {
            let (value, kind) = norm(found);
            let number = claim(value.log10(), kind);
            if kind == Kind::Plain { format!("{number}, {RELEASED}") } else { format!("L {number}") }
        },
    );
    let place = worst.map(|(Cell { layer, heads, n, window }, _)| {
        let (heads, count) = (heads.id(), table.rows.len());
        format!("The largest of {count} windows: layer {layer}, head {heads}, n = {n}, window {window}.")
    });
    let subject = &table.subject;
    let page = Page::new(&headline, look)
        .lines(Ink::Text, place)
        .line(Ink::Text, &format!("Model {}, map {}, mask {}.", subject.model, subject.map, subject.mask))
        .gap();
    let page = groups.iter().take(MOST_GROUPS).fold(page, |page, group| {
        let name = cell_name(table, group);
        page.ladder(&format!("{name}, the worst window of each length, on a logarithmic scale:"), &rungs(group))
    });
    let hidden = groups.len().saturating_sub(MOST_GROUPS);
    page.lines(Ink::Muted, (hidden > 0).then(|| format!("{hidden} more layers or heads are not shown.")))
        .lines(Ink::Muted, chance(table))
        .lines(Ink::Text, fits.lines())
        .line(Ink::Muted, &format!("In {}. --csv and --out write every window.", duration(took)))
        .text()
}

/// The window with the largest norm.
fn worst<'a>(readings: impl IntoIterator<Item = &'a (Cell, Estimate)>) -> Option<&'a (Cell, Estimate)> {
    readings.into_iter().max_by(|(_, a), (_, b)| norm(a).0.total_cmp(&norm(b).0))
}

/// The norm at a window with its kind, or the plain value of the released script, which a run may ask for alone. Without
/// either it is NaN.
fn norm(found: &Estimate) -> (f64, Kind) {
    match (found.spectral, found.released) {
        (Some(norm), _) if norm.is_converged() => (norm.value, Kind::Exact),
        (Some(norm), _) => (norm.value, Kind::LowerBound),
        (None, released) => (released.unwrap_or(f64::NAN), Kind::Plain),
    }
}

/// The norms of a group over the lengths, each with the upper bound at the same window where there is one.
fn rungs(group: &Group) -> Vec<Rung> {
    let lengths: Vec<&[(Cell, Estimate)]> = group.readings.chunk_by(|a, b| a.0.n == b.0.n).collect();
    let of_window = |(cell, found): &(Cell, Estimate)| {
        let ((value, kind), n) = (norm(found), cell.n);
        let (name, ink) = match kind {
            Kind::Plain => (format!("n = {n}, {RELEASED}"), Ink::Muted),
            _ => (format!("n = {n}"), Ink::Strong),
        };
        let bound = found.upper.map(|upper| upper.value).or(found.bounds.and_then(|bounds| bounds.best()));
        let bound = bound.map(|bound| Rung::from_value(format!("n = {n}, bound"), bound, Kind::UpperBound, Ink::Best));
        bound.into_iter().chain([Rung::from_value(name, value, kind, ink)])
    };
    spread(&lengths).into_iter().filter_map(worst).flat_map(of_window).collect()
}

/// The first, the last, and evenly spaced ones between them, where there are more than [`MOST_LENGTHS`].
fn spread<T: Copy>(all: &[T]) -> Vec<T> {
    match all.len() {
        count if count <= MOST_LENGTHS => all.to_vec(),
        count => (0..MOST_LENGTHS).map(|at| all[at * (count - 1) / (MOST_LENGTHS - 1)]).collect(),
    }
}

/// How rarely an upper number fails; `None` without such numbers.
fn chance(table: &Table) -> Option<String> {
    let most = largest(table.rows.values().filter_map(|found| Some(found.upper?.failure)));
    (most > 0.0).then(|| format!("A bound is too small with probability at most {}.", Number::short(most)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::look::Colours;
    use lipscope_models::{Heads, LocalBounds, SpectralNorm, Subject};

    fn reading(n: usize, window: usize, norm: (f64, f64), bound: Option<f64>) -> (Cell, Estimate) {
        let (value, relative_residual) = norm;
        let found = Estimate {
            spectral: Some(SpectralNorm { value, iterations: 9, relative_residual }),
            released: None,
            radius: 1.0,
            sink: None,
            bounds: bound.map(|bound| LocalBounds { local: Some(bound), blocks: None, token: None }),
            upper: None,
            statistics: Default::default(),
        };
        (Cell { layer: 0, heads: Heads::All, n, window }, found)
    }

    #[test]
    fn a_table_is_its_largest_norm_and_a_ladder_over_its_lengths() {
        let texts = ["m", "0", "attention", "none", "spectral"].map(str::to_owned);
        let [model, text, map, mask, estimator] = texts;
        let mut table = Table::new(Subject { model, text, map, mask, estimator });
        table.rows.extend([
            reading(4, 0, (1.5, 1e-12), Some(2.0)),
            reading(8, 0, (2.5, 1e-4), None),
            reading(8, 1, (2.1, 1e-12), None),
        ]);
        let look = Look { width: 80, colours: Colours::Absent };
        let expected = "
  L ≥ 2.500

  The largest of 3 windows: layer 0, head all, n = 8, window 0.
  Model m, map attention, mask none.

  layer 0, head all, the worst window of each length, on a logarithmic scale:
  n = 4, bound  ≤ 2.000  ██████████████████████████
  n = 4         = 1.500  ███████████████████████▌
  n = 8         ≥ 2.500  ████████████████████████████
                         0.1 ───────────────────────────────── 10

  In 12 ms. --csv and --out write every window.
";
        assert_eq!(modelled(&table, "", Duration::from_millis(12), look), expected);
    }

    #[test]
    fn of_many_lengths_the_ends_and_some_between_are_shown() {
        let all: Vec<usize> = (0..50).collect();
        assert_eq!(spread(&all), [0, 7, 14, 21, 28, 35, 42, 49]);
        assert_eq!(spread(&all[..8]), all[..8]);
    }
}

//! Singular values for people, and the comparison of their estimators.

use std::time::Duration;

use lipscope_core::estimators::{Estimator, EstimatorPoint};
use lipscope_core::spectrum::{Level, Spectrum};
use lipscope_plot::Kind;

use super::duration::duration;
use super::ladder::{Rung, claim};
use super::look::{Ink, Look};
use super::page::Page;

/// The most singular values that are shown.
const MOST_VALUES: usize = 12;

/// The text of a spectrum that took this long; `summary` is the line about coverage, gap and leading pair.
pub(crate) fn spectrum(found: &Spectrum, summary: &str, took: Duration, look: Look) -> String {
    let kind = |level: &Level| match level.is_converged() {
        true => Kind::Exact,
        false => Kind::LowerBound,
    };
    let headline = found
        .first()
        .map_or_else(|| "L = 0".to_owned(), |first| format!("L = s_1 {}", claim(first.value.log10(), kind(&first))));
    let mut index = 1.0;
    let rungs: Vec<Rung> = found
        .levels
        .iter()
        .take(MOST_VALUES)
        .map(|level| {
            let name = match level.multiplicity > 1.0 {
                true => format!("s_{index}, {} times", level.multiplicity),
                false => format!("s_{index}"),
            };
            let ink = if index == 1.0 { Ink::Strong } else { Ink::Text };
            index += level.multiplicity;
            Rung::from_value(name, level.value, kind(level), ink)
        })
        .collect();
    let hidden = found.levels.len().saturating_sub(MOST_VALUES);
    let rest = (hidden > 0).then(|| format!("{hidden} smaller values are not shown."));
    Page::new(&headline, look)
        .line(Ink::Text, "The largest singular value is the local Lipschitz constant at these tokens.")
        .line(Ink::Text, &format!("Found: {summary}."))
        .gap()
        .ladder("Singular values, on a logarithmic scale:", &rungs)
        .lines(Ink::Muted, rest)
        .line(Ink::Muted, &format!("In {}. --csv writes every value.", duration(took)))
        .text()
}

/// The text of a comparison of estimators; `stops` are the points at which an estimator may stop.
pub(crate) fn estimators(stops: &[&EstimatorPoint], look: Look) -> String {
    let exact = stops.iter().find(|point| point.estimator == Estimator::DenseSvd);
    let headline = exact.map_or(f64::NAN, |point| point.value.log10());
    let rung = |point: &&EstimatorPoint| {
        let name = format!("{} ({} products)", stop(point), point.products);
        let ink = if point.is_converged() { Ink::Text } else { Ink::Muted };
        Rung::rough(name, point.error, ink)
    };
    let rungs: Vec<Rung> = stops.iter().filter(|point| point.estimator != Estimator::DenseSvd).map(rung).collect();
    let values = stops.iter().map(|point| {
        let kind = match point.is_converged() {
            true => Kind::Exact,
            false => Kind::LowerBound,
        };
        format!("{}: L {}, {:.1} ms", stop(point), claim(point.value.log10(), kind), point.milliseconds)
    });
    Page::new(&format!("L {}", claim(headline, Kind::Exact)), look)
        .line(Ink::Text, "This is the exact norm, by the dense SVD. Each estimator stops by the rule after its name:")
        .lines(Ink::Text, values)
        .gap()
        .ladder("Relative error where it stops, on a logarithmic scale:", &rungs)
        .line(Ink::Muted, "An error of 0 has no bar. --csv writes every iteration.")
        .text()
}

/// An estimator, and the rules by which it stops at a point.
fn stop(point: &EstimatorPoint) -> String {
    let rules: Vec<String> = point.stops.iter().map(|rule| rule.id().replace('_', " ")).collect();
    let name = match point.estimator {
        Estimator::DenseSvd => "dense SVD",
        Estimator::Lanczos => "Lanczos",
        Estimator::Power => "power iteration",
    };
    if rules.is_empty() { name.to_owned() } else { format!("{name}, {}", rules.join(" and ")) }
}

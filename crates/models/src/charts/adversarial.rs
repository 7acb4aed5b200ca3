//! Chart of one head at \[C\]'s adversarial tokens: both estimators over n, with C sqrt(n) fitted to each, and the
//! published constants.

use crate::{Group, Published, Quantity};
use lipscope_core::fit::{PowerLaw, fit_factor};
use lipscope_plot::{AxisSpec, Dot, Role, Scale, Scatter, Series, SeriesKind};

use super::norms::published_curve;
use super::words::{ModelWords, sqrt_law_text};

/// Fits C sqrt(n) to one estimator; `None` with fewer than two lengths.
#[must_use]
pub fn sqrt_law(group: &Group, quantity: Quantity) -> Option<PowerLaw> {
    fit_factor(&group.points(quantity), 0.5)
}

/// The chart of one head, with a dot for each length that has ||J||_2.
#[must_use]
pub fn adversarial_chart(group: &Group, published: &[Published], words: &ModelWords) -> Scatter {
    let axis = |name: &str| AxisSpec::new(name, Scale::Log);
    let mut chart = Scatter::new(axis(&words.length).whole(), axis(&words.both));
    chart.note.clone_from(&words.note);
    chart.dots = group.points(Quantity::Spectral).into_iter().map(|(x, y)| Dot { x, y, tint: y }).collect();
    let rings = group.points(Quantity::Released);
    chart.series.push(Series::new(words.released.clone(), "", Role::ReleasedScript, SeriesKind::Hollow, rings));
    let Some((first, last)) = group.ends() else { return chart };
    for (quantity, name, role) in
        [(Quantity::Spectral, &words.norm, Role::Measured), (Quantity::Released, &words.released, Role::ReleasedScript)]
    {
        if let Some(fit) = sqrt_law(group, quantity) {
            let label = format!("{name}: {}", sqrt_law_text(&fit));
            let points = [first, last].map(|n| (n as f64, fit.at(n as f64))).to_vec();
            chart
                .series
                .push(Series::new(&label, &label, role, SeriesKind::Line, points).short_label(sqrt_law_text(&fit)));
        }
    }
    chart.series.extend(published.iter().map(|curve| published_curve(curve, last as f64, words)));
    chart
}

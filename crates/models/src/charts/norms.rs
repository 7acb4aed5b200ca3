//! Chart of both estimators over n: a dot for ||J||_2 of each window, tinted by its token norm, a ring for its
//! released-script estimator, the fitted curves, and published curves.

use crate::{Group, Published, Quantity};
use lipscope_plot::{AxisSpec, Dot, Role, Scale, Scatter, Series, SeriesKind};

use super::words::{ModelWords, power_law_text};

/// Whether the released-script estimator is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Released {
    /// Only ||J||_2 is drawn.
    #[default]
    Hidden,
    /// Both estimators are drawn.
    Shown,
}

/// The chart of some layers and heads, with a dot for each window that has ||J||_2, group by group.
#[must_use]
pub fn norms_chart(groups: &[&Group], released: Released, published: &[Published], words: &ModelWords) -> Scatter {
    let y = if released == Released::Shown { &words.both } else { &words.norm };
    let mut chart =
        Scatter::new(AxisSpec::new(words.length.clone(), Scale::Log).whole(), AxisSpec::new(y.clone(), Scale::Log));
    chart.tint = Some(words.token_norm.clone());
    chart.note.clone_from(&words.note);
    let mut curves = Vec::new();
    for group in groups {
        let cell = if groups.len() == 1 { String::new() } else { format!("{}: ", words.cell(group)) };
        chart.dots.extend(group.readings.iter().filter_map(|(cell, estimate)| {
            let y = Quantity::Spectral.of(estimate)?;
            Some(Dot { x: cell.n as f64, y, tint: estimate.radius })
        }));
        if released == Released::Shown {
            let name = format!("{cell}{}", words.released);
            let rings = group.points(Quantity::Released);
            chart.series.push(Series::new(name, "", Role::ReleasedScript, SeriesKind::Hollow, rings));
        }
        let Some((first, last)) = group.ends() else { continue };
        let ends = [first as f64, last as f64];
        for (quantity, name, role) in [
            (Quantity::Spectral, &words.norm, Role::Measured),
            (Quantity::Released, &words.released, Role::ReleasedScript),
        ] {
            if let Some(fit) = group.fit(quantity).filter(|_| role == Role::Measured || released == Released::Shown) {
                let label = format!("{cell}{name}: {}", power_law_text(&fit));
                let points = ends.map(|n| (n, fit.at(n))).to_vec();
                curves.push(
                    Series::new(&label, &label, role, SeriesKind::Line, points).short_label(power_law_text(&fit)),
                );
            }
        }
    }
    chart.series.extend(curves);
    let longest = groups.iter().filter_map(|group| group.ends()).map(|(_, last)| last as f64).fold(2.0, f64::max);
    chart.series.extend(published.iter().map(|curve| published_curve(curve, longest, words)));
    chart
}

/// A published curve from n = 2 to the longest window.
pub(super) fn published_curve(curve: &Published, longest: f64, words: &ModelWords) -> Series {
    let short = match curve.exponent {
        0.5 => format!("{} √n", curve.factor),
        exponent => format!("{} n^{exponent}", curve.factor),
    };
    let label = format!("{}: {short}", words.published);
    let points = [2.0, longest].map(|n| (n, curve.at(n))).to_vec();
    let id = format!("published {}", curve.id);
    Series::new(id, label, Role::PublishedGeneral, SeriesKind::Line, points).short_label(short)
}

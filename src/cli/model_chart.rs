//! A table of `lipscope model` as a picture: both estimators over n, with their slopes.

use std::io;
use std::path::Path;

use crate::fit::PowerLaw;
use crate::models::{Estimate, Heads, Slopes, Table};
use crate::plot::{AxisSpec, Figure, LineChart, Role, Scale, Series, SeriesKind};

/// The curve that \[C\] draws for randomly initialised GPT-2 of the default size at layer 6: 0.445 n^(1/4).
const PUBLISHED_RANDOM_GPT2: (f64, f64) = (0.445, 0.25);

/// Writes the picture.
pub(super) fn write(path: &Path, table: &Table) -> io::Result<()> {
    let svg = chart(table).to_svg((760.0, 460.0), &title(table)).map_err(io::Error::other)?;
    std::fs::write(path, svg).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn title(table: &Table) -> String {
    let subject = &table.subject;
    format!("Self-attention of {} (map {}, mask {}) over windows of n tokens", subject.model, subject.map, subject.mask)
}

fn chart(table: &Table) -> LineChart {
    let slopes = table.slopes();
    let is_one = slopes.len() == 1;
    let mut series = Vec::new();
    let mut curves = Vec::new();
    for group in &slopes {
        let place = match (is_one, group.heads) {
            (true, _) => String::new(),
            (false, Heads::All) => format!("layer {}: ", group.layer),
            (false, Heads::One(head)) => format!("layer {}, head {head}: ", group.layer),
        };
        let spectral = |estimate: &Estimate| estimate.spectral.map(|norm| norm.value);
        let released = |estimate: &Estimate| estimate.released;
        for (name, role, kind, of, fit) in [
            ("‖J‖", Role::Measured, SeriesKind::Points, &spectral as &dyn Fn(&Estimate) -> Option<f64>, group.spectral),
            ("released", Role::ReleasedScript, SeriesKind::Hollow, &released, group.released),
        ] {
            let data = points(table, group, of);
            let span =
                data.iter().map(|(n, _)| *n).fold((f64::INFINITY, 0.0f64), |(low, high), n| (low.min(n), high.max(n)));
            series.push(Series::new(format!("{place}{name}"), "", role, kind, data));
            if let Some(PowerLaw { factor, exponent, .. }) = fit {
                let label = format!("{place}{name}: {factor:.3} n^{exponent:.3}");
                curves.push(curve(&label, role, span, (factor, exponent)));
            }
        }
    }
    let longest = table.rows.keys().map(|place| place.n as f64).fold(2.0, f64::max);
    let is_published = table.subject.model.starts_with("random:gpt2 768x12x12") && slopes.iter().all(|s| s.layer == 6);
    if is_published {
        let (factor, exponent) = PUBLISHED_RANDOM_GPT2;
        let label = format!("published: {factor} n^{exponent}");
        curves.push(curve(&label, Role::PublishedGeneral, (2.0, longest), PUBLISHED_RANDOM_GPT2));
    }
    series.extend(curves);
    LineChart::new(AxisSpec::new("n", Scale::Log).whole(), AxisSpec::new("local constant", Scale::Log), series)
}

fn points(table: &Table, group: &Slopes, of: &dyn Fn(&Estimate) -> Option<f64>) -> Vec<(f64, f64)> {
    let rows = table.rows.iter().filter(|(place, _)| (place.layer, place.heads) == (group.layer, group.heads));
    rows.filter_map(|(place, estimate)| Some((place.n as f64, of(estimate)?))).collect()
}

fn curve(label: &str, role: Role, (first, last): (f64, f64), (factor, exponent): (f64, f64)) -> Series {
    let at = |n: f64| (n, factor * n.powf(exponent));
    Series::new(label, label, role, SeriesKind::Line, vec![at(first), at(last)])
}

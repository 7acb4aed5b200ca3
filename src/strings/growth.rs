//! The view over n up to 1e18.

use crate::words::growth as words;
pub use crate::words::growth::*;

use crate::live::GrowthData;
use crate::state::{RadiusLaw, Trace};
use lipscope_core::bounds::{Bound, BoundId, Norm};
use lipscope_core::experiment::Mask;
use lipscope_core::growth::{Crossover, GrowthRow};
use lipscope_plot::{Kind, Number};

use super::bounds::{bound_label, side_kind};
use super::norms::{norm_axis, norm_note};
use super::plot::count;

pub const REGIME_TABLE: &str = "n";
pub const REGIME_RADIUS: &str = "R";

pub fn growth_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => words::growth_axis(),
        other => norm_axis(other),
    }
}

/// Why there are no curves.
pub fn growth_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => words::growth_note(),
        other => norm_note(other),
    }
}

pub fn radius_law(law: RadiusLaw) -> &'static str {
    match law {
        RadiusLaw::Fixed => radius_law::fixed(),
        RadiusLaw::SqrtLog => radius_law::sqrt_log(),
    }
}

pub fn mask_switch(mask: Mask) -> &'static str {
    match mask {
        Mask::None => mask_switch::none(),
        Mask::Causal => mask_switch::causal(),
    }
}

/// The name of a trace, beside its value and at the end of its curve.
pub fn trace_label(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => trace_label::sharp(),
        Trace::Sink => trace_label::sink(),
        Trace::Fork => trace_label::fork(),
        Trace::Unified => trace_label::unified(),
        Trace::General => trace_label::general(),
        Trace::Kim => trace_label::kim(),
        Trace::MeanField => trace_label::mean_field(),
        Trace::TwoClusters => trace_label::two_clusters(),
        Trace::Adversarial => trace_label::adversarial(),
        Trace::Envelope => trace_label::envelope(),
        Trace::Skew => trace_label::skew(),
        Trace::Exact => trace_label::exact(),
        Trace::Draws => trace_label::draws(),
    }
}

pub fn trace_label_short(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => trace_label_short::sharp(),
        Trace::General => trace_label_short::general(),
        Trace::Kim => trace_label_short::kim(),
        Trace::MeanField => trace_label_short::mean_field(),
        Trace::Adversarial => trace_label_short::adversarial(),
        Trace::Envelope => trace_label_short::envelope(),
        Trace::Skew => trace_label_short::skew(),
        other => trace_label(other),
    }
}

/// The name of a trace in its line of the readout.
pub fn trace_line(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => trace_line::sharp(),
        Trace::General => trace_line::general(),
        Trace::Kim => trace_line::kim(),
        Trace::MeanField => trace_line::mean_field(),
        Trace::Adversarial => trace_line::adversarial(),
        Trace::Exact => trace_line::exact(),
        Trace::Envelope => trace_line::envelope(),
        Trace::Skew => trace_line::skew(),
        other => trace_label(other),
    }
}

pub fn trace_hint(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => trace_hint::sharp(),
        Trace::Sink => trace_hint::sink(),
        Trace::Fork => trace_hint::fork(),
        Trace::Unified => trace_hint::unified(),
        Trace::General => trace_hint::general(),
        Trace::MeanField => trace_hint::mean_field(),
        Trace::Kim => trace_hint::kim(),
        Trace::TwoClusters => trace_hint::two_clusters(),
        Trace::Adversarial => trace_hint::adversarial(),
        Trace::Envelope => trace_hint::envelope(),
        Trace::Skew => trace_hint::skew(),
        Trace::Exact => trace_hint::exact(),
        Trace::Draws => trace_hint::draws(),
    }
}

pub fn crossover(crossover: &Crossover) -> String {
    let n = Number::from_log10(crossover.ln_n / std::f64::consts::LN_10);
    format!("n = e^Γ = {n}")
}

pub fn crossover_rule() -> &'static str {
    "n = e^Γ"
}

pub fn gap(log10: f64) -> String {
    format!("{} ×", Number::from_log10(log10))
}

fn of_bound(bound: &Bound) -> String {
    let number = Number::from_log10(bound.log10).kind(side_kind(bound.side));
    format!("{} {number}", bound_label(bound.id))
}

/// What is read at an n, aloud.
pub fn growth_said(row: &GrowthRow, norm: Norm, exact: Option<f64>) -> String {
    let mut parts = vec![format!("n = {}", count(row.n))];
    parts.extend(row.bounds.iter().filter(|bound| bound.id != BoundId::Skew && bound.id.is_about(norm)).map(of_bound));
    let exact = exact.filter(|_| norm == Norm::Spectral);
    parts.extend(exact.map(|value| format!("{} {}", trace_label(Trace::Exact), Number::of(value).kind(Kind::Exact))));
    parts.extend(row.gap_log10(norm).map(|log10| format!("{} {}", gap_text(), gap(log10))));
    parts.join(words::growth_said())
}

pub fn growth_finding(data: &GrowthData, norm: Norm) -> String {
    let Some(growth) = &data.growth else {
        return growth_finding::waiting().into();
    };
    let Some(last) = growth.rows.last() else { return growth_note(norm).into() };
    let gap = last.gap_log10(norm).map(|log10| growth_finding::gap(Number::from_log10(log10)));
    let ends = |bound: Option<&Bound>| bound.map_or_else(|| growth_finding::nothing().into(), of_bound);
    growth_finding::sentence(
        gap.unwrap_or_default(),
        ends(last.best_lower(norm)),
        count(last.n),
        ends(last.best_upper(norm)),
    )
}

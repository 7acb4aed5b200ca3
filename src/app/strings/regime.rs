//! The view over n up to 1e18.

use crate::app::live::RegimeData;
use crate::app::state::{RadiusLaw, Trace};
use crate::bounds::{Bound, BoundId, Norm};
use crate::experiment::Mask;
use crate::plot::{Kind, Number};
use crate::regime::{Crossover, RegimeRow};

use super::bounds::side_kind;
use super::norms::{norm_axis, norm_note};
use super::plot::count;

pub const PLOTS: &str = "Plot";
pub const PLOT_REGIME: &str = "Regime: n to 10¹⁸";
pub const PLOT_REGIME_HINT: &str = "Every bound on the ball, and what is reached in it, against n";
pub const PLOT_DRAWS: &str = "Measured draws";
pub const PLOT_DRAWS_HINT: &str = "The norm at draws of these tokens, against n";
pub const REGIME_HEADING: &str = "Lipschitz constant on the ball, against n from 2 to 10¹⁸";
pub const REGIME_X: &str = "number of tokens n";
pub const REGIME_HINT: &str = "Point at the plot, or focus it and use ← →; click or Enter keeps that n.";
pub const CURVES_ON: &str = "Curves, and their values at this n";
pub const RADIUS_LAW: &str = "Radius";
pub const GAP: &str = "upper / lower";
pub const GAP_HINT: &str = "The lowest upper bound over the highest lower bound at this n: the shaded gap";
pub const CROSSOVER: &str = "√n ends near";
pub const CROSSOVER_HINT: &str =
    "Past n = e^(2a), with a = ‖A‖R², scores between −a and a cannot make one token draw all attention any more";
pub const RADIUS_THERE: &str = "R there";
pub const REGIME_TABLE: &str = "n";
pub const REGIME_RADIUS: &str = "R";

pub fn regime_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "Lipschitz constant L on the ball |xᵢ| ≤ R",
        other => norm_axis(other),
    }
}

/// Why there are no curves.
pub fn regime_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => {
            "No bound over the ball is known here; dot-product attention has some, and L2 attention with L2-MHA weights."
        }
        other => norm_note(other),
    }
}

pub fn radius_law(law: RadiusLaw) -> &'static str {
    match law {
        RadiusLaw::Fixed => "R fixed",
        RadiusLaw::SqrtLog => "R grows like √log n",
    }
}

pub fn mask_switch(mask: Mask) -> &'static str {
    match mask {
        Mask::None => "no mask",
        Mask::Causal => "causal",
    }
}

/// The name of a trace, beside its value and at the end of its curve.
pub fn trace_label(trace: Trace) -> &'static str {
    match trace {
        Trace::Unified => "unified",
        Trace::General => "published, any n",
        Trace::Kim => "published, L2 attention",
        Trace::MeanField => "published, mean-field",
        Trace::TwoClusters => "two clusters",
        Trace::Adversarial => "adversarial, R fixed",
        Trace::Envelope => "adversarial envelope",
        Trace::Skew => "skew, another A",
        Trace::Exact => "adversarial, exact norm",
        Trace::Draws => "measured",
    }
}

pub fn trace_label_short(trace: Trace) -> &'static str {
    match trace {
        Trace::General => "any n",
        Trace::Kim => "Kim et al.",
        Trace::MeanField => "mean-field",
        Trace::Adversarial => "adversarial",
        Trace::Envelope => "envelope",
        Trace::Skew => "skew",
        other => trace_label(other),
    }
}

/// The name of a trace in its line of the readout.
pub fn trace_line(trace: Trace) -> &'static str {
    match trace {
        Trace::General => "any n [C]",
        Trace::Kim => "L2 attention [K]",
        Trace::MeanField => "mean-field [C]",
        Trace::Adversarial => "adversarial",
        Trace::Exact => "its exact norm",
        Trace::Envelope => "its envelope",
        Trace::Skew => "skew, other A",
        other => trace_label(other),
    }
}

pub fn trace_hint(trace: Trace) -> &'static str {
    match trace {
        Trace::Unified => "Ours: at most this, for every list of n tokens in the ball",
        Trace::General => "Castin, Ablin, Peyré 2024, for any n: at most this",
        Trace::MeanField => "Castin, Ablin, Peyré 2024, mean-field: at most this, whatever n",
        Trace::Kim => {
            "Kim, Papamakarios, Mnih 2021, for L2 multi-head attention: at most this, for all tokens whatever R"
        }
        Trace::TwoClusters => "Ours: some n tokens in this ball, in two clusters, reach at least this",
        Trace::Adversarial => {
            "The tokens R (−u, u, .., u) at exactly this n reach at least this; at fixed R they fall again"
        }
        Trace::Envelope => "The best of the adversarial family over all lengths up to n",
        Trace::Skew => "The exact norm for another A of the same norm, one for each n: shows how sharp unified is",
        Trace::Exact => "The exact norm at the adversarial tokens, as a token measure",
        Trace::Draws => "The norm at draws of the present tokens, and at the present configuration",
    }
}

pub fn crossover(crossover: &Crossover) -> String {
    let n = Number::from_log10(crossover.ln_n / std::f64::consts::LN_10);
    format!("n = e^(2a) = {n}")
}

pub fn crossover_rule() -> &'static str {
    "n = e^(2a)"
}

pub fn gap(log10: f64) -> String {
    format!("{} ×", Number::from_log10(log10))
}

fn of_bound(bound: &Bound) -> String {
    let number = Number::from_log10(bound.log10).kind(side_kind(bound.side));
    format!("{} {number}", bound.id.label())
}

/// What is read at an n, aloud.
pub fn regime_said(row: &RegimeRow, norm: Norm, exact: Option<f64>) -> String {
    let mut parts = vec![format!("n = {}", count(row.n))];
    parts.extend(row.bounds.iter().filter(|bound| bound.id != BoundId::Skew && bound.id.is_about(norm)).map(of_bound));
    let exact = exact.filter(|_| norm == Norm::Spectral);
    parts.extend(exact.map(|value| format!("{} {}", trace_label(Trace::Exact), Number::of(value).kind(Kind::Exact))));
    parts.extend(row.gap_log10(norm).map(|log10| format!("{GAP} {}", gap(log10))));
    parts.join(", ")
}

pub fn regime_finding(data: &RegimeData, norm: Norm) -> String {
    let Some(regime) = &data.regime else { return "The bounds against n; being computed.".into() };
    let Some(last) = regime.rows.last() else { return regime_note(norm).into() };
    let gap = last
        .gap_log10(norm)
        .map(|log10| format!(" The best bounds are a factor {} apart there.", Number::from_log10(log10)));
    let ends = |bound: Option<&Bound>| bound.map_or_else(|| "nothing".into(), of_bound);
    format!(
        "At n = {}: {}; {}.{} Left and right arrows read values.",
        count(last.n),
        ends(last.best_upper(norm)),
        ends(last.best_lower(norm)),
        gap.unwrap_or_default()
    )
}

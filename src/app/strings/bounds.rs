//! The bounds: their names, and what stands behind them.

use crate::bounds::{Bound, BoundId, Loss, Norm, Reach, Side};
use crate::measure::Measurement;
use crate::plot::{Kind, Number};

use super::norms::NEEDS_DENSE;
use super::numbers::kind_of;

pub const LADDER_HEADING: &str = "Bound ladder";
pub const STORY: &str = "What stands behind the selected bound";
pub const LADDER_NOTE: &str = "≥: some tokens in this ball reach it";
pub const LOAD: &str = "Load tokens of";
pub const LOAD_HINT: &str = "Take the tokens behind a lower bound, and measure them";
pub const LOAD_TWO_CLUSTERS: &str = "two clusters";
pub const LOAD_ADVERSARIAL: &str = "adversarial";
pub const LOAD_SKEW: &str = "skew";

pub fn bound_label(bound: BoundId) -> &'static str {
    bound.label()
}

pub fn bound_label_short(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => "any n",
        BoundId::CastinMeanField => "mean-field",
        BoundId::UnifiedMasked => "unified",
        BoundId::AdversarialEnvelope => "envelope",
        bound => bound.label(),
    }
}

/// The name in the ladder's narrow column.
pub fn rung_label(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => "any n [C]",
        BoundId::CastinMeanField => "mean-field [C]",
        BoundId::KimL2 | BoundId::KimLinf => "Kim et al. [K]",
        bound => bound_label_short(bound),
    }
}

/// What the letters of a formula are.
pub fn formula_where(bound: BoundId) -> &'static str {
    match bound {
        BoundId::Local => {
            "At these tokens: Gᵢ acts through token i’s own query, wᵢ bounds how much it takes from the others."
        }
        BoundId::UnifiedMasked => "With a = ‖A‖₂R², v = ‖V‖₂ of each head, S_c = Σᵢ 1/(1 + (i − 1) e^(−2a)).",
        BoundId::Adversarial => "With Au = λu, g = γR², γ = max(−λ, λ/8), p = 1/(1 + (n − 1) e^(−2g)).",
        BoundId::AdversarialEnvelope => "The largest of the adversarial bound over all lengths up to n.",
        BoundId::TwoClusters => "The exact norm, along a line, of the best n tokens in two clusters.",
        BoundId::Skew => "For another A of the same norm.",
        BoundId::KimL2 | BoundId::KimLinf => "With φ(x) = x e^(x + 1), k = d / heads, and the matrices of L2-MHA.",
        _ => "With a = ‖A‖₂R² and v = ‖V‖₂ of each head.",
    }
}

/// What a bound says, and how far it is from the measured norm.
pub fn reach(bound: &Bound, measured: Option<f64>) -> String {
    let number = Number::from_log10(bound.log10);
    let apart = match measured.filter(|norm| *norm > 0.0).map(f64::log10) {
        None => String::new(),
        Some(log10) => {
            let times = Number::rough_from_log10((bound.log10 - log10).abs());
            if bound.log10 >= log10 {
                format!(", {times} × what these tokens have")
            } else {
                format!("; these tokens have {times} × as much")
            }
        }
    };
    match (bound.side, bound.id.reach()) {
        (Side::Upper, Reach::Tokens) => format!("These tokens reach at most {number}{apart}."),
        (Side::Upper, _) => format!("All tokens in this ball reach at most {number}{apart}."),
        (Side::Lower, _) => format!("Some tokens in this ball reach at least {number}{apart}."),
    }
}

/// Where a bound is proved.
pub fn source(bound: BoundId) -> String {
    format!("Source: {}.", bound.source())
}

/// The least factor that is worth a line.
const WORTH_TELLING: f64 = 1.05;

/// The steps of a bound that lose something worth telling, in words.
pub fn losses(losses: &[Loss]) -> Vec<String> {
    losses.iter().filter(|loss| loss.times >= WORTH_TELLING).map(loss_words).collect()
}

/// A step that loses something, in words.
fn loss_words(loss: &Loss) -> String {
    format!("{}: {} ×", loss.kind.label(), Number::rough(loss.times))
}

pub fn ladder_finding(measurement: &Measurement, norm: Norm) -> String {
    let measured = measurement.norm(norm).map_or_else(
        || NEEDS_DENSE.to_owned(),
        |value| format!("Measured {}", Number::of(value).kind(kind_of(measurement, norm))),
    );
    let of =
        |bound: &Bound| format!("{} {}", bound.id.label(), Number::from_log10(bound.log10).kind(side_kind(bound.side)));
    let bounds: Vec<String> = measurement.bounds.iter().filter(|bound| bound.id.is_about(norm)).map(of).collect();
    format!("{measured}; {}. Up and down arrows tell what stands behind each.", bounds.join(", "))
}

/// What stands in front of a bound.
pub fn side_kind(side: Side) -> Kind {
    match side {
        Side::Upper => Kind::UpperBound,
        Side::Lower => Kind::LowerBound,
    }
}

//! The bounds: their names, and what stands behind them.

use crate::bounds::{BoundId, Side};
use crate::plot::{Kind, Number};

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

pub const UPPER_BOUNDS: &str = "Published upper bounds";
pub const NOT_APPLICABLE: &str = "does not apply";
pub const FORMULA_WHERE: &str = "with a = ‖A‖₂R² and v = ‖V‖₂ of each head";

pub fn times_measured(ratio: f64) -> String {
    format!("{} × measured", Number::rough(ratio))
}

/// What stands in front of a bound.
pub fn side_kind(side: Side) -> Kind {
    match side {
        Side::Upper => Kind::UpperBound,
        Side::Lower => Kind::LowerBound,
    }
}

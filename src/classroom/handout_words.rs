//! The short names of numbers on a handout, and the signs before the room for them.

use crate::lessons::{GrowthReading, Measured, Slot};
use crate::strings;
use lipscope_core::bounds::{BoundId, Side};
use lipscope_plot::Kind;

/// The control that a goal of a handout asks for; `None` for one that has no short name.
pub fn control(key: &str) -> Option<&'static str> {
    match key {
        "n" | "at" => Some("n"),
        "d" => Some("d"),
        "R" => Some("R"),
        "inverse-c" => Some("c"),
        _ => None,
    }
}

/// The number that a goal of a handout compares; `None` for a limit that the step has set.
pub fn number(slot: Slot) -> Option<&'static str> {
    match slot {
        Slot::Measured(Measured::Spectral) => Some("L"),
        Slot::Measured(Measured::ColumnSum) => Some(strings::handout_number::column_sum()),
        Slot::Measured(Measured::Times(_)) => Some(strings::handout_number::times()),
        Slot::Measured(Measured::Bound(_)) | Slot::Growth(GrowthReading::Bound(_)) => {
            Some(strings::handout_number::bound())
        }
        Slot::Growth(GrowthReading::Gap) => Some(strings::handout_number::gap()),
        Slot::Growth(GrowthReading::Exact) => Some("L"),
        Slot::Growth(GrowthReading::Crossover) => Some(strings::handout_number::crossover()),
        _ => None,
    }
}

/// The sign before the room for a number of a handout: what is known of it before the page says it.
pub fn sign(slot: Slot) -> &'static str {
    let of = |id: BoundId| match id.side() {
        Side::Upper => Kind::UpperBound.sign(),
        Side::Lower => Kind::LowerBound.sign(),
    };
    match slot {
        Slot::Measured(Measured::Bound(id)) | Slot::Growth(GrowthReading::Bound(id)) => of(id),
        Slot::Measured(Measured::BestBound) | Slot::Growth(GrowthReading::Best) => Kind::UpperBound.sign(),
        Slot::Measured(Measured::BestLower) | Slot::Growth(GrowthReading::Worst) => Kind::LowerBound.sign(),
        Slot::Measured(
            Measured::Spectral
            | Measured::Ratio
            | Measured::ColumnSum
            | Measured::Frobenius
            | Measured::Linf
            | Measured::L1
            | Measured::LargeRadius,
        )
        | Slot::Growth(GrowthReading::Exact) => Kind::Exact.sign(),
        _ => Kind::Plain.sign(),
    }
}

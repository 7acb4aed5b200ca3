//! The bounds around a number: which stand on a ladder, in which order, and why the others do not.

use super::ladder::Rung;
use super::names::{ink, kind, label};
use lipscope_core::bounds::{Absence, Bound, BoundId, Norm, Side, is_replaced, is_same};

/// The bounds on the spectral norm that a ladder shows: of several best ones the smallest alone.
pub(super) fn listed(bounds: &[Bound]) -> Vec<&Bound> {
    let is_listed = |bound: &&Bound| {
        let id = bound.id;
        id.is_about(Norm::Spectral) && id.rung().is_some() && !is_replaced(bounds, id)
    };
    bounds.iter().filter(is_listed).collect()
}

/// The ladder around a number: upper bounds, the number, lower bounds, each side from its largest down.
pub(super) fn around(own: Rung, bounds: &[Bound]) -> Vec<Rung> {
    let mut sorted = listed(bounds);
    sorted.sort_by(|a, b| b.log10.total_cmp(&a.log10));
    let (upper, lower): (Vec<&Bound>, Vec<&Bound>) = sorted.into_iter().partition(|bound| bound.side == Side::Upper);
    let (log10, kind_of_own) = (own.log10, own.kind);
    let rung = |bound: &Bound| {
        // One number that is rounded in two ways would look like two numbers.
        let is_own = bound.side == Side::Lower && is_same(bound.log10, log10);
        let kind = if is_own { kind_of_own } else { kind(bound.side) };
        Rung::new(label(bound.id), bound.log10, kind, ink(bound.id))
    };
    let above = upper.into_iter().map(rung);
    above.chain([own]).chain(lower.into_iter().map(rung)).collect()
}

/// A line for each bound that has no value, with its reasons. A bound whose twin with the other mask has a value is left out.
pub(super) fn absences(absent: &[(BoundId, Absence)], bounds: &[Bound]) -> Vec<String> {
    let present: Vec<&str> = listed(bounds).into_iter().map(|bound| label(bound.id)).collect();
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for (id, why) in absent {
        let (name, reason) = (label(id), why.phrase().to_string());
        if !id.is_about(Norm::Spectral) || present.contains(&name) {
            continue;
        }
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, reasons)) if reasons.contains(&reason) => {}
            Some((_, reasons)) => reasons.push(reason),
            None => lines.push((name, vec![reason])),
        }
    }
    lines.into_iter().map(|(name, reasons)| format!("{name}: {}", reasons.join("; "))).collect()
}

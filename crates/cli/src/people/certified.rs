//! Certificates for people: for each eps the bound on all tokens within it, and what a search finds there.

use std::time::Duration;

use lipscope_core::certify::{Certified, CertifiedRow};
use lipscope_models::{Cell, CertifiedWindow, CertifiedWindowRow};
use lipscope_plot::{Kind, Number};

use super::duration::duration;
use super::ladder::{Rung, claim};
use super::look::{Ink, Look, unbroken};
use super::page::Page;

/// What the numbers of every certificate are.
const MEANING: &str = "≤ holds for all tokens within eps of these. ≥ is reached by some, which a search found.";
const HEADING: &str = "If each token moves by at most eps, on a logarithmic scale:";

/// The text of a certificate of an experiment that took this long.
pub(crate) fn certified(found: &Certified, took: Duration, look: Look) -> String {
    let kind = match found.is_converged {
        true => Kind::Exact,
        false => Kind::LowerBound,
    };
    let local = found.rows.first().map(|row| Rung::from_value("local", row.local, Kind::UpperBound, Ink::Upper));
    let own = Rung::from_value("these tokens", found.spectral, kind, Ink::Strong);
    let of_eps = |row: &CertifiedRow| {
        let eps = eps(row.relative);
        [
            Rung::from_value(format!("{eps}, ball"), row.ball, Kind::UpperBound, Ink::Upper),
            Rung::from_value(format!("{eps}, certified"), row.certified, Kind::UpperBound, Ink::Best),
            Rung::from_value(format!("{eps}, found"), row.found, Kind::LowerBound, Ink::Lower),
        ]
    };
    let rungs: Vec<Rung> = local.into_iter().chain([own]).chain(found.rows.iter().flat_map(of_eps)).collect();
    Page::new(&format!("L {}", claim(found.spectral.log10(), kind)), look)
        .line(Ink::Text, &format!("This is L at the tokens themselves; R = {}.", radius(found.radius)))
        .gap()
        .ladder(HEADING, &rungs)
        .line(Ink::Muted, MEANING)
        .line(
            Ink::Muted,
            "“ball” is the smallest bound for all tokens of norm at most R + eps. “certified” and “local” are ours.",
        )
        .line(Ink::Muted, &format!("In {}. --csv writes every number.", duration(took)))
        .text()
}

/// The text of a certificate at a window of a model.
pub(crate) fn certified_window(cell: &Cell, found: &CertifiedWindow, look: Look) -> String {
    let kind = match found.norm.is_converged() {
        true => Kind::Exact,
        false => Kind::LowerBound,
    };
    let own = Rung::from_value("these tokens", found.norm.value, kind, Ink::Strong);
    let of_eps = |row: &CertifiedWindowRow| {
        let eps = eps(row.relative);
        [
            Rung::from_value(format!("{eps}, certified"), row.certified, Kind::UpperBound, Ink::Best),
            Rung::from_value(format!("{eps}, found"), row.found, Kind::LowerBound, Ink::Lower),
        ]
    };
    let rungs: Vec<Rung> = std::iter::once(own).chain(found.rows.iter().flat_map(of_eps)).collect();
    let Cell { layer, n, window, .. } = cell;
    let place = format!(
        "All {} heads of layer {layer} at window {window} of n = {n} tokens; R = {}.",
        found.heads.len(),
        radius(found.radius)
    );
    Page::new(&format!("L {}", claim(found.norm.value.log10(), kind)), look)
        .line(Ink::Text, &place)
        .gap()
        .ladder(HEADING, &rungs)
        .line(Ink::Muted, MEANING)
        .line(Ink::Muted, "All bounds: ours. --csv writes those of each head too.")
        .text()
}

fn eps(relative: f64) -> String {
    format!("eps = {} R", Number::short(relative))
}

fn radius(radius: f64) -> String {
    unbroken(&Number::short(radius).to_string())
}

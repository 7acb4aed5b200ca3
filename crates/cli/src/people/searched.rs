//! A search for people: the largest norm found, the bounds around it, and where it began.

use std::time::Duration;

use lipscope_core::search::{SearchDomain, SearchStep};
use lipscope_plot::{Kind, Number};

use super::bounds::{around, listed};
use super::duration::duration;
use super::ladder::{Rung, claim};
use super::look::{Ink, Look, unbroken};
use super::names::sources;
use super::page::Page;

/// The text of a search that took this long; `best` is the largest norm found.
pub(crate) fn searched(domain: &SearchDomain, best: f64, steps: &[SearchStep], took: Duration, look: Look) -> String {
    let own = Rung::from_value("found by this search", best, Kind::LowerBound, Ink::Strong);
    let restarts = steps.last().map_or(0, |step| step.restart + 1);
    let start = steps
        .iter()
        .find(|step| step.norm == best)
        .map(|step| format!("The best tokens come from restart {}, which began at {}.", step.restart, step.start.id()));
    let radius = unbroken(&Number::short(domain.radius).to_string());
    let place = format!("n = {}, d = {}, on the {} of R = {radius}.", domain.n, domain.d, domain.region.id());
    Page::new(&format!("L {}", claim(best.log10(), Kind::LowerBound)), look)
        .line(Ink::Text, "A search found tokens that magnify a small change by this factor. Others may reach more.")
        .line(Ink::Text, &place)
        .lines(Ink::Text, start)
        .gap()
        .ladder("Bounds, on a logarithmic scale:", &around(own, &domain.bounds))
        .line(Ink::Muted, "≤ holds for all tokens of norm at most R. ≥ is reached by some.")
        .gap()
        .lines(Ink::Muted, sources(&listed(&domain.bounds)))
        .line(Ink::Muted, &format!("{} steps in {restarts} restarts, in {}.", steps.len(), duration(took)))
        .line(Ink::Muted, "--out FILE saves the tokens for `lipscope measure`; --csv writes every step.")
        .text()
}

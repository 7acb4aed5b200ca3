//! The names of the bounds, their sources and their colours.

use std::collections::BTreeMap;

use lipscope_core::bounds::{Bound, BoundId, Group, Side};
use lipscope_plot::Kind;

use super::look::Ink;

// The build script makes the two tables of words/en/bounds.toml.
include!(concat!(env!("OUT_DIR"), "/bound_words.rs"));

/// The name of a bound, which is that of the page.
pub(super) fn label(bound: BoundId) -> &'static str {
    find(&BOUND_LABELS, bound.label()).unwrap_or(bound.id())
}

/// The paper and the theorem of a bound, or "ours".
fn source(bound: BoundId) -> &'static str {
    find(&BOUND_SOURCES, bound.source()).unwrap_or(bound.source())
}

fn find(texts: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    texts.iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
}

/// A line for each source of these bounds: the names of its bounds, then the source. Ours come last.
pub(super) fn sources(bounds: &[&Bound]) -> Vec<String> {
    let ours = source_of_ours();
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for bound in bounds {
        let (source, name) = (source(bound.id), label(bound.id));
        let names = names.entry(source).or_default();
        if source != ours && !names.contains(&name) {
            names.push(name);
        }
    }
    let has_ours = names.remove(ours).is_some();
    let mut lines: Vec<String> =
        names.iter().map(|(source, names)| format!("{}: {source}", names.join(", "))).collect();
    if has_ours {
        let which = if lines.is_empty() { "All bounds" } else { "All others" };
        lines.push(format!("{which}: {ours}, with proofs in docs/theory.md"));
    }
    lines
}

fn source_of_ours() -> &'static str {
    find(&BOUND_SOURCES, "ours").unwrap_or("ours")
}

/// The colour of a bound, as on the page.
pub(super) fn ink(bound: BoundId) -> Ink {
    match (bound.side(), bound.group()) {
        (Side::Lower, _) => Ink::Lower,
        (Side::Upper, Group::Published) => Ink::General,
        (Side::Upper, Group::MeanField) => Ink::MeanField,
        (Side::Upper, Group::Best) => Ink::Best,
        (Side::Upper, _) => Ink::Upper,
    }
}

/// What the number of a bound is.
pub(super) fn kind(side: Side) -> Kind {
    match side {
        Side::Upper => Kind::UpperBound,
        Side::Lower => Kind::LowerBound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::bounds::{ADVERSARIAL, ALL, CASTIN_GENERAL, SHARP};

    #[test]
    fn every_bound_has_a_name_and_a_source() {
        for bound in ALL {
            assert!(find(&BOUND_LABELS, bound.label()).is_some(), "{bound:?}");
            assert!(find(&BOUND_SOURCES, bound.source()).is_some(), "{bound:?}");
        }
    }

    #[test]
    fn sources_name_paper_and_theorem_and_ours_come_last() {
        let bounds = [&CASTIN_GENERAL, &SHARP, &ADVERSARIAL].map(|id: BoundId| Bound::of_ln(id, 1.0));
        let expected = [
            "any n [C]: Castin, Ablin, Peyré 2024, Theorem 3.3 and its masked version",
            "adversarial: tokens of Castin, Ablin, Peyré 2024",
            "All others: ours, with proofs in docs/theory.md",
        ];
        assert_eq!(sources(&bounds.each_ref()), expected);
        assert_eq!(sources(&[&bounds[1]]), ["All bounds: ours, with proofs in docs/theory.md"]);
        assert_eq!(sources(&[]), [""; 0]);
    }
}

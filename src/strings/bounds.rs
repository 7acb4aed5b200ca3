//! The bounds: their names and their details.

pub use crate::words::bounds::*;

use crate::answers::written_reached;
use crate::state::PageState;
use lipscope_core::bounds::{
    ADVERSARIAL_ENVELOPE, Absence, Bound, BoundId, Domain, Norm, Side, SlackFactor, SlackKind, is_replaced, is_same,
};
use lipscope_core::measure::Measurement;
use lipscope_plot::{Kind, Number};

use super::norms::needs_dense;
use super::numbers::{is_one, kind_of};
use super::plot::count;
use super::problems::phrase_text;

/// The name of a bound in every view. A bound with and without the mask has one name.
pub fn bound_label(bound: BoundId) -> &'static str {
    find_bound_label(bound.label()).unwrap_or(bound.id())
}

/// The name of a bound of a measurement. With normaliser and attention together, the name says that the value belongs
/// to these tokens: the bound on the ball, which has the plain name in other views, is larger.
pub fn measured_bound_label(bound: BoundId, state: &PageState) -> String {
    let name = bound_label(bound);
    // Bounds that always belong to the measured tokens have names that promise no ball.
    if state.measured_bounds_hold_on_ball() || bound.domain() == Domain::Tokens {
        name.to_owned()
    } else {
        at_these_tokens(name)
    }
}

/// The ladder's heading, with the number of tokens of its numbers.
pub fn ladder_title(n: Option<f64>) -> String {
    n.map_or_else(|| ladder_heading().to_owned(), |n| ladder_heading_at(count(n)))
}

/// The tokens that the ladder's numbers hold for, beside its heading. The tokens of the envelope may be fewer than n.
pub fn ladder_scope(state: &PageState, bounds: &[Bound]) -> String {
    let has_envelope = bounds.iter().any(|bound| bound.id == &ADVERSARIAL_ENVELOPE);
    match (state.measured_bounds_hold_on_ball(), has_envelope) {
        (false, _) => ladder_note_composed().to_owned(),
        (true, false) => ladder_note().to_owned(),
        (true, true) => ladder_note_envelope(bound_label(&ADVERSARIAL_ENVELOPE)),
    }
}

/// The formula of a bound as text: in words where it has no short one.
pub fn formula_words(bound: BoundId) -> &'static str {
    find_formula_words(bound.id()).unwrap_or(bound.formula())
}

/// A line for each reason why bounds have no value, with the names of these bounds. Bounds of one name count as one; a
/// bound with several reasons is in several lines.
pub fn bounds_absent(measurement: &Measurement) -> Vec<String> {
    let mut lines: Vec<(Absence, Vec<&str>)> = Vec::new();
    for (id, absence) in &measurement.absent {
        let name = bound_label(id);
        let is_twin = measurement.bounds.iter().any(|bound| bound_label(bound.id) == name);
        if is_twin || why_absent(&measurement.absent, &[*id]).is_none() || is_of_others(*absence) {
            continue;
        }
        match lines.iter_mut().find(|(known, _)| known == absence) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => lines.push((*absence, vec![name])),
        }
    }
    let line = |(absence, names): (Absence, Vec<&str>)| {
        bounds_absent { bounds: names.join(between_names()), reason: reason(absence) }.text()
    };
    lines.into_iter().map(line).collect()
}

/// Why none of these bounds, which share a name, has a value: the reason of the first of them that is not about another
/// mask, kernel or number of tokens. `None` where all of them are, or none is absent.
pub fn why_absent(absent: &[(BoundId, Absence)], ids: &[BoundId]) -> Option<Absence> {
    let of = |id: &BoundId| absent.iter().find(|(other, _)| other == id).map(|(_, absence)| *absence);
    // A bound that is alone has no form for other scores and other n.
    let has_forms = ids.len() > 1;
    let is_of_form = |why: Absence| {
        has_forms && matches!(why, Absence::L2Attention | Absence::OtherLength | Absence::PlainAttention)
    };
    ids.iter().filter_map(of).find(|why| !is_of_others(*why) && !is_of_form(*why))
}

/// Whether a bound with this reason is about another mask or kernel.
fn is_of_others(absence: Absence) -> bool {
    matches!(absence, Absence::NoMask | Absence::OtherAttention)
}

/// Why a bound has no value, in the same words in every view.
pub fn reason(absence: Absence) -> String {
    phrase_text(&absence.phrase())
}

/// The meaning of the letters of a formula.
pub fn formula_where(bound: BoundId) -> &'static str {
    find_formula_where(bound.note()).unwrap_or_default()
}

/// The statement of a bound for a state, and its factor over the measured norm. With normaliser and attention together,
/// a bound holds at these tokens only, because it contains a factor of the normaliser at these tokens.
pub fn reach(bound: &Bound, measured: Option<(f64, Kind)>, state: &PageState) -> String {
    let is_reached = |norm: f64| bound.side == Side::Lower && is_same(bound.log10, norm.log10());
    if let Some((norm, kind)) = measured.filter(|(norm, _)| is_reached(*norm)) {
        return reach::lower_same(Number::digits(norm, kind));
    }
    let number = Number::digits_from_log10(bound.log10, side_kind(bound.side));
    let compared = match measured.map(|(norm, _)| norm).filter(|norm| *norm > 0.0).map(f64::log10) {
        None => String::new(),
        Some(log10) => match Number::rough_from_log10((bound.log10 - log10).abs()) {
            times if is_one(&times) => reach::same().to_owned(),
            times if bound.log10 >= log10 => reach::above(&times),
            times => reach::below(&times),
        },
    };
    match (bound.side, bound.id.domain()) {
        (Side::Upper, _) if !state.measured_bounds_hold_on_ball() => {
            reach::upper_tokens { compared: &compared, number: &number }.text()
        }
        (Side::Upper, Domain::Tokens) => reach::upper_tokens { compared: &compared, number: &number }.text(),
        (Side::Upper, _) => reach::upper { compared: &compared, number: &number }.text(),
        (Side::Lower, _) => reach::lower { compared: &compared, number: &number }.text(),
    }
}

/// Where a bound is proved.
pub fn source(bound: BoundId) -> String {
    source::sentence(find_source(bound.source()).unwrap_or_default())
}

/// Smaller slack factors get no line.
const WORTH_TELLING: f64 = 1.05;
/// A remaining factor above one by less is not written: whoever multiplies the others does not miss it.
const WORTH_WRITING: f64 = 5e-3;

/// The steps of a bound's proof that have noticeable slack, in words, and a line for the remaining slack. The product
/// of the factors is the bound divided by the norm, up to the two digits with which they are written. Without such a step,
/// and without a norm, there is no line.
pub fn slack(factors: &[SlackFactor], bound: &Bound, measured: Option<f64>) -> Vec<String> {
    let named: Vec<&SlackFactor> = factors.iter().filter(|loss| loss.times >= WORTH_TELLING).collect();
    let mut lines: Vec<String> = named.iter().map(|loss| loss_words(loss)).collect();
    let Some(norm) = measured.filter(|norm| *norm > 0.0 && !lines.is_empty()) else { return lines };
    let shown = named.iter().map(|loss| loss.times.log10()).sum::<f64>();
    let rest = bound.log10 - norm.log10() - shown;
    if 10f64.powf(rest) >= 1.0 + WORTH_WRITING {
        lines.push(loss_rest(Number::from_log10(rest)));
    }
    lines
}

/// A step with slack, in words.
fn loss_words(loss: &SlackFactor) -> String {
    loss_words { step: step_of_proof(loss.kind), times: Number::rough(loss.times) }.text()
}

fn step_of_proof(kind: SlackKind) -> &'static str {
    match kind {
        SlackKind::Parts => step_of_proof::parts(),
        SlackKind::ColumnSums => step_of_proof::column_sums(),
        SlackKind::ANorm => step_of_proof::a_norm(),
        SlackKind::Radius => step_of_proof::radius(),
        SlackKind::VNorm => step_of_proof::v_norm(),
        SlackKind::Alignment => step_of_proof::alignment(),
        SlackKind::Length => step_of_proof::length(),
        SlackKind::Rows => step_of_proof::rows(),
        SlackKind::Scores => step_of_proof::scores(),
        SlackKind::Own => step_of_proof::own(),
        SlackKind::Exponent => step_of_proof::exponent(),
    }
}

pub fn ladder_finding(measurement: &Measurement, norm: Norm, state: &PageState) -> String {
    let measured = measurement.norm(norm).map_or_else(
        || needs_dense().to_owned(),
        |value| {
            let kind = kind_of(measurement, norm);
            ladder_finding::measured(Number::digits(value, kind).kind(kind))
        },
    );
    let of = |bound: &Bound| {
        let kind = side_kind(bound.side);
        let measured = measurement.norm(norm).map(|value| (value, kind_of(measurement, norm)));
        let number = match bound.side {
            Side::Lower => written_reached(bound.log10, measured),
            Side::Upper => Number::claimed(bound.log10, kind),
        };
        format!("{} {number}", measured_bound_label(bound.id, state))
    };
    let bounds: Vec<String> = measurement
        .bounds
        .iter()
        .filter(|bound| bound.id.is_about(norm) && !is_replaced(&measurement.bounds, bound.id))
        .map(of)
        .collect();
    ladder_finding::sentence { bounds: bounds.join(ladder_finding::between()), measured: &measured }.text()
}

/// The kind of a bound's value, which sets the sign in front of it.
pub fn side_kind(side: Side) -> Kind {
    match side {
        Side::Upper => Kind::UpperBound,
        Side::Lower => Kind::LowerBound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::bounds::{ALL, UNIFIED};

    #[test]
    fn every_bound_has_a_name_a_note_and_a_source() {
        for bound in ALL {
            assert!(find_bound_label(bound.label()).is_some(), "{bound:?}: {}", bound.label());
            assert!(find_formula_where(bound.note()).is_some(), "{bound:?}: {}", bound.note());
            assert!(find_source(bound.source()).is_some(), "{bound:?}: {}", bound.source());
        }
    }

    #[test]
    fn the_factors_multiply_to_the_ratio_up_to_their_two_digits() {
        let factor = |kind, times| SlackFactor { kind, times };
        let factors = [factor(SlackKind::Own, 5.94), factor(SlackKind::Rows, 1.649), factor(SlackKind::Scores, 1.03)];
        let bound = |value: f64| Bound::of_ln(&UNIFIED, value.ln());
        for ratio in [18.29, 10.1] {
            let lines = slack(&factors, &bound(2.0 * ratio), Some(2.0));
            let product: f64 = lines
                .iter()
                .map(|line| line.rsplit("× ").next().expect("a factor").parse::<f64>().expect("a number"))
                .product();
            assert!((product / ratio - 1.0).abs() < 0.05, "{lines:?} of {ratio}");
        }
        // What is left is no factor below 1, whatever the digits of the others are rounded to.
        let exact = 5.94 * 1.649;
        assert_eq!(slack(&factors, &bound(2.0 * exact), Some(2.0)).len(), 2);
        let last = slack(&factors, &bound(2.0 * exact * 1.03), Some(2.0)).pop().expect("a line");
        assert!(last.ends_with("× 1.030"), "{last}");
        assert!(slack(&factors[2..], &bound(2.0), Some(2.0)).is_empty());
        assert_eq!(slack(&factors, &bound(2.0), None).len(), 2);
    }
}

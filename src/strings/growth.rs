//! The view over n.

use crate::words::growth as words;
pub use crate::words::growth::*;

use crate::answers::Curves;
use crate::state::{PageState, RadiusGrowth, TokenChoice, Trace, WeightChoice};
use lipscope_core::bounds::{Absence, Bound, BoundId, Norm, Side};
use lipscope_core::experiment::{Attention, Mask, Normalization};
use lipscope_core::growth::Crossover;
use lipscope_plot::{Kind, Number};

use super::bounds::{bound_label, reason, side_kind, why_absent};
use super::explore::on_axis;
use super::norms::{norm_axis, norm_note};
use super::numbers::is_one;
use super::plot::count;

pub const TEN_TO_SIX: &str = "10⁶";
pub const TEN_TO_EIGHTEEN: &str = "10¹⁸";

/// The plotted quantity: the norm, or with a normaliser, the constant of one of two maps.
pub fn growth_axis(state: &PageState) -> String {
    match state.norm {
        Norm::Spectral => on_axis(state).unwrap_or_else(|| words::growth_axis().into()),
        other => norm_axis(other).into(),
    }
}

/// Why there are no curves.
pub fn growth_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => words::growth_note(),
        other => norm_note(other),
    }
}

pub fn radius_growth(growth: RadiusGrowth) -> &'static str {
    match growth {
        RadiusGrowth::Fixed => radius_growth::fixed(),
        RadiusGrowth::SqrtLog => radius_growth::sqrt_log(),
    }
}

/// The name of a trace in every view; a bound keeps its own name.
pub fn trace_label(trace: Trace) -> &'static str {
    match (trace, trace.bounds()) {
        (_, [bound, ..]) => bound_label(bound),
        (Trace::Exact, _) => trace_label::exact(),
        (Trace::Draws, _) => trace_label::draws(),
        (Trace::Worst, _) => trace_label::worst(),
        (Trace::Found, _) => trace_label::found(),
        (_, []) => trace_label::root(),
    }
}

/// The name of the measured tokens at the present n. The curve through their dot may be about other tokens: those that
/// were drawn before the reader moved some, random ones, or subsets of a list.
pub fn present_label(state: &PageState) -> &'static str {
    match (state.tokens, state.drawn().tokens) {
        (TokenChoice::Own | TokenChoice::Worst | TokenChoice::Clusters, TokenChoice::Own) => {
            trace_label::draws_subsets()
        }
        (TokenChoice::Own | TokenChoice::Clusters, TokenChoice::Adversarial | TokenChoice::Skew) => {
            trace_label::draws_moved()
        }
        (
            TokenChoice::Own | TokenChoice::Worst | TokenChoice::Clusters,
            TokenChoice::Distribution(_) | TokenChoice::Worst,
        ) => trace_label::draws_apart(),
        _ => trace_label::draws(),
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
        Trace::Worst => trace_hint::worst(),
        Trace::Found => trace_hint::found(),
        Trace::Root => trace_hint::root(),
    }
}

pub fn crossover(crossover: &Crossover) -> String {
    words::crossover(Number::from_log10(crossover.ln_n / std::f64::consts::LN_10))
}

pub fn crossover_rule() -> &'static str {
    "n = exp Γ"
}

pub fn gap(log10: f64) -> String {
    format!("{} ×", Number::from_log10(log10))
}

fn of_bound(bound: &Bound) -> String {
    let kind = side_kind(bound.side);
    format!("{} {}", bound_label(bound.id), Number::claimed(bound.log10, kind))
}

/// A sentence with the largest norm known, the best upper bound and the factor between them at an n. `lower` and
/// `upper` are each a logarithm to base ten, and the number as the list of curves writes it.
pub fn growth_gap(n: f64, lower: Option<(f64, Number)>, upper: Option<(f64, Number)>) -> String {
    let n = count(n);
    let times = lower.as_ref().zip(upper.as_ref()).map(|(lower, upper)| upper.0 - lower.0);
    let [lower, upper] = [lower, upper].map(|end| end.map(|(_, number)| number));
    let times = times.map(Number::from_log10);
    match (lower, upper, times) {
        (Some(lower), Some(upper), _) if lower == upper => growth_gap::equal { lower, n, upper }.text(),
        (Some(lower), Some(upper), Some(times)) if is_one(&times) => growth_gap::near { lower, n, upper }.text(),
        (Some(lower), Some(upper), Some(times)) => growth_gap::both { lower, n, times, upper }.text(),
        (None, Some(upper), _) => growth_gap::upper { n, upper }.text(),
        (Some(lower), ..) => growth_gap::lower { lower, n }.text(),
        (None, None, _) => String::new(),
    }
}

/// The entry of the band in the key: its largest ratio, and where it is.
pub fn gap_key(log10: f64, n: f64) -> String {
    gap_key { n: count(n), times: Number::digits_from_log10(log10, Kind::UpperBound) }.text()
}

/// The largest ratio of upper to lower bound, and where it is. `is_proved` says whether the lower edge there is a bound,
/// or the norm at tokens that were measured or found. `end` is the largest n at which both are known.
pub fn growth_widest(log10: f64, n: f64, end: f64, is_proved: bool) -> String {
    let (n, end, times) = (count(n), count(end), Number::from_log10(log10));
    match (is_one(&times), is_proved) {
        (true, true) => growth_widest::proved_equal(end),
        (true, false) => growth_widest::reached_equal(end),
        (false, true) => growth_widest::proved { end, n, times }.text(),
        (false, false) => growth_widest::reached { end, n, times }.text(),
    }
}

/// The button that goes back to the n of the tokens.
pub fn read_at_tokens(n: f64) -> String {
    words::read_at_tokens(count(n))
}

/// The button that sets the number of tokens to the n that is read.
pub fn use_n(n: f64) -> String {
    words::use_n(count(n))
}

/// The n and the ball of the numbers in a bound's details. The numbers belong to the present tokens, not to the n at
/// the cursor. The text names no ball where the numbers hold at the measured tokens only.
pub fn at_your_tokens(n: f64, radius: f64, state: &PageState) -> String {
    if state.measured_bounds_hold_on_ball() {
        at_your_tokens { n: count(n), radius: Number::of(radius) }.text()
    } else {
        at_your_tokens_only(count(n))
    }
}

/// The button that unfolds the details of a trace.
pub fn trace_more(trace: Trace) -> String {
    words::trace_more(trace_label(trace))
}

/// Why a trace has no value in a state, at any n.
///
/// A bound has the reason that other views give: `absent` holds those of the present measurement.
pub fn trace_absent(trace: Trace, state: &PageState, absent: &[(BoundId, Absence)]) -> String {
    match why_absent(absent, trace.bounds()) {
        Some(absence) if state.norm == Norm::Spectral => reason(absence),
        _ => trace_absent_text(trace, state).into(),
    }
}

fn trace_absent_text(trace: Trace, state: &PageState) -> &'static str {
    let is_masked = state.mask == Mask::Causal;
    let is_upper = trace.side() == Some(Side::Upper);
    let has_mask_twin =
        matches!(trace, Trace::Sharp | Trace::Unified | Trace::General | Trace::Adversarial | Trace::Worst);
    match trace {
        // Of attention with further steps the papers' bounds and witnesses say nothing.
        _ if !state.experiment().is_plain() && state.norm == Norm::Spectral => trace_absent::setting(),
        Trace::Kim if state.attention == Attention::Dot || state.weights != WeightChoice::Kim => trace_absent::kim(),
        _ if state.norm != Norm::Spectral => trace_absent::norm(),
        Trace::Kim => trace_absent::mask(),
        // The best bound has a form for other scores too.
        _ if state.attention != Attention::Dot && trace != Trace::Sharp => trace_absent::dot(),
        _ if is_masked && !has_mask_twin => trace_absent::mask(),
        _ if is_upper || trace == Trace::Found => trace_absent::setting(),
        Trace::Skew if state.n_heads() > 1 => trace_absent::heads(),
        Trace::Skew if state.normalization == Normalization::None => trace_absent::setting(),
        _ if state.normalization != Normalization::None => trace_absent::normalized(),
        Trace::Fork if state.dim() < 2 => trace_absent::dimension(),
        Trace::Sink | Trace::Fork => trace_absent::setting(),
        Trace::Adversarial | Trace::Envelope if state.n_heads() > 1 && state.has_output_matrix() => {
            trace_absent::output_matrix()
        }
        _ => trace_absent::eigenvalue(),
    }
}

/// Why a trace has no value at this n, though it has values at others.
pub fn trace_absent_here(trace: Trace) -> &'static str {
    match trace {
        Trace::Draws => trace_absent::not_measured(),
        Trace::Found => trace_absent::not_searched(),
        Trace::Fork => trace_absent::three(),
        Trace::Skew => trace_absent::past(),
        _ => trace_absent::here(),
    }
}

/// The words for a plot whose curves are on their way.
pub fn growth_waiting() -> &'static str {
    growth_finding::waiting()
}

pub fn growth_finding(data: &Curves, norm: Norm) -> String {
    let Some(growth) = &data.growth else {
        return growth_waiting().into();
    };
    let Some(last) = growth.rows.last() else { return growth_note(norm).into() };
    let digits = |bound: &Bound| Number::digits_from_log10(bound.log10, side_kind(bound.side));
    let are_equal = last.best_lower(norm).map(digits) == last.best_upper(norm).map(digits);
    let gap = last.gap_log10(norm).map(|log10| match Number::from_log10(log10) {
        _ if are_equal => growth_finding::no_gap().to_owned(),
        times if is_one(&times) => growth_finding::small_gap().to_owned(),
        times => growth_finding::gap(times),
    });
    let ends = |bound: Option<&Bound>| bound.map_or_else(|| growth_finding::nothing().into(), of_bound);
    growth_finding::sentence {
        gap: gap.unwrap_or_default(),
        lower: ends(last.best_lower(norm)),
        n: count(last.n),
        upper: ends(last.best_upper(norm)),
    }
    .text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(n: f64, lower: f64, upper: f64) -> String {
        let of = |value: f64, kind| Some((value.log10(), Number::digits_from_log10(value.log10(), kind)));
        growth_gap(n, of(lower, Kind::LowerBound), of(upper, Kind::UpperBound))
    }

    #[test]
    fn a_gap_of_nothing_is_no_factor_and_a_large_one_keeps_its_digits() {
        let equal = gap(2.0, 1.5, 1.5);
        assert!(equal.contains("reach 1.500, and none exceed 1.500: the two are equal to four digits"), "{equal}");
        // Rounded down and up, these two have different digits.
        let close = gap(2.0, 6.36345, 6.36346);
        assert!(close.contains("reach 6.363, and none exceed 6.364: the two differ by less than 0.1%"), "{close}");
        assert!(!close.contains("factor") && !close.contains("equal"), "{close}");
        let near = gap(64.0, 13.0, 26.0);
        assert!(near.contains("reach 13.00, and none exceed 26.00. The two differ by a factor of 2.000."), "{near}");
        let far = gap(64.0, 3.4e10, 5.6e33);
        assert!(
            far.contains(
                "reach 3.400 × 10¹⁰, and none exceed 5.600 × 10³³. The two differ by a factor of 1.647 × 10²³"
            ),
            "{far}"
        );
        assert!(growth_widest(0.0, 4.0, 256.0, true).contains("differ by less than 0.1% at every n up to 256"));
    }

    #[test]
    fn the_name_of_the_present_tokens_says_what_their_curve_is_of() {
        use lipscope_core::experiment::Rows;
        let random = PageState { n: 3, ..PageState::default() };
        let rows = || Rows::new("tokens", 2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5]).expect("numbers");
        let listed = random.with_own_tokens(rows());
        let moved = |from| PageState { own_from: Some(from), ..random.with_own_tokens(rows()) };
        let ball = random.tokens;
        for (state, expected) in [
            (random.clone(), trace_label::draws()),
            // The norms of adversarial tokens over n are those of these tokens.
            (PageState { tokens: TokenChoice::Adversarial, ..random.clone() }, trace_label::draws()),
            (PageState { tokens: TokenChoice::Worst, ..random.clone() }, trace_label::draws_apart()),
            (listed, trace_label::draws_subsets()),
            (moved(ball), trace_label::draws_apart()),
        ] {
            assert_eq!(present_label(&state), expected, "{:?} from {:?}", state.tokens, state.own_from);
        }
    }
}

//! The plan of each kind of work for a state: what its answer depends on, and nothing else. A change of the state
//! starts new work only if the plan changes.

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Distribution, Experiment, Mask, RandomTokens, TokenSource, WeightSource};
use lipscope_core::gap::{DEFAULT_LENGTHS, DEFAULT_RADII, GapPlan};
use lipscope_core::growth::GrowthPlan;
use lipscope_core::measure::BlockNorms;
use lipscope_core::picture::PairRequest;
use lipscope_core::sweep::{Spacing, log_spaced};
use lipscope_plot::ascending;
use lipscope_protocol::tasks::{BallPlan, GrowthRequest, MeasurePlan, SweepRequest, WorstFrom, WorstRequest};

use crate::state::{MAX_TOKEN_ENTRIES, MAX_WITNESS_N, PageState, RadiusGrowth, TokenChoice};

/// The most cells on a side of the attention picture: about as many as a small view has pixels.
const MOST_CELLS: usize = 192;
/// The most lengths of a sweep. Lengths that are equal after rounding become one.
const SWEEP_LENGTHS: usize = 22;
/// The number of handles of a reader's guessed curve.
const HANDLES: usize = 8;
/// The most lengths of the bounds beside a sweep, without those of the sweep.
const CURVE_LENGTHS: usize = 48;
/// Curves that are longer than the sweep end at a power of this, so that few changes of n need new curves.
const CURVE_STEP: usize = 4;
/// The largest n at which curves can end: a `usize` of the browser has 32 bits.
pub const MOST_CURVE_END: usize = 1 << 30;
/// The curves are computed at these multiples of each power of ten: people read round numbers more easily.
const OF_A_DECADE: [f64; 10] = [1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0];
/// Exact norms are marked at these multiples of each power of ten.
const MARKS_OF_A_DECADE: [f64; 2] = [1.0, 3.2];
/// The sketch of the curves is computed first. It has every n whose numbers the page shows, and one in this many of the
/// others.
const OF_A_SKETCH: usize = 10;
/// The most numbers of a list of worst tokens over n: longer lists take too long to measure.
const MOST_WORST_ENTRIES: usize = 4096;
/// The n that plans over many n have in place of the present n, so that they stay equal while the present n changes.
const ANY_N: usize = 64;

/// The plan of a measurement, with or without the leading singular pair.
pub fn measurement(state: &PageState, pair: PairRequest) -> MeasurePlan {
    MeasurePlan {
        experiment: state.experiment(),
        head_idx: state.head_shown,
        most_cells: MOST_CELLS,
        block_norms: BlockNorms::for_norm(state.norm),
        radius: state.moved_from().map(|_| state.ball_radius()),
        pair,
    }
}

/// The plan of the bounds on the ball at the present n.
pub fn ball(state: &PageState) -> BallPlan {
    let n = state.n_tokens();
    // Clusters that were moved may be more tokens than the choice has that they come from.
    let is_listed = n <= MAX_WITNESS_N as f64;
    let experiment = if is_listed { on_ball(state.drawn().experiment()) } else { ball_over_n(state) };
    BallPlan { experiment, n }
}

/// The plan of the sweep; `None` where there is one n only.
pub fn sweep(state: &PageState) -> Option<SweepRequest> {
    sweep_spaced(state, Spacing::Fixed)
}

/// The plan of the sweep in the view over n, where R may grow with n: its tokens lie in the balls of the curves.
pub fn sweep_over_n(state: &PageState) -> Option<SweepRequest> {
    sweep_spaced(state, spacing(state))
}

fn sweep_spaced(state: &PageState, spacing: Spacing) -> Option<SweepRequest> {
    let state = &*state.drawn();
    state.can_sweep().then(|| SweepRequest {
        experiment: at_any_n(state.experiment()),
        lengths: sweep_lengths(state.longest_length()),
        draws: state.draws_per_length(),
        spacing,
        norm: match state.norm {
            // One measurement gives all norms that need every entry.
            Norm::Linf | Norm::L1 | Norm::Frobenius => Norm::Frobenius,
            Norm::Spectral | Norm::MaxToken => state.norm,
        },
        points: None,
    })
}

/// The lengths at which there are bounds beside skew tokens: the present one. At another n their A is another one, and the
/// bounds of the present A are none of what is measured there.
fn skew_lengths(state: &PageState) -> Vec<f64> {
    vec![state.n_tokens().max(2.0)]
}

/// The plan of the bounds over n beside a sweep.
pub fn bounds(state: &PageState) -> GrowthRequest {
    let state = &*state.drawn();
    let swept = sweep(state).map_or_else(Vec::new, |plan| plan.lengths);
    let lengths = match state.tokens {
        TokenChoice::Skew => skew_lengths(state),
        _ => curve_lengths(curves_end(state), &swept).into_iter().map(|n| n as f64).collect(),
    };
    GrowthRequest::of_curves(ball_over_n(state), GrowthPlan { lengths, spacing: Spacing::Fixed })
}

/// The plan of the worst tokens known over n, at those lengths of the curves that are measured quickly. `None` where the
/// curves of the lower bounds say as much: without a mask, a normaliser and further steps. Where proofs give no tokens
/// and many are tried, the lengths are those of the sweep.
pub fn worst_over_n(state: &PageState, curves: &GrowthRequest) -> Option<WorstRequest> {
    let is_proved = curves.experiment.has_proved_witnesses();
    if state.tokens == TokenChoice::Skew || (is_proved && state.mask == Mask::None) {
        return None;
    }
    let most = (MOST_WORST_ENTRIES / state.dim().max(1)) as f64;
    let swept = sweep_lengths(state.sweep_max);
    let is_tried = |n: &usize| is_proved || swept.contains(n);
    let lengths = curves.plan.lengths.iter().filter(|n| **n <= most).map(|n| *n as usize).filter(is_tried).collect();
    let (experiment, spacing) = (curves.experiment.clone(), curves.plan.spacing);
    Some(WorstRequest { experiment, lengths, spacing, from: WorstFrom::Ball, units: None })
}

/// Whether the norm at n tokens is measured quickly enough for a curve.
pub fn is_quick(tokens: &TokenSource, n: f64, d: usize) -> bool {
    let most = match tokens {
        // Clusters cost the same at every n.
        TokenSource::Clusters { .. } | TokenSource::Adversarial { .. } => MOST_CURVE_END as f64,
        _ => (MOST_WORST_ENTRIES / d.max(1)) as f64,
    };
    n <= most
}

/// An experiment with the ball of a state, for bounds at many n. It depends on the present n only for skew tokens,
/// whose A depends on n.
pub fn ball_over_n(state: &PageState) -> Experiment {
    let experiment = on_ball(state.drawn().experiment());
    if state.tokens == TokenChoice::Skew { experiment } else { at_any_n(experiment) }
}

/// The plan of the view over n: its curves, and the exact norms at the same n. It depends on the present n only where n
/// sets R (which may grow with n) or A (of skew tokens), where the curves are read at n, or where the axis ends at n.
pub fn growth(state: &PageState) -> GrowthRequest {
    let state = &*state.drawn();
    let (now, end) = (state.n_tokens(), state.growth_end());
    let spacing = spacing(state);
    let is_skew = state.tokens == TokenChoice::Skew;
    let is_at_n = is_skew || spacing != Spacing::Fixed || state.read_at() == now || end == now;
    let experiment = if is_at_n { on_ball(state.experiment()) } else { ball_over_n(state) };
    let mut shown = vec![2.0, state.read_at(), end];
    shown.extend(is_at_n.then_some(now));
    let mut lengths = shown.clone();
    // The bounds are also computed at the lengths of the draws.
    let swept = sweep_lengths(state.sweep_max);
    if end > state.sweep_max as f64 {
        lengths.extend(lengths_of(&OF_A_DECADE));
        lengths.extend(swept.iter().map(|n| *n as f64));
    } else {
        lengths.extend(curve_lengths(state.sweep_max, &swept).into_iter().map(|n| n as f64));
    }
    lengths.retain(|n| (2.0..=end).contains(n));
    ascending(&mut lengths, |n| *n);
    lengths.dedup();
    if is_skew {
        lengths = skew_lengths(state);
    }
    let sketched = lengths.iter().enumerate().filter(|(at, n)| at % OF_A_SKETCH == 0 || shown.contains(n));
    let sketch = GrowthPlan { lengths: sketched.map(|(_, n)| *n).collect(), spacing };
    let plan = GrowthPlan { lengths, spacing };
    GrowthRequest { experiment, sketch, family_plan: plan.clone(), plan, units: None }
}

/// The plan of the map of the bounds over n and R. It depends on the present n and R only where these set A, of skew
/// tokens, and on the tokens of a list.
pub fn gap(state: &PageState) -> GapPlan {
    let mut experiment = ball_over_n(state);
    if let TokenSource::Random(RandomTokens { radius, .. }) | TokenSource::Adversarial { radius, .. } =
        &mut experiment.tokens
    {
        *radius = 1.0;
    }
    GapPlan { experiment, radii: DEFAULT_RADII.to_vec(), lengths: DEFAULT_LENGTHS.to_vec() }
}

/// How R depends on n in the view over n.
fn spacing(state: &PageState) -> Spacing {
    match state.growth.radius_growth {
        RadiusGrowth::Fixed => Spacing::Fixed,
        RadiusGrowth::SqrtLog => Spacing::SqrtLog { from_n: state.n_tokens().max(2.0) },
    }
}

/// A state's attention without its tokens, as an experiment on one placeholder token. Skew tokens stay, since they set
/// the weights. Where the weights fit tokens of any dimension, d is 1.
pub fn map(state: &PageState) -> Experiment {
    let experiment = state.experiment();
    let d = match experiment.weights {
        Some(WeightSource::Identity { .. }) => 1,
        _ => state.dim(),
    };
    let tokens = match experiment.tokens {
        tokens @ TokenSource::Skew { .. } => tokens,
        _ => TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n: 1, d, radius: 1.0, seed: 0 }),
    };
    Experiment { tokens, ..experiment }
}

/// An experiment on the same ball: bounds on a ball do not depend on the tokens that are drawn in it.
fn on_ball(mut experiment: Experiment) -> Experiment {
    if let TokenSource::Random(random) = &mut experiment.tokens {
        random.seed = 0;
    }
    experiment
}

/// Replaces the present n by a fixed one, so that plans over many n do not change with the present n.
fn at_any_n(mut experiment: Experiment) -> Experiment {
    match &mut experiment.tokens {
        TokenSource::Random(random) => random.n = ANY_N,
        TokenSource::Adversarial { n, .. } | TokenSource::Skew { n, .. } => *n = ANY_N,
        TokenSource::Explicit(_) | TokenSource::Clusters { .. } => {}
    }
    experiment
}

/// The lengths of a sweep.
pub fn sweep_lengths(longest: usize) -> Vec<usize> {
    log_spaced(2, longest, SWEEP_LENGTHS)
}

/// The n of the handles of a guess: the first and the last of a sweep, and evenly spaced ones between them.
pub fn handle_lengths(longest: usize) -> Vec<usize> {
    let lengths = sweep_lengths(longest);
    let last = lengths.len().saturating_sub(1);
    let mut handles: Vec<usize> =
        (0..HANDLES).filter_map(|at| lengths.get((at * last + (HANDLES - 1) / 2) / (HANDLES - 1)).copied()).collect();
    handles.dedup();
    handles
}

/// Lengths of a bound's curve: evenly spaced in the logarithm, together with those of the sweep.
pub fn curve_lengths(longest: usize, sweep: &[usize]) -> Vec<usize> {
    let mut lengths = log_spaced(2, longest, CURVE_LENGTHS);
    lengths.extend(sweep);
    ascending(&mut lengths, |n| *n as f64);
    lengths.dedup();
    lengths
}

/// Where the curves of the bounds end: at the end of the sweep, or at or past the present n if that is larger, so that
/// they pass the present tokens. Never past [`MOST_CURVE_END`].
pub fn curves_end(state: &PageState) -> usize {
    let (swept, n) = (state.longest_length(), state.n_tokens());
    if n <= swept as f64 {
        return swept;
    }
    if state.tokens == TokenChoice::Own {
        // A list of own tokens cannot grow.
        return state.n_listed();
    }
    let mut end = CURVE_STEP;
    while (end as f64) < n && end < MOST_CURVE_END {
        end *= CURVE_STEP;
    }
    match state.tokens {
        // At most the largest number of random tokens that the page accepts.
        TokenChoice::Distribution(_) | TokenChoice::Worst => end.min((MAX_TOKEN_ENTRIES / state.dim()).max(state.n)),
        _ => end,
    }
}

/// Whether exact norms are marked at an n: twice a decade, or at every length of the sweep if the axis ends with it.
pub fn is_marked(n: f64, state: &PageState) -> bool {
    if state.growth_end() <= state.sweep_max as f64 {
        return sweep_lengths(state.sweep_max).iter().any(|mark| *mark as f64 == n);
    }
    lengths_of(&MARKS_OF_A_DECADE).any(|mark| mark == n)
}

/// These multiples of each power of ten up to 1e18, rounded to whole numbers from 2 on; small ones may repeat.
fn lengths_of(mantissas: &'static [f64]) -> impl Iterator<Item = f64> {
    (0..=18).flat_map(move |power| mantissas.iter().map(move |m| (m * 10f64.powi(power)).round())).filter(|n| *n >= 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::state::{GrowthView, Range, WeightChoice, XAxis};
    use lipscope_core::experiment::{Mask, Rows};
    use lipscope_core::picture::{PlaneFrame, TokenEdit};

    #[test]
    fn a_plan_changes_only_where_its_answer_may() {
        let first = PageState::default();
        let growth_view = GrowthView { at: Some(1e4), range: Range::Million, ..first.growth };
        let kept = PageState { growth: growth_view, ..first.clone() };
        let pair = PairRequest::Skipped;
        // Another n.
        let other = |state: &PageState| PageState { n: 100, ..state.clone() };
        assert_eq!((sweep(&first), bounds(&first)), (sweep(&other(&first)), bounds(&other(&first))));
        assert_eq!(growth(&kept), growth(&other(&kept)));
        assert_ne!(growth(&first), growth(&other(&first)));
        assert_ne!(ball(&first), ball(&other(&first)));
        // The map over n and R depends on neither, and on the weights.
        let elsewhere = PageState { radius: 3.0, ..other(&first) };
        assert_eq!(gap(&first), gap(&elsewhere));
        assert_ne!(gap(&first), gap(&PageState { weights: WeightChoice::IdentityPlus, ..first.clone() }));
        // Another draw in the same ball.
        let drawn = PageState { token_seed: 5, ..first.clone() };
        assert_eq!((ball(&first), bounds(&first), growth(&first)), (ball(&drawn), bounds(&drawn), growth(&drawn)));
        assert_ne!(sweep(&first), sweep(&drawn));
        assert_ne!(measurement(&first, pair), measurement(&drawn, pair));
        // Another view of the same numbers.
        let viewed = PageState { x_axis: Some(XAxis::N), norm: Norm::Frobenius, ..first.clone() };
        assert_eq!(measurement(&first, pair), measurement(&viewed, pair));
        assert_eq!((ball(&first), bounds(&first)), (ball(&viewed), bounds(&viewed)));
    }

    /// A state after a token has been moved by hand to a place on the first axis.
    fn moved(state: &PageState, x: f64) -> PageState {
        let rows = Rows::new("rows", 2, (0..2 * state.n).map(|at| 0.005 * at as f64).collect()).expect("numbers");
        state.with_edit(Some(&rows), &PlaneFrame::own(2), &TokenEdit::Move { token: 3, to: (x, 0.0) }).expect("numbers")
    }

    #[test]
    fn a_token_moved_by_hand_within_its_ball_changes_the_measurement_only() {
        for tokens in [TokenChoice::Distribution(Distribution::Ball), TokenChoice::Worst] {
            let drawn = PageState { tokens, ..PageState::default() };
            let moved = moved(&drawn, -1.2);
            assert_eq!((moved.tokens, moved.shown_radius(), moved.n_listed()), (TokenChoice::Own, 1.5, 12));
            assert_ne!(measurement(&moved, PairRequest::Skipped), measurement(&drawn, PairRequest::Skipped));
            assert_eq!((ball(&moved), sweep(&moved)), (ball(&drawn), sweep(&drawn)), "{tokens:?}");
            assert_eq!((bounds(&moved), growth(&moved)), (bounds(&drawn), growth(&drawn)), "{tokens:?}");
        }
    }

    #[test]
    fn a_token_outside_its_ball_takes_the_ball_along_and_back_inside_the_radius_is_the_readers() {
        let drawn = PageState::default();
        let outside = moved(&drawn, -1.8);
        assert_eq!(outside.shown_radius(), 1.8);
        assert_ne!(ball(&outside), ball(&drawn));
        assert_eq!(ball(&moved(&outside, 0.5)), ball(&drawn));
        // The reader can make the ball larger, and no smaller than its tokens.
        // The stops of the slider stay where they are, and those that are too small set the least R.
        assert_eq!(Field::RADIUS.rungs(&outside), Field::RADIUS.rungs(&drawn));
        let mut smaller = outside.clone();
        Field::RADIUS.slide(&mut smaller, 0.5);
        assert_eq!(smaller.radius, 1.8);
        let mut larger = outside.clone();
        Field::RADIUS.choose(&mut larger, 4.0);
        assert_eq!((larger.shown_radius(), larger.own_tokens), (4.0, outside.own_tokens.clone()));
        assert!(Field::RADIUS.accept("1.7", &outside).is_err());
    }

    #[test]
    fn n_and_a_new_sample_draw_the_tokens_anew_that_were_moved_and_a_pasted_list_fixes_them() {
        let drawn = PageState { tokens: TokenChoice::Distribution(Distribution::Sphere), ..PageState::default() };
        let moved = moved(&drawn, 0.5);
        let mut again = moved.clone();
        assert!(!again.has_fixed_n() && again.has_samples());
        Field::N.choose(&mut again, 100.0);
        assert_eq!((again.tokens, again.n, again.radius), (drawn.tokens, 100, drawn.radius));
        // The moved ones can be chosen again.
        again.choose_tokens(TokenChoice::Own);
        assert_eq!(again.moved_from(), Some(drawn.tokens));
        let pasted = PageState::default().with_own_tokens(moved.own_tokens.expect("some"));
        assert!(pasted.has_fixed_n() && !pasted.has_samples());
        assert!(pasted.shown_radius() < 1.5, "the ball of the farthest");
    }

    #[test]
    fn skew_tokens_keep_their_n_since_it_sets_their_weights() {
        let at = |n: usize| PageState {
            tokens: TokenChoice::Skew,
            n,
            growth: GrowthView { at: Some(1e4), range: Range::Million, ..PageState::default().growth },
            ..PageState::default()
        };
        assert_ne!(bounds(&at(64)), bounds(&at(100)));
        assert_ne!(growth(&at(64)), growth(&at(100)));
        assert_ne!(map(&at(64)), map(&at(100)));
        // A sweep sets n, and so the weights, at each of its points.
        assert_eq!(sweep(&at(64)), sweep(&at(100)));
    }

    #[test]
    fn a_map_depends_on_no_tokens() {
        let first = PageState::default();
        let moved = PageState { n: 9, d: 5, radius: 3.0, token_seed: 7, ..first.clone() };
        assert_eq!(map(&first), map(&moved), "A = -1 is the same map in every dimension");
        let random = PageState { weights: WeightChoice::Random, ..first.clone() };
        assert_ne!(map(&random), map(&PageState { d: 5, ..random.clone() }));
        assert_ne!(map(&first), map(&PageState { mask: Mask::Causal, ..first.clone() }));
    }

    #[test]
    fn curves_reach_the_present_n_and_end_where_many_n_share_an_end() {
        let at = |n: usize| curves_end(&PageState { n, ..PageState::default() });
        assert_eq!([at(64), at(256), at(257), at(1024), at(3756), at(4096)], [256, 256, 1024, 1024, 4096, 4096]);
    }

    #[test]
    fn curves_ask_for_no_more_tokens_than_the_page_takes() {
        let state = PageState { n: 700, d: 640, ..PageState::default() };
        assert_eq!(curves_end(&state), MAX_TOKEN_ENTRIES / 640);
    }

    #[test]
    fn skew_tokens_have_bounds_at_the_present_n_alone() {
        let state = PageState { n: 8, ..PageState::default().with_tokens(TokenChoice::Skew) };
        assert_eq!(bounds(&state).plan.lengths, [8.0]);
        assert_eq!(growth(&state).plan.lengths, [8.0]);
        let random = PageState { n: 8, ..PageState::default() };
        assert!(bounds(&random).plan.lengths.len() > 10);
    }
}

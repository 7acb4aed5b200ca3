//! The curve of the worst tokens known over n, in three hundred drawn states, by the plans and the tasks of the page: it is
//! never below what is drawn beside it, every value belongs to tokens, and it falls only where carrying tokens was tried.

use std::sync::Arc;

use lipscope::answers::{Curves, KnownTokens, Sweep, carrying, with_worst_known, worst_in_effect};
use lipscope::field::Field;
use lipscope::plans;
use lipscope::state::{PageState, TokenChoice, WeightChoice};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{
    Attention, Mask, Normalization, Order, Preset, QkNorm, Rope, Scope, VectorNorm, Weighting,
};
use lipscope_core::growth::WorstTokens;
use lipscope_core::measure::{MeasureOptions, measure_with};
use lipscope_protocol::tasks::{Ball, EngineEvent, EnginePlan, GrowthEvent};
use lipscope_testkit::dice::Dice;

use super::known::{ball, events, measured};

/// The number of states.
const STATES: usize = 300;
/// Two computations of one norm differ by less than this, in powers of ten.
const SAME: f64 = 1e-8;

/// A settled page: what is known, and what is drawn.
struct Settled {
    known: KnownTokens,
    curves: Curves,
    sweep: Sweep,
}

/// Does what the page does in the opening view, until nothing is left to do.
fn settled(state: &PageState) -> Settled {
    let mut known = KnownTokens::default();
    let found = ball(state);
    known.add_ball(state, &found);
    let in_effect =
        if state.tokens == TokenChoice::Worst { worst_in_effect(state, &found, &known) } else { state.clone() };
    known.add_measured(&in_effect, &measured(&in_effect));
    let mut sweep = Sweep::default();
    if let Some(of) = plans::sweep(state) {
        for event in events(EnginePlan::Sweep(of.clone())) {
            let EngineEvent::Sweep(points) = event else { panic!("{event:?}") };
            known.add_points(state, &of, &points);
            sweep.points.extend(points);
        }
        sweep.of = Some(of);
    }
    let of = plans::bounds(state);
    let worst = plans::worst_over_n(state, &of);
    let mut curves = Curves { of: Some(of.clone()), ..Curves::default() };
    for event in events(EnginePlan::Growth(of.clone())) {
        if let EngineEvent::Growth(GrowthEvent::Curves(found)) = event {
            curves.growth = Some(Arc::new(*found));
        }
    }
    let find = |known: &mut KnownTokens, plan| {
        for event in events(EnginePlan::Worst(plan)) {
            let EngineEvent::Worst(found) = event else { panic!("{event:?}") };
            known.add_worst(state, &found);
        }
    };
    worst.into_iter().for_each(|plan| find(&mut known, plan));
    let mut passes = 0;
    loop {
        let falls = known.falls(state, curves.lower(Norm::Spectral), curves.now(state));
        if falls.is_empty() {
            return Settled { known, curves, sweep };
        }
        known.note_carried(state, &falls);
        passes += 1;
        assert!(passes < 50, "{state:?}");
        carrying(&of, &falls).into_iter().for_each(|plan| find(&mut known, plan));
    }
}

fn drawn(dice: &mut Dice) -> PageState {
    let weights = *dice.of(&[WeightChoice::IdentityMinus, WeightChoice::IdentityPlus, WeightChoice::Random]);
    let mut state = PageState {
        weights,
        n: 2 + dice.below(60),
        d: 1 + dice.below(4),
        radius: [0.3, 0.7, 1.0, 1.5, 2.0, 3.0][dice.below(6)],
        heads: 1 + dice.below(2),
        head_dim: 1 + dice.below(3),
        scale: [0.5, 1.0, 2.0][dice.below(3)],
        weight_seed: dice.bits() >> 11,
        token_seed: dice.bits() >> 11,
        mask: dice.of(&[Mask::None, Mask::None, Mask::Causal]).clone(),
        sweep_max: [16, 40, 60][dice.below(3)],
        draws: 1 + dice.below(4),
        ..PageState::default()
    };
    if dice.once_in(3) {
        state.choose_preset(*dice.of(&Preset::ALL));
    }
    if dice.once_in(4) {
        state.choose_kernel(*dice.of(&Attention::ALL));
    }
    if dice.once_in(3) {
        state.normalization = *dice.of(&[Normalization::Rms, Normalization::Layer]);
        state.scope = *dice.of(&[Scope::Inputs, Scope::Composed]);
    }
    if dice.once_in(4) && state.attention != Attention::Linear {
        state.score.softcap = Some([0.5, 2.0, 30.0][dice.below(3)]);
    }
    if dice.once_in(6) && state.attention == Attention::Dot {
        state.score.qk_norm = Some(QkNorm::of(VectorNorm::Rms));
    }
    if dice.once_in(6) && state.attention != Attention::Linear {
        state.weighting = dice
            .of(&[Weighting::with_sink(0.5), Weighting::Sigmoid { bias: None }, Weighting::Relu { divisor: None }])
            .clone();
    }
    if dice.once_in(8) && state.attention == Attention::Dot {
        state.score.rope = Some(Rope::DEFAULT);
    }
    if dice.once_in(6) {
        state.mask = Mask::Window { width: 4, order: *dice.of(&[Order::Causal, Order::Free]) };
    }
    if dice.once_in(10) {
        state.mask = Mask::Prefix { length: 5 };
    }
    if dice.once_in(2) {
        state.tokens = TokenChoice::Worst;
    }
    state
}

/// (n, log10 of the mean of the samples).
fn means(sweep: &Sweep) -> Vec<(f64, f64)> {
    let lengths = sweep.lengths().iter().map(|n| *n as f64);
    let values = sweep.values(Norm::Spectral);
    let mean = |n: f64| {
        let here: Vec<f64> = values.iter().filter(|point| point.0 == n).map(|point| point.1).collect();
        (!here.is_empty()).then(|| (n, (here.iter().sum::<f64>() / here.len() as f64).log10()))
    };
    lengths.filter_map(mean).collect()
}

/// The height of a line of points at an n, where both axes are logarithmic; `None` beside it.
fn height(points: &[(f64, f64)], n: f64) -> Option<f64> {
    let at = points.partition_point(|point| point.0 < n);
    let right = *points.get(at)?;
    if right.0 == n {
        return Some(right.1);
    }
    let left = *points.get(at.checked_sub(1)?)?;
    Some(left.1 + (right.1 - left.1) * (n / left.0).ln() / (right.0 / left.0).ln())
}

/// log10 of the norm at the worst tokens known at an n, as the page would load them; with those that the ball of n has.
fn loaded(page: &Settled, state: &PageState, n: f64, radius: f64, worst: Option<WorstTokens>) -> (f64, f64) {
    let at = PageState { n: n as usize, tokens: TokenChoice::Worst, d: state.dim(), ..state.clone() };
    let ball = Ball { n, radius, bounds: Vec::new(), limit: Vec::new(), worst, idle: Vec::new(), growth_ends: None };
    let experiment = worst_in_effect(&at, &ball, &page.known).experiment();
    let found = measure_with(&experiment, MeasureOptions::for_sweep()).expect("it can be measured");
    (found.n, found.spectral.log10())
}

#[test]
fn the_curve_of_the_worst_tokens_known_is_above_what_is_drawn_and_falls_only_where_nothing_better_was_found() {
    let (mut n_states, mut n_rows, mut n_bounds, mut n_falls, mut deepest) = (0, 0, 0, 0, 0.0f64);
    let mut faults: Vec<String> = Vec::new();
    let mut hold = |holds: bool, text: &dyn Fn() -> String| faults.extend((!holds).then(text));
    for case in 0.. {
        let state = drawn(&mut Dice::new(52, case));
        // LayerNorm maps every token of one dimension to 0: all norms are 0.
        if state.check().is_err() || (state.normalization == Normalization::Layer && state.dim() == 1) {
            continue;
        }
        let page = settled(&state);
        let about = || format!("case {case}: {state:?}");
        let of_map = page.known.on(&state, Norm::Spectral);
        let curve = of_map.over_n(page.curves.lower(Norm::Spectral), page.curves.now(&state));
        let means = means(&page.sweep);
        for (n, norm) in page.sweep.values(Norm::Spectral).into_iter().filter(|point| point.1 > 0.0) {
            let line = height(&curve, n);
            hold(line.is_some_and(|line| line >= norm.log10() - SAME), &|| {
                format!("n = {n}: {norm} over 1e{line:?}; {}", about())
            });
        }
        for (n, log10) in &curve {
            let mean = height(&means, *n);
            hold(mean.is_none_or(|mean| *log10 >= mean - SAME), &|| {
                format!("n = {n}: 1e{log10} under 1e{mean:?}; {}", about())
            });
        }
        let (n, radius) = (state.n_tokens(), page.curves.rows().first().expect("rows").radius);
        // A norm of 0 has no logarithm, and no place on the curve.
        if let Some(here) = of_map.worst(n, radius).map(|known| known.log10) {
            let line = height(&curve, n);
            hold(line.is_none_or(|line| line >= here - SAME), &|| format!("n = {n}: 1e{here}; {}", about()));
        }
        // Every value belongs to tokens that can be loaded.
        for (n, log10) in &curve {
            let known = of_map.worst(*n, radius).filter(|known| known.log10 >= log10 - SAME);
            let worst = if known.is_some() {
                None
            } else {
                n_bounds += 1;
                ball(&PageState { n: *n as usize, ..state.clone() }).worst
            };
            let has_own = known.is_some_and(|known| known.n == *n);
            let (n_loaded, found) = loaded(&page, &state, *n, radius, worst);
            hold(n_loaded == *n, &|| format!("n = {n}: {n_loaded} loaded; {}", about()));
            hold(found >= log10 - SAME, &|| format!("n = {n}: 1e{log10} drawn, 1e{found} loaded; {}", about()));
            hold(!has_own || found <= log10 + SAME, &|| {
                format!("n = {n}: 1e{log10} drawn, 1e{found} loaded; {}", about())
            });
            n_rows += 1;
        }
        let map = plans::map(&state);
        for (at, (n, log10)) in curve.iter().enumerate() {
            for (fewer, before) in &curve[..at] {
                let is_proved = map.passes_on(Norm::Spectral, *fewer, *n);
                hold(!is_proved || *log10 >= before - SAME, &|| {
                    format!("1e{before} at {fewer}, 1e{log10} at {n}; {}", about())
                });
            }
            let most = curve[..at].iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
            if most > log10 + SAME {
                n_falls += 1;
                deepest = deepest.max(most - log10);
            }
        }
        n_states += 1;
        if n_states == STATES {
            break;
        }
    }
    println!("{n_rows} points, {n_bounds} of bounds; {n_falls} below an earlier one, by at most 10^{deepest:.3}");
    assert!(faults.is_empty(), "{} faults: {}", faults.len(), faults.join("\n"));
    assert!(n_rows >= 20 * STATES, "{n_rows} points");
}

/// What the page says of the worst tokens known, and the norm at the tokens of the choice "worst known", for states of
/// which a reader found two numbers.
#[test]
fn a_link_the_button_and_the_sentence_have_the_same_tokens_and_a_change_of_n_or_r_keeps_the_choice() {
    let rms =
        PageState { normalization: Normalization::Rms, scope: Scope::Composed, sweep_max: 64, ..PageState::default() };
    let causal =
        PageState { mask: Mask::Causal, weights: WeightChoice::IdentityPlus, sweep_max: 64, ..PageState::default() };
    for first in [rms, causal] {
        for tokens in [first.tokens, TokenChoice::Worst, TokenChoice::Adversarial] {
            let state = first.with_tokens(tokens);
            let mut page = settled(&state);
            for change in ["none", "n", "radius"] {
                let ball_now = ball(&state);
                let mut loaded = with_worst_known(&state, Some(&ball_now));
                match change {
                    "n" => Field::N.choose(&mut loaded, 57.0),
                    "radius" => Field::RADIUS.choose(&mut loaded, 1.2),
                    _ => {}
                }
                assert_eq!(loaded.tokens, TokenChoice::Worst, "{change}: {state:?}");
                let found = ball(&loaded);
                page.known.add_ball(&loaded, &found);
                let said =
                    page.known.worst(&loaded, Norm::Spectral, found.n, found.radius).expect("some are known").log10;
                let in_effect = worst_in_effect(&loaded, &found, &page.known);
                let reached = measured(&in_effect).spectral.log10();
                assert!((reached - said).abs() < SAME, "{change}: 1e{said} said, 1e{reached} reached; {state:?}");
            }
        }
    }
}

//! The rule of the worst tokens known: their norm is at least all that the page has measured or found in the ball, and
//! at most the norm of the tokens that the page's button loads. The two agree unless the known tokens are fewer.
//! Checked in two thousand drawn states, by the plans and the tasks of the page.

use lipscope::answers::{KnownTokens, with_worst_known, worst_in_effect, worst_of_this_page, written_reached};
use lipscope::link;
use lipscope::plans;
use lipscope::state::{PageState, RadiusGrowth, Scene, TokenChoice, WeightChoice};
use lipscope_core::bounds::{Norm, best_lower};
use lipscope_core::experiment::{
    Attention, Distribution, Experiment, Mask, Memory, Normalization, Preset, Rows, TokenSource, Weighting,
};
use lipscope_core::measure::Measurement;
use lipscope_core::picture::PairRequest;
use lipscope_plot::Kind;
use lipscope_protocol::envelope::{Command, Content, Request};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Poll;
use lipscope_protocol::tasks::{Ball, EngineEvent, EnginePlan, EngineTasks, MeasureEvent, WorstAt};
use lipscope_testkit::dice::Dice;

/// Maps that are drawn, and states of each.
const MAPS: usize = 90;
const STATES: usize = 16;
/// Two computations of one norm differ by less than this, relatively.
const SAME: f64 = 1e-8;

/// A norm that the page has measured.
struct Seen {
    map: Experiment,
    d: usize,
    n: f64,
    radius: f64,
    norm: f64,
    is_causal: bool,
    /// Adversarial tokens, of which the page has no list, count at their own n only.
    is_listed: bool,
}

/// What the page knows, and what it should.
#[derive(Default)]
struct Page {
    known: KnownTokens,
    seen: Vec<Seen>,
}

/// The events of a plan, from the page's own tasks.
pub(super) fn events(plan: EnginePlan) -> Vec<EngineEvent> {
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let mut found = Vec::new();
    let mut on_event = |reply: lipscope_protocol::envelope::Reply<EngineEvent>| match reply.content {
        Content::Event(event) => found.push(event),
        Content::Failed(problem) => panic!("{problem}"),
        _ => {}
    };
    runner.begin(Command::Run(Request { run_id: 1, plan }), 0.0, &mut on_event);
    while runner.slice(0.0, || 1e9, &mut on_event) == Poll::More {}
    found
}

pub(super) fn ball(state: &PageState) -> Ball {
    match events(EnginePlan::Ball(plans::ball(state))).pop() {
        Some(EngineEvent::Ball(ball)) => ball,
        other => panic!("{other:?}"),
    }
}

pub(super) fn measured(state: &PageState) -> Measurement {
    match events(EnginePlan::Measure(plans::measurement(state, PairRequest::Skipped))).pop() {
        Some(EngineEvent::Measure(MeasureEvent::Whole(found))) => *found.measurement,
        other => panic!("{other:?}"),
    }
}

/// The state whose tokens are measured.
fn in_effect(state: &PageState, known: &KnownTokens) -> PageState {
    match state.tokens {
        TokenChoice::Worst => worst_in_effect(state, &ball(state), known),
        _ => state.clone(),
    }
}

impl Page {
    fn see(&mut self, state: &PageState, n: f64, radius: f64, norm: f64) {
        let is_causal = state.mask == Mask::Causal;
        let is_listed = state.tokens != TokenChoice::Adversarial;
        self.seen.push(Seen { map: plans::map(state), d: state.dim(), n, radius, norm, is_causal, is_listed });
    }

    /// What the page does when its state changes; returns the ball.
    fn change(&mut self, state: &PageState) -> Ball {
        let ball = ball(state);
        self.known.add_ball(state, &ball);
        if let Some(worst) = &ball.worst {
            self.see(state, ball.n, ball.radius, worst.norm);
        }
        let in_effect = in_effect(state, &self.known);
        let found = measured(&in_effect);
        self.known.add_measured(&in_effect, &found);
        self.see(&in_effect, found.n, found.radius, found.spectral);
        ball
    }

    fn sweep(&mut self, state: &PageState) {
        let plan = if state.growth.radius_growth == RadiusGrowth::Fixed {
            plans::sweep(state)
        } else {
            plans::sweep_over_n(state)
        };
        let Some(plan) = plan else { return };
        for event in events(EnginePlan::Sweep(plan.clone())) {
            let EngineEvent::Sweep(points) = event else { panic!("{event:?}") };
            self.known.add_points(state, &plan, &points);
            for point in points {
                self.see(state, point.n as f64, point.radius, point.spectral);
            }
        }
    }

    /// The largest norm that the page has seen at tokens that count at n and R.
    fn largest_seen(&self, state: &PageState, n: f64, radius: f64) -> f64 {
        let (map, d) = (plans::map(state), state.dim());
        let has_simple_mask = matches!(map.mask, Mask::None | Mask::Causal);
        let counts = |seen: &&Seen| {
            let reaches = if seen.is_causal { seen.n <= n } else { n % seen.n == 0.0 };
            // Weights that depend on n, and a sink, are not those of fewer tokens.
            let is_softmax = seen.map.weighting == Weighting::SOFTMAX && !seen.map.score.knows_positions();
            let reaches = if seen.is_listed && is_softmax && has_simple_mask { reaches } else { seen.n == n };
            reaches && seen.radius <= radius && seen.d == d && seen.map == map
        };
        self.seen.iter().filter(counts).map(|seen| seen.norm).fold(0.0, f64::max)
    }
}

/// A map and its tokens' dimension, in a state.
fn drawn_map(dice: &mut Dice) -> PageState {
    let weights = *dice.of(&[WeightChoice::IdentityMinus, WeightChoice::IdentityPlus, WeightChoice::Random]);
    let mut state = PageState {
        weights,
        d: 1 + dice.below(3),
        heads: 1 + dice.below(2),
        head_dim: 1 + dice.below(2),
        weight_seed: dice.bits() >> 11,
        mask: dice.of(&[Mask::None, Mask::Causal]).clone(),
        attention: if dice.once_in(5) { Attention::L2 } else { Attention::Dot },
        normalization: if dice.once_in(5) { Normalization::Rms } else { Normalization::None },
        sweep_max: 3 + dice.below(5),
        draws: 1 + dice.below(3),
        ..PageState::default()
    };
    if dice.once_in(3) {
        state.choose_preset(*dice.of(&Preset::ALL));
    }
    state
}

/// A state of a map: other tokens, n and R.
fn moved(map: &PageState, dice: &mut Dice) -> PageState {
    let (n, radius) = (2 + dice.below(11), [0.3, 0.7, 1.0, 1.5, 2.0, 2.7][dice.below(6)]);
    let mut state = PageState { n, radius, token_seed: dice.bits() >> 11, ..map.clone() };
    state.growth.radius_growth = *dice.of(&[RadiusGrowth::Fixed, RadiusGrowth::SqrtLog]);
    let distribution = *dice.of(&[Distribution::Ball, Distribution::Sphere, Distribution::Gaussian]);
    state.choose_tokens(match dice.below(6) {
        0 => TokenChoice::Worst,
        // A random A may have no real eigenvalue, which they need.
        3 if state.weights != WeightChoice::Random => TokenChoice::Adversarial,
        1 | 2 => TokenChoice::Own,
        _ => TokenChoice::Distribution(distribution),
    });
    if state.tokens == TokenChoice::Own {
        let entries = (0..n * state.dim()).map(|_| (dice.below(2001) as f64 - 1000.0) / 700.0).collect();
        state = state.with_own_tokens(Rows::new("tokens", state.dim(), entries).expect("numbers"));
        // Some lists are pasted, others are tokens of the page that the reader has moved.
        state.own_from = [None, Some(TokenChoice::Worst), Some(TokenChoice::Distribution(distribution))][dice.below(3)];
    }
    state
}

fn largest_norm(source: &TokenSource) -> f64 {
    let rows = match source {
        TokenSource::Explicit(rows) | TokenSource::Clusters { positions: rows, .. } => rows,
        TokenSource::Random(random) => return random.radius,
        TokenSource::Adversarial { radius, .. } => return *radius,
        other => panic!("{other:?}"),
    };
    rows.iter().map(|token| token.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
}

#[test]
fn nothing_that_the_page_has_measured_or_found_is_worse_than_the_worst_tokens_known() {
    let (mut n_checks, mut n_loaded, mut n_larger) = (0, 0, 0);
    for case in 0..MAPS {
        let mut dice = Dice::new(34, case as u64);
        let map = drawn_map(&mut dice);
        let mut page = Page::default();
        for _ in 0..STATES {
            let state = moved(&map, &mut dice);
            let ball = page.change(&state);
            if dice.once_in(4) {
                page.sweep(&state);
            }
            let about = || format!("case {case}: {state:?}");
            let of_map = page.known.on(&state, Norm::Spectral);
            for n in 2..=24 {
                for radius in [0.5 * ball.radius, ball.radius, 1.3 * ball.radius] {
                    let (n, seen) = (f64::from(n), page.largest_seen(&state, f64::from(n), radius));
                    let known = of_map.worst(n, radius).map_or(0.0, |known| 10f64.powf(known.log10));
                    assert!(
                        known >= seen * (1.0 - 1e-12),
                        "n = {n}, R = {radius}: {known} known, {seen} seen; {}",
                        about()
                    );
                    n_checks += 1;
                }
            }
            // The button loads tokens with at least the norm that the sentence says.
            let n = state.n_tokens();
            let worst = of_map.worst(n, ball.radius).expect("the present tokens are known");
            // The sentence takes what is known, or a lower bound that is larger.
            let lower = best_lower(&ball.bounds, Norm::Spectral).filter(|_| ball.worst.is_some());
            let said = 10f64.powf(lower.map_or(worst.log10, |bound| bound.log10.max(worst.log10)));
            let loaded = with_worst_known(&state, Some(&ball));
            assert_eq!(loaded.tokens, TokenChoice::Worst, "{}", about());
            let in_effect = in_effect(&loaded, &page.known);
            let found = measured(&in_effect);
            assert_eq!(plans::map(&loaded), plans::map(&state), "{}", about());
            assert_eq!(found.n, n, "{}", about());
            if state.normalization == Normalization::None {
                let radius = largest_norm(&in_effect.experiment().tokens);
                assert!(radius <= ball.radius * (1.0 + 1e-9), "{radius} in a ball of {}; {}", ball.radius, about());
                // R stays the reader's, except where adversarial tokens bring their own.
                let own = self::ball(&loaded).radius;
                assert!(own == ball.radius || loaded.tokens == TokenChoice::Adversarial, "{own}; {}", about());
            }
            assert!(found.spectral >= said * (1.0 - SAME), "{said} said, {} loaded; {}", found.spectral, about());
            if worst.n == n {
                assert!(found.spectral <= said * (1.0 + SAME), "{said} said, {} loaded; {}", found.spectral, about());
            } else {
                n_larger += 1;
            }
            n_loaded += 1;
        }
    }
    assert!(
        n_loaded >= 1400 && n_larger >= 10,
        "{n_loaded} states, {n_larger} with tokens of fewer; {n_checks} checks"
    );
}

/// The cases that a reader found.
#[test]
fn the_worst_tokens_known_do_not_fall_where_the_ball_grows_and_are_not_the_envelope() {
    let at = |n: usize, radius: f64| {
        let state = PageState { n, radius, tokens: TokenChoice::Worst, ..PageState::default() };
        let ball = ball(&state);
        let in_effect = state.with_worst(ball.worst.as_ref().map(|worst| &worst.tokens));
        (ball.worst.expect("some are known").norm, measured(&in_effect).spectral)
    };
    for (n, radius) in [(2, 1.0), (2, 1.5), (300, 1.5), (64, 2.0)] {
        let (said, loaded) = at(n, radius);
        assert!((said / loaded - 1.0).abs() < SAME, "n = {n}, R = {radius}: {said} said, {loaded} loaded");
    }
    assert!(at(2, 1.5).0 >= at(2, 1.0).0);
}

/// With the steps of a model, too, a button loads what the sentence says, and the reader's own sample comes back.
#[test]
fn with_every_preset_the_worst_known_is_at_least_the_adversarial_tokens_and_keeps_the_seed() {
    for preset in Preset::ALL {
        let mut state = PageState { token_seed: 5, n: 64, ..PageState::default() };
        state.choose_preset(preset);
        let mut page = Page::default();
        let ball = page.change(&state);
        page.sweep(&state);
        // The choice of adversarial tokens has one dimension, where rotary positions turn nothing: another map.
        let list = (0..64).flat_map(|at| [if at == 0 { -1.5 } else { 1.5 }, 0.0]).collect();
        let adversarial = measured(&state.with_own_tokens(Rows::new("tokens", 2, list).expect("numbers"))).spectral;
        let known = page.known.worst(&state, Norm::Spectral, 64.0, ball.radius).expect("some are known").log10;
        assert!(known >= adversarial.log10() - 1e-9, "{}: 1e{known} known, {adversarial}", preset.id());
        let loaded = with_worst_known(&state, Some(&ball));
        assert_eq!((loaded.token_seed, loaded.radius), (5, 1.5), "{}", preset.id());
        let reached = measured(&in_effect(&loaded, &page.known)).spectral.log10();
        assert!((reached - known).abs() < 1e-8, "{}: 1e{known} said, 1e{reached} loaded", preset.id());
    }
}

/// What is measured at tokens is a lower bound, also where no proof gives one.
#[test]
fn known_norms_are_a_curve_where_there_is_no_lower_bound() {
    let mut state = PageState::default();
    state.choose_preset(Preset::GptOss);
    let mut known = KnownTokens::default();
    let rows = |n: usize| Rows::new("tokens", 2, [1.0, 0.0].repeat(n)).expect("numbers");
    known.add_found(&plans::map(&state), &rows(8), 3.0);
    known.add_found(&plans::map(&state), &rows(32), 14.0);
    let over_n = |lower: Option<f64>| {
        let of_map = known.on(&state, Norm::Spectral);
        of_map.over_n([4.0, 8.0, 16.0, 32.0].map(|n| (n, 1.5, lower)), None)
    };
    // The n between them have no tokens of their own, and a small bound makes no saw of the curve.
    for lower in [None, Some(0.1)] {
        assert_eq!(over_n(lower), [(8.0, 3f64.log10()), (32.0, 14f64.log10())]);
    }
    // The window looks back, so that the tokens of 8 reach as much with others behind them.
    assert_eq!(known.worst(&state, Norm::Spectral, 16.0, 1.5).map(|known| known.log10), Some(3f64.log10()));
    let other = PageState::default();
    let of_other = known.on(&other, Norm::Spectral);
    assert_eq!(of_other.over_n([(4.0, 1.5, Some(0.1)), (8.0, 1.5, None)], None), [(4.0, 0.1)]);
}

/// A link is opened by a page that does not know what was found here.
#[test]
fn a_link_has_the_tokens_that_this_page_alone_knows_to_be_the_worst() {
    let state = PageState { tokens: TokenChoice::Worst, n: 4, radius: 2.0, ..PageState::default() };
    let ball = ball(&state);
    let mut known = KnownTokens::default();
    known.add_ball(&state, &ball);
    assert_eq!(worst_of_this_page(&state, &ball, &known), None);
    let rows = Rows::new("tokens", 2, vec![2.0, 0.0, 0.0, -1.0, 0.5, 0.5, 1.0, 1.0]).expect("numbers");
    known.add_found(&plans::map(&state), &rows, 1e3);
    let listed = worst_of_this_page(&state, &ball, &known).expect("worse tokens are known");
    assert_eq!(listed.experiment(), worst_in_effect(&state, &ball, &known).experiment());
    assert_eq!(listed.experiment().tokens, TokenSource::Explicit(rows));
    let link = link::write(&Scene { state: listed.clone(), ..Scene::default() }, |_| None).expect("a short list");
    let read = link::read(&link, |_| None).scene.expect("a scene");
    assert_eq!(read.state.experiment(), listed.experiment());
    assert_eq!(read.state.moved_from(), Some(TokenChoice::Worst));
}

#[test]
fn beside_more_tokens_than_a_list_has_the_worst_known_have_the_bounds_of_their_ball() {
    let positions = Rows::new("positions", 2, vec![1.5, 0.0, -1.0, 0.2]).expect("numbers");
    let clusters = TokenSource::Clusters { positions, log_multiplicities: vec![1e4f64.ln(), 3e7f64.ln()] };
    let state = PageState::default().with_clusters(&clusters);
    let chosen = with_worst_known(&state, Some(&ball(&state)));
    let found = ball(&chosen);
    assert_eq!(found.n, state.n_tokens());
    assert!(!found.bounds.is_empty() && measured(&chosen).bounds.len() >= found.bounds.len(), "{:?}", found.bounds);
}

#[test]
fn under_the_causal_mask_the_worst_tokens_over_n_are_those_of_the_ball_at_each_n() {
    let mut state = PageState { mask: Mask::Causal, radius: 2.0, sweep_max: 40, ..PageState::default() };
    for growth in [RadiusGrowth::Fixed, RadiusGrowth::SqrtLog] {
        state.growth.radius_growth = growth;
        let curves = if growth == RadiusGrowth::Fixed { plans::bounds(&state) } else { plans::growth(&state) };
        let plan = plans::worst_over_n(&state, &curves).expect("a mask");
        let found: Vec<WorstAt> = events(EnginePlan::Worst(plan.clone()))
            .into_iter()
            .flat_map(|event| if let EngineEvent::Worst(found) = event { found } else { panic!("{event:?}") })
            .collect();
        assert_eq!(found.iter().map(|at| at.n).collect::<Vec<_>>(), plan.lengths);
        let mut known = KnownTokens::default();
        known.add_worst(&state, &found);
        for at in found.iter().filter(|at| at.n <= 40) {
            let alone = ball(&PageState { n: at.n, radius: at.radius, ..state.clone() });
            let worst = alone.worst.expect("some are known");
            assert!((worst.norm / at.worst.norm - 1.0).abs() < 1e-6, "n = {}: {} alone", at.n, worst.norm);
            let kept = known.worst(&state, Norm::Spectral, at.n as f64, at.radius).expect("they are known").log10;
            assert!(kept >= at.worst.norm.log10(), "n = {}", at.n);
        }
    }
    // Without a mask the lower bounds say as much.
    let open = PageState { mask: Mask::None, ..state };
    assert_eq!(plans::worst_over_n(&open, &plans::bounds(&open)), None);
}

#[test]
fn the_norm_on_screen_has_one_text_also_where_it_is_the_worst_known() {
    let written = |log10, latest| written_reached(log10, latest).to_string();
    let here = 17.9163_f64;
    // As a lower bound it would be 17.91 beside 17.92.
    assert_eq!(written(here.log10(), None), "≥ 17.91");
    assert_eq!(written(here.log10(), Some((here, Kind::Exact))), "= 17.92");
    assert_eq!(written(here.log10() + 1e-12, Some((here, Kind::LowerBound))), "≥ 17.91");
    assert_eq!(written(here.log10(), Some((18.0, Kind::Exact))), "≥ 17.91");
}

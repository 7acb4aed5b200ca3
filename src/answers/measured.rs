//! The measurement at the present tokens, and the bounds on their ball.

use lipscope_core::bounds::Norm;
use lipscope_core::measure::{FirstNorm, Measurement};
use lipscope_core::picture::{AttentionPicture, PairRequest, PlaneFrame, TokenPicture, TopPair, Unit};
use lipscope_protocol::tasks::{Ball, BallPlan, MeasurePlan};

use crate::plans;
use crate::state::{PageState, TokenChoice};
use crate::strings;
use lipscope_plot::Kind;

/// A measurement and its pictures.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The norms and the bounds, and how they were computed.
    pub measurement: Measurement,
    /// The attention matrix.
    pub attention: AttentionPicture,
    /// The picture of the tokens.
    pub tokens: TokenPicture,
    /// The leading singular pair, where it was asked for and can be pictured.
    pub pair: Option<TopPair>,
    /// Milliseconds that the worker took.
    pub milliseconds: f64,
    /// The plan that it answers.
    pub of: MeasurePlan,
    /// The state that was measured.
    pub state: PageState,
    /// The state of the controls. Where it names the worst tokens, `state` lists them.
    pub chosen: PageState,
}

/// The norm of a measurement, before the rest of it.
#[derive(Clone, Debug)]
pub struct First {
    /// The plan that it answers.
    pub of: MeasurePlan,
    /// The norm.
    pub norm: FirstNorm,
    /// Milliseconds that the worker took.
    pub milliseconds: f64,
}

impl First {
    /// Whether it is the norm of a state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::measurement(state, self.of.pair)
    }
}

impl Measured {
    /// This measurement, with the signs of its axes and vectors chosen as in an earlier one: the mathematics leaves
    /// these signs open.
    #[must_use]
    pub fn aligned_with(self, earlier: &Measured) -> Self {
        let pair = match (self.pair, &earlier.pair) {
            (Some(pair), Some(earlier)) => Some(pair.aligned_with(earlier)),
            (pair, _) => pair,
        };
        Measured { tokens: self.tokens.aligned_with(&earlier.tokens), pair, ..self }
    }

    /// Whether this measurement answers the controls. Where the controls name the worst tokens, they must have named
    /// them when the measurement was requested: the list of these tokens is not part of the controls.
    #[must_use]
    pub fn answers(&self, controls: &PageState) -> bool {
        if controls.tokens != TokenChoice::Worst {
            return self.is_of(controls);
        }
        let plan = |state: &PageState| plans::measurement(state, self.of.pair);
        self.chosen.tokens == TokenChoice::Worst && plan(&self.chosen) == plan(controls)
    }

    /// This measurement as the answer to the controls `chosen`, which measure the tokens of `state`. Two choices can
    /// measure the same tokens: where the page can list no worst tokens, that choice measures random ones. `None` if
    /// this measurement has other tokens than `state`, or answers `chosen` already.
    #[must_use]
    pub fn for_choice(&self, state: &PageState, chosen: &PageState) -> Option<Self> {
        let is_new = self.is_of(state) && !self.answers(chosen);
        is_new.then(|| Measured { state: state.clone(), chosen: chosen.clone(), ..self.clone() })
    }

    /// A norm, and how well it is known; `None` where it was not computed.
    #[must_use]
    pub fn norm(&self, norm: Norm) -> Option<(f64, Kind)> {
        self.measurement.norm(norm).map(|value| (value, strings::kind_of(&self.measurement, norm)))
    }

    /// Whether its numbers are those of a state. The pair is a picture, and changes no number.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::measurement(state, self.of.pair)
    }
}

/// The bounds on a ball and its worst tokens, with the plan that they answer.
#[derive(Clone, Debug)]
pub struct BallFacts {
    /// The plan that they answer.
    pub of: BallPlan,
    /// The bounds, and the worst tokens known.
    pub ball: Ball,
}

impl BallFacts {
    /// A ball without bounds, so that the numbers need not wait for bounds.
    #[must_use]
    pub fn without_bounds(of: BallPlan, radius: f64) -> Self {
        let ball = Ball {
            n: of.n,
            radius,
            bounds: Vec::new(),
            limit: Vec::new(),
            worst: None,
            idle: Vec::new(),
            growth_ends: None,
        };
        BallFacts { of, ball }
    }

    /// Whether these bounds belong to a state.
    #[must_use]
    pub fn is_of(&self, state: &PageState) -> bool {
        self.of == plans::ball(state)
    }
}

impl Measured {
    /// A measurement of a state without pictures, for tests.
    #[must_use]
    pub fn of_numbers(measurement: Measurement, state: &PageState) -> Self {
        let (unit, n, side) = (Unit::Token, 0, 0);
        Measured {
            measurement,
            attention: AttentionPicture { head_idx: 0, unit, n, side, weights: Vec::new(), column_sums: Vec::new() },
            tokens: TokenPicture {
                positions: Vec::new(),
                d: 0,
                ln_sizes: None,
                largest_norm: 0.0,
                variance_shares: None,
                frame: PlaneFrame::own(0),
                tokens: None,
            },
            pair: None,
            milliseconds: 0.0,
            of: plans::measurement(state, PairRequest::Skipped),
            state: state.clone(),
            chosen: state.clone(),
        }
    }
}

#[cfg(test)]
impl Measured {
    /// The measurement of a state, without pictures.
    pub fn without_pictures(state: &PageState) -> Self {
        use lipscope_core::measure::{MeasureOptions, measure_with};
        let measurement = measure_with(&state.experiment(), MeasureOptions::default()).expect("a measurement");
        Measured::of_numbers(measurement, state)
    }
}

#[cfg(test)]
mod tests {
    use lipscope_core::experiment::{Distribution, Mask, Rows, TokenSource};

    use super::*;

    #[test]
    fn a_measurement_answers_the_controls_that_asked_for_it_and_no_others() {
        let random = PageState { n: 4, ..PageState::default() };
        let measured = Measured::without_pictures(&random);
        assert!(measured.answers(&random));
        for other in [
            PageState { n: 5, ..random.clone() },
            PageState { token_seed: 1, ..random.clone() },
            PageState { tokens: TokenChoice::Distribution(Distribution::Sphere), ..random.clone() },
            // The list of the worst tokens stands for the random ones of its ball until it is known.
            PageState { tokens: TokenChoice::Worst, ..random.clone() },
        ] {
            assert!(!measured.answers(&other), "{:?}", other.tokens);
        }
        // How the plot is drawn changes no number.
        assert!(measured.answers(&PageState { sweep_max: 64, ..random.clone() }));
        let worst = PageState { tokens: TokenChoice::Worst, ..random };
        assert!(Measured { chosen: worst.clone(), ..measured }.answers(&worst));
    }

    #[test]
    fn a_list_of_the_worst_tokens_answers_no_controls_that_name_random_ones() {
        let random = PageState { n: 4, ..PageState::default() };
        let worst = PageState { tokens: TokenChoice::Worst, ..random.clone() };
        let list = TokenSource::Explicit(Rows::new("tokens", 2, [1.0, 0.0].repeat(4)).expect("numbers"));
        let state = worst.with_worst(Some(&list));
        let of = plans::measurement(&state, PairRequest::Skipped);
        let measured = Measured { chosen: worst.clone(), of, state, ..Measured::without_pictures(&random) };
        assert!(measured.answers(&worst));
        assert!(!measured.answers(&random));
    }

    #[test]
    fn a_measurement_of_random_tokens_answers_the_choice_of_the_worst_ones_where_they_have_no_list() {
        // Under the causal mask a long list of the worst tokens is not made.
        let random = PageState { n: 4, mask: Mask::Causal, ..PageState::default() };
        let worst = PageState { tokens: TokenChoice::Worst, ..random.clone() };
        let measured = Measured::without_pictures(&random);
        let unlisted = worst.with_worst(None);
        assert!(!measured.answers(&worst));
        let same = measured.for_choice(&unlisted, &worst).expect("the same tokens");
        assert!(same.answers(&worst) && same.of == measured.of);
        assert!(same.for_choice(&unlisted, &worst).is_none(), "it answers them already");
        assert!(measured.for_choice(&random, &random).is_none(), "it answers them already");
        let list = TokenSource::Explicit(Rows::new("tokens", 2, [1.0, 0.0].repeat(4)).expect("numbers"));
        assert!(measured.for_choice(&worst.with_worst(Some(&list)), &worst).is_none(), "other tokens");
    }

    #[test]
    fn random_tokens_answer_no_controls_that_name_the_worst_ones_with_any_steps() {
        use lipscope_core::experiment::{Normalization, Preset};
        let normalized = PageState { normalization: Normalization::Rms, ..PageState::default() };
        let mut of_preset = PageState::default();
        of_preset.choose_preset(Preset::Llama);
        for state in [normalized, of_preset] {
            let random = PageState { n: 4, ..state };
            let worst = PageState { tokens: TokenChoice::Worst, ..random.clone() };
            assert!(!Measured::without_pictures(&random).answers(&worst));
        }
    }
}

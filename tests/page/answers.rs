//! The state of the page once the workers have answered, without page and workers.

use std::sync::Arc;

use lipscope::answers::{Curves, KnownTokens, Measured, Pair, Sweep, TrainRun};
use lipscope::lessons::{Acts, Ages, Facts, Goal, Situation};
use lipscope::plans;
use lipscope::state::{PageState, PlotChoice, RadiusGrowth, Scene};
use lipscope_core::growth::{Family, GrowthPlan, growth};
use lipscope_core::measure::{MeasureOptions, Measurement, measure_with};
use lipscope_core::picture::{AttentionPicture, PairRequest, PlaneFrame, TokenPicture, Unit};
use lipscope_core::sweep::Spacing;

/// The state of the page once the workers have answered: the measurement, and the curves over n where a lesson reads
/// them.
pub struct Answers {
    pub scene: Scene,
    pub live: Measured,
    pub growth: Curves,
    pub training: Vec<TrainRun>,
}

impl Answers {
    pub fn of(scene: Scene, name: &str) -> Self {
        let experiment = scene.state.experiment();
        let measurement =
            measure_with(&experiment, MeasureOptions::default()).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let mut data = Curves { of: Some(plans::growth(&scene.state)), ..Curves::default() };
        if scene.plot == PlotChoice::Growth {
            let spacing = match scene.state.growth.radius_growth {
                RadiusGrowth::Fixed => Spacing::Fixed,
                RadiusGrowth::SqrtLog => Spacing::SqrtLog { from_n: scene.state.n_tokens() },
            };
            let plan = GrowthPlan { lengths: vec![scene.state.read_at()], spacing };
            data.growth = Some(Arc::new(growth(&experiment, &plan).expect("curves")));
            let mut family = Family::new(&experiment, &plan).expect("a family");
            while let Some(point) = family.as_mut().and_then(Family::step) {
                data.family.push(point);
            }
        }
        Answers { live: live_of(measurement, &scene.state), growth: data, training: Vec::new(), scene }
    }

    pub fn ask<T>(&self, acts: Acts, read: impl FnOnce(&Situation<'_>) -> T) -> T {
        let facts = Facts {
            state: &self.scene.state,
            settings: &self.scene.labs,
            measured: Some(&self.live),
            sweep: &Sweep::default(),
            growth: &self.growth,
            known: &KnownTokens::default(),
            scaling: &[],
            tightness: &[],
            inverse: &Pair::default(),
            training: &self.training,
            ages: Ages::default(),
        };
        read(&Situation { facts, scene: &self.scene, acts })
    }

    pub fn reaches(&self, goal: &Goal, acts: Acts) -> bool {
        self.ask(acts, |situation| goal.is_reached(situation))
    }
}

/// The measurement as the page has it; no text and no goal looks at its pictures.
fn live_of(measurement: Measurement, state: &PageState) -> Measured {
    Measured {
        measurement,
        attention: AttentionPicture {
            head_idx: 0,
            unit: Unit::Token,
            n: 0,
            side: 0,
            weights: Vec::new(),
            column_sums: Vec::new(),
        },
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

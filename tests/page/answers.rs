//! The state of the page once the workers have answered, without page and workers.

use std::sync::Arc;

use lipscope::answers::{Curves, KnownTokens, Measured, Pair, Side, Sweep, TrainRun};
use lipscope::lessons::{Acts, Ages, Facts, Goal, Situation};
use lipscope::plans;
use lipscope::state::{DotWeights, PlotChoice, RadiusGrowth, Scene};
use lipscope_core::experiment::{Attention, Distribution, Experiment, RandomTokens, TokenSource, WeightSource};
use lipscope_core::growth::{Family, GrowthPlan, growth};
use lipscope_core::inverse::{InversePlan, Inverting};
use lipscope_core::measure::{MeasureOptions, measure_with};
use lipscope_core::picture::PairRequest;
use lipscope_core::scaling::{Scaling, ScalingPlan, ScalingPoint};
use lipscope_core::sweep::Spacing;
use lipscope_core::tightness::{Tightness, TightnessPoint};
use lipscope_protocol::tasks::MeasurePlan;

/// The state of the page once the workers have answered: the measurement, the curves over n where a lesson reads them,
/// and the numbers of the lab on screen.
pub struct Answers {
    pub scene: Scene,
    pub live: Measured,
    pub growth: Curves,
    pub scaling: Vec<ScalingPoint>,
    pub tightness: Vec<TightnessPoint>,
    pub inverse: Pair,
    pub training: Vec<TrainRun>,
}

impl Answers {
    pub fn of(scene: Scene, name: &str) -> Self {
        let experiment = scene.state.experiment();
        let MeasurePlan { radius, block_norms, .. } = plans::measurement(&scene.state, PairRequest::Skipped);
        let options = MeasureOptions { radius, block_norms, ..MeasureOptions::default() };
        let measurement = measure_with(&experiment, options).unwrap_or_else(|problem| panic!("{name}: {problem}"));
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
        Answers {
            // No text and no goal looks at its pictures.
            live: Measured::of_numbers(measurement, &scene.state),
            growth: data,
            scaling: if scene.plot == PlotChoice::Scaled { scaled(&scene) } else { Vec::new() },
            tightness: if scene.plot == PlotChoice::Tightness { tight(&scene) } else { Vec::new() },
            inverse: if scene.plot == PlotChoice::Inverse { inverted(&scene) } else { Pair::default() },
            training: Vec::new(),
            scene,
        }
    }

    pub fn ask<T>(&self, acts: Acts, read: impl FnOnce(&Situation<'_>) -> T) -> T {
        let facts = Facts {
            state: &self.scene.state,
            settings: &self.scene.labs,
            measured: Some(&self.live),
            sweep: &Sweep::default(),
            growth: &self.growth,
            known: &KnownTokens::default(),
            scaling: &self.scaling,
            tightness: &self.tightness,
            inverse: &self.inverse,
            training: &self.training,
            training_shown: self.training.first().map(|run| run.number),
            ages: Ages::default(),
        };
        read(&Situation { facts, scene: &self.scene, acts })
    }

    pub fn reaches(&self, goal: &Goal, acts: Acts) -> bool {
        self.ask(acts, |situation| goal.is_reached(situation))
    }
}

/// The norm of both kernels at radii from one to ten thousand, as the lab computes it.
fn scaled(scene: &Scene) -> Vec<ScalingPoint> {
    let plan = ScalingPlan {
        experiment: Experiment { attention: Attention::Dot, ..scene.state.experiment() },
        tokens: scene.labs.scaled,
        radii: (0..=32).map(|at| 10f64.powf(f64::from(at) / 8.0)).collect(),
        norm: scene.state.norm,
    };
    let mut scaling = Scaling::new(&plan).expect("tokens that can be scaled");
    std::iter::from_fn(|| scaling.step().expect("a norm")).collect()
}

/// The search of the lab at some lengths: the questions are about whether it finds the bound, not about one length.
fn tight(scene: &Scene) -> Vec<TightnessPoint> {
    let mut search = Tightness::new(&[10, 1000], scene.labs.restarts, 0).expect("lengths");
    std::iter::from_fn(|| search.step()).collect()
}

/// The inverses of both attentions at drawn tokens, which all lessons take.
fn inverted(scene: &Scene) -> Pair {
    let lab = &scene.labs.inverse;
    let random =
        RandomTokens { distribution: Distribution::Ball, n: lab.n, d: lab.d, radius: lab.radius, seed: lab.seed };
    let shared = WeightSource::Kim { heads: 1, scale: 1.0, seed: 0 };
    let of_dot = match lab.dot_weights {
        DotWeights::Same => shared.clone(),
        DotWeights::IdentityPlus => WeightSource::Identity { sign: 1.0 },
        DotWeights::IdentityMinus => WeightSource::Identity { sign: -1.0 },
    };
    let side = |attention, weights| {
        let experiment = Experiment {
            attention,
            tokens: TokenSource::Random(random),
            weights: Some(weights),
            ..scene.state.experiment()
        };
        let plan = InversePlan { experiment, fraction: lab.fraction, max_iterations: 600 };
        let mut inverting = Inverting::start(&plan).expect("tokens that can be inverted");
        let steps = std::iter::from_fn(|| inverting.step().expect("a step")).collect();
        Side { constant: Some(inverting.constant()), steps, outcome: inverting.outcome(), ..Side::default() }
    };
    Pair { l2: side(Attention::L2, shared), dot: side(Attention::Dot, of_dot) }
}

//! The steps of attention that change nothing at a size: what a model's step is worth with two dimensions and a few
//! tokens. A window wider than the list, rotary positions that turn no entry, a cap far above every score.

use serde::{Deserialize, Serialize};

use super::ball::Ball;
use crate::bounds::Hypotheses;
use crate::experiment::{Attention, Experiment, InputError, Mask};
use crate::extremum::largest;

/// A step without effect, and the numbers that say why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum IdleStep {
    /// All tokens fit into the window.
    Window {
        /// W.
        width: usize,
    },
    /// No entry turns.
    Rope {
        /// The number of entries of a query.
        k: usize,
    },
    /// No score is near the cap: the cap changes each by at most a thousandth of it.
    Cap {
        /// tau.
        cap: f64,
        /// No score of the ball has a larger absolute value: ||A|| R^2.
        largest_score: f64,
    },
}

/// A cap is idle if it changes no score by more than this part of it.
const NO_CHANGE: f64 = 1e-3;

/// The steps of an experiment that have no effect on n tokens of the ball of `hypotheses`, which are its own.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn idle_steps(experiment: &Experiment, hypotheses: &Hypotheses) -> Result<Vec<IdleStep>, InputError> {
    let score = &experiment.score;
    let mut idle = Vec::new();
    if let Mask::Window { width, .. } = experiment.mask
        && width as f64 >= hypotheses.n().round()
    {
        idle.push(IdleStep::Window { width });
    }
    if score.rope.is_none() && score.softcap.is_none() {
        return Ok(idle);
    }
    let Ball { weights, .. } = Ball::of(experiment)?;
    let k = weights.heads.iter().map(|head| head.q.nrows()).max().unwrap_or(0);
    if score.rope.is_some_and(|rope| rope.turned(k) == 0) {
        idle.push(IdleStep::Rope { k });
    }
    // |tau tanh(s/tau) - s| <= |s| (s/tau)^2/3. The scores of normalised queries and keys have another bound.
    let is_dot = experiment.attention == Attention::Dot && score.qk_norm.is_none();
    if let Some(cap) = score.softcap.filter(|_| is_dot) {
        let default = largest(hypotheses.a_of_heads());
        let largest_score = default * experiment.scale_of(k) * (k as f64).sqrt();
        if (largest_score / cap).powi(2) / 3.0 <= NO_CHANGE {
            idle.push(IdleStep::Cap { cap, largest_score });
        }
    }
    Ok(idle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Distribution, Preset, RandomTokens, TokenSource, WeightSource};
    use crate::growth::hypotheses_of_ball;
    use crate::measure::{MeasureOptions, measure_with};

    fn of_preset(preset: Preset, n: usize) -> (Experiment, Vec<IdleStep>) {
        let tokens =
            TokenSource::Random(RandomTokens { distribution: Distribution::Ball, n, d: 2, radius: 1.5, seed: 0 });
        let (attention, steps) = preset.attention();
        let plain = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        let experiment = Experiment { attention, ..plain }.with_steps(steps);
        let hypotheses = hypotheses_of_ball(&experiment).expect("a ball").with_n(n as f64);
        let idle = idle_steps(&experiment, &hypotheses).expect("a ball");
        (experiment, idle)
    }

    #[test]
    fn a_step_is_idle_exactly_where_the_norm_is_the_same_without_it() {
        let norm = |experiment: &Experiment| {
            measure_with(experiment, MeasureOptions::default()).expect("it can be measured").spectral
        };
        let (mistral, idle) = of_preset(Preset::Mistral, 64);
        assert_eq!(idle, [IdleStep::Window { width: 4096 }]);
        assert_eq!(norm(&mistral), norm(&Experiment { mask: Mask::Causal, ..mistral.clone() }));
        let (neox, idle) = of_preset(Preset::GptNeoX, 64);
        assert_eq!(idle, [IdleStep::Rope { k: 2 }]);
        let mut without = neox.clone();
        without.score.rope = None;
        assert!((norm(&neox) / norm(&without) - 1.0).abs() < 1e-12);
        let (gemma, idle) = of_preset(Preset::Gemma2, 64);
        let [IdleStep::Cap { cap, largest_score }] = idle[..] else { panic!("{idle:?}") };
        // ||A|| = sqrt(2)/16 in two dimensions.
        assert!((largest_score - 2.25 * 2f64.sqrt() / 16.0).abs() < 1e-12 && cap == 50.0);
        let mut without = gemma.clone();
        without.score.softcap = None;
        assert!((norm(&gemma) / norm(&without) - 1.0).abs() < 1e-3);
        for (preset, n) in [(Preset::Llama, 64), (Preset::GptOss, 200), (Preset::Plain, 64)] {
            assert_eq!(of_preset(preset, n).1, [], "{}", preset.id());
        }
    }
}

//! The steps of attention as options: what an experiment file says under `attention`, `mask`, `score` and `weighting`.

use clap::{Args, ValueEnum};

use lipscope_core::experiment::{
    Alibi, Experiment, Gain, InputError, Mask, Order, Preset, QkNorm, Rope, RopeLayout, Sink, Steps, VectorNorm,
    WeightSource, Weighting,
};

/// Steps that replace those of the experiment.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Attention, in place of what the experiment says")]
pub(super) struct StepArguments {
    /// Kernel, mask and steps of a family of models; options beside it change single steps.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    /// The scale of the scores.
    #[arg(long, value_name = "C")]
    score_scale: Option<f64>,
    /// The soft cap tau of the scores.
    #[arg(long, value_name = "TAU")]
    softcap: Option<f64>,
    /// Normalises queries and keys.
    #[arg(long, value_name = "KIND")]
    qk_norm: Option<QkNormName>,
    /// eps of --qk-norm.
    #[arg(long, value_name = "EPS", requires = "qk_norm")]
    qk_eps: Option<f64>,
    /// Rotary positions.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "10000")]
    rope: Option<f64>,
    /// The share of the entries that turn.
    #[arg(long, value_name = "SHARE", requires = "rope")]
    rope_fraction: Option<f64>,
    /// Which entries turn together.
    #[arg(long, value_name = "LAYOUT", requires = "rope")]
    rope_layout: Option<LayoutName>,
    /// ALiBi, with its usual slopes.
    #[arg(long)]
    alibi: bool,
    /// A causal window of W tokens.
    #[arg(long, value_name = "W")]
    window: Option<usize>,
    /// The first tokens are seen by all.
    #[arg(long, value_name = "LENGTH", conflicts_with = "window")]
    prefix: Option<usize>,
    /// The score of the sink; 0 is "off by one".
    #[arg(long, value_name = "C0", num_args = 0..=1, default_missing_value = "0", allow_negative_numbers = true)]
    sink: Option<f64>,
    /// How scores become weights.
    #[arg(long, value_name = "KIND", conflicts_with = "sink")]
    weighting: Option<WeightingName>,
    /// How many key and value heads drawn weights have.
    #[arg(long, value_name = "G")]
    kv_heads: Option<usize>,
    /// lambda of a second map that is subtracted, for drawn weights.
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true)]
    differential: Option<f64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QkNormName {
    Rms,
    Layer,
    L2,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LayoutName {
    Half,
    Interleaved,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WeightingName {
    Softmax,
    Sigmoid,
    Relu,
    Softplus,
}

impl StepArguments {
    /// The experiment with these steps.
    ///
    /// # Errors
    /// [`InputError`] where the steps do not go together, or not with the experiment.
    pub(super) fn put_into(&self, mut experiment: Experiment) -> Result<Experiment, InputError> {
        if self.is_empty() {
            return Ok(experiment);
        }
        if let Some(preset) = self.preset {
            let (attention, steps) = preset.attention();
            experiment = Experiment { attention, ..experiment.with_steps(steps) };
        }
        let score = &mut experiment.score;
        score.scale = self.score_scale.or(score.scale);
        score.softcap = self.softcap.or(score.softcap);
        if let Some(kind) = self.qk_norm {
            let kind = match kind {
                QkNormName::Rms => VectorNorm::Rms,
                QkNormName::Layer => VectorNorm::Layer,
                QkNormName::L2 => VectorNorm::L2,
            };
            let eps = self.qk_eps.unwrap_or(1e-6);
            score.qk_norm = Some(QkNorm { kind, eps, q_gain: Gain::All(1.0), k_gain: Gain::All(1.0) });
        }
        if let Some(base) = self.rope {
            let layout = match self.rope_layout {
                Some(LayoutName::Interleaved) => RopeLayout::Interleaved,
                Some(LayoutName::Half) | None => RopeLayout::Half,
            };
            score.rope = Some(Rope { base, fraction: self.rope_fraction.unwrap_or(1.0), layout });
        }
        if self.alibi {
            score.alibi = Some(Alibi { slopes: None });
        }
        if let Some(width) = self.window {
            experiment.mask = Mask::Window { width, order: Order::Causal };
        }
        if let Some(length) = self.prefix {
            experiment.mask = Mask::Prefix { length };
        }
        if let Some(logit) = self.sink {
            experiment.weighting = Weighting::Softmax { sink: Some(Sink::All(logit)) };
        }
        if let Some(kind) = self.weighting {
            experiment.weighting = match kind {
                WeightingName::Softmax => Weighting::SOFTMAX,
                WeightingName::Sigmoid => Weighting::Sigmoid { bias: None },
                WeightingName::Relu => Weighting::Relu { divisor: None },
                WeightingName::Softplus => Weighting::Softplus { divisor: None },
            };
        }
        if let Some(WeightSource::Random(random)) = &mut experiment.weights {
            random.kv_heads = self.kv_heads.unwrap_or(random.kv_heads);
            random.differential = self.differential.or(random.differential);
        } else if self.kv_heads.is_some() || self.differential.is_some() {
            let key = if self.kv_heads.is_some() { "--kv-heads" } else { "--differential" };
            return Err(InputError::Conflict {
                what: key.into(),
                problem: lipscope_core::phrase!("for_drawn_weights", "is for drawn weights"),
                fix: lipscope_core::phrase!("use_source_random", "Use \"source\":\"random\", or list the heads."),
            });
        }
        // The reader of files checks every number.
        let steps = Steps::from_json(&experiment.steps().to_value().to_string())?;
        let experiment = experiment.with_steps(steps);
        experiment.check()?;
        Ok(experiment)
    }

    /// Whether no option was given.
    fn is_empty(&self) -> bool {
        let numbers = [self.score_scale, self.softcap, self.qk_eps, self.rope, self.sink, self.differential];
        let sizes = [self.window, self.prefix, self.kv_heads];
        let has_names = self.preset.is_some() || self.qk_norm.is_some() || self.weighting.is_some() || self.alibi;
        !has_names && numbers.iter().all(Option::is_none) && sizes.iter().all(Option::is_none)
    }
}

fn preset(name: &str) -> Result<Preset, String> {
    let known = || Preset::ALL.map(Preset::id).join(", ");
    Preset::ALL.into_iter().find(|preset| preset.id() == name).ok_or_else(|| format!("must be one of: {}", known()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use lipscope_core::experiment::TokenSource;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        steps: StepArguments,
    }

    fn experiment(line: &str) -> Result<Experiment, InputError> {
        let tokens = TokenSource::Adversarial { n: 5, radius: 1.0 };
        let plain = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        let words = std::iter::once("lipscope").chain(line.split_whitespace());
        Line::parse_from(words).steps.put_into(plain)
    }

    #[test]
    fn options_are_the_keys_of_a_file() -> Result<(), InputError> {
        let found = experiment("--softcap 50 --rope --window 128 --sink -1.5")?.to_value();
        assert_eq!(found["score"]["softcap"], 50.0);
        assert_eq!(found["score"]["rope"]["base"], 10_000.0);
        assert_eq!(found["mask"]["width"], 128);
        assert_eq!(found["weighting"]["sink"], -1.5);
        let gemma = experiment("--preset gemma-2 --softcap 5")?.to_value();
        assert_eq!((&gemma["score"]["softcap"], &gemma["mask"]), (&5.0.into(), &"causal".into()));
        assert!(experiment("")?.is_plain());
        Ok(())
    }

    #[test]
    fn what_does_not_go_together_is_refused_by_name() {
        for (line, named) in [
            ("--softcap 0", "`score.softcap`"),
            ("--preset linear --rope", "`score.rope`"),
            ("--kv-heads 2", "--kv-heads"),
            ("--qk-norm rms --qk-eps 0", "`score.qk_norm.eps`"),
        ] {
            let problem = experiment(line).expect_err(line).to_string();
            assert!(problem.contains(named), "{line}: {problem}");
        }
    }
}

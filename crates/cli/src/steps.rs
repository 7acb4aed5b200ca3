//! The steps of attention as options: what an experiment file says under `attention`, `mask`, `score` and `weighting`.

use clap::Args;

use super::argument::{by_name, finite};
use lipscope_core::experiment::{
    Alibi, Experiment, InputError, Mask, Order, Preset, QkNorm, Rope, RopeLayout, Steps, VectorNorm, WeightSource,
    Weighting,
};

/// Steps that replace those of the experiment.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Attention, in place of what the experiment says")]
pub(super) struct StepArguments {
    /// Kernel, mask and steps of a family of models.
    ///
    /// The options beside it change single steps.
    #[arg(long, value_name = "NAME", value_parser = by_name(Preset::ALL, |preset| preset.id()))]
    preset: Option<Preset>,
    /// The scale of the scores.
    #[arg(long, value_name = "C", value_parser = finite, hide_short_help = true)]
    score_scale: Option<f64>,
    /// The soft cap tau of the scores.
    #[arg(long, value_name = "TAU", value_parser = finite, hide_short_help = true)]
    softcap: Option<f64>,
    /// Normalises queries and keys.
    #[arg(long, value_name = "KIND", value_parser = by_name(VectorNorm::ALL, |kind| kind.id()), hide_short_help = true)]
    qk_norm: Option<VectorNorm>,
    /// eps of --qk-norm.
    #[arg(long, value_name = "EPS", requires = "qk_norm", value_parser = finite, hide_short_help = true)]
    qk_eps: Option<f64>,
    /// Rotary positions.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "10000", value_parser = finite, hide_short_help = true)]
    rope: Option<f64>,
    /// The share of the entries that turn.
    #[arg(long, value_name = "SHARE", requires = "rope", value_parser = finite, hide_short_help = true)]
    rope_fraction: Option<f64>,
    /// Which entries turn together.
    #[arg(long, value_name = "LAYOUT", requires = "rope", value_parser = by_name(RopeLayout::ALL, |layout| layout.id()), hide_short_help = true)]
    rope_layout: Option<RopeLayout>,
    /// ALiBi, with its usual slopes.
    #[arg(long, hide_short_help = true)]
    alibi: bool,
    /// A causal window of W tokens.
    #[arg(long, value_name = "W", hide_short_help = true)]
    window: Option<usize>,
    /// The first tokens are seen by all.
    #[arg(long, value_name = "LENGTH", conflicts_with = "window", hide_short_help = true)]
    prefix: Option<usize>,
    /// The score of the sink; 0 is "off by one".
    #[arg(long, value_name = "C0", num_args = 0..=1, default_missing_value = "0", allow_negative_numbers = true, value_parser = finite, hide_short_help = true)]
    sink: Option<f64>,
    /// How scores become weights.
    #[arg(long, value_name = "KIND", conflicts_with = "sink", value_parser = by_name(Weighting::ALL, Weighting::id), hide_short_help = true)]
    weighting: Option<Weighting>,
    /// How many key and value heads drawn weights have.
    #[arg(long, value_name = "G", hide_short_help = true)]
    kv_heads: Option<usize>,
    /// lambda of a second map that is subtracted, for drawn weights.
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true, value_parser = finite, hide_short_help = true)]
    differential: Option<f64>,
}

impl StepArguments {
    /// The experiment of a file's text, with these steps.
    ///
    /// # Errors
    /// [`InputError`] of the file, and as [`StepArguments::put_into`].
    pub(super) fn read(&self, text: &str) -> Result<Experiment, InputError> {
        self.put_into(Experiment::from_json(text)?)
    }

    /// The experiment with these steps.
    ///
    /// # Errors
    /// [`InputError`] where the steps do not go together, or not with the experiment.
    pub(super) fn put_into(&self, mut experiment: Experiment) -> Result<Experiment, InputError> {
        if let Some(preset) = self.preset {
            let (attention, steps) = preset.attention();
            experiment = Experiment { attention, ..experiment.with_steps(steps) };
        }
        let score = &mut experiment.score;
        score.scale = self.score_scale.or(score.scale);
        score.softcap = self.softcap.or(score.softcap);
        if let Some(kind) = self.qk_norm {
            let default = QkNorm::of(kind);
            score.qk_norm = Some(QkNorm { eps: self.qk_eps.unwrap_or(default.eps), ..default });
        }
        if let Some(base) = self.rope {
            let Rope { fraction, layout, .. } = Rope::DEFAULT;
            let fraction = self.rope_fraction.unwrap_or(fraction);
            score.rope = Some(Rope { base, fraction, layout: self.rope_layout.unwrap_or(layout) });
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
            experiment.weighting = Weighting::with_sink(logit);
        }
        if let Some(weighting) = &self.weighting {
            experiment.weighting = weighting.clone();
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
        for (line, allowed) in [
            ("--softcap inf", "must be a finite number"),
            ("--differential nan", "must be a finite number"),
            ("--qk-norm tall", "rms, layer, l2"),
            ("--weighting hard", "softmax, sigmoid, relu, softplus"),
            ("--preset plane", "plain, gpt-2, llama"),
        ] {
            let words = std::iter::once("lipscope").chain(line.split_whitespace());
            let refusal = Line::try_parse_from(words).expect_err(line).to_string();
            assert!(refusal.contains(allowed), "{line}: {refusal}");
        }
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

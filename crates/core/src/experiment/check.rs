//! Checks which parts of an experiment go together.

use super::error::InputError;
use super::mask::{Mask, MaskKind};
use super::types::{Attention, Experiment, RandomWeights, TokenSource, WeightSource};
use super::variant::{Gain, Sink, Weighting};
use super::{Phrase, Rows};
use crate::phrase;

impl Experiment {
    /// Checks the combinations of fields.
    ///
    /// # Errors
    /// [`InputError`] that names the key and the fix.
    pub fn check(&self) -> Result<(), InputError> {
        if matches!(self.weights, Some(WeightSource::Kim { .. })) && self.attention != Attention::L2 {
            return conflict(
                "`weights.source` = \"kim\"",
                phrase!("l2_multi_head_attention", "is L2 multi-head attention"),
                phrase!("use_attention_l2", "Use \"attention\":\"l2\" with it."),
            );
        }
        self.check_clusters()?;
        self.check_steps()?;
        self.check_tables()?;
        self.check_heads()
    }

    /// Refuses attention with steps, for a task that takes only plain attention ([`Experiment::is_plain`]).
    ///
    /// # Errors
    /// [`InputError::Conflict`] that names the first step.
    pub(crate) fn require_plain(&self) -> Result<(), InputError> {
        if self.is_plain() {
            return Ok(());
        }
        let score = &self.score;
        let keys = [
            ("score.scale", score.scale.is_some()),
            ("score.softcap", score.softcap.is_some()),
            ("score.qk_norm", score.qk_norm.is_some()),
            ("score.rope", score.rope.is_some()),
            ("score.cosine_eps", score.cosine_eps.is_some()),
            ("score.alibi", score.alibi.is_some()),
            ("score.bias", score.bias.is_some()),
            ("score.value_norm", score.value_norm.is_some()),
        ];
        let what = if !matches!(self.attention, Attention::Dot | Attention::L2) {
            format!("`attention` = \"{}\"", self.attention.id())
        } else if self.mask.kind() == MaskKind::Other {
            format!("`mask` = \"{}\"", self.mask.id())
        } else if self.weighting != Weighting::SOFTMAX {
            "`weighting`".into()
        } else {
            let step = keys.into_iter().find(|(_, is_there)| *is_there);
            step.map_or_else(|| "`weights`".into(), |(key, _)| format!("`{key}`"))
        };
        conflict(
            what,
            phrase!(
                "only_plain_attention",
                "is a step beyond plain attention, and this task takes only plain attention"
            ),
            phrase!("leave_step_out", "Leave it out."),
        )
    }

    /// The tokens of a measure have no order.
    fn check_clusters(&self) -> Result<(), InputError> {
        if !matches!(self.tokens, TokenSource::Clusters { .. }) {
            return Ok(());
        }
        let problem = || phrase!("has_no_meaning_for", "has no meaning for clusters, whose tokens have no order");
        if self.mask != Mask::None {
            let what = format!("`mask` = \"{}\"", self.mask.id());
            return conflict(
                what,
                problem(),
                phrase!("use_mask_none_list", "Use \"mask\":\"none\", or list the tokens."),
            );
        }
        let score = &self.score;
        let steps = [("rope", score.rope.is_some()), ("alibi", score.alibi.is_some()), ("bias", score.bias.is_some())];
        match steps.into_iter().find(|(_, is_there)| *is_there) {
            Some((key, _)) => conflict(format!("`score.{key}`"), problem(), leave_out_or_list()),
            None => Ok(()),
        }
    }

    /// Which steps a kernel of scores has.
    fn check_steps(&self) -> Result<(), InputError> {
        let score = &self.score;
        let leave_out = || phrase!("leave_out_or_attention_dot", "Leave it out, or use \"attention\":\"dot\".");
        let refused: &[(&str, bool)] = match self.attention {
            Attention::Dot => &[("score.cosine_eps", score.cosine_eps.is_some())],
            Attention::L2 => &[
                ("score.qk_norm", score.qk_norm.is_some()),
                ("score.rope", score.rope.is_some()),
                ("score.cosine_eps", score.cosine_eps.is_some()),
            ],
            Attention::Cosine => &[("score.qk_norm", score.qk_norm.is_some())],
            Attention::Linear => &[
                ("score.qk_norm", score.qk_norm.is_some()),
                ("score.rope", score.rope.is_some()),
                ("score.cosine_eps", score.cosine_eps.is_some()),
                ("score.scale", score.scale.is_some()),
                ("score.softcap", score.softcap.is_some()),
                ("weighting.sink", self.weighting != Weighting::SOFTMAX && !self.weighting.is_elementwise()),
                ("weighting.kind", self.weighting.is_elementwise()),
            ],
        };
        let Some((key, _)) = refused.iter().find(|(_, is_there)| *is_there) else { return Ok(()) };
        let problem = match self.attention {
            Attention::Dot => phrase!("belongs_to_cosine", "belongs to cosine scores"),
            Attention::L2 => phrase!("not_for_l2", "is not defined for L2 scores"),
            Attention::Cosine => {
                phrase!(
                    "not_for_cosine",
                    "is not defined for cosine scores, whose queries and keys are normalised already"
                )
            }
            Attention::Linear => phrase!("not_for_linear", "is not defined for linear attention"),
        };
        let fix = if self.attention == Attention::Dot {
            phrase!("leave_out_or_attention_cosine", "Leave it out, or use \"attention\":\"cosine\".")
        } else {
            leave_out()
        };
        conflict(format!("`{key}`"), problem, fix)
    }

    /// The tables that have a row or an entry for each token.
    fn check_tables(&self) -> Result<(), InputError> {
        let n = match &self.tokens {
            TokenSource::Explicit(rows) => rows.n_rows(),
            TokenSource::Random(random) => random.n,
            TokenSource::Adversarial { n, .. } | TokenSource::Skew { n, .. } => *n,
            TokenSource::Clusters { .. } => return Ok(()),
        };
        let square = |what: &str, rows: &Rows| {
            if (rows.n_rows(), rows.n_columns()) == (n, n) {
                return Ok(());
            }
            Err(InputError::Shape {
                what: format!("`{what}`").into(),
                found: rows.shape(),
                expected: phrase!("shape", "{rows} x {columns}", rows = n, columns = n),
                reason: phrase!("row_and_column_each_token", "it has a row and a column for each token"),
            })
        };
        if let Some(bias) = &self.score.bias {
            square("score.bias", bias)?;
        }
        match &self.mask {
            Mask::Allowed(rows) => square("mask.rows", rows),
            Mask::Padding { keys, .. } => {
                length("mask.keys", keys.len(), n, phrase!("each_token_has_one", "each token has one"))
            }
            _ => Ok(()),
        }
    }

    /// The lists that have an entry for each head or for each entry of a query.
    fn check_heads(&self) -> Result<(), InputError> {
        let heads = match &self.weights {
            Some(WeightSource::Explicit { heads, .. }) => heads.len(),
            Some(WeightSource::Random(random)) => random.heads,
            Some(WeightSource::Kim { heads, .. }) => *heads,
            Some(WeightSource::Identity { .. }) | None => 1,
        };
        if let Some(WeightSource::Random(RandomWeights { heads, kv_heads, .. })) = self.weights
            && (kv_heads == 0 || !heads.is_multiple_of(kv_heads))
        {
            return conflict(
                format!("`weights.kv_heads` = {kv_heads}"),
                phrase!("does_not_divide_heads", "does not divide the {count} heads", count = heads),
                phrase!("use_number_that_divides", "Use a number that divides it."),
            );
        }
        let lambdas: Vec<f64> = match &self.weights {
            Some(WeightSource::Random(random)) => random.differential.into_iter().collect(),
            Some(WeightSource::Explicit { heads, .. }) => {
                heads.iter().filter_map(|head| Some(head.second.as_ref()?.lambda)).collect()
            }
            _ => Vec::new(),
        };
        if let Some(lambda) = lambdas.into_iter().find(|lambda| !lambda.is_finite()) {
            let expected = phrase!("finite_number", "a finite number");
            return Err(InputError::bad_value("weights.differential", lambda.to_string(), expected));
        }
        let each_head = || phrase!("each_head_has_one", "each head has one");
        if let Some(slopes) = self.score.alibi.as_ref().and_then(|alibi| alibi.slopes.as_ref()) {
            length("score.alibi.slopes", slopes.len(), heads, each_head())?;
        }
        if let Weighting::Softmax { sink: Some(Sink::Heads(logits)) } = &self.weighting {
            length("weighting.sink", logits.len(), heads, each_head())?;
        }
        let Some(norm) = &self.score.qk_norm else { return Ok(()) };
        let token_dimension = match &self.tokens {
            TokenSource::Explicit(rows) | TokenSource::Clusters { positions: rows, .. } => rows.n_columns(),
            TokenSource::Random(random) => random.d,
            TokenSource::Skew { .. } => 2,
            TokenSource::Adversarial { .. } => 1,
        };
        let key_dimensions: Vec<usize> = match &self.weights {
            Some(WeightSource::Explicit { heads, .. }) => heads.iter().map(|head| head.q.n_rows()).collect(),
            Some(WeightSource::Random(random)) => vec![random.head_dim],
            Some(WeightSource::Identity { .. } | WeightSource::Kim { .. }) | None => vec![token_dimension],
        };
        for (key, gain) in [("score.qk_norm.q_gain", &norm.q_gain), ("score.qk_norm.k_gain", &norm.k_gain)] {
            let Gain::Entries(gains) = gain else { continue };
            for k in &key_dimensions {
                length(key, gains.len(), *k, phrase!("each_entry_of_query", "each entry of a query or key has one"))?;
            }
        }
        Ok(())
    }
}

fn conflict(what: impl Into<Phrase>, problem: Phrase, fix: Phrase) -> Result<(), InputError> {
    Err(InputError::Conflict { what: what.into(), problem, fix })
}

fn leave_out_or_list() -> Phrase {
    phrase!("leave_out_or_list", "Leave it out, or list the tokens.")
}

fn length(what: &str, found: usize, expected: usize, reason: Phrase) -> Result<(), InputError> {
    if found == expected {
        return Ok(());
    }
    Err(InputError::Shape {
        what: format!("`{what}`").into(),
        found: phrase!("count_of_numbers", "{count} numbers", count = found),
        expected: phrase!("count_of_numbers", "{count} numbers", count = expected),
        reason,
    })
}

//! Parses an experiment file into an [`Experiment`], field by field.

use serde_json::Value;

use super::error::InputError;
use super::fields::{Fields, rows_of};
use super::limits::{self, MAX_DIM, MAX_HEADS, MAX_LOG_MULTIPLICITY, MAX_TEXT_BYTES, MAX_TOKENS};
use super::strict_json::{self, Json};
use super::types::{
    Attention, Distribution, Experiment, Head, Mask, Normalization, Output, RandomTokens, RandomWeights, Scope,
    TokenSource, WeightSource,
};
use super::{Phrase, Rows, json_problem};
use crate::phrase;

impl Experiment {
    /// Parses and validates an experiment file.
    ///
    /// # Errors
    /// [`InputError`] that names the key (and row and column) and the fix.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(InputError::TooLarge {
                what: phrase!("file", "The file"),
                found: phrase!("megabytes", "{count} MB", count = text.len() >> 20),
                limit: phrase!("megabytes", "{count} MB", count = MAX_TEXT_BYTES >> 20),
                fix: phrase!("use_fewer_tokens_smaller", "Use fewer tokens or smaller weights."),
            });
        }
        if text.trim().is_empty() {
            return Err(InputError::Empty {
                what: phrase!("experiment", "The experiment"),
                least: phrase!("tokens_weights", "tokens and weights"),
            });
        }
        let value = strict_json::read(text).map_err(|e| InputError::Json { detail: json_problem(&e) })?;
        Experiment::read(value)
    }

    /// Validates an experiment given as parsed JSON.
    ///
    /// # Errors
    /// As [`Experiment::from_json`].
    pub fn from_value(value: Value) -> Result<Self, InputError> {
        Experiment::read(value.into())
    }

    fn read(value: Json) -> Result<Self, InputError> {
        let mut fields = Fields::of("", value)?;
        let version = fields.count("version", 1, 1)?;
        if version != 1 {
            return Err(InputError::bad_value(
                "version",
                version.to_string(),
                phrase!("only_version", "1, the only version"),
            ));
        }
        let attention =
            fields.choice("attention", &[("dot", Attention::Dot), ("l2", Attention::L2)], Some(Attention::Dot))?;
        let mask = fields.choice("mask", &[("none", Mask::None), ("causal", Mask::Causal)], Some(Mask::None))?;
        let normalization = fields.choice(
            "normalization",
            &[("none", Normalization::None), ("layer", Normalization::Layer), ("rms", Normalization::Rms)],
            Some(Normalization::None),
        )?;
        let normalization_scope = fields.choice(
            "normalization_scope",
            &[("inputs", Scope::Inputs), ("composed", Scope::Composed)],
            Some(Scope::Inputs),
        )?;
        let eps = fields.number("eps", 1e-5, phrase!("number_0_more", "a number, 0 or more"), |x| x >= 0.0)?;
        let tokens = tokens(fields.need(
            "tokens",
            phrase!("where_tokens_come_from", "where the tokens come from, like {\"source\":\"random\"}"),
        )?)?;
        let weights = match fields.take("weights") {
            Some(value) => Some(weights(value)?),
            None if matches!(tokens, TokenSource::Skew { .. }) => None,
            None => {
                return Err(InputError::MissingKey {
                    key: "weights".into(),
                    expected: phrase!(
                        "where_weights_come_from",
                        "where the weights come from, like {\"source\":\"identity\",\"sign\":-1}"
                    ),
                });
            }
        };
        fields.finish()?;
        let experiment =
            Experiment { version: 1, attention, mask, normalization, normalization_scope, eps, tokens, weights };
        experiment.check()?;
        Ok(experiment)
    }

    /// Checks the combinations of fields.
    fn check(&self) -> Result<(), InputError> {
        if matches!(self.tokens, TokenSource::Clusters { .. }) && self.mask == Mask::Causal {
            return Err(InputError::Conflict {
                what: "`mask` = \"causal\"".into(),
                problem: phrase!("has_no_meaning_for", "has no meaning for clusters, whose tokens have no order"),
                fix: phrase!("use_mask_none_list", "Use \"mask\":\"none\", or list the tokens."),
            });
        }
        if matches!(self.weights, Some(WeightSource::Kim { .. })) && self.attention == Attention::Dot {
            return Err(InputError::Conflict {
                what: "`weights.source` = \"kim\"".into(),
                problem: phrase!("l2_multi_head_attention", "is L2 multi-head attention"),
                fix: phrase!("use_attention_l2", "Use \"attention\":\"l2\" with it."),
            });
        }
        Ok(())
    }
}

impl WeightSource {
    /// Listed matrices, after a check that their shapes fit each other. Whether they fit the tokens is checked once the
    /// tokens are known.
    ///
    /// # Errors
    /// [`InputError::BadValue`] for no heads or too many, [`InputError::Shape`] that names the matrix.
    pub fn listed(heads: Vec<Head>, output: Option<Rows>) -> Result<Self, InputError> {
        check_head_count(heads.len())?;
        check_explicit(&heads, output.as_ref())?;
        Ok(WeightSource::Explicit { heads, output })
    }
}

fn check_head_count(count: usize) -> Result<(), InputError> {
    if (1..=MAX_HEADS).contains(&count) {
        return Ok(());
    }
    Err(InputError::bad_value(
        "weights.heads",
        phrase!("list_of", "a list of {count}", count = count),
        phrase!("list_1_heads", "a list of 1 to {most} heads", most = MAX_HEADS),
    ))
}

fn tokens(value: Json) -> Result<TokenSource, InputError> {
    let mut fields = Fields::of("tokens", value)?;
    let source = source(&mut fields, &["explicit", "random", "adversarial", "skew", "clusters"])?;
    let radius =
        |fields: &mut Fields| fields.number("radius", 1.0, phrase!("number_above_0", "a number above 0"), |x| x > 0.0);
    let tokens = match source {
        "explicit" => {
            let rows = fields.rows("rows")?;
            limits::check_tokens(rows.n_rows(), rows.n_columns())?;
            TokenSource::Explicit(rows)
        }
        "random" => {
            let names =
                [("gaussian", Distribution::Gaussian), ("sphere", Distribution::Sphere), ("ball", Distribution::Ball)];
            fields.renamed("law", "distribution")?;
            let distribution = fields.choice("distribution", &names, Some(Distribution::Gaussian))?;
            let n = fields.size("n", 64, MAX_TOKENS)?;
            let d = fields.size("d", 8, MAX_DIM)?;
            limits::check_tokens(n, d)?;
            TokenSource::Random(RandomTokens {
                distribution,
                n,
                d,
                radius: radius(&mut fields)?,
                seed: fields.count("seed", 0, 0)?,
            })
        }
        "clusters" => {
            let positions = fields.rows("positions")?;
            let value = fields.need(
                "log_multiplicities",
                phrase!(
                    "natural_logarithms_multiplicities_one",
                    "natural logarithms of the multiplicities, one per position"
                ),
            )?;
            let logs = rows_of("tokens.log_multiplicities", &Json::List(vec![value]))?;
            if logs.n_columns() != positions.n_rows() {
                return Err(InputError::Shape {
                    what: "`tokens.log_multiplicities`".into(),
                    found: phrase!("count_of_numbers", "{count} numbers", count = logs.n_columns()),
                    expected: phrase!("count_of_numbers", "{count} numbers", count = positions.n_rows()),
                    reason: phrase!("each_position_has_one", "each position has one"),
                });
            }
            if let Some(at) = logs.entries().iter().position(|log| !(0.0..=MAX_LOG_MULTIPLICITY).contains(log)) {
                let found = logs.entries()[at].to_string();
                let expected = phrase!(
                    "from_0_natural_logarithm",
                    "from 0 to {most}: the natural logarithm of a count",
                    most = MAX_LOG_MULTIPLICITY
                );
                return Err(InputError::bad_value(format!("tokens.log_multiplicities[{at}]"), &found, expected));
            }
            TokenSource::Clusters { positions, log_multiplicities: logs.entries().to_vec() }
        }
        witness => {
            let n = fields.size("n", 64, MAX_TOKENS)?;
            limits::check_tokens(n, 1)?;
            let radius = radius(&mut fields)?;
            if witness == "skew" { TokenSource::Skew { n, radius } } else { TokenSource::Adversarial { n, radius } }
        }
    };
    fields.finish()?;
    Ok(tokens)
}

fn weights(value: Json) -> Result<WeightSource, InputError> {
    let mut fields = Fields::of("weights", value)?;
    let source = source(&mut fields, &["explicit", "random", "identity", "kim"])?;
    let scale = |fields: &mut Fields| {
        fields.number("scale", 1.0, phrase!("number_0_more", "a number, 0 or more"), |x| x >= 0.0)
    };
    let weights = match source {
        "explicit" => {
            let value = fields
                .need("heads", phrase!("list_heads_each_q", "a list of heads, each {\"q\":..,\"k\":..,\"v\":..}"))?;
            let expected = phrase!("list_heads_each_q", "a list of heads, each {\"q\":..,\"k\":..,\"v\":..}");
            let list = value
                .into_entries()
                .map_err(|other| InputError::bad_value("weights.heads", other.to_string(), expected))?;
            check_head_count(list.len())?;
            let heads = list.into_iter().enumerate().map(|(h, value)| head(h, value)).collect::<Result<Vec<_>, _>>()?;
            let output = fields.take("output").map(|value| rows_of("weights.output", &value)).transpose()?;
            WeightSource::listed(heads, output)?
        }
        "random" => {
            let heads = fields.size("heads", 1, MAX_HEADS)?;
            let head_dim = fields.size("head_dim", 8, MAX_DIM)?;
            let scale = scale(&mut fields)?;
            let seed = fields.count("seed", 0, 0)?;
            let output = match fields.take("output") {
                None | Some(Json::Plain(Value::Bool(false))) => Output::Absent,
                Some(Json::Plain(Value::Bool(true))) => Output::Drawn,
                Some(other) => {
                    return Err(InputError::bad_value(
                        "weights.output",
                        other.to_string(),
                        phrase!("true_false", "true or false"),
                    ));
                }
            };
            limits::check_weights((heads as u64).saturating_mul(head_dim as u64))?;
            WeightSource::Random(RandomWeights { heads, head_dim, scale, seed, output })
        }
        "identity" => WeightSource::Identity {
            sign: fields.number("sign", 1.0, phrase!("or", "{first} or {rest}", first = "1", rest = "-1"), |x| {
                x == 1.0 || x == -1.0
            })?,
        },
        _ => WeightSource::Kim {
            heads: fields.size("heads", 1, MAX_HEADS)?,
            scale: scale(&mut fields)?,
            seed: fields.count("seed", 0, 0)?,
        },
    };
    fields.finish()?;
    Ok(weights)
}

fn head(head_idx: usize, value: Json) -> Result<Head, InputError> {
    let mut fields = Fields::of(&format!("weights.heads[{head_idx}]"), value)?;
    let head = Head { q: fields.rows("q")?, k: fields.rows("k")?, v: fields.rows("v")? };
    fields.finish()?;
    Ok(head)
}

/// Checks the shapes of explicit weights against each other; `weights.rs` checks them against the tokens.
fn check_explicit(heads: &[Head], output: Option<&Rows>) -> Result<(), InputError> {
    let d = heads[0].q.n_columns();
    let mut d_v_total = 0;
    for (h, head) in heads.iter().enumerate() {
        let shape = |what: &str, found: Phrase, expected: Phrase, reason: Phrase| {
            Err(InputError::Shape { what: format!("`weights.heads[{h}].{what}`").into(), found, expected, reason })
        };
        if head.q.n_columns() != d {
            return shape(
                "q",
                head.q.shape(),
                phrase!("shape", "{rows} x {columns}", rows = head.q.n_rows(), columns = d),
                phrase!("all_heads_take_same", "all heads take the same tokens"),
            );
        }
        if head.k.n_rows() != head.q.n_rows() || head.k.n_columns() != d {
            let expected = phrase!("shape", "{rows} x {columns}", rows = head.q.n_rows(), columns = d);
            return shape("k", head.k.shape(), expected, phrase!("k_x_j_q", "K x_j and Q x_i can be multiplied"));
        }
        if head.v.n_columns() != d {
            return shape(
                "v",
                head.v.shape(),
                phrase!("shape", "{rows} x {columns}", rows = head.v.n_rows(), columns = d),
                phrase!("v_takes_same_tokens", "V takes the same tokens as Q"),
            );
        }
        d_v_total += head.v.n_rows();
    }
    match output {
        Some(output) if output.n_columns() != d_v_total => Err(InputError::Shape {
            what: "`weights.output`".into(),
            found: output.shape(),
            expected: phrase!("shape", "{rows} x {columns}", rows = output.n_rows(), columns = d_v_total),
            reason: phrase!("takes_concatenated_heads", "it takes the concatenated heads"),
        }),
        _ => Ok(()),
    }
}

fn source(fields: &mut Fields, sources: &[&'static str]) -> Result<&'static str, InputError> {
    let choices: Vec<(&str, &'static str)> = sources.iter().map(|s| (*s, *s)).collect();
    fields.choice("source", &choices, None)
}

//! Parses an experiment file into an [`Experiment`], field by field.

use serde_json::Value;

use super::error::InputError;
use super::fields::{Fields, rows_of};
use super::limits::{self, MAX_DIM, MAX_LOG_MULTIPLICITY, MAX_TEXT_BYTES, MAX_TOKENS};
use super::strict_json::{self, Json};
use super::types::{Attention, Distribution, Experiment, Normalization, RandomTokens, Scope, TokenSource};
use super::{DecodedText, json_problem, parse_variant, parse_weights};
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
        let decoded = DecodedText::from_text(text);
        let text = &*decoded.text;
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
        let kernels = Attention::ALL;
        let attention =
            fields.choice("attention", &kernels.map(|kernel| (kernel.id(), kernel)), Some(Attention::Dot))?;
        let mask = parse_variant::mask(&mut fields)?;
        let score = parse_variant::score(&mut fields)?;
        let weighting = parse_variant::weighting(&mut fields)?;
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
            Some(value) => Some(parse_weights::weights(value)?),
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
        let experiment = Experiment {
            version: 1,
            attention,
            mask,
            score,
            weighting,
            normalization,
            normalization_scope,
            eps,
            tokens,
            weights,
        };
        experiment.check()?;
        Ok(experiment)
    }
}

fn tokens(value: Json) -> Result<TokenSource, InputError> {
    let mut fields = Fields::of("tokens", value)?;
    let source = fields.source(&["explicit", "random", "adversarial", "skew", "clusters"])?;
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

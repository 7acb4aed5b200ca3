//! Reads the mask, `score` and `weighting` of an experiment file.

use serde_json::Value;

use super::error::InputError;
use super::fields::{Fields, NumberOrList};
use super::limits::{MAX_DIM, MAX_HEADS, MAX_TOKENS};
use super::mask::{Mask, Order};
use super::strict_json::Json;
use super::variant::{Alibi, Gain, QkNorm, Rope, RopeLayout, Score, Sink, VectorNorm, Weighting};
use crate::phrase;

/// The mask: a word or an object with its kind.
pub(super) fn mask(fields: &mut Fields) -> Result<Mask, InputError> {
    let words = [("none", Mask::None), ("causal", Mask::Causal)];
    let value = match fields.take("mask") {
        None => return Ok(Mask::None),
        Some(value @ Json::Object(_)) => value,
        Some(value) => {
            let word = value.as_str().and_then(|found| words.into_iter().find(|(word, _)| *word == found));
            return word.map(|(_, mask)| mask).ok_or_else(|| {
                let expected = phrase!(
                    "mask_choices",
                    "\"none\" or \"causal\" or an object like {\"kind\":\"window\",\"width\":4}"
                );
                InputError::bad_value("mask", value.to_string(), expected)
            });
        }
    };
    let mut fields = Fields::of("mask", value)?;
    let kinds = ["window", "prefix", "padding", "allowed"].map(|kind| (kind, kind));
    let mask = match fields.choice("kind", &kinds, None)? {
        "window" => {
            let width = fields.required_size("width", MAX_TOKENS)?;
            // A window of today's models looks back.
            Mask::Window { width, order: order(&mut fields, Order::Causal)? }
        }
        "prefix" => Mask::Prefix { length: fields.required_size("length", MAX_TOKENS)? },
        "padding" => {
            let expected = phrase!("list_of_flags", "a list of 0 and 1, one for each token");
            let value = fields.need("keys", expected.clone())?;
            let flag = |entry: &Json| match entry.as_f64() {
                Some(0.0) => Some(false),
                Some(1.0) => Some(true),
                _ => None,
            };
            let keys: Option<Vec<bool>> = value.entries().and_then(|entries| entries.iter().map(flag).collect());
            let keys = keys.filter(|keys| !keys.is_empty());
            let keys = keys.ok_or_else(|| InputError::bad_value("mask.keys", value.to_string(), expected))?;
            Mask::Padding { keys, order: order(&mut fields, Order::Free)? }
        }
        _ => {
            let rows = fields.rows("rows")?;
            if let Some(entry) = rows.entries().iter().position(|entry| *entry != 0.0 && *entry != 1.0) {
                let (row, column) = (entry / rows.n_columns(), entry % rows.n_columns());
                let expected = phrase!("or", "{first} or {rest}", first = "0", rest = "1");
                let found = rows.entries()[entry].to_string();
                return Err(InputError::bad_value(format!("mask.rows[{row}][{column}]"), &found, expected));
            }
            Mask::Allowed(rows)
        }
    };
    fields.finish()?;
    Ok(mask)
}

/// `causal`, true or false.
fn order(fields: &mut Fields, default: Order) -> Result<Order, InputError> {
    match fields.take("causal") {
        None => Ok(default),
        Some(Json::Plain(Value::Bool(true))) => Ok(Order::Causal),
        Some(Json::Plain(Value::Bool(false))) => Ok(Order::Free),
        Some(other) => {
            Err(InputError::bad_value("mask.causal", other.to_string(), phrase!("true_false", "true or false")))
        }
    }
}

/// The steps between projections and weights.
pub(super) fn score(fields: &mut Fields) -> Result<Score, InputError> {
    let Some(value) = fields.take("score") else { return Ok(Score::default()) };
    let mut fields = Fields::of("score", value)?;
    let score = Score {
        scale: fields.positive("scale")?,
        softcap: fields.positive("softcap")?,
        qk_norm: fields.take("qk_norm").map(qk_norm).transpose()?,
        rope: fields.take("rope").map(rope).transpose()?,
        cosine_eps: fields.positive("cosine_eps")?,
        alibi: fields.take("alibi").map(alibi).transpose()?,
        bias: fields.optional_rows("bias")?,
        value_norm: fields.take("value_norm").map(value_norm).transpose()?,
    };
    fields.finish()?;
    Ok(score)
}

fn qk_norm(value: Json) -> Result<QkNorm, InputError> {
    let mut fields = Fields::of("score.qk_norm", value)?;
    let kinds = VectorNorm::ALL.map(|kind| (kind.id(), kind));
    let norm = QkNorm {
        kind: fields.choice("kind", &kinds, None)?,
        eps: fields.positive("eps")?.unwrap_or(QkNorm::EPS),
        q_gain: gain(&mut fields, "q_gain")?,
        k_gain: gain(&mut fields, "k_gain")?,
    };
    fields.finish()?;
    Ok(norm)
}

fn gain(fields: &mut Fields, key: &'static str) -> Result<Gain, InputError> {
    Ok(match fields.number_or_list(key, MAX_DIM, phrase!("finite_number", "a finite number"), |_| true)? {
        None => Gain::All(1.0),
        Some(NumberOrList::Number(gain)) => Gain::All(gain),
        Some(NumberOrList::List(gains)) => Gain::Entries(gains),
    })
}

fn rope(value: Json) -> Result<Rope, InputError> {
    let mut fields = Fields::of("score.rope", value)?;
    let layouts = RopeLayout::ALL.map(|layout| (layout.id(), layout));
    let Rope { base, fraction, layout } = Rope::DEFAULT;
    let rope = Rope {
        base: fields.positive("base")?.unwrap_or(base),
        fraction: fields.number(
            "fraction",
            fraction,
            phrase!("above_0_to_1", "a number above 0 and at most 1"),
            |x| x > 0.0 && x <= 1.0,
        )?,
        layout: fields.choice("layout", &layouts, Some(layout))?,
    };
    fields.finish()?;
    Ok(rope)
}

fn alibi(value: Json) -> Result<Alibi, InputError> {
    let mut fields = Fields::of("score.alibi", value)?;
    let expected = phrase!("list_of_slopes", "a list of numbers, 0 or more, one for each head");
    let slopes = match fields.number_or_list("slopes", MAX_HEADS, expected.clone(), |x| x >= 0.0)? {
        None => None,
        Some(NumberOrList::List(slopes)) => Some(slopes),
        Some(NumberOrList::Number(found)) => {
            return Err(InputError::bad_value("score.alibi.slopes", found.to_string(), expected));
        }
    };
    fields.finish()?;
    Ok(Alibi { slopes })
}

fn value_norm(value: Json) -> Result<f64, InputError> {
    let mut fields = Fields::of("score.value_norm", value)?;
    let eps = fields.positive("eps")?.unwrap_or(1e-6);
    fields.finish()?;
    Ok(eps)
}

/// How scores become weights.
pub(super) fn weighting(fields: &mut Fields) -> Result<Weighting, InputError> {
    let Some(value) = fields.take("weighting") else { return Ok(Weighting::SOFTMAX) };
    let mut fields = Fields::of("weighting", value)?;
    let kinds = ["softmax", "sigmoid", "relu", "softplus"].map(|kind| (kind, kind));
    let number = || phrase!("finite_number", "a finite number");
    let weighting = match fields.choice("kind", &kinds, None)? {
        "softmax" => Weighting::Softmax {
            sink: match fields.number_or_list("sink", MAX_HEADS, number(), |_| true)? {
                None => None,
                Some(NumberOrList::Number(logit)) => Some(Sink::All(logit)),
                Some(NumberOrList::List(logits)) => Some(Sink::Heads(logits)),
            },
        },
        "sigmoid" => Weighting::Sigmoid { bias: fields.optional_number("bias", number(), |_| true)? },
        "relu" => Weighting::Relu { divisor: fields.positive("divisor")? },
        _ => Weighting::Softplus { divisor: fields.positive("divisor")? },
    };
    fields.finish()?;
    Ok(weighting)
}

//! Reads the weights of an experiment file, and checks that the shapes of listed matrices fit each other.

use serde_json::Value;

use super::error::InputError;
use super::fields::Fields;
use super::limits::{self, MAX_DIM, MAX_HEADS};
use super::strict_json::Json;
use super::types::{Head, Output, RandomWeights, SecondMap, WeightSource};
use super::{Phrase, Rows};
use crate::phrase;

impl WeightSource {
    /// Listed matrices, after a check that their shapes fit each other. Whether they fit the tokens is checked once the
    /// tokens are known. `shared` has for each head the index of its keys and values where heads share them, or is
    /// empty.
    ///
    /// # Errors
    /// [`InputError::BadValue`] for no heads or too many, [`InputError::Shape`] that names the matrix.
    pub fn listed(heads: Vec<Head>, shared: Vec<usize>, output: Option<Rows>) -> Result<Self, InputError> {
        check_head_count(heads.len())?;
        check_explicit(&heads, output.as_ref())?;
        Ok(WeightSource::Explicit { heads, shared, output })
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

/// The weights.
pub(super) fn weights(value: Json) -> Result<WeightSource, InputError> {
    let mut fields = Fields::of("weights", value)?;
    let source = fields.source(&["explicit", "random", "identity", "kim"])?;
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
            let groups = fields.take("kv_heads").map(kv_heads).transpose()?;
            let (heads, shared) = match groups {
                None => {
                    let heads = list.into_iter().enumerate().map(|(h, value)| head(h, value));
                    (heads.collect::<Result<Vec<_>, _>>()?, Vec::new())
                }
                Some(groups) => {
                    let heads = list.into_iter().enumerate().map(|(h, value)| grouped_head(h, value, &groups));
                    let (heads, shared): (Vec<_>, Vec<_>) = heads.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
                    if let Some(unused) = (0..groups.len()).find(|group| !shared.contains(group)) {
                        return Err(InputError::Conflict {
                            what: format!("`weights.kv_heads[{unused}]`").into(),
                            problem: phrase!("kv_head_unused", "is used by no head"),
                            fix: phrase!("leave_out_or_kv", "Leave it out, or name it as `kv` of a head."),
                        });
                    }
                    (heads, shared)
                }
            };
            let output = fields.optional_rows("output")?;
            WeightSource::listed(heads, shared, output)?
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
            let kv_heads = fields.size("kv_heads", heads, MAX_HEADS)?;
            let expected = phrase!("finite_number", "a finite number");
            let differential = fields.optional_number("differential", expected, |_| true)?;
            limits::check_weights((heads as u64).saturating_mul(head_dim as u64))?;
            WeightSource::Random(RandomWeights { heads, kv_heads, differential, head_dim, scale, seed, output })
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
    let (q, k, v) = (fields.rows("q")?, fields.rows("k")?, fields.rows("v")?);
    let k2 = fields.optional_rows("k2")?;
    let second = second(&mut fields, k2)?;
    fields.finish()?;
    Ok(Head { q, k, v, second })
}

/// Keys and values that heads share.
struct KeysAndValues {
    k: Rows,
    v: Rows,
    k2: Option<Rows>,
}

fn kv_heads(value: Json) -> Result<Vec<KeysAndValues>, InputError> {
    let expected = || phrase!("list_kv_heads", "a list of heads, each {\"k\":..,\"v\":..}");
    let list = value
        .into_entries()
        .map_err(|other| InputError::bad_value("weights.kv_heads", other.to_string(), expected()))?;
    if list.is_empty() || list.len() > MAX_HEADS {
        let found = phrase!("list_of", "a list of {count}", count = list.len());
        let expected = phrase!("list_1_heads", "a list of 1 to {most} heads", most = MAX_HEADS);
        return Err(InputError::bad_value("weights.kv_heads", found, expected));
    }
    let read = |(group, value): (usize, Json)| {
        let mut fields = Fields::of(&format!("weights.kv_heads[{group}]"), value)?;
        let k2 = fields.optional_rows("k2")?;
        let keys = KeysAndValues { k: fields.rows("k")?, v: fields.rows("v")?, k2 };
        fields.finish()?;
        Ok(keys)
    };
    list.into_iter().enumerate().map(read).collect()
}

/// A head that names its keys and values by their index.
fn grouped_head(head_idx: usize, value: Json, groups: &[KeysAndValues]) -> Result<(Head, usize), InputError> {
    let mut fields = Fields::of(&format!("weights.heads[{head_idx}]"), value)?;
    let q = fields.rows("q")?;
    let expected =
        || phrase!("index_of_kv_head", "a whole number below {count}: the index of a kv_head", count = groups.len());
    if !fields.has("kv") {
        return Err(InputError::MissingKey { key: fields.path_of("kv"), expected: expected() });
    }
    let group = fields.count("kv", 0, 0)?;
    let Some((group, keys)) = usize::try_from(group).ok().and_then(|at| Some((at, groups.get(at)?))) else {
        return Err(InputError::bad_value(fields.path_of("kv"), group.to_string(), expected()));
    };
    let second = second(&mut fields, keys.k2.clone())?;
    fields.finish()?;
    Ok((Head { q, k: keys.k.clone(), v: keys.v.clone(), second }, group))
}

/// `q2` and `lambda` of a differential head, whose second keys are `k`. All three are there, or none.
fn second(fields: &mut Fields, k: Option<Rows>) -> Result<Option<SecondMap>, InputError> {
    let q = fields.optional_rows("q2")?;
    let lambda = fields.optional_number("lambda", phrase!("finite_number", "a finite number"), |_| true)?;
    let missing = |key: &str| {
        let expected = phrase!("differential_needs", "what a differential head has: `q2`, `k2` and `lambda`");
        Err(InputError::MissingKey { key: fields.path_of(key), expected })
    };
    match (q, k, lambda) {
        (None, None, None) => Ok(None),
        (Some(q), Some(k), Some(lambda)) => Ok(Some(SecondMap { q, k, lambda })),
        (None, _, _) => missing("q2"),
        (_, None, _) => missing("k2"),
        (_, _, None) => missing("lambda"),
    }
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
        for (key, matrix) in head.second.iter().flat_map(|second| [("q2", &second.q), ("k2", &second.k)]) {
            if (matrix.n_rows(), matrix.n_columns()) != (head.q.n_rows(), d) {
                let expected = phrase!("shape", "{rows} x {columns}", rows = head.q.n_rows(), columns = d);
                let reason = phrase!("second_map_same_shape", "both maps of a head have the same shape");
                return shape(key, matrix.shape(), expected, reason);
            }
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

//! The same attention at the same tokens, written in other ways.

use lipscope_core::experiment::{Experiment, Normalization, TokenSource, WeightSource};
use serde_json::{Value, json};

/// Another file of an experiment.
#[derive(Clone, Debug)]
pub struct Notation {
    pub name: &'static str,
    pub file: Value,
}

/// Every other way to write the experiment of a file with listed tokens and weights. The stored numbers are the same ones in all
/// of them, up to their sign; only sums run in another order.
#[must_use]
pub fn notations(file: &Value, experiment: &Experiment) -> Vec<Notation> {
    let (TokenSource::Explicit(rows), Some(WeightSource::Explicit { .. })) = (&experiment.tokens, &experiment.weights)
    else {
        return Vec::new();
    };
    let (n, d) = (rows.n_rows(), rows.n_columns());
    let mut all = Vec::new();
    let mut push = |name: &'static str, file: Option<Value>| all.extend(file.map(|file| Notation { name, file }));
    push("heads listed", listed(file));
    push("heads grouped", grouped(file));
    let table = mask_as_table(file, experiment, n);
    push("mask as a table", Some(table.clone()));
    let biased = alibi_as_bias(file, experiment, n);
    push("alibi as a bias", biased.clone());
    // LayerNorm takes the mean off, which does not depend on the order of the entries, but on their signs.
    let signs = match experiment.normalization {
        Normalization::Layer => Signs::Kept,
        Normalization::None | Normalization::Rms => Signs::Alternating,
    };
    push("entries turned", Some(turned(file, d, signs)));
    let has_order = experiment.score.rope.is_some();
    if !has_order && (experiment.score.alibi.is_none() || biased.is_some()) {
        let by_place = mask_as_table(&biased.unwrap_or_else(|| file.clone()), experiment, n);
        push("tokens permuted", Some(permuted(&by_place, n)));
    }
    all
}

/// Keys and values in every head; `None` where they are.
fn listed(file: &Value) -> Option<Value> {
    let groups = file["weights"].get("kv_heads")?.clone();
    let mut file = file.clone();
    let weights = file["weights"].as_object_mut()?;
    weights.remove("kv_heads");
    for head in weights.get_mut("heads")?.as_array_mut()? {
        let head = head.as_object_mut()?;
        let group = head.remove("kv")?.as_u64()?;
        head.extend(groups.get(group as usize)?.as_object()?.clone());
    }
    Some(file)
}

/// A group for each head; `None` where heads are grouped.
fn grouped(file: &Value) -> Option<Value> {
    if file["weights"].get("kv_heads").is_some() {
        return None;
    }
    let mut file = file.clone();
    let mut groups = Vec::new();
    for (at, head) in file["weights"].get_mut("heads")?.as_array_mut()?.iter_mut().enumerate() {
        let head = head.as_object_mut()?;
        let mut group = json!({});
        for key in ["k", "v", "k2"] {
            if let Some(matrix) = head.remove(key) {
                group[key] = matrix;
            }
        }
        head.insert("kv".into(), json!(at));
        groups.push(group);
    }
    file["weights"]["kv_heads"] = json!(groups);
    Some(file)
}

fn mask_as_table(file: &Value, experiment: &Experiment, n: usize) -> Value {
    let row = |i: usize| (0..n).map(|j| u8::from(experiment.mask.allows(i, j))).collect::<Vec<u8>>();
    let mut file = file.clone();
    file["mask"] = json!({"kind": "allowed", "rows": (0..n).map(row).collect::<Vec<_>>()});
    file
}

/// ALiBi with one slope for all heads as a table of biases.
fn alibi_as_bias(file: &Value, experiment: &Experiment, n: usize) -> Option<Value> {
    let alibi = experiment.score.alibi.as_ref()?;
    let heads = file["weights"]["heads"].as_array()?.len();
    let slope = alibi.slope(0, heads);
    if experiment.score.bias.is_some() || (1..heads).any(|head| alibi.slope(head, heads) != slope) {
        return None;
    }
    // A table holds finite numbers only.
    if !(slope * n as f64).is_finite() {
        return None;
    }
    let row = |i: usize| (0..n).map(|j| -slope * i.abs_diff(j) as f64).collect::<Vec<f64>>();
    let mut file = file.clone();
    file["score"].as_object_mut()?.remove("alibi");
    file["score"]["bias"] = json!((0..n).map(row).collect::<Vec<_>>());
    Some(file)
}

/// Whether entries get the opposite sign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    Kept,
    Alternating,
}

/// The entries of all tokens in reverse order, and every other one with the opposite sign: a rotation or a reflection that
/// rounds nothing.
fn turned(file: &Value, d: usize, signs: Signs) -> Value {
    let turn = |row: &mut Value| {
        if let Some(entries) = row.as_array_mut() {
            entries.reverse();
            for entry in entries.iter_mut().skip(usize::from(d > 1)).step_by(2).filter(|_| signs == Signs::Alternating)
            {
                *entry = json!(-entry.as_f64().unwrap_or(f64::NAN));
            }
        }
    };
    let turn_all = |rows: &mut Value| rows.as_array_mut().into_iter().flatten().for_each(turn);
    let mut file = file.clone();
    turn_all(&mut file["tokens"]["rows"]);
    for key in ["heads", "kv_heads"] {
        for head in file["weights"].get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            ["q", "k", "v", "q2", "k2"].into_iter().for_each(|key| head.get_mut(key).into_iter().for_each(turn_all));
        }
    }
    file
}

/// The tokens in another order, with their rows and columns of the tables.
fn permuted(file: &Value, n: usize) -> Value {
    let order: Vec<usize> = (0..n).map(|i| (i + n / 2) % n).rev().collect();
    let permute = |list: &mut Value| {
        if let Some(entries) = list.as_array_mut() {
            *entries = order.iter().map(|at| entries[*at].clone()).collect();
        }
    };
    let mut file = file.clone();
    permute(&mut file["tokens"]["rows"]);
    for table in ["/mask/rows", "/score/bias"] {
        if let Some(rows) = file.pointer_mut(table) {
            permute(rows);
            rows.as_array_mut().into_iter().flatten().for_each(permute);
        }
    }
    file
}

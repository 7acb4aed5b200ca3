//! Experiments at the edges of what attention computes: every variant, mask and notation, with tokens far from the origin, close
//! together, opposite, equal, huge and tiny, weights that underflow, and matrices of rank one. The engine's code must assume
//! nothing that this generator never breaks: Q is not tied to K unless drawn so, offsets reach 1e8, scores reach thousands.

use lipscope_core::experiment::{Attention, Experiment, Mask, Normalization, WeightSource, Weighting};
use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// The experiment file of a draw.
#[must_use]
pub fn extreme(dice: &mut Dice) -> Value {
    let n = if dice.once_in(16) { 1 } else { 2 + dice.below(5) };
    let d = *dice.of(&[1, 1, 2, 2, 3, 4]);
    let k = *dice.of(&[1, 2, 2, 3, 4]);
    let value_dim = 1 + dice.below(3);
    let heads = *dice.of(&[1, 1, 1, 2, 2, 3]);
    let attention = *dice.of(&["dot", "dot", "dot", "l2", "l2", "cosine", "linear"]);
    let normalization = *dice.of(&["none", "none", "none", "none", "none", "rms", "layer"]);
    let tokens = tokens(dice, n, d);
    let (score, norms_queries) = score(dice, attention, (n, k, heads));
    let size = if normalization == "none" {
        Size::new(&tokens)
    } else {
        Size { largest: (d as f64).sqrt(), spread: (d as f64).sqrt() }
    };
    let weights = weights(dice, (d, k, value_dim, heads), &size, norms_queries);
    let mut file = json!({
        "attention": attention, "mask": mask(dice, n), "weighting": weighting(dice, attention, heads), "score": score,
        "tokens": {"source": "explicit", "rows": tokens}, "weights": weights,
    });
    if normalization != "none" {
        file["normalization"] = json!(normalization);
        file["normalization_scope"] = json!(dice.of(&["inputs", "composed"]));
        file["eps"] = if dice.once_in(10) { json!(0.0) } else { json!(size_between(dice, -12, 0)) };
    }
    file
}

/// The features of an experiment by which results are listed: its kernel, mask, steps and weights.
#[must_use]
pub fn features(experiment: &Experiment) -> Vec<&'static str> {
    let score = &experiment.score;
    let mut all = vec![match experiment.attention {
        Attention::Dot => "dot",
        Attention::L2 => "l2",
        Attention::Cosine => "cosine",
        Attention::Linear => "linear",
    }];
    all.push(match experiment.mask {
        Mask::None => "no mask",
        Mask::Causal => "causal",
        Mask::Window { .. } => "window",
        Mask::Prefix { .. } => "prefix",
        Mask::Padding { .. } => "padding",
        Mask::Allowed(_) => "mask as a table",
    });
    all.push(match &experiment.weighting {
        Weighting::Softmax { sink: None } => "softmax",
        Weighting::Softmax { sink: Some(_) } => "sink",
        Weighting::Sigmoid { .. } => "sigmoid",
        Weighting::Relu { .. } => "relu",
        Weighting::Softplus { .. } => "softplus",
    });
    let (mut shares, mut subtracts, mut is_behind) = (false, false, false);
    if let Some(WeightSource::Explicit { heads, shared, output }) = &experiment.weights {
        (shares, subtracts, is_behind) =
            (!shared.is_empty(), heads.iter().any(|head| head.second.is_some()), output.is_some());
        all.push(if heads.len() > 1 { "several heads" } else { "one head" });
    }
    let rest = [
        ("scale", score.scale.is_some()),
        ("cap", score.softcap.is_some()),
        ("qk-norm", score.qk_norm.is_some()),
        ("rope", score.rope.is_some()),
        ("alibi", score.alibi.is_some()),
        ("bias", score.bias.is_some()),
        ("value norm", score.value_norm.is_some()),
        ("layer norm", experiment.normalization == Normalization::Layer),
        ("rms norm", experiment.normalization == Normalization::Rms),
        ("shared keys", shares),
        ("differential", subtracts),
        ("output matrix", is_behind),
    ];
    all.extend(rest.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name));
    all
}

/// How large tokens are, and how far apart.
struct Size {
    largest: f64,
    spread: f64,
}

impl Size {
    fn new(rows: &[Vec<f64>]) -> Self {
        let most = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0f64, |most, x| most.max(x.abs()));
        let or = |size: f64, other: f64| if size > 0.0 { size } else { other };
        let largest = or(most(&mut rows.iter().flatten().copied()), 1.0);
        let first = &rows[0];
        let deviation = most(&mut rows.iter().flat_map(|row| row.iter().zip(first).map(|(x, y)| x - y)));
        Size { largest, spread: or(deviation, largest) }
    }
}

/// A number from 0 to 1.
fn uniform(dice: &mut Dice) -> f64 {
    (dice.bits() >> 11) as f64 / (1u64 << 53) as f64
}

fn between(dice: &mut Dice, low: f64, high: f64) -> f64 {
    low + (high - low) * uniform(dice)
}

/// Nearly normal, by the same operations on every machine.
fn normal(dice: &mut Dice) -> f64 {
    2.0 * (uniform(dice) + uniform(dice) + uniform(dice) - 1.5)
}

/// A number of random size between two powers of ten.
fn size_between(dice: &mut Dice, low: i32, high: i32) -> f64 {
    let exponent = std::f64::consts::LOG2_10 * between(dice, f64::from(low), f64::from(high));
    let whole = exponent.floor();
    f64::from_bits(((whole as i64 + 1023) as u64) << 52) * (1.0 + exponent - whole)
}

fn sign(dice: &mut Dice) -> f64 {
    if dice.once_in(2) { -1.0 } else { 1.0 }
}

fn vector(dice: &mut Dice, d: usize, scale: f64) -> Vec<f64> {
    (0..d).map(|_| scale * normal(dice)).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn times(a: &[f64], factor: f64) -> Vec<f64> {
    a.iter().map(|a| a * factor).collect()
}

fn tokens(dice: &mut Dice, n: usize, d: usize) -> Vec<Vec<f64>> {
    let arrangement = dice.below(13);
    let u = vector(dice, d, 1.0);
    match arrangement {
        // Of ordinary size.
        0 | 1 => {
            let radius = size_between(dice, -2, 2);
            (0..n).map(|_| vector(dice, d, radius)).collect()
        }
        // An offset, with a spread of its own.
        2..=4 => {
            let (offset, spread) = (size_between(dice, 0, 8), size_between(dice, -6, 1));
            (0..n).map(|_| sum(&times(&u, offset), &vector(dice, d, spread))).collect()
        }
        // Pairs, almost equal.
        5 => {
            let (radius, deviation) = (size_between(dice, -1, 3), size_between(dice, -12, -1));
            let mut rows: Vec<Vec<f64>> = Vec::new();
            for i in 0..n {
                let row = match rows.last() {
                    Some(last) if i % 2 == 1 => sum(last, &vector(dice, d, radius * deviation)),
                    _ => vector(dice, d, radius),
                };
                rows.push(row);
            }
            rows
        }
        // On a line through the origin.
        6 => {
            let radius = size_between(dice, -1, 4);
            (0..n).map(|_| times(&u, radius * normal(dice))).collect()
        }
        // One far away.
        7 => {
            let (radius, far) = (size_between(dice, -2, 1), size_between(dice, 1, 8));
            let at = dice.below(n);
            (0..n).map(|i| vector(dice, d, if i == at { far } else { radius })).collect()
        }
        // Groups of equal tokens.
        8 => {
            let radius = size_between(dice, -2, 3);
            let places: Vec<Vec<f64>> = (0..1 + dice.below(2)).map(|_| vector(dice, d, radius)).collect();
            (0..n).map(|_| dice.of(&places).clone()).collect()
        }
        // Opposite pairs of unequal size.
        9 => {
            let mut rows: Vec<Vec<f64>> = Vec::new();
            for i in 0..n {
                let row = match rows.last() {
                    Some(last) if i % 2 == 1 => times(last, -1.0),
                    _ => {
                        let size = size_between(dice, -1, 2);
                        vector(dice, d, size)
                    }
                };
                rows.push(row);
            }
            rows
        }
        // Huge or tiny.
        10 => {
            let radius = if dice.once_in(2) { size_between(dice, 8, 40) } else { size_between(dice, -100, -8) };
            (0..n).map(|_| vector(dice, d, radius)).collect()
        }
        // One at zero.
        11 => {
            let radius = size_between(dice, -1, 3);
            (0..n).map(|i| if i == 0 { vec![0.0; d] } else { times(&u, radius * sign(dice)) }).collect()
        }
        // Sizes of every kind.
        _ => (0..n)
            .map(|_| {
                let size = size_between(dice, -6, 6);
                vector(dice, d, size)
            })
            .collect(),
    }
}

fn mask(dice: &mut Dice, n: usize) -> Value {
    let is_causal = dice.once_in(2);
    match dice.below(8) {
        0 | 1 => json!("none"),
        2 => json!("causal"),
        3 | 4 => json!({"kind": "window", "width": 1 + dice.below(n), "causal": is_causal}),
        5 => json!({"kind": "prefix", "length": 1 + dice.below(n)}),
        6 => {
            let keys: Vec<usize> = (0..n).map(|_| usize::from(!dice.once_in(3))).collect();
            json!({"kind": "padding", "keys": keys, "causal": is_causal})
        }
        _ => {
            let row = |dice: &mut Dice| (0..n).map(|_| usize::from(!dice.once_in(3))).collect::<Vec<usize>>();
            json!({"kind": "allowed", "rows": (0..n).map(|_| row(dice)).collect::<Vec<_>>()})
        }
    }
}

/// The steps of the scores, and whether queries and keys are normalised.
fn score(dice: &mut Dice, attention: &str, (n, k, heads): (usize, usize, usize)) -> (Value, bool) {
    let mut score = Map::new();
    if attention != "linear" && dice.once_in(5) {
        score.insert("scale".into(), json!(size_between(dice, -1, 1)));
    }
    if attention != "linear" && dice.once_in(4) {
        score.insert("softcap".into(), json!(size_between(dice, -1, 2)));
    }
    let has_norm = attention == "dot" && dice.once_in(4);
    if has_norm {
        let gains: Vec<f64> = (0..k).map(|_| between(dice, -2.0, 2.0)).collect();
        score.insert(
            "qk_norm".into(),
            json!({"kind": dice.of(&["rms", "layer", "l2"]), "eps": size_between(dice, -12, 0),
                   "q_gain": gains, "k_gain": size_between(dice, -1, 1)}),
        );
    }
    if matches!(attention, "dot" | "cosine") && dice.once_in(4) {
        let layout = dice.of(&["half", "interleaved"]);
        score.insert(
            "rope".into(),
            json!({"base": size_between(dice, 1, 6), "fraction": between(dice, 0.3, 1.0), "layout": layout}),
        );
    }
    if attention == "cosine" {
        score.insert("cosine_eps".into(), json!(size_between(dice, -12, 0)));
    }
    match dice.below(8) {
        0 => {
            let slopes: Vec<f64> = (0..heads).map(|_| size_between(dice, -2, 1)).collect();
            score.insert("alibi".into(), json!({"slopes": slopes}));
        }
        1 => drop(score.insert("bias".into(), bias(dice, n))),
        _ => {}
    }
    if dice.once_in(8) {
        score.insert("value_norm".into(), json!({"eps": size_between(dice, -12, 0)}));
    }
    (Value::Object(score), has_norm || attention == "cosine")
}

/// A table of biases: of the size of scores, with a common part a row, or with entries that mask.
fn bias(dice: &mut Dice, n: usize) -> Value {
    let kind = dice.below(4);
    let common = *dice.of(&[-1e9, 1e9, f64::MIN, -1e4, 1e6]);
    let row = |dice: &mut Dice| -> Vec<f64> {
        match kind {
            0 => (0..n).map(|_| 3.0 * normal(dice)).collect(),
            1 => (0..n).map(|_| common).collect(),
            2 => (0..n).map(|_| if dice.once_in(3) { -1e9 } else { 0.0 }).collect(),
            _ => (0..n).map(|_| 1e6 + normal(dice)).collect(),
        }
    };
    json!((0..n).map(|_| row(dice)).collect::<Vec<_>>())
}

fn weighting(dice: &mut Dice, attention: &str, heads: usize) -> Value {
    if attention == "linear" {
        return json!({"kind": "softmax"});
    }
    match dice.below(10) {
        0 | 1 => {
            let sinks: Vec<f64> = (0..heads).map(|_| sign(dice) * size_between(dice, -1, 3)).collect();
            json!({"kind": "softmax", "sink": sinks})
        }
        2 => json!({"kind": "softmax", "sink": 0}),
        3 => json!({"kind": "sigmoid", "bias": 3.0 * normal(dice)}),
        4 => json!({"kind": "relu"}),
        5 => json!({"kind": "softplus", "divisor": between(dice, 1.0, 8.0)}),
        _ => json!({"kind": "softmax"}),
    }
}

fn matrix(dice: &mut Dice, n_rows: usize, n_columns: usize, scale: f64) -> Vec<Vec<f64>> {
    if dice.once_in(5) {
        // Of rank one.
        let (left, right) = (vector(dice, n_rows, 1.0), vector(dice, n_columns, scale));
        return left.into_iter().map(|entry| times(&right, entry)).collect();
    }
    (0..n_rows).map(|_| vector(dice, n_columns, scale)).collect()
}

/// Explicit weights whose scores have a drawn size at tokens of this size.
fn weights(
    dice: &mut Dice,
    (d, k, value_dim, heads): (usize, usize, usize, usize),
    size: &Size,
    norms_queries: bool,
) -> Value {
    let target = size_between(dice, -2, 3);
    let per_score = match dice.below(3) {
        _ if norms_queries => size.largest * size.largest,
        0 => size.largest * size.largest,
        1 => size.largest * size.spread,
        _ => size.spread * size.spread,
    };
    let own = (target / per_score).sqrt();
    // Once in eight times, one of Q and K is tiny and the other huge.
    let skew = if dice.once_in(8) { size_between(dice, -60, 60) } else { 1.0 };
    let (q_scale, k_scale) = (own * skew, own / skew);
    let value_scale = match dice.below(8) {
        0 => size_between(dice, -100, 60),
        1 => size_between(dice, -4, 4),
        _ => 1.0,
    };
    let relation = dice.below(6);
    let is_grouped = heads > 1 && dice.once_in(3);
    let is_differential = dice.once_in(5);
    let lambda = *dice.of(&[-1.0, -0.7, 0.0, 0.5, 1.0, 0.9999999, 30.0]);
    let is_twin = dice.once_in(5);
    let mut groups = Vec::new();
    let mut list = Vec::new();
    for head_idx in 0..heads {
        let keys = matrix(dice, k, d, k_scale);
        let queries = match relation {
            // Tied, up to a factor.
            0 => keys.iter().map(|row| times(row, q_scale / k_scale)).collect(),
            1 => keys.iter().map(|row| times(row, -q_scale / k_scale)).collect(),
            // Nearly tied.
            2 => keys.iter().map(|row| sum(&times(row, q_scale / k_scale), &vector(dice, d, 1e-6 * q_scale))).collect(),
            _ => matrix(dice, k, d, q_scale),
        };
        let mut head = json!({"q": queries});
        let mut own = json!({"k": keys, "v": matrix(dice, value_dim, d, value_scale)});
        if is_differential {
            head["q2"] = if is_twin { head["q"].clone() } else { json!(matrix(dice, k, d, q_scale)) };
            head["lambda"] = json!(lambda);
            own["k2"] = if is_twin { own["k"].clone() } else { json!(matrix(dice, k, d, k_scale)) };
        }
        if is_grouped {
            // Two heads on one group.
            if head_idx % 2 == 0 {
                groups.push(own);
            }
            head["kv"] = json!(head_idx / 2);
        } else if let (Some(head), Value::Object(own)) = (head.as_object_mut(), own) {
            head.extend(own);
        }
        list.push(head);
    }
    let mut weights = json!({"source": "explicit", "heads": list});
    if is_grouped {
        weights["kv_heads"] = json!(groups);
    }
    if dice.once_in(3) {
        let d_out = 1 + dice.below(3);
        weights["output"] = json!(matrix(dice, d_out, heads * value_dim, 1.0));
    }
    weights
}

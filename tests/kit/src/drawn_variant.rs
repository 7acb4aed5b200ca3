//! Random small experiments over all combinations of the steps of attention (docs/theory.md section 6).

use lipscope_core::experiment::Experiment;
use lipscope_core::random::{Random, Stream};
use serde_json::{Map, Value, json};

/// An experiment with its file, for messages.
#[derive(Clone, Debug)]
pub struct DrawnVariant {
    pub file: Value,
    pub experiment: Experiment,
}

/// The experiment of a seed: tokens, weights and every step are drawn.
pub fn drawn_variant(seed: u64) -> DrawnVariant {
    let mut dice = Dice(Random::new(seed, Stream::Tokens));
    let (n, d) = (1 + dice.below(6), 1 + dice.below(4));
    let radius = 10f64.powf(dice.between(-1.0, 0.6));
    let attention = dice.one_of(&["dot", "dot", "dot", "dot", "l2", "cosine", "linear"]);
    let k = 1 + dice.below(4);
    let value_dim = 1 + dice.below(3);
    let heads = 1 + dice.below(4);
    let weighting = if attention == "linear" { json!({"kind": "softmax"}) } else { weighting(&mut dice, heads) };
    // In some cases most steps are left out, so that lower bounds apply.
    let is_bare = dice.below(4) == 0;
    let (mut mask, mut score) = (mask(&mut dice, n), score(&mut dice, attention, (n, k, heads)));
    if is_bare {
        let steps = score.as_object_mut().expect("an object");
        for step in ["alibi", "bias", "rope", "value_norm"] {
            steps.remove(step);
        }
        if mask["kind"] != "window" {
            mask = json!("none");
        }
    }
    let mut file = json!({
        "attention": attention, "mask": mask, "weighting": weighting, "score": score,
        "tokens": {"source": "explicit", "rows": tokens(&mut dice, (n, d), radius)},
        "weights": weights(&mut dice, (d, k, value_dim, heads)),
    });
    if !is_bare && dice.below(4) == 0 {
        file["normalization"] = json!(dice.one_of(&["rms", "layer"]));
        file["normalization_scope"] = json!(dice.one_of(&["inputs", "composed"]));
    }
    let experiment = Experiment::from_value(file.clone()).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    DrawnVariant { file, experiment }
}

struct Dice(Random);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.uniform()
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.0.uniform() * count as f64) as usize).min(count - 1)
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    fn list(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.between(low, high)).collect()
    }

    fn matrix(&mut self, n_rows: usize, n_columns: usize, scale: f64) -> Value {
        let row = |dice: &mut Self| (0..n_columns).map(|_| scale * dice.0.normal()).collect::<Vec<f64>>();
        json!((0..n_rows).map(|_| row(self)).collect::<Vec<_>>())
    }
}

fn tokens(dice: &mut Dice, (n, d): (usize, usize), radius: f64) -> Vec<Vec<f64>> {
    let unit = |dice: &mut Dice| {
        let x: Vec<f64> = (0..d).map(|_| dice.0.normal()).collect();
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
        x.into_iter().map(|x| x / length).collect::<Vec<f64>>()
    };
    let (u, arrangement) = (unit(dice), dice.below(4));
    (0..n)
        .map(|i| {
            let (direction, length) = match (arrangement, i) {
                (0, _) => (unit(dice), radius * (i + 1) as f64 / n as f64),
                (1, 0) => (u.clone(), -radius),
                (2, 0) => (u.clone(), 0.0),
                (3, _) => (unit(dice), radius),
                _ => (u.clone(), radius),
            };
            direction.into_iter().map(|x| x * length).collect()
        })
        .collect()
}

fn mask(dice: &mut Dice, n: usize) -> Value {
    let is_causal = dice.below(2) == 0;
    match dice.below(7) {
        0 | 1 => json!("none"),
        2 => json!("causal"),
        3 => json!({"kind": "window", "width": 1 + dice.below(4), "causal": is_causal}),
        4 => json!({"kind": "prefix", "length": 1 + dice.below(n)}),
        5 => {
            let keys: Vec<usize> = (0..n).map(|_| dice.below(2)).collect();
            json!({"kind": "padding", "keys": keys, "causal": is_causal})
        }
        _ => {
            let row = |dice: &mut Dice| (0..n).map(|_| dice.below(2)).collect::<Vec<usize>>();
            json!({"kind": "allowed", "rows": (0..n).map(|_| row(dice)).collect::<Vec<_>>()})
        }
    }
}

fn score(dice: &mut Dice, attention: &str, (n, k, heads): (usize, usize, usize)) -> Value {
    let mut score = Map::new();
    if attention != "linear" {
        if dice.below(3) == 0 {
            score.insert("scale".into(), json!(dice.between(0.1, 2.0)));
        }
        if dice.below(3) == 0 {
            score.insert("softcap".into(), json!(10f64.powf(dice.between(-0.5, 1.5))));
        }
    }
    if attention == "dot" && dice.below(3) == 0 {
        let eps = 10f64.powf(dice.between(-3.0, 0.0));
        let gains = dice.list(k, 0.2, 2.0);
        let kind = dice.one_of(&["rms", "layer", "l2"]);
        score.insert(
            "qk_norm".into(),
            json!({"kind": kind, "eps": eps, "q_gain": gains, "k_gain": dice.between(-2.0, 2.0)}),
        );
    }
    if (attention == "dot" || attention == "cosine") && dice.below(3) == 0 {
        let layout = dice.one_of(&["half", "interleaved"]);
        let base = 10f64.powf(dice.between(0.5, 4.0));
        score.insert("rope".into(), json!({"base": base, "fraction": dice.between(0.3, 1.0), "layout": layout}));
    }
    if attention == "cosine" {
        score.insert("cosine_eps".into(), json!(10f64.powf(dice.between(-3.0, 0.0))));
    }
    match dice.below(5) {
        0 => drop(score.insert("alibi".into(), json!({"slopes": dice.list(heads, 0.0, 1.5)}))),
        1 => drop(score.insert("bias".into(), dice.matrix(n, n, 1.0))),
        _ => {}
    }
    if dice.below(5) == 0 {
        score.insert("value_norm".into(), json!({"eps": 10f64.powf(dice.between(-3.0, 0.0))}));
    }
    Value::Object(score)
}

fn weighting(dice: &mut Dice, heads: usize) -> Value {
    match dice.below(8) {
        0 | 1 => json!({"kind": "softmax", "sink": dice.list(heads, -2.0, 4.0)}),
        2 => json!({"kind": "softmax", "sink": 0}),
        3 => json!({"kind": "sigmoid", "bias": dice.between(-3.0, 1.0)}),
        4 => json!({"kind": "relu"}),
        5 => json!({"kind": "softplus", "divisor": dice.between(1.0, 8.0)}),
        _ => json!({"kind": "softmax"}),
    }
}

/// Explicit weights: heads of their own, heads that share keys and values, or differential ones.
fn weights(dice: &mut Dice, (d, k, value_dim, heads): (usize, usize, usize, usize)) -> Value {
    let scale = 10f64.powf(dice.between(-1.0, 0.4));
    let (is_grouped, is_differential) = (heads > 1 && dice.below(3) == 0, dice.below(4) == 0);
    let mut groups = Vec::new();
    let mut list = Vec::new();
    for head_idx in 0..heads {
        let mut head = json!({"q": dice.matrix(k, d, scale)});
        let mut keys = json!({"k": dice.matrix(k, d, scale), "v": dice.matrix(value_dim, d, scale)});
        if is_differential {
            (head["q2"], head["lambda"]) = (dice.matrix(k, d, scale), json!(dice.between(-1.0, 1.0)));
            keys["k2"] = dice.matrix(k, d, scale);
        }
        if is_grouped {
            // Two heads on one group.
            if head_idx % 2 == 0 {
                groups.push(keys);
            }
            head["kv"] = json!(head_idx / 2);
        } else {
            head.as_object_mut().expect("an object").extend(keys.as_object().expect("an object").clone());
        }
        list.push(head);
    }
    let mut weights = json!({"source": "explicit", "heads": list});
    if is_grouped {
        weights["kv_heads"] = json!(groups);
    }
    if dice.below(2) == 0 {
        let d_out = 1 + dice.below(4);
        weights["output"] = dice.matrix(d_out, heads * value_dim, 1.0);
    }
    weights
}

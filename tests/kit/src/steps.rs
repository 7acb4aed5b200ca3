//! Random small experiments whose attention has steps, alone and in all combinations that go together.

use lipscope_core::experiment::Experiment;
use lipscope_core::random::{Random, Stream};
use serde_json::{Value, json};

/// Every step by itself: the keys that it adds to an experiment.
pub const ALONE: [&str; 24] = [
    r#"{"score":{"scale":0.7}}"#,
    r#"{"score":{"softcap":0.8}}"#,
    r#"{"score":{"qk_norm":{"kind":"rms","eps":0.01,"q_gain":1.3,"k_gain":0.6}}}"#,
    r#"{"score":{"qk_norm":{"kind":"layer","eps":0.01}}}"#,
    r#"{"score":{"qk_norm":{"kind":"l2","eps":0.01,"q_gain":3.0}}}"#,
    r#"{"score":{"rope":{"base":10.0}}}"#,
    r#"{"score":{"rope":{"base":10.0,"fraction":0.5,"layout":"interleaved"}}}"#,
    r#"{"score":{"alibi":{}}}"#,
    r#"{"score":{"value_norm":{"eps":0.01}}}"#,
    r#"{"attention":"cosine","score":{"cosine_eps":0.01}}"#,
    r#"{"attention":"linear"}"#,
    r#"{"attention":"l2","score":{"scale":0.3}}"#,
    r#"{"attention":"l2","weighting":{"kind":"softmax","sink":-1.0}}"#,
    r#"{"attention":"l2","score":{"softcap":2.0}}"#,
    r#"{"attention":"l2","weighting":{"kind":"sigmoid"}}"#,
    r#"{"weighting":{"kind":"softmax","sink":0.0}}"#,
    r#"{"weighting":{"kind":"sigmoid"}}"#,
    r#"{"weighting":{"kind":"relu"}}"#,
    r#"{"weighting":{"kind":"softplus","divisor":3.0}}"#,
    r#"{"mask":{"kind":"window","width":2,"causal":true}}"#,
    r#"{"mask":{"kind":"window","width":3,"causal":false}}"#,
    r#"{"mask":{"kind":"prefix","length":2}}"#,
    r#"{"weights":{"kv_heads":1}}"#,
    r#"{"weights":{"differential":0.6}}"#,
];

/// An experiment of n tokens with one of the steps of [`ALONE`].
pub fn alone(step: &str, n: usize, seed: u64) -> Experiment {
    let mut value: Value = serde_json::from_str(step).expect("JSON");
    value["tokens"] = json!({"source": "random", "distribution": "ball", "n": n, "d": 4, "radius": 1.5, "seed": seed});
    let mut weights = json!({"source": "random", "heads": 2, "head_dim": 4, "output": true, "seed": seed});
    if let Some(more) = value["weights"].as_object() {
        more.iter().for_each(|(key, value)| weights[key] = value.clone());
    }
    value["weights"] = weights;
    Experiment::from_value(value).unwrap_or_else(|problem| panic!("{step}: {problem}"))
}

/// An experiment with a random choice of tokens, weights and steps.
pub fn combined(seed: u64) -> Experiment {
    let mut random = Random::new(seed, Stream::Output);
    let mut below = |most: usize| ((random.uniform() * most as f64) as usize).min(most - 1);
    let n = 1 + below(8);
    let (d, k, d_v) = (1 + below(4), 1 + below(4), 1 + below(4));
    let groups = 1 + below(2);
    let heads = groups * (1 + below(2));
    let has_output = below(2) == 0;
    let is_differential = below(4) == 0;
    let is_shared = below(3) == 0;
    let attention = ["dot", "dot", "dot", "dot", "l2", "cosine", "linear"][below(7)];
    let mut score = json!({});
    let is_dot = attention == "dot";
    let is_linear = attention == "linear";
    if !is_linear && below(3) == 0 {
        score["scale"] = Value::from([0.3, 1.0, 2.5][below(3)]);
    }
    if !is_linear && below(3) == 0 {
        score["softcap"] = Value::from([0.5, 2.0, 30.0][below(3)]);
    }
    if is_dot && below(3) == 0 {
        let gains: Vec<f64> = (0..k).map(|entry| 0.5 + 0.4 * entry as f64).collect();
        score["qk_norm"] = json!({
            "kind": (["rms", "layer", "l2"][below(3)]), "eps": ([1e-3, 0.1][below(2)]), "q_gain": 1.2, "k_gain": gains,
        });
    }
    if (is_dot || attention == "cosine") && below(3) == 0 {
        score["rope"] = json!({
            "base": ([10.0, 1e4][below(2)]), "fraction": ([0.5, 1.0][below(2)]),
            "layout": (["half", "interleaved"][below(2)]),
        });
    }
    if below(4) == 0 {
        score["alibi"] = json!({});
    }
    if below(4) == 0 {
        let bias: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| below(5) as f64 - 2.0).collect()).collect();
        score["bias"] = json!(bias);
    }
    if below(4) == 0 {
        score["value_norm"] = json!({"eps": 0.05});
    }
    if attention == "cosine" {
        score["cosine_eps"] = json!(0.02);
    }
    let weighting = match below(6) {
        _ if is_linear => json!({"kind": "softmax"}),
        0 | 1 => json!({"kind": "softmax"}),
        2 => json!({"kind": "softmax", "sink": (0..heads).map(|head| head as f64 - 1.0).collect::<Vec<f64>>()}),
        3 => json!({"kind": "sigmoid"}),
        4 => json!({"kind": "relu"}),
        _ => json!({"kind": "softplus", "divisor": 4.0}),
    };
    let mask = match below(7) {
        0 | 1 => json!("none"),
        2 => json!("causal"),
        3 => json!({"kind": "window", "width": 1 + below(3), "causal": below(2) == 0}),
        4 => json!({"kind": "prefix", "length": 1 + below(n)}),
        5 => {
            json!({"kind": "padding", "keys": (0..n).map(|_| below(3).min(1)).collect::<Vec<usize>>(), "causal": below(2) == 0})
        }
        _ => {
            json!({"kind": "allowed", "rows": (0..n).map(|_| (0..n).map(|_| below(2)).collect()).collect::<Vec<Vec<usize>>>()})
        }
    };
    let normalization = ["none", "none", "rms", "layer"][below(4)];
    let scope = ["inputs", "composed"][below(2)];
    let mut normal = Random::new(seed, Stream::Tokens);
    let mut matrix = |rows: usize, columns: usize| -> Value {
        let row = |random: &mut Random| (0..columns).map(|_| 0.8 * random.normal()).collect::<Vec<f64>>();
        json!((0..rows).map(|_| row(&mut normal)).collect::<Vec<Vec<f64>>>())
    };
    let keys = |matrix: &mut dyn FnMut(usize, usize) -> Value| {
        let mut keys = json!({"k": matrix(k, d), "v": matrix(d_v, d)});
        if is_differential {
            keys["k2"] = matrix(k, d);
        }
        keys
    };
    let shared: Vec<Value> = (0..groups).map(|_| keys(&mut matrix)).collect();
    let listed: Vec<Value> = (0..heads)
        .map(|head| {
            let mut listed = if is_shared { json!({"kv": head * groups / heads}) } else { keys(&mut matrix) };
            listed["q"] = matrix(k, d);
            if is_differential {
                (listed["q2"], listed["lambda"]) = (matrix(k, d), json!(0.4));
            }
            listed
        })
        .collect();
    let mut weights = json!({"source": "explicit", "heads": listed});
    if is_shared {
        weights["kv_heads"] = json!(shared);
    }
    if has_output {
        weights["output"] = matrix(1 + heads % 3, heads * d_v);
    }
    let value = json!({
        "attention": attention, "mask": mask, "score": score, "weighting": weighting,
        "normalization": normalization, "normalization_scope": scope, "eps": 0.01,
        "tokens": {"source": "explicit", "rows": matrix(n, d)}, "weights": weights,
    });
    Experiment::from_value(value.clone()).unwrap_or_else(|problem| panic!("seed {seed}: {problem} in {value}"))
}

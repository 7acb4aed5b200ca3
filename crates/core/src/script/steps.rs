//! The steps of attention and the heads that share keys, as Python constants. Whatever an experiment leaves out is
//! written with the value that it then has, or `None` for a step that does nothing.

use std::fmt::Write as _;

use nalgebra::DMatrix;

use super::data::table;
use crate::experiment::{Alibi, Experiment, Gain, Mask, Order, QkNorm, Rows, Weighting};
use crate::weights::{HeadWeights, Weights};

/// `STEPS`, a dictionary, of an experiment with n tokens.
pub fn steps(experiment: &Experiment, n: usize, heads: usize) -> String {
    let score = &experiment.score;
    let norm = experiment.vector_norm().map(|QkNorm { kind, eps, q_gain, k_gain }| {
        let (q_gain, k_gain) = (gain(&q_gain), gain(&k_gain));
        format!(r#"{{"kind": {:?}, "eps": {eps:?}, "q_gain": {q_gain}, "k_gain": {k_gain}}}"#, kind.id())
    });
    let rope = score.rope.map(|rope| {
        let (base, fraction, layout) = (rope.base, rope.fraction, rope.layout.id());
        format!(r#"{{"base": {base:?}, "fraction": {fraction:?}, "layout": {layout:?}}}"#)
    });
    let slopes = |alibi: &Alibi| -> Vec<f64> { (0..heads).map(|head_idx| alibi.slope(head_idx, heads)).collect() };
    let steps = [
        ("qk_norm", norm),
        ("rope", rope),
        ("scale", score.scale.map(number)),
        ("softcap", score.softcap.map(number)),
        ("alibi", score.alibi.as_ref().map(|alibi| format!("{:?}", slopes(alibi)))),
        ("bias", score.bias.as_ref().map(rows)),
        ("mask", Some(mask(&experiment.mask))),
        ("weighting", Some(weighting(&experiment.weighting, n, heads))),
        ("value_norm", score.value_norm.map(number)),
    ];
    let mut text = String::from("{\n");
    for (key, value) in steps {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {key:?}: {},", value.as_deref().unwrap_or("None"));
    }
    text + "}"
}

/// `KEY_VALUES`, (K, V, K2 or None) of each group of heads, and `HEADS`, (group, Q, None or (lambda, Q2)) of each head.
pub fn heads(weights: &Weights) -> (String, String) {
    let group_of = |head_idx: usize| weights.shared.get(head_idx).copied().unwrap_or(head_idx);
    let groups = (0..weights.heads.len()).map(group_of).max().map_or(0, |last| last + 1);
    let members = |group: usize| {
        let heads = weights.heads.iter().enumerate();
        heads.filter(move |(head_idx, _)| group_of(*head_idx) == group).map(|(_, head)| head)
    };
    let keys = |group: usize| {
        let HeadWeights { k, v, .. } = members(group).next()?;
        let second = members(group).find_map(|head| head.second.as_ref());
        let second = second.map_or_else(|| "None".into(), |second| table(&second.k));
        Some(format!("    ({}, {}, {second}),\n", table(k), table(v)))
    };
    let head = |(head_idx, head): (usize, &HeadWeights)| {
        let second = head.second.as_ref();
        let second =
            second.map_or_else(|| "None".into(), |second| format!("({:?}, {})", second.lambda, table(&second.q)));
        format!("    ({}, {}, {second}),\n", group_of(head_idx), table(&head.q))
    };
    let keys: String = (0..groups).filter_map(keys).collect();
    let heads: String = weights.heads.iter().enumerate().map(head).collect();
    (format!("[\n{keys}]"), format!("[\n{heads}]"))
}

fn mask(mask: &Mask) -> String {
    let kind = mask.id();
    let causal = |order: &Order| if *order == Order::Causal { "True" } else { "False" };
    let rest = match mask {
        Mask::None | Mask::Causal => String::new(),
        Mask::Window { width, order } => format!(r#", "width": {width}, "causal": {}"#, causal(order)),
        Mask::Prefix { length } => format!(r#", "length": {length}"#),
        Mask::Padding { keys, order } => {
            let keys: Vec<u8> = keys.iter().map(|key| u8::from(*key)).collect();
            format!(r#", "keys": {keys:?}, "causal": {}"#, causal(order))
        }
        Mask::Allowed(allowed) => format!(r#", "rows": {}"#, rows(allowed)),
    };
    format!(r#"{{"kind": {kind:?}{rest}}}"#)
}

fn weighting(weighting: &Weighting, n: usize, heads: usize) -> String {
    let kind = weighting.id();
    let n = n as f64;
    let (key, value) = match weighting {
        Weighting::Softmax { .. } => {
            let sinks: Option<Vec<f64>> = (0..heads).map(|head_idx| weighting.sink_of(head_idx)).collect();
            ("sink", sinks.map_or_else(|| "None".into(), |sinks| format!("{sinks:?}")))
        }
        Weighting::Sigmoid { bias } => ("bias", number(bias.unwrap_or(-n.ln()))),
        Weighting::Relu { divisor } | Weighting::Softplus { divisor } => ("divisor", number(divisor.unwrap_or(n))),
    };
    format!(r#"{{"kind": {kind:?}, {key:?}: {value}}}"#)
}

fn gain(gain: &Gain) -> String {
    match gain {
        Gain::All(gain) => number(*gain),
        Gain::Entries(gains) => format!("{gains:?}"),
    }
}

fn number(x: f64) -> String {
    format!("{x:?}")
}

fn rows(rows: &Rows) -> String {
    table(&DMatrix::from_row_slice(rows.n_rows(), rows.n_columns(), rows.entries()))
}

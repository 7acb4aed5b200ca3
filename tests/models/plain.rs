//! Models of the newer families with drawn sizes and settings against a plain computation, whose dense Jacobian comes
//! from dual numbers: value, every column of the Jacobian, its adjoint and its differences.

use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::sync::Arc;

use lipscope_core::attention::{Dual, Scalar};
use lipscope_core::experiment::Order;
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Activation, Estimators, Heads, LayerMap, Linear, MapAtTokens, MapKind, Model, ModelConfig, Needs, Residual,
    ScoreScale, Stretch, TokenNorm, YarnBorder, draw_model, estimate,
};
use nalgebra::DMatrix;

use super::families::dense;

const N: usize = 5;
const LAYERS: usize = 2;

/// The text of a config with drawn sizes and settings.
pub fn config(seed: u64) -> String {
    let mut random = Random::new(seed, Stream::Output);
    let mut below = |most: usize| ((random.uniform() * most as f64) as usize).min(most - 1);
    let family = ["llama", "mistral", "qwen2", "qwen3", "phi3", "smollm3", "granite", "gemma", "gemma2"][below(9)];
    let heads = 1 + below(4);
    let divisors: Vec<usize> = (1..=heads).filter(|groups| heads % groups == 0).collect();
    let groups = divisors[below(divisors.len())];
    let (d, head_dim) = (4 + below(4), 2 * (1 + below(4)));
    let stretch = [
        r#""rope_type":"default""#,
        r#""rope_type":"dynamic","factor":3"#,
        r#""rope_type":"linear","factor":3"#,
        r#""rope_type":"llama3","factor":4,"low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":20"#,
        r#""rope_type":"yarn","factor":4,"original_max_position_embeddings":20,"beta_fast":4"#,
        r#""rope_type":"yarn","factor":4,"original_max_position_embeddings":20,"truncate":false,"attention_factor":0.8"#,
    ][below(6)];
    let share = ["1.0", "0.5"][below(2)];
    // Half of an odd number of pairs would be an odd number of entries.
    let share = if head_dim % 4 == 0 { share } else { "1.0" };
    let window = ["null", "2", "3"][below(3)];
    let activation = ["silu", "gelu", "gelu_pytorch_tanh"][below(3)];
    format!(
        r#"{{"model_type":"{family}","hidden_size":{d},"num_hidden_layers":{LAYERS},"num_attention_heads":{heads},
        "num_key_value_heads":{groups},"head_dim":{head_dim},"intermediate_size":{},"vocab_size":9,"rms_norm_eps":0.01,
        "hidden_act":"{activation}","max_position_embeddings":80,"sliding_window":{window},"use_sliding_window":true,
        "no_rope_layers":[1,{}],"attention_multiplier":0.3,"residual_multiplier":0.7,"query_pre_attn_scalar":3,
        "attn_logit_softcapping":1.5,"max_window_layers":{},"rope_parameters":{{"rope_theta":{},"partial_rotary_factor":{share},{stretch}}}}}"#,
        3 + below(5),
        below(2),
        below(2),
        [10.0, 1e4][below(2)],
    )
}

/// A model whose weights, biases and gains are far from those of an initialisation.
pub fn drawn(config: ModelConfig, seed: u64) -> Model {
    let needs = Needs { layers: LAYERS, mlps: LAYERS, ids: BTreeSet::new(), positions: 0 };
    let mut model = draw_model(config, &needs, seed).expect("small");
    let mut random = Random::new(seed, Stream::Tokens);
    let mut number = |from: f64, width: f64| (from + width * random.normal()) as f32;
    let has_biases = seed.is_multiple_of(2);
    for block in &mut model.blocks {
        let mlp = Arc::make_mut(block.feed_forward.as_mut().expect("loaded"));
        let part = &mut block.attention;
        let linear =
            [&mut part.query, &mut part.key, &mut part.value, &mut part.output, &mut mlp.widen, &mut mlp.narrow];
        for Linear { weight, bias } in linear.into_iter().chain(mlp.gate.as_mut()) {
            weight.apply(|x| *x = number(0.0, 0.5));
            bias.iter_mut().for_each(|x| *x = if has_biases { number(0.0, 0.5) } else { 0.0 });
        }
        let norms = [&mut part.norms, &mut mlp.norms].map(|norms| match norms {
            Residual::Branch { before, after } => before.iter_mut().chain(after),
            other => panic!("norms {other:?}"),
        });
        for TokenNorm { base, gain, .. } in norms.into_iter().flatten() {
            gain.iter_mut().for_each(|x| *x = number(1.0 - *base, 0.4));
        }
        part.qk_gains.iter_mut().flatten().flatten().for_each(|x| *x = number(1.0, 0.4));
    }
    model
}

type Tokens<T> = Vec<Vec<T>>;

fn affine<T: Scalar>(linear: &Linear, x: &[T]) -> Vec<T> {
    let weight = linear.weight.map(f64::from);
    let entry = |row: usize| {
        let bias = T::constant(f64::from(linear.bias[row]));
        x.iter().enumerate().fold(bias, |sum, (column, x)| sum + *x * T::constant(weight[(row, column)]))
    };
    (0..weight.nrows()).map(entry).collect()
}

fn rms<T: Scalar>(x: &[T], (base, gain): (f64, &[f32]), eps: f64) -> Vec<T> {
    let square = x.iter().fold(T::constant(0.0), |sum, x| sum + *x * *x) / T::constant(x.len() as f64);
    let scale = (square + T::constant(eps)).sqrt();
    x.iter().zip(gain).map(|(x, gain)| *x / scale * T::constant(base + f64::from(*gain))).collect()
}

/// The angle of pair t per position, and the factor of cosines and sines.
fn angle(config: &ModelConfig, t: usize) -> (f64, f64) {
    let rope = config.rope.expect("rotary positions");
    let m = rope.turned as f64;
    let f = rope.theta.powf(-2.0 * t as f64 / m);
    match rope.stretch {
        Stretch::None => (f, 1.0),
        Stretch::Linear { factor } => (f / factor, 1.0),
        Stretch::Llama3 { factor, low, high, length } => {
            let turns = f * length / TAU;
            let smooth = ((turns - low) / (high - low)).clamp(0.0, 1.0);
            ((1.0 - smooth) * f / factor + smooth * f, 1.0)
        }
        Stretch::Yarn { factor, fast, slow, length, border, attention } => {
            let pair = |turns: f64| m * (length / (TAU * turns)).ln() / (2.0 * rope.theta.ln());
            let (mut first, mut last) = (pair(fast), pair(slow));
            if border == YarnBorder::Whole {
                (first, last) = (first.floor(), last.ceil());
            }
            (first, last) = (first.max(0.0), last.min(m - 1.0));
            if first == last {
                last += 0.001;
            }
            let ramp = ((t as f64 - first) / (last - first)).clamp(0.0, 1.0);
            (f * (1.0 - ramp) + f / factor * ramp, attention)
        }
    }
}

fn turned<T: Scalar>(config: &ModelConfig, position: usize, x: &[T]) -> Vec<T> {
    let half = config.rope.expect("rotary positions").turned / 2;
    let mut out = x.to_vec();
    for t in 0..half {
        let (angle, factor) = angle(config, t);
        let (sin, cos) = (position as f64 * angle).sin_cos();
        let (sin, cos) = (T::constant(factor * sin), T::constant(factor * cos));
        out[t] = x[t] * cos - x[t + half] * sin;
        out[t + half] = x[t + half] * cos + x[t] * sin;
    }
    out
}

/// The concatenated outputs of some heads of a layer.
fn heads<T: Scalar>(model: &Model, layer: usize, order: Order, which: Heads, x: &Tokens<T>) -> Tokens<T> {
    let ModelConfig { heads, key_heads, head_dim: k, eps, .. } = model.config;
    let part = &model.blocks[layer].attention;
    let project = |linear: &Linear| -> Tokens<T> { x.iter().map(|x| affine(linear, x)).collect() };
    let [queries, keys, values] = [project(&part.query), project(&part.key), project(&part.value)];
    let vector = |of: &Tokens<T>, head: usize, gain: Option<&Vec<f32>>, token: usize| {
        let plain = &of[token][head * k..(head + 1) * k];
        let normed = gain.map_or_else(|| plain.to_vec(), |gain| rms(plain, (0.0, gain), eps));
        if model.config.rope_layers.has(layer) { turned(&model.config, token, &normed) } else { normed }
    };
    let [q_gain, k_gain] = [0, 1].map(|at| part.qk_gains.as_ref().map(|gains| &gains[at]));
    let width = model.config.window_of(layer).unwrap_or(usize::MAX);
    let wanted: Vec<usize> = match which {
        Heads::All => (0..heads).collect(),
        Heads::One(head) => vec![head],
    };
    let output = |i: usize| {
        let of_head = |head: &usize| {
            let group = head * key_heads / heads;
            let query = vector(&queries, *head, q_gain, i);
            let seen = (0..N).filter(|j| i.abs_diff(*j) < width && (order == Order::Free || *j <= i));
            let weights: Vec<(usize, T)> = seen
                .map(|j| {
                    let key = vector(&keys, group, k_gain, j);
                    let dot = query.iter().zip(&key).fold(T::constant(0.0), |sum, (q, k)| sum + *q * *k);
                    let scale = match model.config.score_scale {
                        ScoreScale::Factor(scale) => scale,
                        _ => 1.0 / (k as f64).sqrt(),
                    };
                    let score = dot * T::constant(scale);
                    let cap = |tau: f64| (score / T::constant(tau)).tanh() * T::constant(tau);
                    (j, model.config.softcap.map_or(score, cap).exp())
                })
                .collect();
            let sum = weights.iter().fold(T::constant(0.0), |sum, (_, weight)| sum + *weight);
            let entry = |row: usize| {
                weights.iter().fold(T::constant(0.0), |mean, (j, p)| mean + *p / sum * values[*j][group * k + row])
            };
            (0..k).map(entry).collect::<Vec<T>>()
        };
        wanted.iter().flat_map(of_head).collect::<Vec<T>>()
    };
    (0..N).map(output).collect()
}

fn activated<T: Scalar>(activation: Activation, x: T) -> T {
    // The value and the derivative of the activation, which a test of its own checks.
    let (value, slope) = (activation.at(x.value()), activation.derivative(x.value()));
    T::constant(value) + (x - T::constant(x.value())) * T::constant(slope)
}

/// A map of a layer at tokens.
fn map<T: Scalar>(
    model: &Model,
    (layer, kind, which): (usize, MapKind, Heads),
    order: Order,
    x: Tokens<T>,
) -> Tokens<T> {
    let attention = |layer: usize, which: Heads, x: &Tokens<T>| -> Tokens<T> {
        let output = &model.blocks[layer].attention.output;
        let (k, columns) = (model.config.head_dim, output.weight.ncols());
        let (range, bias) = match which {
            Heads::All => (0..columns, output.bias.clone()),
            Heads::One(head) => (head * k..(head + 1) * k, vec![0.0; output.bias.len()]),
        };
        let weight = output.weight.columns_range(range).into_owned();
        heads(model, layer, order, which, x)
            .iter()
            .map(|x| affine(&Linear { weight: weight.clone(), bias: bias.clone() }, x))
            .collect()
    };
    let mlp = |layer: usize, x: &Tokens<T>| -> Tokens<T> {
        let part = model.blocks[layer].feed_forward.as_ref().expect("loaded");
        let hidden = |x: &Vec<T>| {
            let gate = affine(part.gate.as_ref().expect("a gate"), x);
            let up = affine(&part.widen, x);
            gate.into_iter().zip(up).map(|(a, b)| activated(model.config.activation, a) * b).collect::<Vec<T>>()
        };
        x.iter().map(|x| affine(&part.narrow, &hidden(x))).collect()
    };
    let normed = |norm: Option<&TokenNorm>, x: Tokens<T>| -> Tokens<T> {
        let Some(norm) = norm else { return x };
        x.iter().map(|x| rms(x, (norm.base, &norm.gain), norm.eps)).collect()
    };
    // x + S T B(N x).
    let step = |norms: &Residual<TokenNorm>, branch: &dyn Fn(&Tokens<T>) -> Tokens<T>, x: Tokens<T>| -> Tokens<T> {
        let Residual::Branch { before, after } = norms else { panic!("norms {norms:?}") };
        let value = normed(after.as_ref(), branch(&normed(before.as_ref(), x.clone())));
        let factor = T::constant(model.config.residual_factor);
        let add = |(x, y): (Vec<T>, Vec<T>)| x.into_iter().zip(y).map(|(x, y)| x + y * factor).collect();
        x.into_iter().zip(value).map(add).collect()
    };
    match kind {
        MapKind::Attention => return heads(model, layer, order, which, &x),
        MapKind::WithOutput => return attention(layer, which, &x),
        _ => {}
    }
    let mut x = x;
    for layer in if kind == MapKind::Blocks { 0..=layer } else { layer..=layer } {
        let block = &model.blocks[layer];
        if kind.has_attention() {
            x = step(&block.attention.norms, &|x| attention(layer, Heads::All, x), x);
        }
        if kind.has_mlp() {
            x = step(&block.feed_forward.as_ref().expect("loaded").norms, &|x| mlp(layer, x), x);
        }
    }
    x
}

#[test]
fn drawn_models_have_the_values_and_jacobians_of_a_plain_computation() {
    for seed in 0..200 {
        let text = config(seed);
        let model = drawn(ModelConfig::from_json(&text).expect(&text), seed);
        let d = model.config.d;
        let mut random = Random::new(seed, Stream::StartVector);
        let x = DMatrix::from_fn(d, N, |_, _| random.normal());
        let direction = DMatrix::from_fn(d, N, |_, _| random.normal());
        let order = if seed % 5 == 0 { Order::Free } else { model.config.mask };
        let cases = MapKind::ALL.into_iter().map(|kind| (kind, Heads::All));
        let last = Heads::One(model.config.heads - 1);
        for (kind, which) in cases.chain([(MapKind::Attention, last), (MapKind::WithOutput, last)]) {
            let name = format!("{seed}, {kind:?}, {which:?}, {order:?}, {text}");
            let of_map = LayerMap::new(&model, 1, kind, which).expect(&name);
            let MapAtTokens { value, mut jacobian } = of_map.at(&x, order).expect(&name);
            let found = dense(&mut jacobian);
            // Plain values and the plain Jacobian, column by column.
            let mut expected = DMatrix::zeros(found.nrows(), found.ncols());
            let mut plain_value = Vec::new();
            for column in 0..d * N {
                let moved = |token: usize| -> Vec<Dual> {
                    let entry = |row: usize| Dual::new(x[(row, token)], f64::from(u8::from(token * d + row == column)));
                    (0..d).map(entry).collect()
                };
                let image = map(&model, (1, kind, which), order, (0..N).map(moved).collect()).concat();
                expected
                    .set_column(column, &nalgebra::DVector::from_iterator(image.len(), image.iter().map(|x| x.eps)));
                plain_value = image.iter().map(|x| x.re).collect();
            }
            let plain_value = DMatrix::from_vec(value.nrows(), N, plain_value);
            let error = (&value - &plain_value).amax();
            assert!(error < 1e-12 * plain_value.amax().max(1.0), "{name}: value off by {error:e}");
            let error = (&found - &expected).amax();
            assert!(error < 1e-11 * expected.amax().max(1.0), "{name}: off by {error:e} of {}", expected.amax());
            // The adjoint.
            let covector: Vec<f64> = (0..jacobian.n_outputs()).map(|_| random.normal()).collect();
            let mut pulled = vec![0.0; jacobian.n_inputs()];
            jacobian.apply_transpose(&covector, &mut pulled);
            let by_dense = found.tr_mul(&nalgebra::DVector::from_column_slice(&covector));
            let error = by_dense.iter().zip(&pulled).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-11 * by_dense.amax().max(1.0), "{name}: adjoint off by {error:e}");
            // Differences.
            let moved = |step: f64| of_map.at(&(&x + &direction * step), order).expect(&name).value;
            // Richardson's extrapolation of two central differences: an error of h^4.
            let central = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
            let differences = (central(5e-6) * 4.0 - central(1e-5)) / 3.0;
            let image = &found * nalgebra::DVector::from_column_slice(direction.as_slice());
            let error = image.iter().zip(&differences).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-6 * image.amax().max(1.0), "{name}: differences off by {error:e}");
            // The iteration, which takes its products in f32 first.
            let norm = found.svd(false, false).singular_values.max();
            let options = LanczosOptions { tolerance: 3e-4, ..LanczosOptions::default() };
            let estimated = estimate(&of_map, &x, order, Estimators::Spectral, options).expect(&name);
            let estimated = estimated.spectral.expect("asked for").value;
            assert!((estimated / norm - 1.0).abs() < 1e-4, "{name}: {estimated} {norm}");
        }
    }
}

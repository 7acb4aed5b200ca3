//! Models of all families with drawn sizes and settings against a plain computation, whose dense Jacobian comes
//! from dual numbers: value, every column of the Jacobian, its adjoint and its differences.

use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::sync::Arc;

use lipscope_core::attention::{Dual, Scalar};
use lipscope_core::experiment::{Normalization, Order, RopeLayout};
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Activation, BlockShape, Dense, Estimators, Heads, LayerMap, Linear, MapAtTokens, MapKind, Model, ModelConfig,
    Needs, Network, Residual, Rope, ScoreBias, ScoreScale, Shares, Stretch, TokenNorm, Unit, YarnBorder, draw_model,
    estimate,
};
use nalgebra::DMatrix;

use super::families::dense;

const N: usize = 5;
const LAYERS: usize = 2;

/// The text of a config with drawn sizes and settings.
pub fn config(seed: u64) -> String {
    let mut random = Random::new(seed, Stream::Output);
    let mut below = |most: usize| ((random.uniform() * most as f64) as usize).min(most - 1);
    const FAMILIES: [&str; 41] = [
        "llama",
        "mistral",
        "qwen2",
        "qwen3",
        "phi3",
        "smollm3",
        "granite",
        "gemma",
        "gemma2",
        "gemma3_text",
        "olmo",
        "olmo2",
        "gpt_neox",
        "gptj",
        "phi",
        "falcon",
        "stablelm",
        "cohere",
        "starcoder2",
        "opt",
        "gpt_neo",
        "gpt_bigcode",
        "modernbert",
        "nomic_bert",
        "t5",
        "mt5",
        "bloom",
        "bert",
        "distilbert",
        "gpt2",
        "roberta",
        "electra",
        "albert",
        "mpnet",
        "clip_text_model",
        "siglip_text_model",
        "xlm-roberta",
        "camembert",
        "gpt_oss",
        "mixtral",
        "qwen3_moe",
    ];
    let family = FAMILIES[seed as usize % FAMILIES.len()];
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
    let can_be_partial = ["phi", "phi3", "stablelm", "gpt_neox"].contains(&family) && head_dim % 4 == 0;
    let share = if can_be_partial { share } else { "1.0" };
    // LongRoPE has factors for each pair; the windows of these tests are longer than 3 tokens, and not than 8.
    let pairs = head_dim / 2 / if share == "0.5" { 2 } else { 1 };
    let factors = |first: f64| (0..pairs).map(|t| (first + t as f64).to_string()).collect::<Vec<String>>().join(",");
    let first_length = [3, 8][below(2)];
    let long = format!(
        r#""rope_type":"longrope","factor":4,"short_factor":[{}],"long_factor":[{}],"original_max_position_embeddings":{}"#,
        factors(1.0),
        factors(2.5),
        first_length
    );
    let stretch = if family == "phi3" && below(3) > 0 { &long } else { stretch };
    let window = ["null", "2", "3"][below(3)];
    let activation = ["silu", "gelu", "gelu_pytorch_tanh", "quick_gelu", "relu2"][below(5)];
    let cap = if family == "gemma3_text" { "null" } else { "1.5" };
    let is_by_kind = ["gemma3_text", "modernbert"].contains(&family);
    let theta = [10.0, 1e4][below(2)];
    let rope = if is_by_kind {
        let full = if family == "modernbert" { r#""rope_type":"default""# } else { stretch };
        format!(
            r#"{{"full_attention":{{"rope_theta":{theta},{full}}},"sliding_attention":{{"rope_theta":3.0,"rope_type":"default"}}}}"#
        )
    } else {
        format!(r#"{{"rope_theta":{theta},"partial_rotary_factor":{share},{stretch}}}"#)
    };
    // Half of the families take another layer with these settings.
    let other = seed / FAMILIES.len() as u64 % 2 == 1;
    let gated = ["relu", "gated-gelu"][usize::from(other)];
    let has_groups = ["gpt_bigcode", "falcon"].contains(&family) && !other;
    // In the other families the heads share the width evenly.
    let of_width = ModelConfig::from_json(&format!(r#"{{"model_type":"{family}","head_dim":2}}"#));
    let has_own_width = of_width.is_ok_and(|config| config.head_dim == 2);
    let d = if has_own_width { d } else { heads * head_dim };
    let inner = 3 + below(5);
    // GPT-NeoX takes a width of heads for its angles alone, which is refused.
    let width = if family == "gpt_neox" { "null".to_owned() } else { head_dim.to_string() };
    let layers = format!(
        r#""num_hidden_layers":{LAYERS},"num_attention_heads":{heads},"num_key_value_heads":{groups},"head_dim":{width},
        "hidden_size":{d},"intermediate_size":{inner},"rms_norm_eps":0.01,"hidden_act":"{activation}""#
    );
    let sizes = match family {
        "gpt2" | "gptj" | "gpt_bigcode" => format!(
            r#""n_embd":{d},"n_layer":{LAYERS},"n_head":{heads},"n_inner":{inner},"n_positions":80,"layer_norm_epsilon":0.01,
            "activation_function":"{activation}","rotary_dim":{},"multi_query":{has_groups}"#,
            2 * (1 + below(head_dim / 2))
        ),
        "bloom" => format!(r#""hidden_size":{d},"n_layer":{LAYERS},"n_head":{heads},"layer_norm_epsilon":0.01"#),
        "t5" | "mt5" => format!(
            r#""d_model":{d},"num_layers":{LAYERS},"num_heads":{heads},"d_kv":{head_dim},"d_ff":{inner},
            "feed_forward_proj":"{gated}","layer_norm_epsilon":0.01,"relative_attention_num_buckets":{},
            "relative_attention_max_distance":{}"#,
            [4, 6, 8][below(3)],
            3 + below(4)
        ),
        "distilbert" => {
            format!(r#""dim":{d},"n_layers":{LAYERS},"n_heads":{heads},"hidden_dim":{inner},"activation":"gelu""#)
        }
        "falcon" => format!(
            r#"{layers},"num_kv_heads":{groups},"multi_query":{},"new_decoder_architecture":{},"parallel_attn":{},
            "alibi":{},"ffn_hidden_size":{inner},"activation":"{activation}","layer_norm_epsilon":0.01,
            "num_ln_in_parallel_attn":{}"#,
            below(2) == 0,
            other,
            below(3) > 0,
            below(3) == 0 && stretch.contains("default"),
            ["null", "1"][usize::from(other) * below(2)],
        ),
        "opt" => format!(
            r#""hidden_size":{d},"num_hidden_layers":{LAYERS},"num_attention_heads":{heads},"ffn_dim":{inner},
            "activation_function":"{activation}","do_layer_norm_before":{}"#,
            !other
        ),
        "gpt_neo" => format!(
            r#""hidden_size":{d},"num_layers":{LAYERS},"num_heads":{heads},"intermediate_size":{inner},"window_size":2,
            "activation_function":"{activation}","layer_norm_epsilon":0.01,"attention_types":[[["local","global"],1]]"#
        ),
        "nomic_bert" => format!(r#"{layers},"layer_norm_eps":0.01"#),
        // Its length within `rope_parameters` has no effect.
        "phi3" => format!(r#"{layers},"original_max_position_embeddings":{}"#, {
            if stretch == long { first_length } else { 20 }
        }),
        _ => layers,
    };
    // transformers 5 leaves the older of two spellings unread.
    let rope = if ["gptj", "nomic_bert"].contains(&family) { String::from("null") } else { rope };
    format!(
        r#"{{"model_type":"{family}",{sizes},"vocab_size":9,
        "max_position_embeddings":80,"sliding_window":{window},"use_sliding_window":true,"layer_norm_eps":0.01,"norm_eps":0.01,
        "norm_epsilon":0.01,"use_parallel_residual":{other},"num_hidden_groups":1,"embedding_size":{d},"local_attention":3,
        "global_attn_every_n_layers":2,"sliding_window_pattern":2,"hidden_activation":"{activation}",
        "num_local_experts":4,"num_experts_per_tok":{},"moe_intermediate_size":3,"norm_topk_prob":{other},
        "decoder_sparse_step":2,"swiglu_limit":0.8,"no_rope_layers":[1,{}],"attention_multiplier":0.3,"residual_multiplier":0.7,"query_pre_attn_scalar":3,
        "attn_logit_softcapping":{cap},"max_window_layers":{},"rope_parameters":{rope}}}"#,
        1 + below(3),
        below(2),
        below(2),
    )
}

/// A model whose weights, biases and gains are far from those of an initialisation.
pub fn drawn(config: ModelConfig, seed: u64) -> Model {
    let needs = Needs { layers: LAYERS, mlps: LAYERS, ids: BTreeSet::new(), positions: 0 };
    let mut model = draw_model(config, &needs, seed).expect("small");
    let mut random = Random::new(seed, Stream::Tokens);
    let mut number = |from: f64, width: f64| (from + width * random.normal()) as f32;
    let has_biases = seed.is_multiple_of(2);
    model.score_table.iter_mut().flatten().for_each(|x| *x = number(0.0, 1.0));
    for block in &mut model.blocks {
        let mlp = Arc::make_mut(block.feed_forward.as_mut().expect("loaded"));
        let part = &mut block.attention;
        let mut linear = vec![&mut part.query, &mut part.key, &mut part.value, &mut part.output];
        if let Network::Experts(experts) = &mut mlp.network {
            linear.push(&mut experts.router);
        }
        for Linear { weight, bias } in linear {
            weight.apply(|x| *x = number(0.0, 0.5));
            bias.iter_mut().for_each(|x| *x = if has_biases { number(0.0, 0.5) } else { 0.0 });
        }
        let linear = mlp.network.networks_mut().iter_mut();
        for Linear { weight, bias } in
            linear.flat_map(|of| [&mut of.widen, &mut of.narrow].into_iter().chain(&mut of.gate))
        {
            weight.apply(|x| *x = number(0.0, 0.5));
            bias.iter_mut().for_each(|x| *x = if has_biases { number(0.0, 0.5) } else { 0.0 });
        }
        for norms in [&mut part.norms, &mut mlp.norms] {
            let norms: Vec<&mut TokenNorm> = match norms {
                Residual::Branch { before, after } => before.iter_mut().chain(after).collect(),
                Residual::Sum(norm) => vec![norm],
            };
            for TokenNorm { base, gain, shift, normalization, .. } in norms {
                gain.iter_mut().for_each(|x| *x = number(1.0 - *base, 0.4));
                if *normalization == Normalization::Layer {
                    shift.iter_mut().for_each(|x| *x = number(0.0, 0.4));
                }
            }
        }
        part.sinks.iter_mut().for_each(|x| *x = number(0.0, 1.0));
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

/// A norm with its gains and shifts.
fn normalised<T: Scalar>(x: &[T], norm: &TokenNorm) -> Vec<T> {
    let count = T::constant(x.len() as f64);
    let mean = match norm.normalization {
        Normalization::Layer => x.iter().fold(T::constant(0.0), |sum, x| sum + *x) / count,
        _ => T::constant(0.0),
    };
    let centred: Vec<T> = x.iter().map(|x| *x - mean).collect();
    let scaled = rms(&centred, (norm.base, &norm.gain), norm.eps);
    scaled.into_iter().zip(&norm.shift).map(|(x, shift)| x + T::constant(f64::from(*shift))).collect()
}

/// The angle of pair t per position, and the factor of cosines and sines.
fn angle(rope: &Rope, t: usize, n: usize) -> (f64, f64) {
    let m = rope.rotary_dim as f64;
    let f = rope.theta.powf(-2.0 * t as f64 / m);
    match rope.stretch {
        Stretch::None => (f, 1.0),
        Stretch::Linear { factor } => (f / factor, 1.0),
        Stretch::LongRope { factors, longer, length, attention } => {
            let factors = longer.filter(|_| n as f64 > length).unwrap_or(factors);
            (f / factors.as_slice()[t], attention)
        }
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

/// A vector of the token at a position of a text of n tokens.
fn turned<T: Scalar>(rope: &Rope, (position, n): (usize, usize), x: &[T]) -> Vec<T> {
    let half = rope.rotary_dim / 2;
    let mut out = x.to_vec();
    for t in 0..half {
        let (angle, factor) = angle(rope, t, n);
        let (sin, cos) = (position as f64 * angle).sin_cos();
        let (sin, cos) = (T::constant(factor * sin), T::constant(factor * cos));
        let (a, b) = if rope.layout == RopeLayout::Half { (t, t + half) } else { (2 * t, 2 * t + 1) };
        out[a] = x[a] * cos - x[b] * sin;
        out[b] = x[b] * cos + x[a] * sin;
    }
    out
}

/// What is added to a score of a head, by the distance j - i; by counting where a formula needs a logarithm.
fn added(model: &Model, head: usize, by: isize) -> f64 {
    let heads = model.config.heads;
    match model.config.score_bias {
        ScoreBias::None => 0.0,
        ScoreBias::Alibi { factor } => {
            let slopes = |heads: usize| (1..=heads).map(move |h| 2f64.powf(-8.0 * h as f64 / heads as f64));
            let power = (0..).map(|e| 1 << e).take_while(|power| *power <= heads).last().expect("a head");
            let slope = slopes(power).chain(slopes(2 * power).step_by(2)).nth(head).expect("a slope");
            factor * slope * by as f64
        }
        ScoreBias::Table { buckets, distance, .. } => {
            let (half, single, t) = (buckets / 2, buckets / 4, by.unsigned_abs());
            let grown = |steps: usize| {
                single as f64 * (distance as f64 / single as f64).powf(steps as f64 / (half - single) as f64)
            };
            let further = (1..half - single).take_while(|steps| grown(*steps) <= t as f64 + 1e-9).count();
            let within = if t < single { t } else { single + further };
            f64::from(model.score_table[within + if by > 0 { half } else { 0 }][head])
        }
    }
}

/// The queries, keys and values of all heads of a layer, token by token.
struct Projected<T> {
    queries: Tokens<T>,
    keys: Tokens<T>,
    values: Tokens<T>,
}

fn projected<T: Scalar>(model: &Model, layer: usize, x: &Tokens<T>) -> Projected<T> {
    let part = &model.blocks[layer].attention;
    let project = |linear: &Linear| -> Tokens<T> { x.iter().map(|x| affine(linear, x)).collect() };
    Projected { queries: project(&part.query), keys: project(&part.key), values: project(&part.value) }
}

/// The scores of token i in a head, each with the token that it is for.
fn scores_of_row<T: Scalar>(
    model: &Model,
    (layer, order): (usize, Order),
    projected: &Projected<T>,
    (head, i): (usize, usize),
) -> Vec<(usize, T)> {
    let ModelConfig { heads, key_heads, head_dim: k, eps, .. } = model.config;
    let part = &model.blocks[layer].attention;
    let base = if model.config.family.name().starts_with("Gemma") { 1.0 } else { 0.0 };
    let (rope, n) = (model.config.rope_of(layer), projected.keys.len());
    let vector = |of: &Tokens<T>, head: usize, gain: Option<&Vec<f32>>, token: usize| {
        let of_head = head * k..(head + 1) * k;
        let normed = match gain {
            None => of[token][of_head].to_vec(),
            Some(gain) if gain.len() == k => rms(&of[token][of_head], (base, gain), eps),
            // The norm of all heads together.
            Some(gain) => rms(&of[token], (base, gain), eps)[of_head].to_vec(),
        };
        rope.map_or(normed.clone(), |rope| turned(&rope, (token, n), &normed))
    };
    let [q_gain, k_gain] = [0, 1].map(|at| part.qk_gains.as_ref().map(|gains| &gains[at]));
    let width = model.config.window_of(layer).unwrap_or(usize::MAX);
    let group = head * key_heads / heads;
    let query = vector(&projected.queries, head, q_gain, i);
    let seen = (0..n).filter(|j| i.abs_diff(*j) < width && (order == Order::Free || *j <= i));
    let score = |j: usize| {
        let key = vector(&projected.keys, group, k_gain, j);
        let dot = query.iter().zip(&key).fold(T::constant(0.0), |sum, (q, k)| sum + *q * *k);
        let scale = match model.config.score_scale {
            ScoreScale::Factor(scale) => scale,
            ScoreScale::One => 1.0,
            _ => 1.0 / (k as f64).sqrt(),
        };
        let score = dot * T::constant(scale);
        let cap = |tau: f64| (score / T::constant(tau)).tanh() * T::constant(tau);
        let bias = T::constant(added(model, head, j as isize - i as isize));
        (j, model.config.softcap.map_or(score, cap) + bias)
    };
    seen.map(score).collect()
}

/// The scores of a head at tokens (d x n): for each row those of the tokens that it sees.
pub fn scores(model: &Model, (layer, order): (usize, Order), head: usize, x: &DMatrix<f64>) -> Vec<Vec<(usize, f64)>> {
    let tokens: Tokens<f64> = x.column_iter().map(|token| token.iter().copied().collect()).collect();
    let projected = projected(model, layer, &tokens);
    (0..x.ncols()).map(|i| scores_of_row(model, (layer, order), &projected, (head, i))).collect()
}

/// The concatenated outputs of some heads of a layer.
fn heads<T: Scalar>(model: &Model, layer: usize, order: Order, which: Heads, x: &Tokens<T>) -> Tokens<T> {
    let ModelConfig { heads, key_heads, head_dim: k, .. } = model.config;
    let part = &model.blocks[layer].attention;
    let projected = projected(model, layer, x);
    let wanted: Vec<usize> = match which {
        Heads::All => (0..heads).collect(),
        Heads::One(head) => vec![head],
    };
    let output = |i: usize| {
        let of_head = |head: &usize| {
            let group = head * key_heads / heads;
            let scores = scores_of_row(model, (layer, order), &projected, (*head, i));
            let weights: Vec<(usize, T)> = scores.into_iter().map(|(j, score)| (j, score.exp())).collect();
            let sink = part.sinks.get(*head).map_or(0.0, |sink| f64::from(*sink).exp());
            let sum = weights.iter().fold(T::constant(sink), |sum, (_, weight)| sum + *weight);
            let values = &projected.values;
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

/// A feed-forward network at a token.
fn network<T: Scalar>(model: &Model, network: &Network, x: &[T]) -> Vec<T> {
    let activation = model.config.activation;
    let unit = model.config.experts.map_or(Unit::Plain, |sizes| sizes.unit);
    let dense = |part: &Dense| {
        let up = affine(&part.widen, x);
        let Some(gate) = &part.gate else {
            let hidden: Vec<T> = up.into_iter().map(|a| activated(activation, a)).collect();
            return affine(&part.narrow, &hidden);
        };
        let meet = |(a, b): (T, T)| match unit {
            Unit::Plain => activated(activation, a) * b,
            Unit::Cut { alpha, limit } => {
                let one = T::constant(1.0);
                let a = if a.value() > limit { T::constant(limit) } else { a };
                let b = if b.value().abs() > limit { T::constant(limit.copysign(b.value())) } else { b };
                a / (one + (a * T::constant(-alpha)).exp()) * (b + one)
            }
        };
        let hidden: Vec<T> = affine(gate, x).into_iter().zip(up).map(meet).collect();
        affine(&part.narrow, &hidden)
    };
    let (sizes, experts) = match (network, model.config.experts) {
        (Network::Experts(experts), Some(sizes)) => (sizes, experts),
        (network, _) => return dense(network.dense().expect("one network")),
    };
    let z = affine(&experts.router, x);
    let mut order: Vec<usize> = (0..z.len()).collect();
    order.sort_by(|a, b| z[*b].value().total_cmp(&z[*a].value()));
    let of = if sizes.shares == Shares::OfAll { &order[..] } else { &order[..sizes.chosen] };
    let sum = of.iter().fold(T::constant(0.0), |sum, expert| sum + z[*expert].exp());
    let mut out = vec![T::constant(0.0); x.len()];
    for expert in &order[..sizes.chosen] {
        let share = z[*expert].exp() / sum;
        out.iter_mut().zip(dense(&experts.experts[*expert])).for_each(|(out, y)| *out += share * y);
    }
    out
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
        x.iter().map(|x| network(model, &part.network, x)).collect()
    };
    let normed = |norm: Option<&TokenNorm>, x: Tokens<T>| -> Tokens<T> {
        let Some(norm) = norm else { return x };
        x.iter().map(|x| normalised(x, norm)).collect()
    };
    // x + S T B(N y), or L(x + S B y).
    let add = |norms: &Residual<TokenNorm>, branch: &dyn Fn(&Tokens<T>) -> Tokens<T>, y: &Tokens<T>, x: Tokens<T>| {
        let (before, after, last) = match norms {
            Residual::Branch { before, after } => (before.as_ref(), after.as_ref(), None),
            Residual::Sum(norm) => (None, None, Some(norm)),
        };
        let value = normed(after, branch(&normed(before, y.clone())));
        let factor = T::constant(model.config.residual_factor);
        let add = |(x, y): (Vec<T>, Vec<T>)| x.into_iter().zip(y).map(|(x, y)| x + y * factor).collect();
        normed(last, x.into_iter().zip(value).map(add).collect())
    };
    let step = |norms: &Residual<TokenNorm>, branch: &dyn Fn(&Tokens<T>) -> Tokens<T>, x: Tokens<T>| {
        let y = x.clone();
        add(norms, branch, &y, x)
    };
    match kind {
        MapKind::Attention => return heads(model, layer, order, which, &x),
        MapKind::WithOutput => return attention(layer, which, &x),
        _ => {}
    }
    let mut x = x;
    for layer in if kind == MapKind::Blocks { 0..=layer } else { layer..=layer } {
        let block = &model.blocks[layer];
        if model.config.block_shape() == BlockShape::Parallel && kind.has_attention() && kind.has_mlp() {
            let y = x.clone();
            x = add(&block.attention.norms, &|x| attention(layer, Heads::All, x), &y, x);
            x = add(&block.feed_forward.as_ref().expect("loaded").norms, &|x| mlp(layer, x), &y, x);
            continue;
        }
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
    for seed in 0..410 {
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

//! The Jacobian of every map against finite differences, its adjoint, and a dense matrix written from the formulas.

use std::collections::BTreeSet;
use std::sync::Arc;

use lipscope_core::experiment::{Attention, Normalization, Order};
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{
    Activation, Estimators, FeedForward, Heads, LayerMap, Linear, MapAtTokens, MapKind, Model, ModelConfig, Needs,
    Residual, TokenNorm, draw_model, estimate,
};
use nalgebra::DMatrix;

use lipscope_testkit::models::model;

const N: usize = 5;

/// Value and dense Jacobian of attention or of the MLP at tokens.
type Branch<'a> = &'a dyn Fn(&DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>);

/// Numbers between -1 and 1 that look random.
fn field(d: usize, seed: usize) -> DMatrix<f64> {
    DMatrix::from_fn(d, N, |row, column| ((((row + d * column + seed) * 7919) % 101) as f64 - 50.0) / 50.0)
}

/// Every small model with every map of its layer 1, every mask and every activation that the map has.
fn for_maps(mut check: impl FnMut(&str, &Model, MapKind, Heads, Order)) {
    for name in ["bert", "distilbert", "gpt2", "l2"] {
        let mut model = if name == "l2" { l2_without_norms() } else { model(name) };
        for kind in MapKind::ALL {
            let activations = [Activation::GeluErf, Activation::GeluTanh, Activation::Relu];
            for activation in activations.into_iter().take(if kind.has_mlp() { 3 } else { 1 }) {
                model.config.activation = activation;
                for mask in [Order::Free, Order::Causal] {
                    check(&format!("{name}, {kind:?}, {activation:?}, {mask:?}"), &model, kind, Heads::All, mask);
                }
            }
            if kind.is_attention_alone() {
                check(&format!("{name}, {kind:?}, head 2"), &model, kind, Heads::One(2), Order::Free);
            }
        }
    }
}

/// GPT-2 with L2 attention, and without the layer norms before attention in layer 0 and before the MLP in layer 1.
fn l2_without_norms() -> Model {
    let mut model = model("gpt2");
    model.config.attention = Attention::L2;
    let none = Residual::Branch { before: None, after: None };
    model.blocks[0].attention.norms = none.clone();
    let mlp = model.blocks[1].feed_forward.as_mut().expect("loaded");
    Arc::make_mut(mlp).norms = none;
    model
}

#[test]
fn the_jacobian_is_that_of_finite_differences() {
    for_maps(|name, model, kind, heads, mask| {
        let map = LayerMap::new(model, 1, kind, heads).expect("a map");
        let (x, direction) = (field(32, 3), field(32, 11));
        let mut jacobian = map.at(&x, mask).expect("tokens").jacobian;
        let mut exact = vec![0.0; jacobian.n_outputs()];
        jacobian.apply(direction.as_slice(), &mut exact);
        let value = |step: f64| map.at(&(&x + &direction * step), mask).expect("tokens").value;
        let step = 1e-5;
        let differences = (value(step) - value(-step)) / (2.0 * step);
        let exact = DMatrix::from_vec(differences.nrows(), differences.ncols(), exact);
        let error = (&exact - &differences).amax();
        assert!(error < 1e-6 * exact.amax(), "{name}: {error:e} of {}", exact.amax());
    });
}

#[test]
fn the_products_with_the_jacobian_and_its_transpose_are_adjoint() {
    for_maps(|name, model, kind, heads, mask| {
        let map = LayerMap::new(model, 1, kind, heads).expect("a map");
        let MapAtTokens { value, mut jacobian } = map.at(&field(32, 3), mask).expect("tokens");
        let (v, u) = (field(32, 11), field(value.nrows(), 17));
        let mut image = vec![0.0; jacobian.n_outputs()];
        jacobian.apply(v.as_slice(), &mut image);
        let mut pulled = vec![0.0; jacobian.n_inputs()];
        jacobian.apply_transpose(u.as_slice(), &mut pulled);
        let forth: f64 = u.iter().zip(&image).map(|(u, x)| u * x).sum();
        let back: f64 = pulled.iter().zip(&v).map(|(x, v)| x * v).sum();
        let size: f64 = image.iter().map(|x| x * x).sum::<f64>().sqrt() * u.norm();
        assert!((forth - back).abs() < 1e-13 * size, "{name}: {forth} {back}");
    });
}

#[test]
fn the_operator_is_the_dense_matrix_of_the_formulas() {
    for_maps(|name, model, kind, heads, mask| {
        if heads != Heads::All {
            return;
        }
        let x = field(32, 3);
        let MapAtTokens { value, mut jacobian } =
            LayerMap::new(model, 1, kind, heads).and_then(|map| map.at(&x, mask)).expect("tokens");
        let (expected_value, dense) = dense_map(model, kind, mask, x);
        let error = (&value - &expected_value).amax();
        assert!(error < 1e-11 * value.amax(), "{name}: value off by {error:e}");
        let mut column = vec![0.0; jacobian.n_outputs()];
        let mut unit = vec![0.0; jacobian.n_inputs()];
        for at in 0..jacobian.n_inputs() {
            unit[at] = 1.0;
            jacobian.apply(&unit, &mut column);
            unit[at] = 0.0;
            let error = dense.column(at).iter().zip(&column).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-11 * dense.amax(), "{name}, column {at}: {error:e} of {}", dense.amax());
        }
    });
}

#[test]
fn a_unit_at_the_kink_of_relu_is_refused_unless_the_outside_does_not_see_it() {
    // The unit reads only this entry of a token, which is 0 in the first token.
    const ENTRY: usize = 13;
    let x = field(32, 3);
    assert_eq!(x[(ENTRY, 0)], 0.0);
    let mut model = model("gpt2");
    model.config.activation = Activation::Relu;
    let mut part = model.blocks[1].feed_forward.take().map(Arc::unwrap_or_clone).expect("loaded");
    part.norms = Residual::Branch { before: None, after: None };
    part.network.networks_mut()[0].widen.weight.row_mut(7).fill(0.0);
    part.network.networks_mut()[0].widen.bias[7] = 0.0;
    let mut at = |part: &FeedForward| {
        model.blocks[1].feed_forward = Some(Arc::new(part.clone()));
        LayerMap::new(&model, 1, MapKind::MlpResidual, Heads::All).and_then(|map| map.at(&x, Order::Causal))
    };
    assert!(at(&part).is_ok(), "a unit that reads nothing has a derivative");
    part.network.networks_mut()[0].widen.weight[(7, ENTRY)] = 1.0;
    let problem = at(&part).expect_err("ReLU at 0").to_string();
    let said = "Token 1 of the window puts unit 8 of the MLP at exactly 0, where ReLU has no derivative";
    assert!(problem.starts_with(said), "{problem}");
    part.network.networks_mut()[0].narrow.weight.column_mut(7).fill(0.0);
    assert!(at(&part).is_ok(), "a unit that nothing reads has a derivative");
}

#[test]
fn a_block_is_at_most_the_product_of_its_sublayers_and_blocks_that_of_theirs() {
    let model = model("gpt2");
    let x = field(32, 3);
    let norm = |layer: usize, kind: MapKind, tokens: &DMatrix<f64>| {
        let map = LayerMap::new(&model, layer, kind, Heads::All).expect("a map");
        let found = estimate(&map, tokens, Order::Causal, Estimators::Spectral, LanczosOptions::default());
        (
            found.expect("measured").spectral.expect("asked for").value,
            map.at(tokens, Order::Causal).expect("fits").value,
        )
    };
    let (attention, between) = norm(0, MapKind::AttentionResidual, &x);
    let (mlp, _) = norm(0, MapKind::MlpResidual, &between);
    let (first, after) = norm(0, MapKind::Block, &x);
    let (second, _) = norm(1, MapKind::Block, &after);
    let (both, _) = norm(1, MapKind::Blocks, &x);
    assert!(first <= attention * mlp * (1.0 + 1e-9), "{first} {attention} {mlp}");
    assert!(both <= first * second * (1.0 + 1e-9), "{both} {first} {second}");
    assert_eq!(norm(0, MapKind::Blocks, &x).0.to_bits(), first.to_bits());
}

#[test]
fn single_heads_and_mlps_that_were_not_loaded_are_errors() {
    let config = ModelConfig::gpt2().resized(32, 3, 4).expect("sizes");
    let needs = Needs { layers: 2, mlps: 1, ids: BTreeSet::new(), positions: 0 };
    let model = draw_model(config, &needs, 1).expect("a model");
    let problem = |layer, kind, heads| LayerMap::new(&model, layer, kind, heads).expect_err("impossible").to_string();
    let said = problem(0, MapKind::Block, Heads::One(0));
    assert!(said.contains("block") && said.contains("all heads"), "{said}");
    let said = problem(1, MapKind::Block, Heads::All);
    assert!(said.contains("layer") && said.contains("below 1"), "{said}");
    assert!(LayerMap::new(&model, 1, MapKind::AttentionResidual, Heads::All).is_ok());
}

/// Value and dense Jacobian of a map of layer 1 at tokens.
fn dense_map(model: &Model, kind: MapKind, mask: Order, x: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let attention = |layer: usize| move |x: &DMatrix<f64>| dense_attention(model, layer, (kind, mask), x);
    let mlp = |layer: usize| {
        move |x: &DMatrix<f64>| {
            let part = model.blocks[layer].feed_forward.as_ref().expect("loaded");
            dense_mlp(part, model.config.activation, x)
        }
    };
    if kind.is_attention_alone() {
        return attention(1)(&x);
    }
    let (mut value, mut jacobian) = (x, DMatrix::identity(32 * N, 32 * N));
    for layer in if kind == MapKind::Blocks { 0..2 } else { 1..2 } {
        let block = &model.blocks[layer];
        let mut step = |norms: &Residual<TokenNorm>, branch: Branch<'_>| {
            let (next, of_step) = dense_step(norms, branch, &value);
            value = next;
            jacobian = of_step * &jacobian;
        };
        if kind.has_attention() {
            step(&block.attention.norms, &attention(layer));
        }
        if kind.has_mlp() {
            step(&block.feed_forward.as_ref().expect("loaded").norms, &mlp(layer));
        }
    }
    (value, jacobian)
}

/// x + T F(N x), or L(x + F(x)).
fn dense_step(norms: &Residual<TokenNorm>, branch: Branch<'_>, x: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let identity = DMatrix::<f64>::identity(32 * N, 32 * N);
    match norms {
        Residual::Branch { before, after } => {
            let (normalized, of_norm) = dense_norm(before.as_ref(), x);
            let (value, of_branch) = branch(&normalized);
            let (value, of_after) = dense_norm(after.as_ref(), &value);
            (value + x, identity + of_after * of_branch * of_norm)
        }
        Residual::Sum(norm) => {
            let (value, of_branch) = branch(x);
            let (normalized, of_norm) = dense_norm(Some(norm), &(value + x));
            (normalized, of_norm * (identity + of_branch))
        }
    }
}

/// diag(g) (I - 11^T/d - y y^T/d)/s for each token, without 11^T/d for RMS norm; the identity where there is no norm.
fn dense_norm(norm: Option<&TokenNorm>, x: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let Some(norm) = norm else { return (x.clone(), DMatrix::identity(32 * N, 32 * N)) };
    let (mut value, mut jacobian) = (x.clone(), DMatrix::zeros(32 * N, 32 * N));
    let mean_share = if norm.normalization == Normalization::Layer { 1.0 / 32.0 } else { 0.0 };
    for token in 0..N {
        let mean = x.column(token).sum() * mean_share;
        let s = (x.column(token).map(|x| (x - mean).powi(2)).mean() + norm.eps).sqrt();
        let y = x.column(token).map(|x| (x - mean) / s);
        for row in 0..32 {
            let gain = f64::from(norm.gain[row]);
            value[(row, token)] = gain * y[row] + f64::from(norm.shift[row]);
            for column in 0..32 {
                let unit = f64::from(u8::from(row == column));
                jacobian[(32 * token + row, 32 * token + column)] =
                    gain * (unit - mean_share - y[row] * y[column] / 32.0) / s;
            }
        }
    }
    (value, jacobian)
}

/// W_2 diag(g') W_1 for each token, with g' by central differences of g.
fn dense_mlp(part: &FeedForward, activation: Activation, x: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let part = part.network.dense().expect("one network");
    let (first, second) = (part.widen.weight.map(f64::from), part.narrow.weight.map(f64::from));
    let mut jacobian = DMatrix::zeros(32 * N, 32 * N);
    let mut value = DMatrix::zeros(32, N);
    for token in 0..N {
        let hidden = affine(&part.widen, &x.columns(token, 1).into_owned());
        let slope = |x: f64| match activation {
            Activation::Relu => f64::from(u8::from(x > 0.0)),
            // Richardson's extrapolation of two central differences: an error of h^4.
            smooth => {
                let central = |h: f64| (smooth.at(x + h) - smooth.at(x - h)) / (2.0 * h);
                (4.0 * central(5e-4) - central(1e-3)) / 3.0
            }
        };
        let slopes = DMatrix::from_diagonal(&hidden.column(0).map(slope));
        jacobian.view_mut((32 * token, 32 * token), (32, 32)).copy_from(&(&second * slopes * &first));
        value.set_column(token, &affine(&part.narrow, &hidden.map(|x| activation.at(x))).column(0));
    }
    (value, jacobian)
}

/// docs/theory.md section 1 with biases:
/// J_ij = P_ij V (I + (x_j - m_i) b_ij^T) + delta_ij V sum_l P_il (x_l - m_i) a_il^T
/// with b_ij = K^T q_i/sqrt k and a_il = Q^T k_l/sqrt k; for L2 attention b_ij = 2 K^T (q_i - k_j)/sqrt k and
/// a_il = -2 Q^T (q_i - k_l)/sqrt k.
fn dense_attention(
    model: &Model,
    layer: usize,
    (kind, mask): (MapKind, Order),
    x: &DMatrix<f64>,
) -> (DMatrix<f64>, DMatrix<f64>) {
    let part = &model.blocks[layer].attention;
    let [queries, keys, values] = [&part.query, &part.key, &part.value].map(|linear| affine(linear, x));
    let (mut value, mut jacobian) = (DMatrix::zeros(32, N), DMatrix::zeros(32 * N, 32 * N));
    for head in 0..4 {
        let rows = |linear: &Linear| linear.weight.rows(8 * head, 8).map(f64::from);
        let (q, k, v) = (rows(&part.query), rows(&part.key), rows(&part.value));
        let of_head = |m: &DMatrix<f64>, token: usize| m.view((8 * head, token), (8, 1)).into_owned();
        let root = 8f64.sqrt();
        for i in 0..N {
            let reach = if mask == Order::Causal { i + 1 } else { N };
            let query = of_head(&queries, i);
            // The score of token j, and its gradients in q_i and in k_j.
            let score = |j: usize| {
                let key = of_head(&keys, j);
                match model.config.attention {
                    Attention::Dot => (query.dot(&key) / root, key / root, &query / root),
                    Attention::L2 => {
                        let away = &query - key;
                        (-away.norm_squared() / root, &away * (-2.0 / root), &away * (2.0 / root))
                    }
                    other => unreachable!("no model here has {other:?} scores"),
                }
            };
            let weights: Vec<f64> = (0..reach).map(|j| score(j).0.exp()).collect();
            let sum: f64 = weights.iter().sum();
            let p: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
            let mean = (0..reach).fold(DMatrix::zeros(32, 1), |mean, j| mean + x.columns(j, 1) * p[j]);
            let mut put = |j: usize, block: DMatrix<f64>| {
                let mut to = jacobian.view_mut((32 * i + 8 * head, 32 * j), (8, 32));
                to += block;
            };
            for j in 0..reach {
                let away = x.columns(j, 1) - &mean;
                let (_, of_query, of_key) = score(j);
                let (a, b) = (q.transpose() * of_query, k.transpose() * of_key);
                put(j, &v * (DMatrix::identity(32, 32) + &away * b.transpose()) * p[j]);
                put(i, &v * &away * a.transpose() * p[j]);
                let mut to = value.view_mut((8 * head, i), (8, 1));
                to += of_head(&values, j) * p[j];
            }
        }
    }
    if kind == MapKind::Attention {
        return (value, jacobian);
    }
    let output = part.output.weight.map(f64::from);
    (affine(&part.output, &value), DMatrix::identity(N, N).kronecker(&output) * jacobian)
}

fn affine(linear: &Linear, x: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = linear.weight.map(f64::from) * x;
    out.column_iter_mut()
        .for_each(|mut token| token.iter_mut().zip(&linear.bias).for_each(|(x, b)| *x += f64::from(*b)));
    out
}

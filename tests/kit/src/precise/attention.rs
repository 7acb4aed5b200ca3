//! Attention written out from its definition (docs/theory.md, "Attention as it is run today"), with forward derivatives. No
//! formula of a Jacobian is used, and of the engine only what reads or draws tokens and weights.

use lipscope_core::experiment::{
    Attention, Experiment, Gain, InputError, Normalization, Rope, Scope, VectorNorm, Weighting,
};
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;

use super::dual::Dual;
use super::real::Real;

/// The output tokens of an experiment, with derivatives in the tokens.
pub(super) struct Outputs {
    /// n d_out numbers, token by token.
    pub(super) numbers: Vec<Dual>,
    /// The number of entries of all tokens.
    pub(super) n_inputs: usize,
    /// For ReLU weights: the smallest |s| over the sum of the sizes of what s is the sum of. Below the precision of f64 the
    /// sign of a score, and with it the derivative, is not known in f64. Infinite for other weights.
    pub(super) nearest_kink: f64,
}

type Vector = Vec<Dual>;

/// The outputs; `None` where a normaliser has no derivative, or linear attention only features below e^-1e12.
///
/// # Errors
/// [`InputError`] if tokens and weights do not fit together.
pub(super) fn outputs(experiment: &Experiment) -> Result<Option<Outputs>, InputError> {
    let inputs = inputs(experiment)?;
    assert!(inputs.ln_multiplicities.is_none(), "clusters are no list of tokens");
    let (d, n) = inputs.tokens.shape();
    let start: Vec<Vec<Real>> =
        inputs.tokens.column_iter().map(|token| token.iter().map(|x| Real::new(*x)).collect()).collect();
    let variables = |rows: Vec<Vec<Real>>| -> Vec<Vector> {
        let token = |(i, row): (usize, Vec<Real>)| {
            row.into_iter().enumerate().map(|(c, x)| Dual::variable(x, i * d + c, n * d)).collect()
        };
        rows.into_iter().enumerate().map(token).collect()
    };
    let normalised = |rows: Vec<Vector>| -> Option<Vec<Vector>> {
        let kind = match experiment.normalization {
            Normalization::None => return Some(rows),
            Normalization::Layer => VectorNorm::Layer,
            Normalization::Rms => VectorNorm::Rms,
        };
        rows.iter().map(|row| unit(row, kind, experiment.eps)).collect()
    };
    let tokens = match experiment.scope() {
        Scope::Composed => normalised(variables(start)),
        // The derivative begins after the normaliser.
        Scope::Inputs => {
            let constants = start.into_iter().map(|row| row.into_iter().map(Dual::constant).collect()).collect();
            normalised(constants).map(|rows| {
                variables(rows.into_iter().map(|row| row.into_iter().map(|entry| entry.value).collect()).collect())
            })
        }
    };
    let Some(tokens) = tokens else { return Ok(None) };
    let mut nearest_kink = f64::INFINITY;
    let mut numbers: Vec<Vector> = vec![Vec::new(); n];
    let heads = inputs.weights.heads.len();
    for (head_idx, head) in inputs.weights.heads.iter().enumerate() {
        let values: Option<Vec<Vector>> = projected(&head.v, &tokens)
            .into_iter()
            .map(|value| match experiment.score.value_norm {
                Some(eps) => unit(&value, VectorNorm::L2, eps),
                None => Some(value),
            })
            .collect();
        let Some(values) = values else { return Ok(None) };
        let mut map = |q: &DMatrix<f64>, k: &DMatrix<f64>| {
            let turned =
                |matrix: &DMatrix<f64>, gain: Option<&Gain>| turned(experiment, &projected(matrix, &tokens), gain);
            let norm = experiment.vector_norm();
            let (queries, keys) = (
                turned(q, norm.as_ref().map(|norm| &norm.q_gain))?,
                turned(k, norm.as_ref().map(|norm| &norm.k_gain))?,
            );
            weights(experiment, (head_idx, heads), (&queries, &keys), &mut nearest_kink)
        };
        let Some(mut table) = map(&head.q, &head.k) else { return Ok(None) };
        if let Some(second) = &head.second {
            let Some(subtracted) = map(&second.q, &second.k) else { return Ok(None) };
            let lambda = Real::new(second.lambda);
            for (row, other) in table.iter_mut().zip(subtracted) {
                for (weight, other) in row.iter_mut().zip(other) {
                    *weight = weight.sub(&other.times(&lambda));
                }
            }
        }
        for (output, row) in numbers.iter_mut().zip(&table) {
            for entry in 0..head.v.nrows() {
                output.push(Dual::sum(row.iter().zip(&values).map(|(weight, value)| weight.mul(&value[entry]))));
            }
        }
    }
    if let Some(output) = &inputs.weights.output {
        numbers = projected(output, &numbers);
    }
    Ok(Some(Outputs { numbers: numbers.into_iter().flatten().collect(), n_inputs: n * d, nearest_kink }))
}

/// M x of every vector.
fn projected(matrix: &DMatrix<f64>, vectors: &[Vector]) -> Vec<Vector> {
    let rows: Vec<Vec<Real>> = matrix.row_iter().map(|row| row.iter().map(|x| Real::new(*x)).collect()).collect();
    let times = |vector: &Vector| {
        rows.iter().map(|row| Dual::sum(row.iter().zip(vector).map(|(entry, x)| x.times(entry)))).collect()
    };
    vectors.iter().map(times).collect()
}

/// N(z); `None` for a division by zero.
fn unit(vector: &Vector, kind: VectorNorm, eps: f64) -> Option<Vector> {
    let count = Real::new(vector.len() as f64);
    let centred: Vector = match kind {
        VectorNorm::Layer => {
            let mean = Dual::sum(vector.iter().cloned()).times(&(&Real::one() / &count));
            vector.iter().map(|entry| entry.sub(&mean)).collect()
        }
        VectorNorm::Rms | VectorNorm::L2 => vector.clone(),
    };
    let squares = Dual::sum(centred.iter().map(|entry| entry.mul(entry)));
    let squares = if kind == VectorNorm::L2 { squares } else { squares.times(&(&Real::one() / &count)) };
    let divisor = squares.plus(&Real::new(eps));
    if divisor.value.is_zero() {
        return None;
    }
    let divisor = divisor.sqrt();
    Some(centred.iter().map(|entry| entry.div(&divisor)).collect())
}

/// Queries or keys after qk-norm, gain, rotation and feature map.
fn turned(experiment: &Experiment, vectors: &[Vector], gain: Option<&Gain>) -> Option<Vec<Vector>> {
    let norm = experiment.vector_norm();
    let turn = |(position, vector): (usize, &Vector)| {
        let mut vector = match &norm {
            Some(norm) => unit(vector, norm.kind, norm.eps)?,
            None => vector.clone(),
        };
        if let Some(gain) = gain {
            for (at, entry) in vector.iter_mut().enumerate() {
                *entry = entry.times(&Real::new(gain.at(at)));
            }
        }
        if let Some(rope) = &experiment.score.rope {
            vector = rotated(rope, position, vector);
        }
        if experiment.attention == Attention::Linear {
            vector = vector.iter().map(feature).collect();
        }
        Some(vector)
    };
    vectors.iter().enumerate().map(turn).collect()
}

fn rotated(rope: &Rope, position: usize, mut vector: Vector) -> Vector {
    let r = rope.turned(vector.len());
    for m in 0..r / 2 {
        // theta_m = base^(-2m/r).
        let exponent = &Real::new(-2.0 * m as f64) / &Real::new(r as f64);
        let theta = (&Real::new(rope.base).ln() * &exponent).exp();
        let (sine, cosine) = (&theta * &Real::new(position as f64)).sin_cos();
        let (a, b) = rope.layout.pair(m, r);
        let x = vector[a].times(&cosine).sub(&vector[b].times(&sine));
        let y = vector[a].times(&sine).add(&vector[b].times(&cosine));
        (vector[a], vector[b]) = (x, y);
    }
    vector
}

/// elu + 1.
fn feature(z: &Dual) -> Dual {
    if z.value < Real::zero() { z.exp() } else { z.plus(&Real::one()) }
}

/// P of a map of a head, n x n; `None` where the features of linear attention are too small for any number.
fn weights(
    experiment: &Experiment,
    (head_idx, heads): (usize, usize),
    (queries, keys): (&[Vector], &[Vector]),
    nearest_kink: &mut f64,
) -> Option<Vec<Vec<Dual>>> {
    let n = keys.len();
    let row = |i: usize| {
        let mut row = vec![Dual::constant(Real::zero()); n];
        let allowed: Vec<usize> = (0..n).filter(|j| experiment.mask.allows(i, *j)).collect();
        let biases: Vec<Real> = allowed.iter().map(|j| bias(experiment, (head_idx, heads), i, *j)).collect();
        let scores: Vec<Dual> = allowed.iter().map(|j| score(experiment, &queries[i], &keys[*j])).collect();
        let weights = match &experiment.weighting {
            Weighting::Softmax { .. } => {
                let sink = experiment.weighting.sink_of(head_idx);
                softmax(experiment.attention, &scores, &biases, sink)?
            }
            other => {
                let scores: Vec<Dual> = scores.iter().zip(&biases).map(|(score, bias)| score.plus(bias)).collect();
                if matches!(other, Weighting::Relu { .. }) {
                    for ((score, bias), j) in scores.iter().zip(&biases).zip(&allowed) {
                        let size = &size_of_terms(experiment, &queries[i], &keys[*j]) + &bias.abs();
                        if !size.is_zero() {
                            *nearest_kink = nearest_kink.min((&score.value.abs() / &size).to_f64());
                        }
                    }
                }
                scores.iter().map(|score| elementwise(other, score, n)).collect()
            }
        };
        allowed.into_iter().zip(weights).for_each(|(j, weight)| row[j] = weight);
        Some(row)
    };
    (0..n).map(row).collect()
}

/// B_ij.
fn bias(experiment: &Experiment, (head_idx, heads): (usize, usize), i: usize, j: usize) -> Real {
    let score = &experiment.score;
    let slope = score.alibi.as_ref().map_or(0.0, |alibi| alibi.slope(head_idx, heads));
    let table = score.bias.as_ref().map_or(0.0, |rows| rows.entries()[i * rows.n_columns() + j]);
    &Real::new(table) - &(&Real::new(slope) * &Real::new(i.abs_diff(j) as f64))
}

/// c.
fn scale(experiment: &Experiment, k: usize) -> Real {
    match (experiment.score.scale, experiment.attention) {
        (Some(scale), _) => Real::new(scale),
        (None, Attention::Cosine) => Real::new(10.0),
        (None, _) => &Real::one() / &Real::new(k as f64).sqrt(),
    }
}

/// s_ij before the bias; for linear attention phi(q).phi(k), which is e^s_ij.
fn score(experiment: &Experiment, query: &Vector, key: &Vector) -> Dual {
    let product = |a: &Vector, b: &Vector| Dual::sum(a.iter().zip(b).map(|(a, b)| a.mul(b)));
    let score = match experiment.attention {
        Attention::Linear => return product(query, key),
        Attention::Dot | Attention::Cosine => product(query, key).times(&scale(experiment, query.len())),
        Attention::L2 => {
            let deviation: Vector = query.iter().zip(key).map(|(q, k)| q.sub(k)).collect();
            product(&deviation, &deviation).times(&-&scale(experiment, query.len()))
        }
    };
    match experiment.score.softcap {
        Some(tau) => capped(&score, &Real::new(tau)),
        None => score,
    }
}

/// The sum of the sizes of the products that a score is the sum of.
fn size_of_terms(experiment: &Experiment, query: &Vector, key: &Vector) -> Real {
    let sum = query.iter().zip(key).fold(Real::zero(), |sum, (q, k)| &sum + &(&q.value * &k.value).abs());
    &sum * &scale(experiment, query.len())
}

/// tau tanh(s/tau), by e^(-2|s|/tau), so that neither it nor its derivative cancels where it is flat. Where s/tau is tiny,
/// by the first terms of its series.
fn capped(score: &Dual, tau: &Real) -> Dual {
    let ratio = &score.value / tau;
    if ratio.abs() < Real::new(1e-40) {
        let square = &ratio * &ratio;
        let value = &score.value * &(&Real::one() - &(&square / &Real::new(3.0)));
        return score.through(value, &(&Real::one() - &square));
    }
    let small = (&(&score.value.abs() * &Real::new(-2.0)) / tau).exp();
    let (less, more) = (&Real::one() - &small, &Real::one() + &small);
    let size = &(tau * &less) / &more;
    let value = if score.value < Real::zero() { -&size } else { size };
    let slope = &(&Real::new(4.0) * &small) / &(&more * &more);
    score.through(value, &slope)
}

/// e^s_ij/(e^c0 + sum_l e^s_il) with the biases; for linear attention the scores are e^s already. `None` where all of these
/// are below e^-1e12.
fn softmax(attention: Attention, scores: &[Dual], biases: &[Real], sink: Option<f64>) -> Option<Vec<Dual>> {
    if scores.is_empty() {
        return Some(Vec::new());
    }
    // A common bias of the row cancels before it meets the scores: at 1e308 no score would be left of their sum.
    let mut common = biases[0].clone();
    for bias in biases {
        common = common.largest(bias.clone());
    }
    let biases: Vec<Real> = biases.iter().map(|bias| bias - &common).collect();
    let exponents: Vec<Dual> = match attention {
        Attention::Linear => biases.iter().map(|bias| Dual::constant(bias.clone())).collect(),
        _ => scores.iter().zip(&biases).map(|(score, bias)| score.plus(bias)).collect(),
    };
    let mut largest = exponents[0].value.clone();
    for exponent in &exponents {
        largest = largest.largest(exponent.value.clone());
    }
    let sink = sink.map(|sink| &Real::new(sink) - &common);
    if let Some(sink) = &sink {
        largest = largest.largest(sink.clone());
    }
    let powers: Vec<Dual> = exponents
        .iter()
        .zip(scores)
        .map(|(exponent, score)| {
            let power = exponent.plus(&-&largest).exp();
            if attention == Attention::Linear { power.mul(score) } else { power }
        })
        .collect();
    let mut sum = Dual::sum(powers.iter().cloned());
    if let Some(sink) = &sink {
        sum = sum.plus(&(sink - &largest).exp());
    }
    if sum.value.is_zero() {
        return None;
    }
    Some(powers.iter().map(|power| power.div(&sum)).collect())
}

/// A weight that depends on its own score alone.
fn elementwise(weighting: &Weighting, score: &Dual, n: usize) -> Dual {
    let divisor = |divisor: &Option<f64>| Real::new(divisor.unwrap_or(n as f64));
    let one = Real::one();
    // e^-|s|, e^min(s, 0)/(1 + e^-|s|) is the logistic function.
    let logistic = |s: &Real| {
        let small = (-&s.abs()).exp();
        if *s < Real::zero() { &small / &(&one + &small) } else { &one / &(&one + &small) }
    };
    match weighting {
        Weighting::Sigmoid { bias } => {
            let bias = bias.map_or_else(|| -&Real::new(n as f64).ln(), Real::new);
            let s = &score.value + &bias;
            let (up, down) = (logistic(&s), logistic(&-&s));
            score.through(up.clone(), &(&up * &down))
        }
        Weighting::Relu { divisor: by } => {
            let part = &one / &divisor(by);
            if score.value > Real::zero() { score.times(&part) } else { score.times(&Real::zero()) }
        }
        Weighting::Softplus { divisor: by } => {
            let part = &one / &divisor(by);
            // ln(1 + e^s) = max(s, 0) + ln(1 + e^-|s|).
            let value = &score.value.clone().largest(Real::zero()) + &(-&score.value.abs()).exp().ln_1p();
            score.through(&value * &part, &(&logistic(&score.value) * &part))
        }
        Weighting::Softmax { .. } => unreachable!("a softmax is no function of one score"),
    }
}

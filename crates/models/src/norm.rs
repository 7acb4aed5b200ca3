//! ||J||_2 of an attention map in as few products as its accuracy needs.
//!
//! Products of 32 bits take half the time and carry seven digits; an iteration that stops at a residual of 1e-4 does not
//! feel the rest. So it runs in 32 bits, and value and residual of the vector that it finds are computed in 64: the value
//! is a norm of J v, never above ||J||_2, and its residual is its own. Where that is not below the tolerance, the iteration
//! goes on in 64 bits.
//!
//! It starts from what is the leading vector where attention hardly changes: the direction that O V magnifies most, times
//! the profile over tokens that the mean of P magnifies most; and a little of every direction.

use nalgebra::DMatrix;

use super::map::AttentionMap;
use lipscope_core::experiment::{InputError, Mask};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{Lanczos, LanczosOptions, SingularTriplet, largest_triplet};

/// Below this tolerance rounding in 32 bits would be felt.
const SINGLE_TOLERANCE: f64 = 2e-5;
/// The length of the random part of the start, whose other part has length 1.
const RANDOM_PART: f64 = 0.2;

/// The leading triplet of a map's Jacobian, which is `operator`.
pub(super) fn leading_triplet(
    map: &AttentionMap,
    tokens: &DMatrix<f64>,
    mask: Mask,
    operator: &mut JacobianOperator<f64>,
    options: LanczosOptions,
) -> Result<SingularTriplet, InputError> {
    let start = start(map, operator, options.seed);
    if options.tolerance < SINGLE_TOLERANCE {
        return Ok(Lanczos::from_vector(start, options).run(operator));
    }
    let mut single = Single::new(map.single_jacobian(tokens, mask)?);
    let rough = Lanczos::from_vector(start, options).run(&mut single);
    let found = SingularTriplet::at(rough.right, rough.iterations, operator);
    if found.relative_residual <= options.tolerance {
        return Ok(found);
    }
    let left = LanczosOptions { max_iterations: options.max_iterations.saturating_sub(found.iterations), ..options };
    let last = Lanczos::from_vector(found.right, left).run(operator);
    Ok(SingularTriplet { iterations: found.iterations + last.iterations, ..last })
}

/// The leading vector if P did not depend on the tokens and were the same in all heads, and some noise.
fn start(map: &AttentionMap, operator: &JacobianOperator<f64>, seed: u64) -> Vec<f64> {
    let direction = map.value_direction();
    let profile = profile(operator);
    let mut random = Random::new(seed, Stream::StartVector);
    let noise = RANDOM_PART / ((profile.len() * direction.len()) as f64).sqrt();
    let entries = profile.iter().flat_map(|share| direction.iter().map(move |x| share * x));
    entries.map(|x| x + noise * random.normal()).collect()
}

/// The leading right singular vector of the mean over heads of P.
fn profile(operator: &JacobianOperator<f64>) -> Vec<f64> {
    /// Past so many tokens the dense decomposition would cost more than it saves.
    const MOST_TOKENS: usize = 256;
    let forward = operator.forward();
    let n = forward.n();
    let even = || vec![1.0 / (n as f64).sqrt(); n];
    if n > MOST_TOKENS {
        return even();
    }
    let mut mean = DMatrix::zeros(n, n);
    let mut buffer = forward.row_buffer();
    for head in 0..forward.n_heads() {
        for rows in forward.row_blocks() {
            let block = forward.rows_of_p(head, rows.clone(), &mut buffer);
            for (row, weights) in rows.clone().zip(block.weights.chunks(block.stride)) {
                for (column, weight) in weights.iter().enumerate() {
                    mean[(row, column)] += weight;
                }
            }
        }
    }
    largest_triplet(&mean).map_or_else(even, |triplet| triplet.right)
}

/// A Jacobian in 32 bits as an operator on vectors of 64.
struct Single {
    operator: JacobianOperator<f32>,
    inputs: Vec<f32>,
    outputs: Vec<f32>,
}

impl Single {
    fn new(operator: JacobianOperator<f32>) -> Self {
        let (inputs, outputs) = (vec![0.0; operator.n_inputs()], vec![0.0; operator.n_outputs()]);
        Single { operator, inputs, outputs }
    }
}

impl LinearOperator<f64> for Single {
    fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        narrow(v, &mut self.inputs);
        self.operator.apply(&self.inputs, &mut self.outputs);
        widen(&self.outputs, out);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        narrow(u, &mut self.outputs);
        self.operator.apply_transpose(&self.outputs, &mut self.inputs);
        widen(&self.inputs, out);
    }
}

fn narrow(from: &[f64], to: &mut [f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
}

fn widen(from: &[f32], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::from(*from));
}

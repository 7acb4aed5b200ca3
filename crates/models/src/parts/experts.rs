//! Networks of which a token chooses some, and their Jacobian at given tokens.
//!
//! With z = R x + r the router's logits, S the experts of the largest ones and E_e the networks, f(x) = sum over e in S of
//! w_e(z) E_e(x), and J = sum w_e E_e' + sum E_e(x) dw_e/dz R. S stays as it is: where two logits are equal at the border
//! of S, f jumps. Softmax over S gives dw_e = w_e (dz_e - sum_S w_c dz_c); over all, the sum runs over all.

use nalgebra::DMatrix;

use super::dense::{DenseJacobian, MlpRule, linear};
use super::model::{Experts, Side};
use crate::config::model_config::{ExpertSizes, Shares};
use lipscope_core::attention::Scalar;
use lipscope_core::experiment::InputError;
use lipscope_core::extremum::maximum;

/// The Jacobian at some tokens.
#[derive(Clone, Debug)]
pub(crate) struct ExpertsJacobian<T: Scalar> {
    /// For each expert that is chosen, the tokens that chose it.
    chosen: Vec<Chosen<T>>,
    /// Softmax over the chosen experts or over all, experts x n; 0 for those that have no part in the derivative.
    shares: DMatrix<T>,
    /// Buffer for changes of the logits, experts x n.
    logits: Vec<T>,
}

/// An expert at the tokens that chose it.
#[derive(Clone, Debug)]
struct Chosen<T: Scalar> {
    expert: usize,
    tokens: Vec<usize>,
    jacobian: DenseJacobian<T>,
    /// E_e at these tokens, d x their number.
    values: DMatrix<T>,
    /// Buffers of that shape.
    entering: Vec<T>,
    leaving: Vec<T>,
}

/// The experts of each token with their shares, and the shares of all experts that have a part in the derivative.
struct Routes {
    /// (expert, token, w_e).
    chosen: Vec<(usize, usize, f64)>,
    shares: DMatrix<f64>,
}

impl Routes {
    fn of(experts: &Experts, x: &DMatrix<f64>, sizes: &ExpertSizes) -> Self {
        let logits = experts.router.apply(x);
        let mut shares = DMatrix::zeros(logits.nrows(), logits.ncols());
        let mut chosen = Vec::new();
        for (token, z) in logits.column_iter().enumerate() {
            let mut order: Vec<usize> = (0..z.len()).collect();
            order.sort_by(|a, b| z[*b].total_cmp(&z[*a]));
            // The largest logit; NaN if any is, wherever the order has put it.
            let largest = z.iter().copied().fold(f64::NEG_INFINITY, maximum);
            let (first, rest) = order.split_at(sizes.chosen.min(order.len()));
            let counted = if sizes.shares == Shares::OfAll { rest } else { &[] };
            let weight = |expert: &usize| (z[*expert] - largest).exp();
            let sum: f64 = first.iter().chain(counted).map(weight).sum();
            for expert in first.iter().chain(counted) {
                shares[(*expert, token)] = weight(expert) / sum;
            }
            chosen.extend(first.iter().map(|expert| (*expert, token, weight(expert) / sum)));
        }
        chosen.sort_by_key(|(expert, token, _)| (*expert, *token));
        Routes { chosen, shares }
    }

    /// The tokens of each chosen expert, with their shares.
    fn by_expert(&self) -> impl Iterator<Item = (usize, Vec<usize>, Vec<f64>)> + '_ {
        self.chosen.chunk_by(|a, b| a.0 == b.0).map(|of_expert| {
            let (tokens, shares) = of_expert.iter().map(|(_, token, share)| (*token, *share)).unzip();
            (of_expert[0].0, tokens, shares)
        })
    }
}

impl Experts {
    /// The sum of the chosen networks at tokens (d x n).
    pub(crate) fn apply(&self, x: &DMatrix<f64>, rule: MlpRule) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(x.nrows(), x.ncols());
        let Some(sizes) = rule.experts else { return out };
        for (expert, tokens, shares) in Routes::of(self, x, &sizes).by_expert() {
            let value = self.experts[expert].apply(&x.select_columns(&tokens), rule.activation, sizes.unit);
            for ((token, share), value) in tokens.iter().zip(shares).zip(value.column_iter()) {
                out.column_mut(*token).axpy(share, &value, 1.0);
            }
        }
        out
    }
}

impl ExpertsJacobian<f64> {
    /// The value at tokens (d x n), and the Jacobian there.
    ///
    /// # Errors
    /// As `MlpJacobian::at`.
    pub(crate) fn at(experts: &Experts, x: &DMatrix<f64>, rule: MlpRule) -> Result<(DMatrix<f64>, Self), InputError> {
        let (d, n) = x.shape();
        let mut value = DMatrix::zeros(d, n);
        let count = experts.experts.len();
        let empty =
            ExpertsJacobian { chosen: Vec::new(), shares: DMatrix::zeros(count, n), logits: vec![0.0; count * n] };
        let Some(sizes) = rule.experts else { return Ok((value, empty)) };
        let routes = Routes::of(experts, x, &sizes);
        let mut chosen = Vec::new();
        for (expert, tokens, shares) in routes.by_expert() {
            let network = &experts.experts[expert];
            let found = DenseJacobian::at(network, &x.select_columns(&tokens), rule.activation, sizes.unit);
            let (values, jacobian) = found.map_err(|problem| at_token(problem, &tokens))?;
            for ((token, share), of_expert) in tokens.iter().zip(shares).zip(values.column_iter()) {
                value.column_mut(*token).axpy(share, &of_expert, 1.0);
            }
            let buffer = vec![0.0; values.len()];
            chosen.push(Chosen { expert, tokens, jacobian, values, entering: buffer.clone(), leaving: buffer });
        }
        Ok((value, ExpertsJacobian { chosen, shares: routes.shares, ..empty }))
    }

    /// The same Jacobian in f32.
    pub(crate) fn single(&self) -> ExpertsJacobian<f32> {
        let single = |chosen: &Chosen<f64>| Chosen {
            expert: chosen.expert,
            tokens: chosen.tokens.clone(),
            jacobian: chosen.jacobian.single(),
            values: chosen.values.map(|x| x as f32),
            entering: vec![0.0; chosen.entering.len()],
            leaving: vec![0.0; chosen.leaving.len()],
        };
        ExpertsJacobian {
            chosen: self.chosen.iter().map(single).collect(),
            shares: self.shares.map(|x| x as f32),
            logits: vec![0.0; self.logits.len()],
        }
    }
}

/// The same error, with the token's place among all tokens instead of the place among those of an expert.
fn at_token(problem: InputError, tokens: &[usize]) -> InputError {
    match problem {
        InputError::NoDerivative { row, problem, fix } => {
            InputError::NoDerivative { row: tokens[row - 1] + 1, problem, fix }
        }
        other => other,
    }
}

impl<T: Scalar> ExpertsJacobian<T> {
    /// The product with v.
    pub(crate) fn apply(&mut self, experts: &Experts, v: &[T], out: &mut [T]) {
        let ExpertsJacobian { chosen, shares, logits } = self;
        linear(&experts.router, Side::Plain, v, logits);
        differentiate(shares, logits);
        out.fill(T::constant(0.0));
        let d = v.len() / shares.ncols().max(1);
        for Chosen { expert, tokens, jacobian, values, entering, leaving } in chosen {
            gather(v, tokens, entering);
            jacobian.apply(&experts.experts[*expert], entering, leaving);
            for (at, token) in tokens.iter().enumerate() {
                let (share, change) = (shares[(*expert, *token)], logits[token * shares.nrows() + *expert]);
                let value = values.column(at);
                let of_token = out[token * d..][..d].iter_mut().zip(&leaving[at * d..]).zip(value.iter());
                of_token.for_each(|((out, x), value)| *out += share * *x + change * *value);
            }
        }
    }

    /// The product of the transpose with u.
    pub(crate) fn apply_transpose(&mut self, experts: &Experts, u: &[T], out: &mut [T]) {
        let ExpertsJacobian { chosen, shares, logits } = self;
        logits.fill(T::constant(0.0));
        out.fill(T::constant(0.0));
        let d = u.len() / shares.ncols().max(1);
        for Chosen { expert, tokens, jacobian, values, entering, leaving } in chosen {
            gather(u, tokens, entering);
            jacobian.apply_transpose(&experts.experts[*expert], entering, leaving);
            for (at, token) in tokens.iter().enumerate() {
                let share = shares[(*expert, *token)];
                let of_token = out[token * d..][..d].iter_mut().zip(&leaving[at * d..]);
                of_token.for_each(|(out, x)| *out += share * *x);
                let value = values.column(at);
                let along = value.iter().zip(&entering[at * d..]);
                logits[token * shares.nrows() + *expert] = along.fold(T::constant(0.0), |sum, (x, y)| sum + *x * *y);
            }
        }
        // The derivative of softmax is symmetric.
        differentiate(shares, logits);
        experts.router.add_product(Side::Transposed, logits, out);
    }
}

/// The change of the shares from that of the logits, or the gradient at the logits from that at the shares, in place.
fn differentiate<T: Scalar>(shares: &DMatrix<T>, changes: &mut [T]) {
    for (shares, changes) in shares.column_iter().zip(changes.chunks_exact_mut(shares.nrows().max(1))) {
        let mean = shares.iter().zip(changes.iter()).fold(T::constant(0.0), |sum, (w, z)| sum + *w * *z);
        changes.iter_mut().zip(shares.iter()).for_each(|(z, w)| *z = *w * (*z - mean));
    }
}

/// The columns of some tokens, one after the other.
fn gather<T: Scalar>(field: &[T], tokens: &[usize], out: &mut [T]) {
    let d = out.len() / tokens.len().max(1);
    for (to, token) in out.chunks_exact_mut(d.max(1)).zip(tokens) {
        to.copy_from_slice(&field[token * d..][..d]);
    }
}

//! J v and J^T u under the causal mask for m runs of equal tokens, in O(n d^2 + m^2 d) each.
//!
//! The t-th token i of run a attends with weight w_b/Z to each token of an earlier run b and with w_a/Z to the first t
//! tokens of its own run, w_b = e^(s_ab), Z = sum_{b<a} w_b N_b + w_a t. The weighted mean of these tokens is m_i, and
//! a_ab, b_ab are the gradients of the score s_ab in y_a and in y_b. Relative to y_a, the earlier tokens lie at
//! delta_b = y_b - y_a, and m_i - y_a = mu/Z, where mu = sum_{b<a} w_b N_b delta_b is the same for all rows of the run.
//! So row i needs a few sums over the earlier runs, computed once per run, and the prefix sum S_a of xi over its own
//! run:
//!
//! (J xi)_i = V/Z [ U + w_a S_a + E - mu (e + w_a b_aa . S_a)/Z + K xi_i - mu (kappa . xi_i)/Z ],
//! U = sum w_b S_b, E = sum w_b (b_ab . S_b) delta_b, e = sum w_b b_ab . S_b, with alpha_b = a_ab - a_aa:
//! K = sum w_b N_b delta_b alpha_b^T, kappa = sum w_b N_b alpha_b, all sums over b < a.
//!
//! The adjoint accumulates the same sums from the last row to the first. Nothing cancels, and nothing of size n m is
//! stored.

use nalgebra::{DMatrix, DVector};

use super::LinearOperator;
use crate::attention::{Centred, Kernel, Normalizer};
use crate::experiment::{Attention, InputError, Scope};
use crate::extremum::maximum;
use crate::phrase;
use crate::weights::Weights;

/// The Jacobian of causal attention at runs of equal tokens.
#[derive(Clone, Debug)]
pub struct CausalRuns {
    n: usize,
    d: usize,
    d_out: usize,
    /// Number of tokens in each run.
    lengths: Vec<usize>,
    heads: Vec<Head>,
    /// Evaluated at the distinct tokens, one per run.
    normalizer: Normalizer<f64>,
    is_composed: bool,
    field: Vec<f64>,
}

/// One head at the distinct tokens.
#[derive(Clone, Debug)]
struct Head {
    /// V, or O_h V_h: rows x d.
    value: DMatrix<f64>,
    out_start: usize,
    runs: Vec<Run>,
}

/// The sums over earlier runs that the rows of one run need.
#[derive(Clone, Debug)]
struct Run {
    length: usize,
    /// w_b for b <= a, scaled so that the largest is one.
    weights: Vec<f64>,
    /// sum_{b<a} w_b N_b.
    before: f64,
    /// b_ab for b <= a.
    gradients: Vec<DVector<f64>>,
    /// delta_b for b < a.
    difference: Vec<DVector<f64>>,
    /// mu, K and kappa.
    mu: DVector<f64>,
    stretch: DMatrix<f64>,
    kappa: DVector<f64>,
}

/// Row i of the attention matrix, summed up by run.
#[derive(Clone, Debug, Default)]
pub struct RunRow {
    /// The run of row i.
    pub run: usize,
    /// Total attention to the tokens of each run, up to token i.
    pub masses: Vec<f64>,
    /// Attention to a single token of each run.
    pub shares: Vec<f64>,
}

impl CausalRuns {
    /// The Jacobian at runs of equal tokens. The normaliser holds one token per run, in order; `lengths` the sizes of
    /// the runs.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where scores leave the range of f64.
    pub fn new(
        attention: Attention,
        normalizer: Normalizer<f64>,
        scope: Scope,
        weights: &Weights,
        lengths: &[usize],
    ) -> Result<Self, InputError> {
        let centred = Centred::of(normalizer.outputs());
        let d = centred.tokens().nrows();
        let mut heads = Vec::with_capacity(weights.heads.len());
        for (head, (value, out_start)) in weights.heads.iter().zip(weights.values_in_output()) {
            let kernel = Kernel::new(attention, head.q.nrows());
            heads.push(Head::new(kernel, (&head.q, &head.k), value, (&centred, lengths), out_start)?);
        }
        let n = lengths.iter().sum();
        let is_composed = scope == Scope::Composed;
        Ok(CausalRuns {
            n,
            d,
            d_out: weights.d_out(),
            lengths: lengths.to_vec(),
            heads,
            field: if is_composed { vec![0.0; n * d] } else { Vec::new() },
            normalizer,
            is_composed,
        })
    }

    /// Number of tokens.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// The normaliser at the distinct tokens.
    #[must_use]
    pub fn normalizer(&self) -> &Normalizer<f64> {
        &self.normalizer
    }

    /// Calls `each` with every row of a head's attention matrix, in order.
    pub fn for_rows(&self, head_idx: usize, mut each: impl FnMut(&RunRow)) {
        let mut row = RunRow::default();
        for (run_idx, run) in self.heads[head_idx].runs.iter().enumerate() {
            row.run = run_idx;
            for count in 1..=run.length {
                let inverse = 1.0 / run.z(count);
                row.shares.clear();
                row.shares.extend(run.weights.iter().map(|weight| weight * inverse));
                row.masses.clear();
                row.masses.extend(row.shares.iter().zip(&self.lengths).map(|(share, length)| share * *length as f64));
                row.masses[run_idx] = row.shares[run_idx] * count as f64;
                each(&row);
            }
        }
    }

    /// Applies the normaliser's symmetric Jacobian at each token's run to a field, in place.
    fn normalize(&self, field: &mut [f64]) {
        let (d, m) = (self.d, self.lengths.len());
        // The normaliser takes one vector per distinct token, so the first tokens of all runs go through together, then
        // the second ones, and so on.
        let mut together = vec![0.0; d * m];
        let starts: Vec<usize> = starts(&self.lengths);
        for rank in 0..self.lengths.iter().copied().max().unwrap_or(0) {
            let has = |run: &usize| rank < self.lengths[*run];
            for run in (0..m).filter(has) {
                let at = (starts[run] + rank) * d;
                together[run * d..][..d].copy_from_slice(&field[at..at + d]);
            }
            self.normalizer.apply_jacobian(&mut together);
            for run in (0..m).filter(has) {
                let at = (starts[run] + rank) * d;
                field[at..at + d].copy_from_slice(&together[run * d..][..d]);
            }
        }
    }
}

/// Where each run starts.
fn starts(lengths: &[usize]) -> Vec<usize> {
    lengths.iter().scan(0, |start, length| Some(std::mem::replace(start, *start + length))).collect()
}

impl LinearOperator<f64> for CausalRuns {
    fn n_inputs(&self) -> usize {
        self.n * self.d
    }

    fn n_outputs(&self) -> usize {
        self.n * self.d_out
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        let mut normalized = std::mem::take(&mut self.field);
        if self.is_composed {
            normalized.copy_from_slice(v);
            self.normalize(&mut normalized);
        }
        out.fill(0.0);
        for head in &self.heads {
            head.apply(self.d, if self.is_composed { &normalized } else { v }, (out, self.d_out));
        }
        self.field = normalized;
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for head in &self.heads {
            head.apply_transpose(self.d, (u, self.d_out), out);
        }
        if self.is_composed {
            self.normalize(out);
        }
    }
}

impl Head {
    fn new(
        kernel: Kernel,
        (q, k): (&DMatrix<f64>, &DMatrix<f64>),
        value: DMatrix<f64>,
        (centred, lengths): (&Centred<'_, f64>, &[usize]),
        out_start: usize,
    ) -> Result<Self, InputError> {
        let tokens = centred.tokens();
        let d = tokens.nrows();
        let (queries, keys) = (centred.queries(kernel, q, k), k * tokens);
        let mut runs = Vec::with_capacity(lengths.len());
        for (a, length) in lengths.iter().enumerate() {
            let query = queries.column(a);
            let scores: Vec<f64> = (0..=a).map(|b| kernel.score(query, keys.column(b))).collect();
            if scores.iter().any(|s| !s.is_finite()) {
                return Err(InputError::Overflow { what: phrase!("attention_scores", "The attention scores") });
            }
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, maximum);
            let weights: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
            let mut run = Run {
                length: *length,
                before: (0..a).map(|b| weights[b] * lengths[b] as f64).sum(),
                gradients: (0..=a)
                    .map(|b| k.tr_mul(&query.zip_map(&keys.column(b), |q, k| kernel.key_gradient(q, k))))
                    .collect(),
                difference: (0..a).map(|b| tokens.column(b) - tokens.column(a)).collect(),
                weights,
                mu: DVector::zeros(d),
                stretch: DMatrix::zeros(d, d),
                kappa: DVector::zeros(d),
            };
            for b in 0..a {
                let mass = run.weights[b] * lengths[b] as f64;
                let alpha = q.tr_mul(&(keys.column(b) - keys.column(a))) * kernel.cross;
                run.mu.axpy(mass, &run.difference[b], 1.0);
                run.stretch.ger(mass, &run.difference[b], &alpha, 1.0);
                run.kappa.axpy(mass, &alpha, 1.0);
            }
            runs.push(run);
        }
        Ok(Head { value, out_start, runs })
    }

    /// Adds J xi to `out`.
    fn apply(&self, d: usize, field: &[f64], (out, d_out): (&mut [f64], usize)) {
        let rows = self.value.nrows();
        let mut sums: Vec<DVector<f64>> = Vec::with_capacity(self.runs.len());
        let mut mixed = vec![0.0; d];
        let mut places = field.chunks_exact(d).zip(out.chunks_exact_mut(d_out));
        for (a, run) in self.runs.iter().enumerate() {
            let own_weight = run.weights[a];
            let gradient = run.gradients[a].as_slice();
            let (mut still, mut moved) = (DVector::<f64>::zeros(d), 0.0);
            for b in 0..a {
                let along = run.weights[b] * run.gradients[b].dot(&sums[b]);
                still.axpy(run.weights[b], &sums[b], 1.0);
                still.axpy(along, &run.difference[b], 1.0);
                moved += along;
            }
            let (still, mu) = (still.as_slice(), run.mu.as_slice());
            let mut sum = vec![0.0; d];
            for (count, (xi, target)) in (1..=run.length).zip(&mut places) {
                sum.iter_mut().zip(xi).for_each(|(sum, x)| *sum += x);
                let inverse = 1.0 / run.z(count);
                let back = (moved + own_weight * dot(gradient, &sum) + dot(run.kappa.as_slice(), xi)) * inverse;
                for c in 0..d {
                    mixed[c] = still[c] + own_weight * sum[c] - mu[c] * back;
                }
                if a > 0 {
                    for (column, x) in run.stretch.as_slice().chunks_exact(d).zip(xi) {
                        mixed.iter_mut().zip(column).for_each(|(y, k)| *y += k * x);
                    }
                }
                let target = &mut target[self.out_start..self.out_start + rows];
                for (column, x) in self.value.as_slice().chunks_exact(rows).zip(&mixed) {
                    let x = x * inverse;
                    target.iter_mut().zip(column).for_each(|(y, v)| *y += v * x);
                }
            }
            sums.push(DVector::from_vec(sum));
        }
    }

    /// Adds J^T u to `out`.
    fn apply_transpose(&self, d: usize, (u, d_out): (&[f64], usize), out: &mut [f64]) {
        let rows = self.value.nrows();
        // For each run b, accumulated from the last row: sum over the rows i of share_b (g_i + b_ab ((y_b - m_i) .
        // g_i)).
        let mut sums: Vec<DVector<f64>> = vec![DVector::zeros(d); self.runs.len()];
        let mut g = vec![0.0; d];
        let mut places = u.chunks_exact(d_out).zip(out.chunks_exact_mut(d)).rev();
        for (a, run) in self.runs.iter().enumerate().rev() {
            let own_weight = run.weights[a];
            let (gradient, mu) = (run.gradients[a].as_slice(), run.mu.as_slice());
            let mut sum = sums[a].clone();
            // Sums of g_i/Z_i and of mu . g_i/Z_i^2 over the run.
            let (mut total, mut back_total) = (DVector::<f64>::zeros(d), 0.0);
            for (count, (source, target)) in (1..=run.length).rev().zip(&mut places) {
                let inverse = 1.0 / run.z(count);
                let source = &source[self.out_start..self.out_start + rows];
                for (slot, column) in g.iter_mut().zip(self.value.as_slice().chunks_exact(rows)) {
                    *slot = dot(column, source) * inverse;
                }
                let back = dot(mu, &g) * inverse;
                for c in 0..d {
                    sum[c] += own_weight * (g[c] - gradient[c] * back);
                    total[c] += g[c];
                    target[c] += sum[c] - run.kappa[c] * back;
                }
                back_total += back;
                if a > 0 {
                    for (slot, column) in target.iter_mut().zip(run.stretch.as_slice().chunks_exact(d)) {
                        *slot += dot(column, &g);
                    }
                }
            }
            for b in 0..a {
                let along = run.difference[b].dot(&total) - back_total;
                sums[b].axpy(run.weights[b], &total, 1.0);
                sums[b].axpy(run.weights[b] * along, &run.gradients[b], 1.0);
            }
        }
    }
}

impl Run {
    /// Z of the `count`th row of the run.
    fn z(&self, count: usize) -> f64 {
        self.before + self.weights[self.weights.len() - 1] * count as f64
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

//! The Jacobian at a token measure: m distinct positions y_a with multiplicities N_a, at a cost that does not depend on
//! N_a.
//!
//! By permutation symmetry J splits (docs/theory.md section 3) into
//! 1. fields constant on each cluster: blocks sqrt(N_a/N_b) G_ab + delta_ab V O_a, with
//!    G_ab = V P_ab (I + (y_b - m_a) b_ab^T), P_ab = N_b e^(s_ab) / sum_c N_c e^(s_ac);
//! 2. fields that sum to zero inside a cluster of two tokens or more: V O_a.
//!
//! All of it is computed from ln N_a, so that N_a may be as large as f64 can hold.
//!
//! The same holds for attention with steps that do not know the tokens' positions: G_ab = B_ab with the weights and
//! slopes of all tokens of cluster b together.

use nalgebra::{DMatrix, DVector};

use super::dense_steps::StepsRows;
use crate::attention::{Centred, Forward, Kernel, Normalizer};
use crate::experiment::{Attention, Experiment, InputError, Scope};
use crate::extremum::maximum;
use crate::phrase;
use crate::weights::Weights;

/// The Jacobian at a token measure.
#[derive(Clone, Debug)]
pub struct ClusterJacobian {
    m: usize,
    d: usize,
    d_out: usize,
    ln_sizes: Vec<f64>,
    /// m d_out x m d: blocks G_ab, through the normaliser's Jacobian in scope `composed`.
    to_masses: DMatrix<f64>,
    /// V O_a of each cluster, d_out x d, through the normaliser's Jacobian in scope `composed`.
    own: Vec<DMatrix<f64>>,
    /// P_ab of each head, m x m, row a.
    masses: Vec<DMatrix<f64>>,
    /// f at a token of each cluster, d_out x m; only where steps were run.
    outputs: Option<DMatrix<f64>>,
    normalizer: Normalizer<f64>,
}

/// The most rows and columns of the matrix on cluster-constant fields: 4096^2 entries take 128 MiB.
pub const MOST_CLUSTER_ROWS: usize = 4096;

/// Norms that are sums over the entries of the full (n d_out x n d) Jacobian, computed from the clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterSums {
    /// Root of the sum of squares.
    pub frobenius: f64,
    /// Largest absolute row sum.
    pub linf: f64,
    /// Largest absolute column sum.
    pub l1: f64,
}

impl ClusterJacobian {
    /// The Jacobian at positions (those of the normaliser) with the logarithms of their multiplicities.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where scores leave the range of f64, [`InputError::TooLarge`] for too many positions.
    pub fn new(
        attention: Attention,
        normalizer: Normalizer<f64>,
        scope: Scope,
        weights: &Weights,
        ln_sizes: &[f64],
    ) -> Result<Self, InputError> {
        let (d, m) = normalizer.outputs().shape();
        let d_out = weights.d_out();
        check_size(m, d.max(d_out))?;
        if normalizer.outputs().iter().any(|x| !x.is_finite()) {
            return Err(InputError::Overflow { what: phrase!("tokens", "The tokens") });
        }
        let outputs = normalizer.outputs().clone();
        let centred = Centred::of(&outputs);
        let mut jacobian = ClusterJacobian {
            m,
            d,
            d_out,
            ln_sizes: ln_sizes.to_vec(),
            to_masses: DMatrix::zeros(m * d_out, m * d),
            own: vec![DMatrix::zeros(d_out, d); m],
            masses: Vec::new(),
            outputs: None,
            normalizer,
        };
        for (head, (value, out_start)) in weights.heads.iter().zip(weights.values_in_output()) {
            let kernel = Kernel::new(attention, head.q.nrows());
            jacobian.add_head(kernel, &centred, (&head.q, &head.k, &value), out_start)?;
        }
        if scope == Scope::Composed {
            jacobian.compose();
        }
        Ok(jacobian)
    }

    /// As [`ClusterJacobian::new`], for an experiment with steps; and the forward pass that it is made from.
    ///
    /// # Errors
    /// As [`ClusterJacobian::new`].
    pub(crate) fn with_steps(
        experiment: &Experiment,
        normalizer: Normalizer<f64>,
        weights: &Weights,
        ln_sizes: &[f64],
    ) -> Result<(Self, Forward<f64>), InputError> {
        let (d, m) = normalizer.outputs().shape();
        let d_out = weights.d_out();
        check_size(m, d.max(d_out))?;
        let forward = Forward::at_measure(experiment, weights, normalizer.clone(), ln_sizes)?;
        let is_elementwise = forward.steps.weigh.is_elementwise();
        let size = |b: usize| if is_elementwise { ln_sizes[b].exp() } else { 1.0 };
        let mut buffer = forward.row_buffer();
        let mut masses = vec![DMatrix::zeros(m, m); forward.n_heads()];
        for (head_idx, masses) in masses.iter_mut().enumerate() {
            for (map_idx, coefficient) in forward.maps_of(head_idx) {
                for a in 0..m {
                    let block = forward.rows_of_p(map_idx, a..a + 1, &mut buffer);
                    (0..m).for_each(|b| masses[(a, b)] += coefficient * size(b) * block.weights[b]);
                }
            }
        }
        let rows = StepsRows::new(&forward);
        let (mut to_masses, mut own) = (DMatrix::zeros(m * d_out, m * d), Vec::with_capacity(m));
        let mut outputs = DMatrix::zeros(d_out, m);
        for a in 0..m {
            let row = rows.split_row(&forward, a, &mut buffer, size);
            to_masses.rows_mut(a * d_out, d_out).copy_from(&row.mixed);
            outputs.set_column(a, &row.output);
            own.push(row.own);
        }
        if to_masses.iter().any(|x| !x.is_finite()) {
            return Err(InputError::Overflow { what: phrase!("entries_jacobian", "The entries of the Jacobian") });
        }
        let (ln_sizes, outputs) = (ln_sizes.to_vec(), Some(outputs));
        let mut jacobian = ClusterJacobian { m, d, d_out, ln_sizes, to_masses, own, masses, outputs, normalizer };
        if experiment.scope() == Scope::Composed {
            jacobian.compose();
        }
        Ok((jacobian, forward))
    }

    /// f at a token of each cluster, d_out x m, where steps were run.
    pub(crate) fn outputs(&self) -> Option<&DMatrix<f64>> {
        self.outputs.as_ref()
    }

    /// The normaliser at the positions.
    #[must_use]
    pub fn normalizer(&self) -> &Normalizer<f64> {
        &self.normalizer
    }

    /// P_ab of a head: the attention that a token of cluster a pays to all tokens of cluster b, m x m.
    #[must_use]
    pub fn masses(&self, head_idx: usize) -> &DMatrix<f64> {
        &self.masses[head_idx.min(self.masses.len() - 1)]
    }

    /// Natural logarithms of the multiplicities.
    #[must_use]
    pub fn ln_sizes(&self) -> &[f64] {
        &self.ln_sizes
    }

    /// The attention that one token of each cluster b receives from all tokens, c_b = sum_a N_a P_ab / N_b, in one
    /// head.
    #[must_use]
    pub fn column_sums(&self, head_idx: usize) -> Vec<f64> {
        let masses = self.masses(head_idx);
        (0..self.m)
            .map(|b| (0..self.m).map(|a| (self.ln_sizes[a] - self.ln_sizes[b]).exp() * masses[(a, b)]).sum())
            .collect()
    }

    /// Turns the Jacobian of F into that of x + F(x), for d_out = d: adds the identity to the own part of every
    /// cluster, and so to J on all fields.
    pub fn add_residual(&mut self) {
        for own in &mut self.own {
            *own += DMatrix::identity(self.d_out, self.d);
        }
    }

    /// The matrix of J on cluster-constant fields, in the basis of their normalised indicators: m d_out x m d.
    #[must_use]
    pub fn between(&self) -> DMatrix<f64> {
        let (d, d_out) = (self.d, self.d_out);
        let mut between = self.to_masses.clone();
        for a in 0..self.m {
            for b in 0..self.m {
                let stretch = (0.5 * (self.ln_sizes[a] - self.ln_sizes[b])).exp();
                let mut block = between.view_mut((a * d_out, b * d), (d_out, d));
                // Avoids 0 * infinity: an attention weight that underflowed counts as zero.
                block.apply(|x| *x = if *x == 0.0 { 0.0 } else { *x * stretch });
                if a == b {
                    block += &self.own[a];
                }
            }
        }
        between
    }

    /// V O_a, the action of J on fields that sum to zero inside cluster a; `None` for a cluster of one token.
    pub fn within(&self) -> impl Iterator<Item = Option<&DMatrix<f64>>> {
        self.own.iter().zip(&self.ln_sizes).map(|(own, ln)| has_two(*ln).then_some(own))
    }

    /// V O_a of every cluster, also those of one token: the mean-field limit, N -> infinity at fixed ratios.
    pub fn within_limit(&self) -> impl Iterator<Item = &DMatrix<f64>> {
        self.own.iter()
    }

    /// Frobenius, l_inf and l_1 norm of the Jacobian over all tokens; `between` is [`ClusterJacobian::between`].
    #[must_use]
    pub fn sums(&self, between: &DMatrix<f64>) -> ClusterSums {
        let (m, d, d_out) = (self.m, self.d, self.d_out);
        let size = |a: usize| self.ln_sizes[a].exp();
        let mut squares = between.norm_squared();
        for (a, own) in self.own.iter().enumerate() {
            squares += (size(a) - 1.0).max(0.0) * own.norm_squared();
        }
        let (mut linf, mut l1) = (0.0f64, 0.0f64);
        for a in 0..m {
            // The diagonal block of a token: V O_a is added to the block G_aa / N_a, which every pair inside the
            // cluster has.
            let diagonal = self.to_masses.view((a * d_out, a * d), (d_out, d)) / size(a);
            let extra = (&diagonal + &self.own[a]).abs() - diagonal.abs();
            for row in 0..d_out {
                let all: f64 = self.to_masses.row(a * d_out + row).iter().map(|x| x.abs()).sum();
                linf = maximum(linf, all + extra.row(row).sum());
            }
            for col in 0..d {
                let all: f64 = (0..m)
                    .map(|c| {
                        let share: f64 =
                            self.to_masses.view((c * d_out, a * d + col), (d_out, 1)).iter().map(|x| x.abs()).sum();
                        if share == 0.0 { 0.0 } else { (self.ln_sizes[c] - self.ln_sizes[a]).exp() * share }
                    })
                    .sum();
                l1 = maximum(l1, all + extra.column(col).sum());
            }
        }
        ClusterSums { frobenius: squares.sqrt(), linf, l1 }
    }

    fn add_head(
        &mut self,
        kernel: Kernel,
        centred: &Centred<'_, f64>,
        (q, k, value): (&DMatrix<f64>, &DMatrix<f64>, &DMatrix<f64>),
        out_start: usize,
    ) -> Result<(), InputError> {
        let (m, d, d_out, rows) = (self.m, self.d, self.d_out, value.nrows());
        let (queries, keys) = (centred.queries(kernel, q, k), k * centred.tokens());
        let values = value * centred.tokens();
        let mut masses = DMatrix::zeros(m, m);
        for a in 0..m {
            let scores: Vec<f64> = (0..m).map(|b| kernel.score(queries.column(a), keys.column(b))).collect();
            if scores.iter().any(|s| !s.is_finite()) {
                return Err(InputError::Overflow { what: phrase!("attention_scores", "The attention scores") });
            }
            let logs: Vec<f64> = scores.iter().zip(&self.ln_sizes).map(|(s, ln)| s + ln).collect();
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, maximum);
            let sum: f64 = logs.iter().map(|ln| (ln - largest).exp()).sum();
            let row: Vec<f64> = logs.iter().map(|ln| (ln - largest).exp() / sum).collect();
            let mut own_keys = DMatrix::zeros(rows, q.nrows());
            for (b, mass) in row.iter().enumerate() {
                masses[(a, b)] = *mass;
                // y_b - m_a as sum_c P_ac (y_b - y_c): the difference of nearly equal vectors would lose digits.
                let value_differences = differences(&values, &row, b);
                let gradient: DVector<f64> =
                    k.tr_mul(&queries.column(a).zip_map(&keys.column(b), |q, k| kernel.key_gradient(q, k)));
                let mut block = self.to_masses.view_mut((a * d_out + out_start, b * d), (rows, d));
                block += value * *mass;
                block.ger(*mass, &value_differences, &gradient, 1.0);
                own_keys.ger(*mass, &value_differences, &differences(&keys, &row, b), 1.0);
            }
            let own = own_keys * q * kernel.cross;
            let mut place = self.own[a].rows_mut(out_start, rows);
            place += own;
        }
        self.masses.push(masses);
        Ok(())
    }

    /// Multiplies by the normaliser's Jacobian, which is symmetric, block column by block column.
    fn compose(&mut self) {
        let mut transposed = self.to_masses.transpose();
        for mut row in transposed.column_iter_mut() {
            self.normalizer.apply_jacobian(row.as_mut_slice());
        }
        self.to_masses = transposed.transpose();
        for a in 0..self.m {
            // One block at a time among zeros, so that the normaliser's Jacobian at the matching token applies to it.
            let mut field = DMatrix::zeros(self.m * self.d, self.d_out);
            field.rows_mut(a * self.d, self.d).copy_from(&self.own[a].transpose());
            for mut column in field.column_iter_mut() {
                self.normalizer.apply_jacobian(column.as_mut_slice());
            }
            self.own[a] = field.rows(a * self.d, self.d).transpose();
        }
    }
}

/// Refuses a matrix on clusters that is too large.
fn check_size(m: usize, d: usize) -> Result<(), InputError> {
    if m * d > MOST_CLUSTER_ROWS {
        return Err(InputError::TooLarge {
            what: phrase!("number_distinct_positions_times", "The number of distinct positions times their dimension"),
            found: (m * d).to_string().into(),
            limit: MOST_CLUSTER_ROWS.to_string().into(),
            fix: phrase!("use_fewer_positions", "Use fewer positions."),
        });
    }
    Ok(())
}

/// Whether a cluster has two tokens or more; the tolerance absorbs the rounding of the logarithm.
fn has_two(ln_size: f64) -> bool {
    ln_size >= std::f64::consts::LN_2 - 1e-12
}

/// x_b - sum_c P_c x_c.
fn differences(columns: &DMatrix<f64>, row: &[f64], b: usize) -> DVector<f64> {
    let mut difference = DVector::zeros(columns.nrows());
    for (c, mass) in row.iter().enumerate() {
        if c != b && *mass > 0.0 {
            difference.zip_zip_apply(&columns.column(b), &columns.column(c), |x, at, other| *x += mass * (at - other));
        }
    }
    difference
}

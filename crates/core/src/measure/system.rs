//! The Jacobian of an experiment in its cheapest form: over tokens, over clusters or over causal runs.

use nalgebra::DMatrix;

use super::group::{Groups, clusters, runs};
use super::{MeasureOptions, Method};
use crate::attention::{Forward, Normalizer};
use crate::bounds::ln_sum;
use crate::cost::MOST_GATHERED;
use crate::experiment::{Attention, Experiment, InputError, Mask};
use crate::jacobian::{CausalRuns, ClusterJacobian, JacobianOperator, LinearOperator};
use crate::weights::{Inputs, Weights};

/// The Jacobian of an experiment.
#[derive(Clone, Debug)]
pub(crate) enum System {
    /// Every token is a row of its own.
    Tokens(Box<JacobianOperator<f64>>),
    /// Distinct positions with multiplicities, without a mask.
    Clusters(Box<Clusters>),
    /// Runs of equal tokens under the causal mask.
    Runs(Box<Runs>),
}

/// A token measure.
#[derive(Clone, Debug)]
pub(crate) struct Clusters {
    pub(crate) jacobian: ClusterJacobian,
    /// The forward pass at the positions, where attention is not that of plain dot products.
    pub(crate) forward: Option<Forward<f64>>,
    /// d x m.
    pub(crate) positions: DMatrix<f64>,
    /// For a list of tokens, the position of each.
    pub(crate) membership: Option<Vec<u32>>,
}

/// Runs of equal tokens.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub(crate) jacobian: CausalRuns,
    /// One token of each run, d x m.
    pub(crate) positions: DMatrix<f64>,
    pub(crate) lengths: Vec<usize>,
    /// The forward pass at the positions, where attention is not that of plain dot products.
    pub(crate) forward: Option<Forward<f64>>,
}

impl System {
    pub(crate) fn new(experiment: &Experiment, inputs: &Inputs, options: &MeasureOptions) -> Result<Self, InputError> {
        let weights = &inputs.weights;
        if let Some(ln_sizes) = &inputs.ln_multiplicities {
            let normalizer = normalizer_at(experiment, &inputs.tokens, &inputs.tokens)?;
            return System::clusters(experiment, weights, (inputs.tokens.clone(), normalizer), ln_sizes, None);
        }
        let (d, n) = inputs.tokens.shape();
        let size_of_token = d.max(weights.d_out());
        let side = n.saturating_mul(size_of_token);
        let may_group = options.may_group(side as u64) && experiment.is_plain();
        if side > options.svd_limit && may_group {
            match &experiment.mask {
                Mask::None => {
                    if let Some(Groups { positions, sizes, membership }) = clusters(&inputs.tokens)
                        && positions.ncols() * size_of_token <= options.svd_limit.max(MOST_GATHERED)
                    {
                        let ln_sizes: Vec<f64> = sizes.iter().map(|size| (*size as f64).ln()).collect();
                        let normalizer = normalizer_at(experiment, &positions, &inputs.tokens)?;
                        return System::clusters(
                            experiment,
                            weights,
                            (positions, normalizer),
                            &ln_sizes,
                            Some(membership),
                        );
                    }
                }
                Mask::Causal => {
                    if let Some(Groups { positions, sizes, .. }) = runs(&inputs.tokens) {
                        let normalizer = normalizer_at(experiment, &positions, &inputs.tokens)?;
                        let scope = experiment.scope();
                        let ln_sizes: Vec<f64> = sizes.iter().map(|size| (*size as f64).ln()).collect();
                        let forward = forward_of_other_rows(experiment, weights, &normalizer, &ln_sizes)?;
                        let jacobian = CausalRuns::new(experiment.attention, normalizer, scope, weights, &sizes)?;
                        return Ok(System::Runs(Box::new(Runs { jacobian, positions, lengths: sizes, forward })));
                    }
                }
                _ => {}
            }
        }
        let forward = Forward::new(experiment, inputs)?;
        Ok(System::Tokens(Box::new(JacobianOperator::new(forward))))
    }

    fn clusters(
        experiment: &Experiment,
        weights: &Weights,
        (positions, normalizer): (DMatrix<f64>, Normalizer<f64>),
        ln_sizes: &[f64],
        membership: Option<Vec<u32>>,
    ) -> Result<Self, InputError> {
        let scope = experiment.scope();
        let (jacobian, forward) = if experiment.is_plain() {
            let forward = forward_of_other_rows(experiment, weights, &normalizer, ln_sizes)?;
            (ClusterJacobian::new(experiment.attention, normalizer, scope, weights, ln_sizes)?, forward)
        } else {
            let (jacobian, forward) = ClusterJacobian::with_steps(experiment, normalizer, weights, ln_sizes)?;
            (jacobian, Some(forward))
        };
        Ok(System::Clusters(Box::new(Clusters { jacobian, forward, positions, membership })))
    }

    /// The normaliser, evaluated at the tokens or at the distinct tokens.
    pub(crate) fn normalizer(&self) -> &Normalizer<f64> {
        match self {
            System::Tokens(operator) => operator.forward().normalizer(),
            System::Clusters(clusters) => clusters.jacobian.normalizer(),
            System::Runs(runs) => runs.jacobian.normalizer(),
        }
    }

    /// The operator of an iteration; `None` for a token measure, whose norms need no iteration.
    pub(crate) fn operator(&mut self) -> Option<(&mut dyn LinearOperator<f64>, Method)> {
        match self {
            System::Tokens(operator) => Some((operator.as_mut(), Method::Lanczos)),
            System::Clusters(_) => None,
            System::Runs(runs) => Some((&mut runs.jacobian, Method::CausalRuns)),
        }
    }

    /// ln of the number of tokens.
    pub(crate) fn ln_n(&self) -> f64 {
        match self {
            System::Tokens(operator) => (operator.forward().n() as f64).ln(),
            System::Clusters(clusters) => ln_sum(clusters.jacobian.ln_sizes().iter().copied()),
            System::Runs(runs) => (runs.jacobian.n() as f64).ln(),
        }
    }

    /// The number of tokens; infinite above the range of f64.
    pub(crate) fn n(&self) -> f64 {
        match self {
            System::Tokens(operator) => operator.forward().n() as f64,
            System::Clusters(clusters) => match &clusters.membership {
                Some(membership) => membership.len() as f64,
                None => {
                    let n: f64 = clusters.jacobian.ln_sizes().iter().map(|ln| ln.exp()).sum();
                    // Below 2^53 the count is a whole number up to the rounding of its logarithm.
                    if n < 9e15 && (n - n.round()).abs() < 1e-6 * n { n.round() } else { n }
                }
            },
            System::Runs(runs) => runs.jacobian.n() as f64,
        }
    }
}

/// The forward pass at distinct tokens for the bounds there; `None` where those of plain dot products need none.
fn forward_of_other_rows(
    experiment: &Experiment,
    weights: &Weights,
    normalizer: &Normalizer<f64>,
    ln_sizes: &[f64],
) -> Result<Option<Forward<f64>>, InputError> {
    if experiment.attention == Attention::Dot && weights.have_ordinary_sizes(normalizer.outputs()) {
        return Ok(None);
    }
    Forward::at_measure(experiment, weights, normalizer.clone(), ln_sizes).map(Some)
}

/// The normaliser at the distinct tokens of a list. An error names a token without a derivative by its row in the whole
/// list.
fn normalizer_at(
    experiment: &Experiment,
    positions: &DMatrix<f64>,
    tokens: &DMatrix<f64>,
) -> Result<Normalizer<f64>, InputError> {
    let at = |tokens| Normalizer::new(experiment.normalization, experiment.eps, tokens);
    at(positions).or_else(|_| at(tokens))
}

/// A dense matrix as an operator.
#[derive(Clone, Debug)]
pub(crate) struct Matrix(pub(crate) DMatrix<f64>);

impl LinearOperator<f64> for Matrix {
    fn n_inputs(&self) -> usize {
        self.0.ncols()
    }

    fn n_outputs(&self) -> usize {
        self.0.nrows()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (column, x) in self.0.as_slice().chunks_exact(self.0.nrows().max(1)).zip(v) {
            out.iter_mut().zip(column).for_each(|(y, entry)| *y += entry * x);
        }
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        for (column, y) in self.0.as_slice().chunks_exact(self.0.nrows().max(1)).zip(out) {
            *y = column.iter().zip(u).map(|(entry, x)| entry * x).sum();
        }
    }
}

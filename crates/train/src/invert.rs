//! Runs a trained stack backwards, in f64, from the output of a branch to its input: X is the fixed point of X_{t+1} =
//! Y - branch(X_t).
//!
//! Where the branch is a contraction in the l_inf norm with constant c < 1, this converges for every Y, and |X_t - X|
//! falls by at least the factor c an iteration. Other branches are tried too: the iteration may converge, without a
//! guarantee.

use lipscope_core::experiment::InputError;
use lipscope_core::inverse::Outcome;
use nalgebra::DMatrix;

use super::branch::Branch;
use super::kind::Kind;
use super::stack::{Block, Stack};

/// Which part of the stack is run backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// From the last block's output to the embeddings; each branch starts from the result of the branch after it.
    Stack,
    /// Each attention branch by itself, from its true output; the first one leads to the embeddings.
    AttentionBranches,
}

/// One iteration. Both numbers are the largest absolute entry, the norm in which a contraction contracts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPointStep {
    /// t, from 0: X_0 = Y.
    pub iteration: usize,
    /// |X_t - X|, against the branch's true input.
    pub error: f64,
    /// |X_{t+1} - X_t|.
    pub residual: f64,
}

/// One branch run backwards.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchInversion {
    /// The block, counted from 0.
    pub layer: usize,
    /// `attention` or `mlp`.
    pub branch: &'static str,
    /// c, if the branch is a contraction.
    pub contraction: Option<f64>,
    /// Every iteration.
    pub steps: Vec<FixedPointStep>,
    /// How the iteration ended.
    pub outcome: Outcome,
}

/// A window of text run backwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Inversion {
    /// The branches in the order in which they were run backwards: the last one first.
    pub branches: Vec<BranchInversion>,
    /// The characters that went in.
    pub characters: Vec<u32>,
    /// The characters whose embedding plus position is nearest to the tokens found; `None` where an iteration that
    /// leads to the embeddings diverged.
    pub recovered: Option<Vec<u32>>,
    /// The largest absolute entry of the tokens found minus the embeddings; `None` where `recovered` is.
    pub error: Option<f64>,
}

/// The iteration has converged once the residual is below this many units of rounding of the tokens.
const CONVERGED_AT: f64 = 16.0;
/// The iteration has diverged once the residual exceeds the first one by this factor.
const DIVERGED_AT: f64 = 1e6;

/// Runs a window of at most T characters backwards, with a limit on the iterations of each branch.
///
/// # Errors
/// [`InputError::Overflow`] where the forward pass overflows.
pub fn invert(stack: &Stack, window: &[u32], extent: Extent, max_iterations: usize) -> Result<Inversion, InputError> {
    let states = stack.states(window)?;
    let mut branches = Vec::new();
    let mut current = Some(states[states.len() - 1].clone());
    let all: Vec<(usize, Branch<'_>)> = stack.blocks().iter().flat_map(Block::branches).enumerate().collect();
    for (place, branch) in all.into_iter().rev() {
        let target = match (extent, branch) {
            (Extent::AttentionBranches, Branch::Mlp(_)) => continue,
            (Extent::AttentionBranches, Branch::Attention(_)) => states[place + 1].clone(),
            (Extent::Stack, _) => match current.take() {
                Some(target) => target,
                None => break,
            },
        };
        let (found, inversion) = fixed_point(place / 2, &branch, &target, &states[place], max_iterations);
        branches.push(inversion);
        current = found;
    }
    let error = current.as_ref().map(|tokens| (tokens - &states[0]).amax());
    let recovered = current.map(|tokens| stack.nearest(&tokens));
    Ok(Inversion { branches, characters: window.to_vec(), recovered, error })
}

/// The tokens X with X + branch(X) = Y; `None` if the iteration diverged.
fn fixed_point(
    layer: usize,
    branch: &Branch<'_>,
    target: &DMatrix<f64>,
    truth: &DMatrix<f64>,
    max_iterations: usize,
) -> (Option<DMatrix<f64>>, BranchInversion) {
    let rounding = f64::EPSILON * target.amax().max(f64::MIN_POSITIVE);
    let mut current = target.clone();
    let mut steps: Vec<FixedPointStep> = Vec::new();
    let outcome = loop {
        // An iterate so large that its scores overflow has diverged.
        let Ok(added) = branch.apply(&current) else { break Outcome::Diverged };
        let next = target - added;
        let residual = (&next - &current).amax();
        steps.push(FixedPointStep { iteration: steps.len(), error: (&current - truth).amax(), residual });
        current = next;
        if !residual.is_finite() || residual > DIVERGED_AT * steps[0].residual.max(rounding) {
            break Outcome::Diverged;
        }
        if residual <= CONVERGED_AT * rounding {
            break Outcome::Converged;
        }
        if steps.len() >= max_iterations {
            break Outcome::Stalled;
        }
    };
    let found = (outcome != Outcome::Diverged).then_some(current);
    (found, BranchInversion { layer, branch: branch.id(), contraction: branch.contraction(), steps, outcome })
}

impl Extent {
    /// The part to run backwards for a kind: for `invertible` the whole stack, otherwise the attention branches.
    /// Convergence is guaranteed only for `invertible` and `contractive`.
    #[must_use]
    pub fn of(kind: Kind) -> Extent {
        if kind == Kind::Invertible { Extent::Stack } else { Extent::AttentionBranches }
    }
}

impl BranchInversion {
    /// The average factor by which the residual fell an iteration; `None` for fewer than two iterations, not counting
    /// the last one if it converged.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let residuals: Vec<f64> = self.steps.iter().map(|step| step.residual).filter(|r| r.is_finite()).collect();
        // If the iteration converged, its last residual is only rounding error.
        let counted =
            if self.outcome == Outcome::Converged { residuals.len().saturating_sub(1) } else { residuals.len() };
        let (first, last) = (residuals.first()?, *residuals.get(counted.checked_sub(1)?)?);
        (counted > 1 && *first > 0.0 && last > 0.0).then(|| (last / first).powf(1.0 / (counted - 1) as f64))
    }
}

impl Inversion {
    /// The number of recovered characters.
    #[must_use]
    pub fn n_recovered(&self) -> usize {
        let pairs = self.recovered.iter().flatten().zip(&self.characters);
        pairs.filter(|(found, sought)| found == sought).count()
    }
}

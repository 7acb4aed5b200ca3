//! The Jacobian of a map of a layer: steps one after another, each attention or the MLP, alone or with its residual
//! connection and its norms.
//!
//! With B the Jacobian of attention or of the MLP and N, T, L those of norms, a step is B, I + T B N (N before the branch
//! and T after it, each present or not) or L (I + B), and the steps multiply. Some families multiply B by a number. Where
//! attention and the MLP take the same tokens, a step is I + T B N + T' B' N'.

use std::ops::Range;

use super::attention_map::AttentionJacobian;
use super::mlp::MlpJacobian;
use super::token_norm::NormJacobian;
use crate::config::residual::Residual;
use lipscope_core::attention::{Forward, Scalar};
use lipscope_core::experiment::InputError;
use lipscope_core::jacobian::LinearOperator;

/// The Jacobian of a map at given tokens, as products with vectors.
#[derive(Clone, Debug)]
pub struct MapJacobian<T: Scalar> {
    /// From the map's input to its output; one at least.
    steps: Vec<StepJacobian<T>>,
    n_inputs: usize,
    n_outputs: usize,
    /// Buffer for the vector between two steps, d n numbers; empty for attention alone.
    between: Vec<T>,
    /// Buffers for vectors inside a step, d n numbers each; empty for attention alone.
    inside: [Vec<T>; 2],
}

/// The Jacobian of one step.
#[derive(Clone, Debug)]
pub(crate) struct StepJacobian<T: Scalar> {
    pub(crate) branch: BranchJacobian<T>,
    /// The norms of the residual connection, if the step has one.
    pub(crate) residual: Option<Residual<NormJacobian<T>>>,
    /// A branch of the same tokens that is added too.
    pub(crate) beside: Option<(BranchJacobian<T>, Residual<NormJacobian<T>>)>,
    /// What the branch's output is multiplied by before it is added.
    pub(crate) factor: T,
}

/// The Jacobian of attention or of the MLP.
#[derive(Clone, Debug)]
pub(crate) enum BranchJacobian<T: Scalar> {
    Attention(Box<AttentionJacobian<T>>),
    Mlp(MlpJacobian<T>),
}

impl<T: Scalar> MapJacobian<T> {
    pub(crate) fn new(mut steps: Vec<StepJacobian<T>>) -> Self {
        let n_inputs = steps.first_mut().map_or(0, |step| step.branch.operator().n_inputs());
        let n_outputs = steps.last_mut().map_or(0, |step| step.branch.operator().n_outputs());
        let is_bare = steps.iter().all(|step| step.residual.is_none());
        let zeros = || vec![T::constant(0.0); if is_bare { 0 } else { n_inputs }];
        MapJacobian { steps, n_inputs, n_outputs, between: zeros(), inside: [zeros(), zeros()] }
    }

    /// The forward pass of the attention of the map's last layer, or `None` for a map without attention.
    #[must_use]
    pub fn attention(&self) -> Option<&Forward<T>> {
        self.steps.iter().rev().find_map(|step| match &step.branch {
            BranchJacobian::Attention(attention) => Some(attention.operator.forward()),
            BranchJacobian::Mlp(_) => None,
        })
    }
}

impl MapJacobian<f64> {
    /// The forward pass of a map that is attention alone.
    pub(crate) fn attention_alone(&self) -> Option<&Forward<f64>> {
        match &self.steps[..] {
            [StepJacobian { branch: BranchJacobian::Attention(attention), residual: None, .. }] => {
                Some(attention.operator.forward())
            }
            _ => None,
        }
    }

    /// The forward pass of the attention of the map's last layer, and those of its heads that the map includes; `None` for a
    /// map without attention.
    pub(crate) fn heads(&self) -> Option<(&Forward<f64>, Range<usize>)> {
        self.steps.iter().rev().find_map(|step| match &step.branch {
            BranchJacobian::Attention(attention) => Some((attention.operator.forward(), attention.heads())),
            BranchJacobian::Mlp(_) => None,
        })
    }

    /// The same Jacobian in f32: seven digits in half the time.
    ///
    /// # Errors
    /// [`InputError::Overflow`] if numbers overflow in f32.
    pub(crate) fn single(&self) -> Result<MapJacobian<f32>, InputError> {
        let step = |step: &StepJacobian<f64>| {
            let norms = |norms: &Residual<NormJacobian<f64>>| norms.clone().map(|norm| norm.single());
            let beside = match &step.beside {
                Some((branch, residual)) => Some((branch.single()?, norms(residual))),
                None => None,
            };
            let residual = step.residual.as_ref().map(norms);
            Ok(StepJacobian { branch: step.branch.single()?, residual, beside, factor: step.factor as f32 })
        };
        Ok(MapJacobian::new(self.steps.iter().map(step).collect::<Result<_, InputError>>()?))
    }
}

impl<T: Scalar> LinearOperator<T> for MapJacobian<T> {
    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        let Some((first, rest)) = self.steps.split_first_mut() else { return };
        first.apply(v, out, &mut self.inside);
        for step in rest {
            self.between.copy_from_slice(out);
            step.apply(&self.between, out, &mut self.inside);
        }
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        let Some((last, rest)) = self.steps.split_last_mut() else { return };
        last.apply_transpose(u, out, &mut self.inside);
        for step in rest.iter_mut().rev() {
            self.between.copy_from_slice(out);
            step.apply_transpose(&self.between, out, &mut self.inside);
        }
    }
}

impl<T: Scalar> StepJacobian<T> {
    fn apply(&mut self, v: &[T], out: &mut [T], [inside, aside]: &mut [Vec<T>; 2]) {
        let branch = self.branch.operator();
        match &self.residual {
            None => branch.apply(v, out),
            Some(Residual::Branch { before, after }) => {
                inside.copy_from_slice(v);
                before.iter().for_each(|norm| norm.apply(inside));
                branch.apply(inside, out);
                after.iter().for_each(|norm| norm.apply(out));
                scale(out, self.factor);
                add(out, v);
            }
            Some(Residual::Sum(norm)) => {
                branch.apply(v, out);
                scale(out, self.factor);
                add(out, v);
                norm.apply(out);
            }
        }
        if let Some((branch, norms)) = &mut self.beside {
            inside.copy_from_slice(v);
            norms.before_branch().into_iter().for_each(|norm| norm.apply(inside));
            branch.operator().apply(inside, aside);
            norms.after_branch().into_iter().for_each(|norm| norm.apply(aside));
            scale(aside, self.factor);
            add(out, aside);
        }
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T], [inside, aside]: &mut [Vec<T>; 2]) {
        let branch = self.branch.operator();
        match &self.residual {
            None => branch.apply_transpose(u, out),
            Some(Residual::Branch { before, after }) => {
                inside.copy_from_slice(u);
                after.iter().for_each(|norm| norm.apply_transpose(inside));
                branch.apply_transpose(inside, out);
                before.iter().for_each(|norm| norm.apply_transpose(out));
                scale(out, self.factor);
                add(out, u);
            }
            Some(Residual::Sum(norm)) => {
                inside.copy_from_slice(u);
                norm.apply_transpose(inside);
                branch.apply_transpose(inside, out);
                scale(out, self.factor);
                add(out, inside);
            }
        }
        if let Some((branch, norms)) = &mut self.beside {
            inside.copy_from_slice(u);
            norms.after_branch().into_iter().for_each(|norm| norm.apply_transpose(inside));
            branch.operator().apply_transpose(inside, aside);
            norms.before_branch().into_iter().for_each(|norm| norm.apply_transpose(aside));
            scale(aside, self.factor);
            add(out, aside);
        }
    }
}

impl BranchJacobian<f64> {
    /// The same Jacobian in f32.
    fn single(&self) -> Result<BranchJacobian<f32>, InputError> {
        Ok(match self {
            BranchJacobian::Attention(attention) => BranchJacobian::Attention(Box::new(attention.single()?)),
            BranchJacobian::Mlp(mlp) => BranchJacobian::Mlp(mlp.single()),
        })
    }
}

impl<T: Scalar> BranchJacobian<T> {
    fn operator(&mut self) -> &mut dyn LinearOperator<T> {
        match self {
            BranchJacobian::Attention(attention) => &mut attention.operator,
            BranchJacobian::Mlp(mlp) => mlp,
        }
    }
}

fn scale<T: Scalar>(out: &mut [T], factor: T) {
    if factor != T::constant(1.0) {
        out.iter_mut().for_each(|x| *x *= factor);
    }
}

fn add<T: Scalar>(out: &mut [T], x: &[T]) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out += *x);
}

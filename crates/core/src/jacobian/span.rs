//! The Jacobian on the span of its projections: docs/numerics.md, "On the span of the projections".
//!
//! Attention reads tokens only through the p rows S of all Q, K and V, so J = M (I x S), where M is the derivative by
//! the projections and x the Kronecker product. With p < d and S = F Z^T, where Z (d x p) has orthonormal columns, the
//! map M (I x F) on n p numbers has the singular values of J that are not zero, with the same left vectors. I x Z takes
//! its right vectors to those of J.

use nalgebra::{DMatrix, DVector};

use super::operator::{JacobianOperator, LinearOperator};
use crate::attention::{Accumulate, Forward, Scalar, View, multiply_tokens};
use crate::experiment::Scope;
use crate::qr::thin_qr;

/// The span of the rows of all Q, K and V, where it has fewer dimensions than a token.
#[derive(Clone, Debug)]
pub struct ProjectionSpan<T: Scalar> {
    /// Z, d x p, orthonormal columns.
    basis: DMatrix<T>,
    /// F = S Z, p x p.
    factor: DMatrix<T>,
}

impl ProjectionSpan<f64> {
    /// The span at a forward pass; `None` where the span is not smaller, and where the Jacobian includes a normaliser,
    /// which mixes all dimensions of a token.
    #[must_use]
    pub fn of(forward: &Forward<f64>) -> Option<Self> {
        let (p, d) = forward.stacked.shape();
        if p >= d || forward.scope == Scope::Composed {
            return None;
        }
        let (basis, triangle) = thin_qr(forward.stacked.rows(&(0..p)).transpose());
        Some(ProjectionSpan { basis, factor: triangle.transpose() })
    }

    /// The coordinates of a token on the span: Z^T x.
    #[must_use]
    pub fn coordinates(&self, token: &DVector<f64>) -> DVector<f64> {
        self.basis.tr_mul(token)
    }

    /// The same span in f32.
    #[must_use]
    pub fn single(&self) -> ProjectionSpan<f32> {
        ProjectionSpan { basis: self.basis.map(|x| x as f32), factor: self.factor.map(|x| x as f32) }
    }
}

impl<T: Scalar> ProjectionSpan<T> {
    /// The Jacobian on the span.
    #[must_use]
    pub fn operator<'a>(&'a self, jacobian: &'a mut JacobianOperator<T>) -> SpanOperator<'a, T> {
        SpanOperator { span: self, jacobian }
    }

    /// A field on the span (n p numbers) as a field of tokens (n d numbers), with the same norm.
    #[must_use]
    pub fn to_tokens(&self, field: &[T]) -> Vec<T> {
        let (d, p) = self.basis.shape();
        let n = field.len() / p.max(1);
        let mut tokens = vec![T::constant(0.0); n * d];
        let basis = View::new(self.basis.as_slice(), d, p);
        multiply_tokens(&mut tokens, Accumulate::Replace, basis, field, n);
        tokens
    }

    fn view(&self) -> View<'_, T> {
        View::new(self.factor.as_slice(), self.factor.nrows(), self.factor.ncols())
    }
}

/// The Jacobian as a map from fields on the span, p numbers for each token.
#[derive(Debug)]
pub struct SpanOperator<'a, T: Scalar> {
    span: &'a ProjectionSpan<T>,
    jacobian: &'a mut JacobianOperator<T>,
}

impl<T: Scalar> LinearOperator<T> for SpanOperator<'_, T> {
    fn n_inputs(&self) -> usize {
        self.jacobian.forward().n() * self.span.factor.ncols()
    }

    fn n_outputs(&self) -> usize {
        self.jacobian.n_outputs()
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        let n = self.jacobian.forward().n();
        self.jacobian.apply_through(
            |_, projections| {
                multiply_tokens(projections, Accumulate::Replace, self.span.view(), v, n);
            },
            out,
        );
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        let n = self.jacobian.forward().n();
        let projections = self.jacobian.pull_back_to_projections(u);
        multiply_tokens(out, Accumulate::Replace, self.span.view().transpose(), projections, n);
    }
}

//! Where a residual connection has its norms: x + T B(N x), or L(x + B x), with B attention or the MLP.

use std::convert::Infallible;

/// The norms of a residual connection, by name, by weights or as Jacobians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Residual<N> {
    /// L(x + B x): the sum is normalised (BERT).
    Sum(N),
    /// x + T B(N x): the branch is normalised before (GPT-2, Llama), after (OLMo 2), both (Gemma 2) or not at all.
    Branch {
        /// N.
        before: Option<N>,
        /// T.
        after: Option<N>,
    },
}

impl<N> Residual<N> {
    /// x + B(N x).
    pub(crate) const fn before(norm: N) -> Self
    where
        N: Copy,
    {
        Residual::Branch { before: Some(norm), after: None }
    }

    /// The norm before the branch.
    pub(crate) fn before_branch(&self) -> Option<&N> {
        match self {
            Residual::Branch { before, .. } => before.as_ref(),
            Residual::Sum(_) => None,
        }
    }

    /// The norm of the sum.
    pub(crate) fn after_sum(&self) -> Option<&N> {
        match self {
            Residual::Sum(norm) => Some(norm),
            Residual::Branch { .. } => None,
        }
    }

    /// The norm after the branch.
    pub(crate) fn after_branch(&self) -> Option<&N> {
        match self {
            Residual::Branch { after, .. } => after.as_ref(),
            Residual::Sum(_) => None,
        }
    }

    /// Its norms.
    pub fn norms(&self) -> impl Iterator<Item = &N> {
        let norms = match self {
            Residual::Sum(norm) => [Some(norm), None],
            Residual::Branch { before, after } => [before.as_ref(), after.as_ref()],
        };
        norms.into_iter().flatten()
    }

    /// The same places with other contents.
    pub(crate) fn map<M>(self, mut convert: impl FnMut(N) -> M) -> Residual<M> {
        let Ok(mapped) = self.try_map(|norm| Ok::<M, Infallible>(convert(norm)));
        mapped
    }

    /// The same places with other contents.
    ///
    /// # Errors
    /// The first of `convert`.
    pub(crate) fn try_map<M, E>(self, mut convert: impl FnMut(N) -> Result<M, E>) -> Result<Residual<M>, E> {
        Ok(match self {
            Residual::Sum(norm) => Residual::Sum(convert(norm)?),
            Residual::Branch { before, after } => Residual::Branch {
                before: before.map(&mut convert).transpose()?,
                after: after.map(convert).transpose()?,
            },
        })
    }
}

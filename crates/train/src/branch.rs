//! The two branches of a block in f64: x -> x + branch(x). Tokens are columns (d x n), as in `lipscope-core`.

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Attention, InputError, Steps};
use lipscope_core::weights::Weights;
use nalgebra::{DMatrix, DVector};

use super::network::EPS;

/// Attention with the layer norm before it, where there is one, and the factor c/Lambda of a contraction.
#[derive(Clone, Debug)]
pub struct AttentionBranch {
    pub(crate) norm: Option<LayerNorm>,
    pub(crate) kernel: Attention,
    pub(crate) steps: Steps,
    pub(crate) weights: Weights,
    /// c/Lambda of a contraction, otherwise 1.
    pub(crate) factor: f64,
    /// c, if the branch is a contraction in the l_inf norm.
    pub(crate) contraction: Option<f64>,
}

/// x -> factor (W_2 gelu(W_1 norm x + b_1) + b_2).
#[derive(Clone, Debug)]
pub struct MlpBranch {
    pub(crate) norm: Option<LayerNorm>,
    /// inner x d.
    pub(crate) up: DMatrix<f64>,
    pub(crate) up_bias: DVector<f64>,
    /// d x inner.
    pub(crate) down: DMatrix<f64>,
    pub(crate) down_bias: DVector<f64>,
    /// c/Lambda_M of a contraction, otherwise 1.
    pub(crate) factor: f64,
    /// c, if the branch is a contraction in the l_inf norm.
    pub(crate) contraction: Option<f64>,
}

/// One of the two branches.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Branch<'a> {
    /// Attention.
    Attention(&'a AttentionBranch),
    /// The MLP.
    Mlp(&'a MlpBranch),
}

impl AttentionBranch {
    /// The tokens that attention sees, d x n.
    #[must_use]
    pub fn inputs(&self, tokens: &DMatrix<f64>) -> DMatrix<f64> {
        normed(self.norm.as_ref(), tokens)
    }

    /// The forward pass of attention at tokens that are already normalised, without the branch's factor.
    ///
    /// # Errors
    /// [`InputError::Overflow`] where tokens or scores overflow.
    pub fn forward(&self, inputs: &DMatrix<f64>) -> Result<Forward<f64>, InputError> {
        Forward::with_steps(self.kernel, &self.steps, &self.weights, inputs)
    }

    /// The branch's output, which is added to the tokens (d x n).
    ///
    /// # Errors
    /// As [`AttentionBranch::forward`].
    pub fn apply(&self, tokens: &DMatrix<f64>) -> Result<DMatrix<f64>, InputError> {
        Ok(self.forward(&self.inputs(tokens))?.output() * self.factor)
    }

    /// The heads and the output matrix.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// c/Lambda of a contraction, otherwise 1.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }
}

impl MlpBranch {
    /// The output of the MLP, which is added to the tokens (d x n).
    #[must_use]
    pub fn apply(&self, tokens: &DMatrix<f64>) -> DMatrix<f64> {
        let mut inner = &self.up * normed(self.norm.as_ref(), tokens);
        for mut column in inner.column_iter_mut() {
            column += &self.up_bias;
        }
        inner.apply(|x| *x *= 0.5 * (1.0 + libm::erf(*x * std::f64::consts::FRAC_1_SQRT_2)));
        let mut out = &self.down * inner;
        for mut column in out.column_iter_mut() {
            column += &self.down_bias;
        }
        out * self.factor
    }
}

impl Branch<'_> {
    /// The output of the branch, which is added to tokens (d x n).
    ///
    /// # Errors
    /// [`InputError::Overflow`] where tokens or scores overflow.
    pub fn apply(&self, tokens: &DMatrix<f64>) -> Result<DMatrix<f64>, InputError> {
        match self {
            Branch::Attention(branch) => branch.apply(tokens),
            Branch::Mlp(branch) => Ok(branch.apply(tokens)),
        }
    }

    /// c, if the branch is a contraction in the l_inf norm.
    #[must_use]
    pub fn contraction(&self) -> Option<f64> {
        match self {
            Branch::Attention(branch) => branch.contraction,
            Branch::Mlp(branch) => branch.contraction,
        }
    }

    /// Its name in tables.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.into()
    }
}

/// Layer norm with scale and shift: (x - mean)/sqrt(var + eps) scale + shift, over the entries of a token.
#[derive(Clone, Debug)]
pub(crate) struct LayerNorm {
    pub(crate) scale: DVector<f64>,
    pub(crate) shift: DVector<f64>,
}

impl LayerNorm {
    /// Normalises tokens, d x n with a token in each column.
    pub(crate) fn apply(&self, tokens: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = tokens.clone();
        for mut token in out.column_iter_mut() {
            let mean = token.mean();
            token.add_scalar_mut(-mean);
            let deviation = (token.norm_squared() / token.len() as f64 + EPS).sqrt();
            token /= deviation;
            token.component_mul_assign(&self.scale);
            token += &self.shift;
        }
        out
    }
}

fn normed(norm: Option<&LayerNorm>, tokens: &DMatrix<f64>) -> DMatrix<f64> {
    norm.map_or_else(|| tokens.clone(), |norm| norm.apply(tokens))
}

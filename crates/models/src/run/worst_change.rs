//! The small change of a window's tokens that its map magnifies most, and how much of it each token bears.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::norm::{NormIteration, NormStep};
use crate::parts::jacobian::MapJacobian;
use crate::parts::layer_map::LayerMap;
use crate::results::estimate::SpectralNorm;
use lipscope_core::experiment::{InputError, Order};
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;

/// The leading right singular vector of a map's Jacobian, token by token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstChange {
    /// ||J||_2, with the residual of the vector.
    pub norm: SpectralNorm,
    /// |v_j| of each token; the squares sum to 1.
    pub tokens: Vec<f64>,
}

/// The search for it, on its way.
#[derive(Debug)]
pub struct WorstChanging {
    jacobian: MapJacobian<f64>,
    norm: NormIteration,
    d: usize,
}

/// What one step of a [`WorstChanging`] finds.
#[derive(Debug)]
pub enum WorstChangeStep {
    /// Steps of the iteration so far, and its relative residual.
    Going(usize, f64),
    /// The change.
    Done(WorstChange),
}

impl WorstChanging {
    /// Begins at the tokens (d x n) of a map.
    ///
    /// # Errors
    /// [`InputError`] if numbers overflow or there are too many tokens.
    pub fn new(
        map: &LayerMap,
        tokens: &DMatrix<f64>,
        mask: Order,
        options: LanczosOptions,
    ) -> Result<Self, InputError> {
        let jacobian = map.at(tokens, mask)?.jacobian;
        let norm = NormIteration::new(map, &jacobian, (options, UpperNumber::Skipped))?;
        Ok(WorstChanging { jacobian, norm, d: tokens.nrows() })
    }

    /// Does one step of the iteration.
    pub fn step(&mut self) -> WorstChangeStep {
        match self.norm.step(&mut self.jacobian) {
            NormStep::Going(iterations, residual) => WorstChangeStep::Going(iterations, residual),
            NormStep::Done(triplet, _) => {
                let of_token = |token: &[f64]| token.iter().map(|x| x * x).sum::<f64>().sqrt();
                let tokens = triplet.right.chunks(self.d.max(1)).map(of_token).collect();
                WorstChangeStep::Done(WorstChange { norm: SpectralNorm::of(&triplet), tokens })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heads, MapKind, ModelConfig, Needs, draw_model};
    use lipscope_core::jacobian::LinearOperator;

    #[test]
    fn the_shares_are_those_of_the_dense_jacobians_leading_vector() {
        let config = ModelConfig::gpt2().resized(8, 2, 2).expect("fits");
        let needs = Needs { layers: 2, mlps: 2, ids: (0..5).collect(), positions: 5 };
        let model = draw_model(config, &needs, 3).expect("small");
        let tokens = DMatrix::from_fn(8, 5, |row, column| ((3 * row + 5 * column) as f64).sin());
        for kind in [MapKind::WithOutput, MapKind::Block] {
            let map = LayerMap::new(&model, 1, kind, Heads::All).expect("a map");
            let options = LanczosOptions { tolerance: 1e-9, ..LanczosOptions::default() };
            let mut changing = WorstChanging::new(&map, &tokens, Order::Causal, options).expect("begun");
            let found = loop {
                if let WorstChangeStep::Done(found) = changing.step() {
                    break found;
                }
            };
            let mut jacobian = map.at(&tokens, Order::Causal).expect("tokens").jacobian;
            let mut dense = DMatrix::zeros(jacobian.n_outputs(), jacobian.n_inputs());
            for column in 0..dense.ncols() {
                let unit: Vec<f64> = (0..dense.ncols()).map(|at| f64::from(u8::from(at == column))).collect();
                jacobian.apply(&unit, dense.column_mut(column).as_mut_slice());
            }
            let svd = dense.svd(false, true);
            let (norm, right) = (svd.singular_values[0], svd.v_t.expect("asked for").row(0).into_owned());
            assert!((found.norm.value / norm - 1.0).abs() < 1e-9, "{kind:?}");
            for (token, share) in found.tokens.iter().enumerate() {
                let expected = right.columns(8 * token, 8).norm();
                assert!((share - expected).abs() < 1e-6, "{kind:?}, token {token}: {share} {expected}");
            }
        }
    }
}

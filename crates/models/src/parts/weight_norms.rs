//! The norms of a head's weights: ||A_h||_2 and ||O_h V_h||_2.

use super::model::Model;
use crate::config::map_kind::Heads;
use lipscope_core::attention::HeadSizes;
use lipscope_core::experiment::InputError;
use lipscope_core::spectral::norm_of_product;
use nalgebra::DMatrix;

/// The norms of the weights of a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightNorms {
    /// ||A_h||_2, A_h = K_h^T Q_h times the scale of the scores, before a rotation. `None` where queries and keys are
    /// normalised: the scores are then not those of A_h.
    pub(crate) a: Option<f64>,
    /// ||O_h V_h||_2.
    pub(crate) vo: f64,
}

impl WeightNorms {
    /// Those of some heads of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head.
    pub(crate) fn of_heads(model: &Model, layer: usize, heads: Heads) -> Result<Vec<Self>, InputError> {
        let k = model.config.head_dim;
        let columns = super::attention_map::columns(model, heads)?;
        columns.step_by(k).map(|first| WeightNorms::of_head(model, layer, first / k)).collect()
    }

    fn of_head(model: &Model, layer: usize, head: usize) -> Result<Self, InputError> {
        let part = &model.block(layer)?.attention;
        let sizes = model.config.head_sizes();
        let HeadSizes { k, .. } = sizes;
        let rows = |weight: &DMatrix<f32>, head: usize| weight.rows(head * k, k).map(f64::from);
        let group = sizes.group(head);
        let output = part.output.weight.columns(head * k, k).map(f64::from).transpose();
        let a = || {
            model.config.score_factor(layer)
                * norm_of_product(&rows(&part.key.weight, group), &rows(&part.query.weight, head))
        };
        Ok(WeightNorms {
            a: (!model.config.has_qk_norm()).then(a),
            vo: norm_of_product(&output, &rows(&part.value.weight, group)),
        })
    }
}

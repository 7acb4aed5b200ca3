//! A window's attention as an experiment: its tokens, and the weights of the layer's map.
//!
//! Experiments have no biases. In q_i = Q x_i + b_Q etc., b_K adds a constant to each row of scores, which softmax
//! cancels, and b_V and b_O add a constant to the output; the Jacobian depends on none of them. The Jacobian does
//! depend on b_Q, which adds b_Q.K x_j to the scores; for L2 attention it depends on b_K too.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::config::map_kind::MapKind;
use crate::parts::attention_map::columns;
use crate::parts::model::{Linear, Model};
use crate::results::table::Cell;
use lipscope_core::experiment::{Attention, Experiment, Head, InputError, Rows, TokenSource, WeightSource};
use lipscope_core::phrase;

/// The biases that are lost in the conversion to an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftOut {
    /// None: all biases are zero.
    Nothing,
    /// Only biases on which the Jacobian does not depend.
    Constants,
    /// Also b_Q, or in L2 attention b_Q or b_K, on which the Jacobian depends.
    ScoreBias,
}

/// A window converted to an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowExperiment {
    /// Tokens and weights.
    pub experiment: Experiment,
    /// The biases that were left out.
    pub left_out: LeftOut,
}

/// Converts a cell to an experiment, given the tokens (d x n) at the input of its layer's attention.
///
/// # Errors
/// [`InputError`] if the map is more than attention, attention has steps beside softmax of plain scores, the model has no
/// such layer or head, or numbers are not finite.
pub fn window_experiment(
    model: &Model,
    plan: &Plan,
    cell: &Cell,
    tokens: &DMatrix<f64>,
) -> Result<WindowExperiment, InputError> {
    if !plan.kind.is_attention_alone() {
        return Err(InputError::Conflict {
            what: phrase!("map_named", "The map {map}", map = plan.kind.id()),
            problem: phrase!(
                "no_experiment_of_map",
                "is no experiment: an experiment has neither a residual connection nor an MLP"
            ),
            fix: phrase!(
                "measure_map_attention",
                "Measure the map {before} or {after}, and open its window.",
                before = MapKind::Attention.id(),
                after = MapKind::WithOutput.id()
            ),
        });
    }
    if !model.config.has_plain_attention() {
        return Err(InputError::Conflict {
            what: phrase!("window_as_experiment", "A window of this model as an experiment"),
            problem: phrase!(
                "no_experiment_of_steps",
                "would be other attention: the model's has rotary positions, shared keys, norms of queries or a window"
            ),
            fix: phrase!("measure_windows_of_text", "Measure windows of a text."),
        });
    }
    let part = &model.block(cell.layer)?.attention;
    let (d, k) = (model.config.d, model.config.head_dim);
    let columns = columns(model, cell.heads)?;
    // An experiment divides its scores by sqrt(k); `query_factor` corrects a model that divides differently.
    let scaled = model.config.query_factor(cell.layer);
    let rows_of = |what: &str, linear: &Linear, first: usize, factor: f64| {
        let of_head = linear.weight.rows(first, k).map(|x| f64::from(x) * factor);
        Rows::new(what, d, of_head.transpose().as_slice().to_vec())
    };
    let heads = columns
        .clone()
        .step_by(k)
        .map(|first| {
            Ok(Head {
                q: rows_of("Q", &part.query, first, scaled)?,
                k: rows_of("K", &part.key, first, 1.0)?,
                v: rows_of("V", &part.value, first, 1.0)?,
                second: None,
            })
        })
        .collect::<Result<Vec<Head>, InputError>>()?;
    let output = match plan.kind {
        MapKind::Attention => None,
        _ => {
            let of_heads = part.output.weight.columns(columns.start, columns.len());
            let entries = of_heads.row_iter().flat_map(|row| row.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
            Some(Rows::new(phrase!("output_matrix", "the output matrix"), columns.len(), entries.collect())?)
        }
    };
    let has_bias = |bias: &[f32]| bias.iter().any(|x| *x != 0.0);
    let of_scores =
        if model.config.attention == Attention::L2 { &[&part.query, &part.key][..] } else { &[&part.query] };
    let left_out = if of_scores.iter().any(|linear| has_bias(&linear.bias[columns.clone()])) {
        LeftOut::ScoreBias
    } else if [&part.key, &part.value].iter().any(|linear| has_bias(&linear.bias[columns.clone()]))
        || (plan.kind == MapKind::WithOutput && has_bias(&part.output.bias))
    {
        LeftOut::Constants
    } else {
        LeftOut::Nothing
    };
    // A column of `tokens` is a row of the list.
    let rows = Rows::new(phrase!("tokens_inside", "the tokens"), d, tokens.as_slice().to_vec())?;
    let weights = WeightSource::Explicit { heads, shared: Vec::new(), output };
    let experiment = Experiment {
        attention: model.config.attention,
        mask: plan.mask.mask(),
        eps: model.config.eps,
        ..Experiment::of(TokenSource::Explicit(rows), weights)
    };
    Ok(WindowExperiment { experiment, left_out })
}

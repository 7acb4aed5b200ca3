//! The weights as tensors of burn, for one forward pass.

use std::collections::BTreeMap;

use burn_tensor::{DType, Device, Int, Tensor, TensorData};

use super::number::Number;
use super::parameters::{Parameters, in_block};
use super::plan::Plan;

/// The plan of a network, and its weights by name.
pub(crate) struct Tensors<'a> {
    pub(crate) plan: &'a Plan,
    device: Device,
    dtype: DType,
    matrices: BTreeMap<&'a str, Tensor<2>>,
}

/// Whether a forward pass is recorded for its gradients.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Gradients,
    Nothing,
}

impl<'a> Tensors<'a> {
    pub(crate) fn new<E: Number>(plan: &'a Plan, parameters: &'a Parameters<E>, record: Record) -> Self {
        let device = match record {
            Record::Gradients => Device::flex().autodiff(),
            Record::Nothing => Device::flex(),
        };
        let matrices = parameters.iter().map(|parameter| {
            let data = E::data(parameter.values.clone(), &[parameter.rows, parameter.columns]);
            let tensor = Tensor::<2>::from_data(data, (&device, E::DTYPE));
            (parameter.name.as_str(), if record == Record::Gradients { tensor.require_grad() } else { tensor })
        });
        Tensors { plan, dtype: E::DTYPE, matrices: matrices.collect(), device }
    }

    /// The matrix of that name.
    ///
    /// # Panics
    /// If the network has no such matrix. This cannot happen: weights and forward pass are built from one plan.
    pub(crate) fn matrix(&self, name: &str) -> &Tensor<2> {
        self.matrices.get(name).unwrap_or_else(|| panic!("the network has no matrix {name}"))
    }

    /// The matrix of a block.
    ///
    /// # Panics
    /// As [`Tensors::matrix`].
    pub(crate) fn of_block(&self, block: usize, part: &str) -> &Tensor<2> {
        self.matrix(&in_block(block, part))
    }

    /// Constants as a tensor of the network's kind of numbers.
    pub(crate) fn numbers(&self, values: &[f64], shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), (&self.device, self.dtype))
    }

    /// Ids as a tensor.
    pub(crate) fn indices(&self, ids: &[u32]) -> Tensor<1, Int> {
        let ids: Vec<i64> = ids.iter().map(|id| i64::from(*id)).collect();
        let len = ids.len();
        Tensor::from_data(TensorData::new(ids, [len]), &self.device)
    }
}

//! Matrix products of tensors by the engine's own product, with their gradients.
//!
//! On its CPU device, burn multiplies by the crate gemm. In WebAssembly, gemm takes up to twice as long as the engine's
//! product at the shapes of a small network; it took half of a training step.

use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::NoCheckpointing;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind, binary};
use burn_backend::{DType, Element, TensorData};
use burn_flex::{Flex, FlexTensor};
use burn_tensor::Tensor;
use lipscope_core::attention::{Accumulate, Scalar, View, ViewMut, multiply};

/// a b, matrix by matrix: (.., m, k) and (.., k, n) give (.., m, n); the leading dimensions are the same.
///
/// # Panics
/// If the shapes do not fit, or one tensor is recorded for its gradient and the other is not. Neither can happen,
/// because both come from one forward pass of one plan.
pub(crate) fn product<const D: usize>(a: Tensor<D>, b: Tensor<D>) -> Tensor<D> {
    if let (Ok(a), Ok(b)) = (a.clone().try_into_primitive::<Flex>(), b.clone().try_into_primitive::<Flex>()) {
        return Tensor::from_primitive::<Flex>(multiply_tensors(&a, &b));
    }
    let recorded = |tensor: Tensor<D>| {
        tensor.try_into_primitive::<Autodiff<Flex>>().expect("tensors of one forward pass are on one device")
    };
    let (a, b) = (recorded(a), recorded(b));
    let out = multiply_tensors(a.primitive(), b.primitive());
    let out = match Product.prepare::<NoCheckpointing>([a.node(), b.node()]).compute_bound().stateful() {
        OpsKind::Tracked(op) => op.finish([a.into_primitive(), b.into_primitive()], out),
        OpsKind::UnTracked(op) => op.finish(out),
    };
    Tensor::from_primitive::<Autodiff<Flex>>(out)
}

/// The backward step of a product: from dL/d(a b) = g to g b^T and a^T g.
#[derive(Debug)]
struct Product;

impl Backward<Flex, 2> for Product {
    type State = [FlexTensor; 2];

    fn backward(self, op: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let [a, b] = &op.state;
        binary::<Flex, _, _>(
            op.parents,
            op.node,
            gradients,
            |gradient| multiply_tensors(&gradient, &transposed(b)),
            |gradient| multiply_tensors(&transposed(a), &gradient),
        );
    }
}

/// The last two dimensions in the other order, without a copy.
fn transposed(tensor: &FlexTensor) -> FlexTensor {
    let dims = tensor.layout().num_dims();
    tensor.transpose(dims - 2, dims - 1)
}

/// The product a b, matrix by matrix, for tensors of burn's CPU device.
fn multiply_tensors(a: &FlexTensor, b: &FlexTensor) -> FlexTensor {
    match a.dtype() {
        DType::F64 => multiply_numbers::<f64>(a, b),
        _ => multiply_numbers::<f32>(a, b),
    }
}

fn multiply_numbers<E: Element + bytemuck::Pod + Scalar>(a: &FlexTensor, b: &FlexTensor) -> FlexTensor {
    let (a, b) = (Matrices::new(a), Matrices::new(b));
    let (m, k, n) = (a.n_rows, a.n_columns, b.n_columns);
    assert_eq!((k, &a.leading), (b.n_rows, &b.leading), "the shapes of a product do not fit");
    let count: usize = a.leading.iter().product();
    let mut out = vec![E::constant(0.0); count * m * n];
    let (a_numbers, b_numbers) = (a.tensor.storage::<E>(), b.tensor.storage::<E>());
    for (at, out) in out.chunks_exact_mut((m * n).max(1)).enumerate() {
        // The engine stores matrices by columns, and tensors are stored by rows. So the engine sees the transposes and
        // computes b^T a^T.
        let (a, b) = (a.transpose_of(a_numbers, at), b.transpose_of(b_numbers, at));
        multiply(ViewMut::new(out, n, m), Accumulate::Replace, b, a, E::constant(1.0));
    }
    let shape: Vec<usize> = a.leading.iter().copied().chain([m, n]).collect();
    FlexTensor::from_data(TensorData::new(out, shape))
}

/// The matrices of a tensor whose rows or columns are contiguous in storage.
struct Matrices {
    tensor: FlexTensor,
    leading: Vec<usize>,
    n_rows: usize,
    n_columns: usize,
    /// Whether the rows or the columns are contiguous, and the distance between two of them.
    order: Order,
}

#[derive(Clone, Copy)]
enum Order {
    Rows(usize),
    Columns(usize),
}

impl Matrices {
    fn new(tensor: &FlexTensor) -> Matrices {
        let order = order(tensor);
        let tensor = if order.is_some() { tensor.clone() } else { tensor.to_contiguous() };
        let dims: &[usize] = tensor.layout().shape();
        let (leading, last) = dims.split_at(dims.len() - 2);
        let (leading, n_rows, n_columns) = (leading.to_vec(), last[0], last[1]);
        Matrices { leading, n_rows, n_columns, order: order.unwrap_or(Order::Rows(n_columns)), tensor }
    }

    /// The transpose of matrix `at` (row-major among the leading dimensions), n_columns x n_rows.
    fn transpose_of<'a, E: Copy>(&self, numbers: &'a [E], mut at: usize) -> View<'a, E> {
        let layout = self.tensor.layout();
        let mut start = layout.start_offset();
        for (len, stride) in self.leading.iter().zip(layout.strides()).rev() {
            start += (at % len) * stride.unsigned_abs();
            at /= len;
        }
        match self.order {
            Order::Rows(stride) => View::strided(&numbers[start..], self.n_columns, self.n_rows, stride),
            Order::Columns(stride) => View::strided(&numbers[start..], self.n_rows, self.n_columns, stride).transpose(),
        }
    }
}

/// The layout of a tensor's matrices; None where neither rows nor columns are contiguous, or a dimension is reversed.
fn order(tensor: &FlexTensor) -> Option<Order> {
    let layout = tensor.layout();
    let dims = layout.num_dims();
    if layout.strides().iter().any(|stride| *stride < 0) {
        return None;
    }
    let (n_rows, n_columns) = (layout.shape()[dims - 2], layout.shape()[dims - 1]);
    let (row, column) = (layout.strides()[dims - 2].unsigned_abs(), layout.strides()[dims - 1].unsigned_abs());
    if column == 1 && row >= n_columns {
        Some(Order::Rows(row))
    } else if row == 1 && column >= n_rows {
        Some(Order::Columns(column))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use burn_tensor::{Device, Tensor, TensorData};

    use super::product;

    /// Numbers that differ from matrix to matrix.
    fn tensor<const D: usize>(shape: [usize; D], device: &Device) -> Tensor<D> {
        let len: usize = shape.iter().product();
        let numbers: Vec<f32> = (0..len).map(|at| ((at * 7919) % 101) as f32 / 50.0 - 1.0).collect();
        Tensor::from_data(TensorData::new(numbers, shape), device)
    }

    fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().as_slice::<f32>().expect("f32").to_vec()
    }

    fn assert_near(found: &[f32], expected: &[f32], what: &str) {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{what}: {found} {expected}");
        }
    }

    /// The product and both gradients of the sum of its squares, by burn's own product and by ours, for one order in
    /// storage.
    fn check<const D: usize>(what: &str, order: impl Fn(&Device) -> (Tensor<D>, Tensor<D>)) {
        let (a, b) = order(&Device::flex());
        assert_near(&numbers(product(a.clone(), b.clone())), &numbers(a.matmul(b)), what);
        let device = Device::flex().autodiff();
        let gradients = |product: fn(Tensor<D>, Tensor<D>) -> Tensor<D>| {
            let (a, b) = order(&device);
            let (a, b) = (a.require_grad(), b.require_grad());
            let mut gradients = product(a.clone(), b.clone()).square().sum().backward();
            [a, b].map(|tensor| numbers(tensor.grad_remove(&mut gradients).expect("both take part")))
        };
        let (ours, burns) = (gradients(product), gradients(Tensor::matmul));
        for (ours, burns) in ours.iter().zip(&burns) {
            assert_near(ours, burns, what);
        }
    }

    #[test]
    fn products_and_gradients_are_those_of_burn_in_every_order_of_storage() {
        check::<2>("rows", |device| (tensor([5, 3], device), tensor([3, 7], device)));
        check::<2>("one row", |device| (tensor([1, 3], device), tensor([3, 1], device)));
        check::<2>("columns", |device| (tensor([3, 5], device).transpose(), tensor([7, 3], device).transpose()));
        check::<2>("neither", |device| {
            (
                tensor([5, 6], device).slice([0..5, 1..4]),
                tensor([3, 7, 2], device).slice([0..3, 0..7, 1..2]).squeeze_dim(2),
            )
        });
        check::<4>("heads", |device| {
            let heads = |shape| tensor(shape, device).swap_dims(1, 2);
            (heads([2, 6, 3, 4]), heads([2, 6, 3, 4]).swap_dims(2, 3))
        });
    }
}

//! The two kinds of numbers that the network computes in.

use burn_tensor::{DType, Element, TensorData};

/// f32 for training, f64 for tests of the gradients.
pub trait Number: Copy + Send + Sync + 'static + sealed::Sealed {
    /// Converts from f64, with rounding.
    fn rounded(value: f64) -> Self;
    /// Converts to f64.
    fn double(self) -> f64;
}

pub(crate) mod sealed {
    use super::{DType, TensorData};

    /// The interface to burn's data; its types stay inside this crate.
    pub trait Sealed: Sized {
        const DTYPE: DType;
        /// Row-major numbers as burn's data.
        fn data(values: Vec<Self>, shape: &[usize]) -> TensorData;
        fn values(data: &TensorData) -> Vec<Self>;
    }
}

/// # Panics
/// If the data are of another number type; callers pass only tensors of this type.
fn read<E: Element>(data: &TensorData) -> Vec<E> {
    data.as_slice::<E>().expect("tensors keep the kind of their numbers").to_vec()
}

impl sealed::Sealed for f32 {
    const DTYPE: DType = DType::F32;

    fn data(values: Vec<Self>, shape: &[usize]) -> TensorData {
        TensorData::new(values, shape.to_vec())
    }

    fn values(data: &TensorData) -> Vec<Self> {
        read(data)
    }
}

impl sealed::Sealed for f64 {
    const DTYPE: DType = DType::F64;

    fn data(values: Vec<Self>, shape: &[usize]) -> TensorData {
        TensorData::new(values, shape.to_vec())
    }

    fn values(data: &TensorData) -> Vec<Self> {
        read(data)
    }
}

impl Number for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }

    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn rounded(value: f64) -> Self {
        value
    }

    fn double(self) -> f64 {
        self
    }
}

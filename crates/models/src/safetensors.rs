//! Reads tensors from a `model.safetensors`, one at a time.
//!
//! The file consists of eight bytes with the length of a JSON header, the header with shape, type and offsets of every
//! tensor, and the numbers. Opening it reads only the header; reading a tensor reads only its bytes.

use half::{bf16, f16};
use nalgebra::DMatrix;
use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::source::Source;
use lipscope_core::experiment::InputError;

/// The storage order of a matrix in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Rows are outputs, as in `torch.nn.Linear`.
    OutputsByInputs,
    /// Rows are inputs, as in GPT-2's `Conv1D`.
    InputsByOutputs,
}

/// An open file with its parsed header.
#[derive(Debug)]
pub struct SafeTensors<S> {
    source: S,
    metadata: Metadata,
    /// Offset of the numbers.
    data: u64,
}

/// The largest accepted header; those of real models have some ten thousand bytes.
const MAX_HEADER: u64 = 100 << 20;

impl<S: Source> SafeTensors<S> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`InputError::File`] if the file is not safetensors.
    pub fn open(mut source: S) -> Result<Self, InputError> {
        let broken = |problem: String| InputError::File {
            file: "model.safetensors".into(),
            problem,
            fix: "Give the model's weights in the safetensors format, copied whole.".into(),
        };
        let no_header = || broken("it is not a safetensors file: it has no header".into());
        let length = source.len();
        if length < 8 {
            return Err(no_header());
        }
        let header_len = source.read(0..8)?.try_into().map(u64::from_le_bytes).map_err(|_| no_header())?;
        if header_len > MAX_HEADER || header_len > length - 8 {
            return Err(broken(format!(
                "it is not a safetensors file, or only a part of one: its header would have {header_len} bytes, and the \
                 file has {length}"
            )));
        }
        let header = source.read(8..8 + header_len)?;
        let metadata: Metadata = serde_json::from_slice(&header)
            .map_err(|error| broken(format!("its header is not that of a safetensors file ({error})")))?;
        Ok(SafeTensors { source, metadata, data: 8 + header_len })
    }

    /// Whether the file has a tensor of that name.
    #[must_use]
    pub fn has(&self, tensor: &str) -> bool {
        self.metadata.info(tensor).is_some()
    }

    /// Reads a vector.
    pub(super) fn vector(&mut self, tensor: &str, len: usize) -> Result<Vec<f32>, InputError> {
        self.numbers(tensor, &[len], 0, len)
    }

    /// Reads a matrix as outputs x inputs, whatever its order in the file.
    pub(super) fn matrix(
        &mut self,
        tensor: &str,
        (n_outputs, n_inputs): (usize, usize),
        layout: Layout,
    ) -> Result<DMatrix<f32>, InputError> {
        let count = n_outputs * n_inputs;
        Ok(match layout {
            Layout::OutputsByInputs => {
                DMatrix::from_row_slice(n_outputs, n_inputs, &self.numbers(tensor, &[n_outputs, n_inputs], 0, count)?)
            }
            // The file's rows are this matrix's columns, which nalgebra stores contiguously.
            Layout::InputsByOutputs => {
                DMatrix::from_vec(n_outputs, n_inputs, self.numbers(tensor, &[n_inputs, n_outputs], 0, count)?)
            }
        })
    }

    /// Reads some rows of a table, from `first` on.
    pub(super) fn rows(
        &mut self,
        tensor: &str,
        (n_rows, width): (usize, usize),
        first: usize,
        count: usize,
    ) -> Result<Vec<Vec<f32>>, InputError> {
        let numbers = self.numbers(tensor, &[n_rows, width], first * width, count * width)?;
        Ok(numbers.chunks(width).map(<[f32]>::to_vec).collect())
    }

    /// Reads `count` numbers of a tensor of that shape from number `first` on, in file order.
    fn numbers(&mut self, tensor: &str, shape: &[usize], first: usize, count: usize) -> Result<Vec<f32>, InputError> {
        let wrong = |problem: String, expected: String| InputError::Tensor { tensor: tensor.into(), problem, expected };
        let expected = || format!("shape {shape:?}, as config.json says");
        let info = self.metadata.info(tensor).ok_or_else(|| wrong("is not in the file".into(), expected()))?;
        if info.shape != shape {
            return Err(wrong(format!("has shape {:?}", info.shape), expected()));
        }
        let width = match info.dtype {
            Dtype::F32 => 4,
            Dtype::F16 | Dtype::BF16 => 2,
            other => return Err(wrong(format!("holds numbers of type {other:?}"), "F32, F16 or BF16".into())),
        };
        let size = shape.iter().product::<usize>().saturating_mul(width);
        let (start, end) = info.data_offsets;
        if start > end || end - start != size {
            return Err(wrong(
                format!("takes the bytes {start} to {end} of the data"),
                format!("{size} bytes, for shape {shape:?} and type {:?}", info.dtype),
            ));
        }
        let available = self.source.len() - self.data;
        if end as u64 > available {
            return Err(wrong(
                format!("ends at byte {end} of the data, and the file has only {available}: it is cut off"),
                "the whole file: copy it again".into(),
            ));
        }
        let dtype = info.dtype;
        let from = self.data + (start + first * width) as u64;
        let bytes = self.source.read(from..from + (count * width) as u64)?;
        let numbers = decode(&bytes, dtype);
        if numbers.len() != count || numbers.iter().any(|x| !x.is_finite()) {
            return Err(wrong(
                "holds a number that is not finite".into(),
                "finite numbers: the file is damaged".into(),
            ));
        }
        Ok(numbers)
    }
}

fn decode(bytes: &[u8], dtype: Dtype) -> Vec<f32> {
    let pairs = bytes.as_chunks::<2>().0.iter();
    match dtype {
        Dtype::F16 => pairs.map(|pair| f16::from_le_bytes(*pair).to_f32()).collect(),
        Dtype::BF16 => pairs.map(|pair| bf16::from_le_bytes(*pair).to_f32()).collect(),
        _ => bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
    }
}

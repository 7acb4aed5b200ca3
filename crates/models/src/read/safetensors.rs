//! Reads tensors from one safetensors file, one at a time.
//!
//! The file consists of eight bytes with the length of a JSON header, the header with shape, type and offsets of every
//! tensor, and the numbers. Opening it reads only the header; reading a tensor reads only its bytes.

use half::{bf16, f16};
use nalgebra::DMatrix;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::source::Source;
use crate::config::family::Layout;
use lipscope_core::experiment::{InputError, Phrase, json_problem, refuse_lfs_pointer};
use lipscope_core::phrase;

/// An open file with its parsed header.
#[derive(Debug)]
pub(crate) struct SafeTensors<S> {
    source: S,
    metadata: Metadata,
    /// Offset of the first number in the file, in bytes.
    data: u64,
}

/// A pointer of git-lfs has fewer bytes.
const POINTER: u64 = 1 << 10;
/// The largest accepted header; those of real models have some ten thousand bytes.
const MAX_HEADER: u64 = 100 << 20;

impl<S: Source> SafeTensors<S> {
    /// Reads the header of the file of this name.
    ///
    /// # Errors
    /// [`InputError::File`] if the file is not safetensors.
    pub(crate) fn open(name: &str, mut source: S) -> Result<Self, InputError> {
        let broken = |problem: Phrase| InputError::File {
            file: name.into(),
            problem,
            fix: phrase!(
                "give_models_weights_safetensors",
                "Give the model's weights in the safetensors format, copied whole."
            ),
        };
        let no_header =
            || broken(phrase!("not_safetensors_file_has", "it is not a safetensors file: it has no header"));
        let length = source.len();
        if length < 8 {
            return Err(no_header());
        }
        refuse_lfs_pointer(name, &source.read(0..length.min(POINTER))?)?;
        let header_len = source.read(0..8)?.try_into().map(u64::from_le_bytes).map_err(|_| no_header())?;
        if header_len > MAX_HEADER || header_len > length - 8 {
            return Err(broken(phrase!(
                "not_safetensors_file_only",
                "it is not a safetensors file, or only a part of one: its header would have {header} bytes, and the file has {length}",
                header = header_len,
                length = length
            )));
        }
        let header = source.read(8..8 + header_len)?;
        let metadata: Metadata = serde_json::from_slice(&header).map_err(|error| {
            broken(phrase!(
                "header_not_safetensors_file",
                "its header is not that of a safetensors file ({detail})",
                detail = json_problem(&error)
            ))
        })?;
        Ok(SafeTensors { source, metadata, data: 8 + header_len })
    }

    /// The names of its tensors.
    pub(crate) fn names(&self) -> Vec<String> {
        self.metadata.offset_keys()
    }

    /// Shape and type of a tensor.
    pub(crate) fn info(&self, tensor: &str) -> Option<&TensorInfo> {
        self.metadata.info(tensor)
    }

    /// Pairs (left-out tensor, stored tensor): tensors that were left out because they equal a stored one. The function
    /// `save_model` of the library safetensors writes tied weights in this way.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.metadata.metadata().iter().flatten();
        entries.filter(|(name, _)| self.info(name).is_none()).map(|(name, other)| (name.as_str(), other.as_str()))
    }

    /// Reads a vector.
    pub(crate) fn vector(&mut self, tensor: &str, len: usize) -> Result<Vec<f32>, InputError> {
        self.numbers(tensor, &[len], 0, len)
    }

    /// Reads a tensor of that shape, or of one with ones before it, in the order of the file.
    pub(crate) fn flat(&mut self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, InputError> {
        let found = self.info(tensor).map_or_else(Vec::new, |info| info.shape.clone());
        let has_ones = found.strip_suffix(shape).is_some_and(|ones| ones.iter().all(|size| *size == 1));
        let shape = if has_ones { &found } else { shape };
        self.numbers(tensor, shape, 0, shape.iter().product())
    }

    /// Reads a matrix as outputs x inputs, whatever its order in the file.
    pub(crate) fn matrix(
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

    /// Reads one matrix of a tensor count x inputs x outputs, as outputs x inputs.
    pub(crate) fn slab(
        &mut self,
        tensor: &str,
        (count, n_inputs, n_outputs): (usize, usize, usize),
        at: usize,
    ) -> Result<DMatrix<f32>, InputError> {
        let len = n_inputs * n_outputs;
        let numbers = self.numbers(tensor, &[count, n_inputs, n_outputs], at * len, len)?;
        // The file's rows are this matrix's columns.
        Ok(DMatrix::from_vec(n_outputs, n_inputs, numbers))
    }

    /// Reads some rows of a table, from `first` on.
    pub(crate) fn rows(
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
        let wrong = |problem: Phrase, expected: Phrase| InputError::Tensor { tensor: tensor.into(), problem, expected };
        let expected =
            || phrase!("shape_config_json_says", "shape {shape}, as config.json says", shape = format!("{:?}", shape));
        let info =
            self.metadata.info(tensor).ok_or_else(|| wrong(phrase!("not_file", "is not in the file"), expected()))?;
        if info.shape != shape {
            return Err(wrong(
                phrase!("has_shape", "has shape {shape}", shape = format!("{:?}", info.shape)),
                expected(),
            ));
        }
        let width = match info.dtype {
            Dtype::F64 => 8,
            Dtype::F32 => 4,
            Dtype::F16 | Dtype::BF16 => 2,
            other => {
                return Err(wrong(
                    phrase!("holds_numbers_type", "holds numbers of type {kind}", kind = format!("{:?}", other)),
                    phrase!("f64_f32_f16_bf16", "F64, F32, F16 or BF16"),
                ));
            }
        };
        let size = shape.iter().product::<usize>().saturating_mul(width);
        let (start, end) = info.data_offsets;
        if start > end || end - start != size {
            return Err(wrong(
                phrase!("takes_bytes_data", "takes the bytes {start} to {end} of the data", start = start, end = end),
                phrase!(
                    "bytes_for_shape_type",
                    "{size} bytes, for shape {shape} and type {kind}",
                    size = size,
                    shape = format!("{:?}", shape),
                    kind = format!("{:?}", info.dtype)
                ),
            ));
        }
        let available = self.source.len() - self.data;
        if end as u64 > available {
            return Err(wrong(
                phrase!(
                    "ends_byte_data_file",
                    "ends at byte {end} of the data, and the file has only {available}: it is cut off",
                    end = end,
                    available = available
                ),
                phrase!("whole_file_copy_again", "the whole file: copy it again"),
            ));
        }
        let dtype = info.dtype;
        let from = self.data + (start + first * width) as u64;
        let bytes = self.source.read(from..from + (count * width) as u64)?;
        let numbers = decode(&bytes, dtype);
        if dtype == Dtype::F64 && numbers.iter().any(|x| x.is_infinite()) {
            return Err(wrong(
                phrase!("holds_number_beyond_f32", "holds a number that is too large for 32 bits, or not finite"),
                phrase!("numbers_of_32_bits", "numbers up to 3.4e38, since weights are held in 32 bits"),
            ));
        }
        if numbers.len() != count || numbers.iter().any(|x| !x.is_finite()) {
            return Err(wrong(
                phrase!("holds_number_not_finite", "holds a number that is not finite"),
                phrase!("finite_numbers_file_damaged", "finite numbers: the file is damaged"),
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
        Dtype::F64 => bytes.as_chunks::<8>().0.iter().map(|eight| f64::from_le_bytes(*eight) as f32).collect(),
        _ => bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
    }
}

//! The weights of a model in one file or several, as tensors by name.
//!
//! A tensor has the name that the model's own program would give it. Words that other programs wrap around parts of a
//! model (`torch.compile`, data-parallel training, activation checkpointing) are left out. A tensor that was stored
//! once for two names has both.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DMatrix;
use safetensors::Dtype;

use super::safetensors::SafeTensors;
use super::source::Source;
use super::weight_files::{WEIGHT_INDEX, WEIGHTS, WeightFiles};
use crate::config::family::Layout;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// Open files with their parsed headers.
#[derive(Debug)]
pub struct Checkpoint<S> {
    files: Vec<SafeTensors<S>>,
    places: BTreeMap<String, Place>,
    /// Notes on copies of tensors that are not read.
    notes: Vec<Phrase>,
    /// The matrices read so far in which every number is zero.
    zeros: BTreeSet<String>,
}

/// The location of a tensor.
#[derive(Clone, Debug)]
struct Place {
    file: usize,
    /// Its name in that file.
    tensor: String,
}

/// Words that programs insert into the names of tensors, at any place, when they wrap a part of a model.
const WRAPPERS: [&str; 4] = ["_orig_mod", "module", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"];

impl<S: Source> Checkpoint<S> {
    /// Reads the header of a single `model.safetensors`.
    ///
    /// # Errors
    /// As [`Checkpoint::open`].
    pub fn of_one(source: S) -> Result<Self, InputError> {
        Checkpoint::open(WeightFiles::of_one(source))
    }

    /// Reads the headers of all files.
    ///
    /// # Errors
    /// [`InputError::File`] if one is not safetensors, or two tensors have one name.
    pub fn open(weights: WeightFiles<S>) -> Result<Self, InputError> {
        let WeightFiles { files, index, .. } = weights;
        let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        let files: Vec<SafeTensors<S>> =
            files.into_iter().map(|(name, source)| SafeTensors::open(&name, source)).collect::<Result<_, _>>()?;
        let mut places: BTreeMap<String, Place> = BTreeMap::new();
        let mut copies: BTreeSet<String> = BTreeSet::new();
        for (file, open) in files.iter().enumerate() {
            for tensor in open.names() {
                let place = Place { file, tensor };
                match places.entry(without_wrappers(&place.tensor)) {
                    Entry::Vacant(entry) => drop(entry.insert(place)),
                    Entry::Occupied(mut entry) => {
                        // If two files hold the same tensor, the index says which one to read.
                        let chosen = index.get(&place.tensor).filter(|_| entry.get().tensor == place.tensor);
                        copies.insert(entry.key().clone());
                        match chosen {
                            Some(chosen) if *chosen == names[file] => drop(entry.insert(place)),
                            Some(chosen) if *chosen == names[entry.get().file] => {}
                            _ => return Err(twice(&names[file], entry.key())),
                        }
                    }
                }
            }
        }
        let aliases: Vec<(String, Place)> = files
            .iter()
            .flat_map(SafeTensors::aliases)
            .filter_map(|(name, other)| Some((without_wrappers(name), places.get(&without_wrappers(other))?.clone())))
            .collect();
        for (name, place) in aliases {
            places.entry(name).or_insert(place);
        }
        let notes = (!copies.is_empty()).then(|| {
            phrase!(
                "note_tensors_in_two_files",
                "{count} tensors are in two files of weights ({names}); those that {index} names were read, and transformers may read the others",
                count = copies.len(),
                names = first_names(&copies),
                index = WEIGHT_INDEX
            )
        });
        Ok(Checkpoint { files, places, notes: notes.into_iter().collect(), zeros: BTreeSet::new() })
    }

    /// Notes on copies of tensors that are not read.
    pub(crate) fn notes(&self) -> &[Phrase] {
        &self.notes
    }

    /// The note about the matrices read so far in which every number is zero, as in a file that was not copied whole.
    pub(crate) fn note_on_zeros(&self) -> Option<Phrase> {
        (!self.zeros.is_empty()).then(|| {
            phrase!(
                "note_zero_tensors",
                "every number of {count} matrices of the model is zero ({names}): its file may not be copied whole",
                count = self.zeros.len(),
                names = first_names(&self.zeros)
            )
        })
    }

    /// The names of all tensors, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Whether there is a tensor of that name.
    pub(crate) fn has(&self, tensor: &str) -> bool {
        self.places.contains_key(tensor)
    }

    /// The shape of a tensor.
    pub(crate) fn shape(&self, tensor: &str) -> Option<&[usize]> {
        let place = self.places.get(tensor)?;
        self.files[place.file].info(&place.tensor).map(|info| info.shape.as_slice())
    }

    /// How many numbers a tensor holds; `None` if they are not learnt, such as a stored mask or a list of positions.
    pub(crate) fn count(&self, tensor: &str) -> Option<u64> {
        let place = self.places.get(tensor)?;
        let info = self.files[place.file].info(&place.tensor)?;
        let is_learnt = matches!(info.dtype, Dtype::F64 | Dtype::F32 | Dtype::F16 | Dtype::BF16);
        let product = || info.shape.iter().fold(1u64, |product, size| product.saturating_mul(*size as u64));
        // A mask has four sizes, of which the first is 1; the matrix of patches has four too.
        let is_numbers = (1..=3).contains(&info.shape.len()) || (info.shape.len() == 4 && info.shape[0] > 1);
        (is_learnt && is_numbers).then(product)
    }

    /// Whether a tensor holds 64-bit numbers.
    pub(crate) fn is_wide(&self, tensor: &str) -> bool {
        let info = self.places.get(tensor).and_then(|place| self.files[place.file].info(&place.tensor));
        info.is_some_and(|info| info.dtype == Dtype::F64)
    }

    /// Reads a vector.
    pub(crate) fn vector(&mut self, tensor: &str, len: usize) -> Result<Vec<f32>, InputError> {
        let (file, name) = self.find(tensor, &[len])?;
        file.vector(&name, len)
    }

    /// Reads a tensor of that shape, or of one with ones before it, in the order of the file.
    pub(crate) fn flat(&mut self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, InputError> {
        let (file, name) = self.find(tensor, shape)?;
        file.flat(&name, shape)
    }

    /// Reads a matrix as outputs x inputs, whatever its order in the file.
    pub(crate) fn matrix(
        &mut self,
        tensor: &str,
        (n_outputs, n_inputs): (usize, usize),
        layout: Layout,
    ) -> Result<DMatrix<f32>, InputError> {
        let shape = layout.shape((n_outputs, n_inputs));
        let (file, name) = self.find(tensor, &shape)?;
        let matrix = file.matrix(&name, (n_outputs, n_inputs), layout)?;
        if matrix.iter().all(|x| *x == 0.0) {
            self.zeros.insert(tensor.to_owned());
        }
        Ok(matrix)
    }

    /// Reads one matrix of a tensor count x inputs x outputs, as outputs x inputs.
    pub(crate) fn slab(
        &mut self,
        tensor: &str,
        (count, n_inputs, n_outputs): (usize, usize, usize),
        at: usize,
    ) -> Result<DMatrix<f32>, InputError> {
        let (file, name) = self.find(tensor, &[count, n_inputs, n_outputs])?;
        let matrix = file.slab(&name, (count, n_inputs, n_outputs), at)?;
        if matrix.iter().all(|x| *x == 0.0) {
            self.zeros.insert(format!("{tensor}[{at}]"));
        }
        Ok(matrix)
    }

    /// Reads some rows of a table, from `first` on.
    pub(crate) fn rows(
        &mut self,
        tensor: &str,
        (n_rows, width): (usize, usize),
        first: usize,
        count: usize,
    ) -> Result<Vec<Vec<f32>>, InputError> {
        let (file, name) = self.find(tensor, &[n_rows, width])?;
        file.rows(&name, (n_rows, width), first, count)
    }

    /// The file that has a tensor, and its name there.
    fn find(&mut self, tensor: &str, shape: &[usize]) -> Result<(&mut SafeTensors<S>, String), InputError> {
        match self.places.get(tensor) {
            Some(Place { file, tensor }) => Ok((&mut self.files[*file], tensor.clone())),
            None => Err(InputError::Tensor {
                tensor: tensor.into(),
                problem: match self.same_shape(tensor, shape) {
                    same_shape if same_shape.is_empty() => phrase!("not_file", "is not in the file"),
                    same_shape => phrase!(
                        "not_file_but_alike",
                        "is not in the file, whose tensors have other names: {names}",
                        names = same_shape.join(", ")
                    ),
                },
                expected: phrase!(
                    "shape_config_json_says",
                    "shape {shape}, as config.json says",
                    shape = format!("{:?}", shape)
                ),
            }),
        }
    }

    /// At most three tensors that may be the missing one under another name: first those whose names end in the same
    /// two words, then those of the same shape, then any others.
    fn same_shape(&self, tensor: &str, shape: &[usize]) -> Vec<String> {
        const MOST: usize = 3;
        let ending = |name: &str| name.rsplitn(3, '.').take(2).map(str::to_owned).collect::<Vec<_>>();
        let wanted = ending(tensor);
        let mut names: Vec<&str> = self.names().collect();
        names.sort_by_key(|name| (ending(name) != wanted, self.shape(name) != Some(shape)));
        names.into_iter().take(MOST).map(|name| format!("`{name}`")).collect()
    }
}

/// At most three names of a list.
fn first_names(names: &BTreeSet<String>) -> String {
    const MOST: usize = 3;
    let shown: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    shown.join(", ") + if names.len() > MOST { ", …" } else { "" }
}

fn without_wrappers(name: &str) -> String {
    name.split('.').filter(|word| !WRAPPERS.contains(word)).collect::<Vec<_>>().join(".")
}

fn twice(file: &str, tensor: &str) -> InputError {
    InputError::File {
        file: if file.is_empty() { WEIGHTS.into() } else { file.into() },
        problem: phrase!("tensor_twice", "the tensor `{tensor}` is there twice", tensor = tensor),
        fix: phrase!("copy_files_of_one_model", "Copy all files of one model again, into an empty folder."),
    }
}

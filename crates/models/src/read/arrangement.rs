//! How the tensors of a model's files are named and laid out.
//!
//! The names of a family are in its file in `families`. The prefix is everything before them, such as `bert.`,
//! `transformer.` or `model.language_model.`; programs that wrap a model add words of their own. Older BERT files call a
//! layer norm's gain and shift `gamma` and `beta`. GPT-2's matrices have a row for each input, BERT's a row for each
//! output. The shapes of non-square matrices show which order a file has; its square matrices have the same order.

use super::checkpoint::Checkpoint;
use super::source::Source;
use super::weight_files::WEIGHTS;
use crate::config::families;
use crate::config::family::{Family, Layout, MlpNames, ProjectionNames};
use crate::config::file::unread_family;
use crate::config::model_config::ModelConfig;
use crate::config::unread::of_prefix;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// How the tensors of some files are named and laid out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arrangement {
    /// The part of a name before the family's names: empty, or words that each end with a dot.
    pub(crate) prefix: String,
    /// The order of the matrices.
    pub(crate) layout: Layout,
    /// Notes on guesses from shapes, and on rounding.
    pub(crate) notes: Vec<Phrase>,
}

impl Arrangement {
    /// Finds prefix and layout of a family's tensors.
    ///
    /// [`InputError`] if the names are those of another family or of more than one model, tensors under the prefix do
    /// not belong to the family, an adapter is not merged into the weights, or matrices have two layouts.
    pub(crate) fn find<S: Source>(config: &ModelConfig, file: &Checkpoint<S>) -> Result<Self, InputError> {
        let family = config.family;
        check_adapters(file)?;
        let prefix = prefix(family, file)?;
        let is_of_another = |other: &&Family| {
            !other.prefix.is_empty()
                && other.prefix != family.prefix
                && prefix.split('.').any(|word| word == other.prefix)
        };
        if let Some(other) = families::ALL.iter().find(is_of_another) {
            return Err(names_of_another(other, family));
        }
        if let Some(unread) = prefix.split('.').filter(|word| *word != family.prefix).find_map(of_prefix) {
            let tensor = format!("{prefix}{}", family.embeddings.words);
            return Err(unread_family(
                phrase!("name_of_tensor", "The name of the tensor `{tensor}`", tensor = tensor),
                unread.name,
                unread.reason(),
            ));
        }
        check_known(config, &prefix, file)?;
        let layout = layout(config, &prefix, file)?;
        let mut notes = Vec::new();
        if layout != family.layout {
            notes.push(match layout {
                Layout::OutputsByInputs => phrase!(
                    "note_rows_are_outputs",
                    "the matrices were read with a row for each output, as nanoGPT stores them, which the shapes of those that are not square show"
                ),
                Layout::InputsByOutputs => phrase!(
                    "note_rows_are_inputs",
                    "the matrices were read with a row for each input, which the shapes of those that are not square show"
                ),
            });
        }
        if file.names().any(|name| name.starts_with(prefix.as_str()) && file.is_wide(name)) {
            notes.push(phrase!(
                "note_rounded_weights",
                "the weights are 64-bit numbers (F64) in the file and were rounded to 32 bits; the results are those of the rounded weights"
            ));
        }
        Ok(Arrangement { prefix, layout, notes })
    }
}

/// The prefix of a family's names in the files.
fn prefix<S: Source>(family: &Family, file: &Checkpoint<S>) -> Result<String, InputError> {
    let words = family.embeddings.words;
    let mut found = prefixes(family, file);
    match (found.pop(), found.pop()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => Err(InputError::File {
            file: WEIGHTS.into(),
            problem: phrase!(
                "two_models",
                "it holds more than one model: `{one}` and `{other}`",
                one = format!("{other}{words}"),
                other = format!("{one}{words}")
            ),
            fix: phrase!("save_one_model", "Save the one to be measured in a file of its own."),
        }),
        (None, _) => {
            let mut others = families::ALL.iter().filter(|other| other.name != family.name);
            match others.find(|other| !prefixes(other, file).is_empty()) {
                Some(other) => Err(names_of_another(other, family)),
                // No prefix has both the embeddings and the first layer. If exactly one has the embeddings, it is
                // returned, so that the later error for the missing tensor names the tensor with this prefix.
                None => {
                    let mut before = file.names().filter_map(|name| before(words, name));
                    let first = before.next().filter(|_| before.next().is_none());
                    Ok(first.unwrap_or_default().to_owned())
                }
            }
        }
    }
}

fn names_of_another(other: &Family, family: &Family) -> InputError {
    InputError::File {
        file: WEIGHTS.into(),
        problem: phrase!(
            "tensors_of_another_family",
            "its tensors have the names of {other}, and config.json says {family}",
            other = other.name(),
            family = family.name()
        ),
        fix: phrase!("give_files_of_one_model", "Give config.json and the weights of one model."),
    }
}

/// All prefixes under which the files have both the word embeddings and the first layer of a family.
fn prefixes<S: Source>(family: &Family, file: &Checkpoint<S>) -> Vec<String> {
    let has_layer = |prefix: &&str| file.has(&family.in_layer(prefix, 0, &format!("{}.weight", family.output)));
    file.names().filter_map(|name| before(family.embeddings.words, name)).filter(has_layer).map(str::to_owned).collect()
}

/// The part of a name before its ending `last`; `None` if the name does not end so, or the part is neither empty nor
/// ends with a dot.
fn before<'a>(last: &str, name: &'a str) -> Option<&'a str> {
    name.strip_suffix(last).filter(|prefix| prefix.is_empty() || prefix.ends_with('.'))
}

/// Refuses adapters whose products were not added to the weights.
fn check_adapters<S: Source>(file: &Checkpoint<S>) -> Result<(), InputError> {
    let marks = ["lora_", "base_layer", "modules_to_save"];
    let is_adapter = |name: &&str| name.split('.').any(|word| marks.iter().any(|mark| word.starts_with(mark)));
    match file.names().find(is_adapter) {
        Some(name) => Err(InputError::File {
            file: WEIGHTS.into(),
            problem: phrase!(
                "adapter_in_weights",
                "`{tensor}` is an adapter that is not merged into the weights",
                tensor = name
            ),
            fix: phrase!(
                "merge_adapter",
                "Merge it into its model with {call} of the Python package peft, and save that.",
                call = "merge_and_unload()"
            ),
        }),
        None => Ok(()),
    }
}

/// Refuses tensors in the embeddings or the layers that the family does not have: their effect would be left out. A
/// layer that lacks one of the family's matrices is not checked, nor are embeddings that lack one of its tables:
/// reading them will name the missing tensor, and the tensors that may replace it.
fn check_known<S: Source>(config: &ModelConfig, prefix: &str, file: &Checkpoint<S>) -> Result<(), InputError> {
    let family = config.family;
    let layers = format!("{prefix}{}.", family.before_layers());
    // The linear maps of layers without experts, and of those with them.
    let (expert_layers, dense_layers): (Vec<usize>, Vec<usize>) =
        (0..config.layers).partition(|layer| config.experts_of(*layer).is_some());
    let [with_experts, dense] = [expert_layers, dense_layers].map(|layers| -> Vec<&str> {
        let shapes = layers.first().map_or_else(Vec::new, |layer| linear_shapes(config, *layer));
        shapes.into_iter().map(|(name, _)| name).collect()
    });
    let is_strange = |name: &&str| {
        if let Some(rest) = name.strip_prefix(layers.as_str()) {
            let numbered = rest.split_once('.').and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest)));
            let Some((number, rest)) = numbered else { return true };
            let Some(rest) = family.within_layer(rest) else { return true };
            let linear = if config.experts_of(number).is_some() { &with_experts } else { &dense };
            let has = |part: &str| file.has(&family.in_layer(prefix, number, &format!("{part}.weight")));
            return !family.is_of_layer(number, rest, linear) && linear.iter().copied().all(has);
        }
        let rest = name.strip_prefix(prefix).unwrap_or_default();
        let has = |name: &str| file.has(&format!("{prefix}{name}"));
        (rest.starts_with("embeddings.") || rest.starts_with("embeddings_project"))
            && !family.is_of_embeddings(rest)
            && family.embedded().all(has)
    };
    match file.names().find(is_strange) {
        Some(name) => Err(not_of_family(name)),
        None => Ok(()),
    }
}

/// The refusal of a tensor whose effect would be left out.
pub(crate) fn not_of_family(tensor: &str) -> InputError {
    InputError::Tensor {
        tensor: tensor.into(),
        problem: phrase!("not_of_family", "belongs to no model of the family that config.json names"),
        expected: phrase!(
            "only_tensors_of_family",
            "only the tensors of that family, since what another one does would be left out"
        ),
    }
}

/// The name of a linear map, and how many outputs and inputs it has.
type LinearShape = (&'static str, (usize, usize));

/// The linear maps of a layer, but for experts.
fn linear_shapes(config: &ModelConfig, layer: usize) -> Vec<LinearShape> {
    let (d, inner) = (config.d, config.inner);
    let [queries, keys] = [config.heads, config.key_heads].map(|heads| heads.saturating_mul(config.head_dim));
    let mut parts = match config.family.projections {
        ProjectionNames::Apart([query, key, value]) => {
            vec![(query, (queries, d)), (key, (keys, d)), (value, (keys, d))]
        }
        ProjectionNames::Fused(name) | ProjectionNames::FusedByGroup(name) => {
            vec![(name, (queries.saturating_add(keys).saturating_add(keys), d))]
        }
    };
    parts.push((config.family.output, (d, queries)));
    match config.family.mlp {
        _ if config.experts_of(layer).is_some() => {}
        MlpNames::Plain { widen, narrow } => parts.extend([(widen, (inner, d)), (narrow, (d, inner))]),
        MlpNames::Gated { gate, up, down } => {
            parts.extend([(gate, (inner, d)), (up, (inner, d)), (down, (d, inner))]);
        }
        MlpNames::GatedFused { gate_up, down } => {
            parts.extend([(gate_up, (inner.saturating_mul(2), d)), (down, (d, inner))]);
        }
    }
    parts
}

/// The order of the matrices, from the shapes of those that are not square.
fn layout<S: Source>(config: &ModelConfig, prefix: &str, file: &Checkpoint<S>) -> Result<Layout, InputError> {
    let family = config.family;
    let mut found: Option<(Layout, String)> = None;
    for layer in 0..config.layer_groups {
        let linear = linear_shapes(config, layer);
        for (part, (n_outputs, n_inputs)) in linear.iter().filter(|(_, (outputs, inputs))| outputs != inputs) {
            let tensor = family.in_layer(prefix, layer, &format!("{part}.weight"));
            let has = |layout: &Layout| file.shape(&tensor) == Some(&layout.shape((*n_outputs, *n_inputs))[..]);
            let Some(layout) = [Layout::OutputsByInputs, Layout::InputsByOutputs].into_iter().find(has) else {
                continue;
            };
            match &found {
                None => found = Some((layout, tensor)),
                Some((earlier, _)) if *earlier == layout => {}
                Some((_, earlier)) => {
                    return Err(InputError::File {
                        file: WEIGHTS.into(),
                        problem: phrase!(
                            "two_layouts",
                            "one of `{one}` and `{other}` is transposed, so that it is unknown how the square matrices are stored",
                            one = earlier.as_str(),
                            other = tensor
                        ),
                        fix: phrase!(
                            "save_with_transformers",
                            "Save the model again with transformers (save_pretrained)."
                        ),
                    });
                }
            }
        }
    }
    Ok(found.map_or(family.layout, |(layout, _)| layout))
}

//! How the tensors of a model's files are named and laid out.
//!
//! | part | BERT, MiniLM | DistilBERT | GPT-2 |
//! | --- | --- | --- | --- |
//! | usual prefix | `bert.` or none | `distilbert.` or none | `transformer.` or none |
//! | layer | `encoder.layer.0.` | `transformer.layer.0.` | `h.0.` |
//! | query, key, value | `attention.self.query` .. | `attention.q_lin` .. | `attn.c_attn`, side by side |
//! | output | `attention.output.dense` | `attention.out_lin` | `attn.c_proj` |
//!
//! The prefix is everything before these names; programs that wrap a model add words of their own. Older BERT files
//! call a layer norm's gain and shift `gamma` and `beta`. GPT-2's matrices have a row for each input, BERT's a row for
//! each output. The shapes of non-square matrices show which order a file has; its square matrices have the same order.

use super::checkpoint::Checkpoint;
use super::config::{Family, ModelConfig};
use super::config_file::unread_family;
use super::families::of_prefix;
use super::safetensors::Layout;
use super::source::Source;
use super::weight_files::WEIGHTS;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// GPT-2's tensor of query, key and value.
pub(super) const FUSED: &str = "attn.c_attn";

/// How the tensors of some files are named and laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arrangement {
    /// The part of a name before the family's names: empty, or words that each end with a dot.
    pub(super) prefix: String,
    /// The order of the matrices.
    pub(super) layout: Layout,
    /// Notes on guesses from shapes, and on rounding.
    pub(super) notes: Vec<Phrase>,
}

impl Arrangement {
    /// Finds prefix and layout of a family's tensors.
    ///
    /// [`InputError`] if the names are those of another family or of more than one model, tensors under the prefix do
    /// not belong to the family, an adapter is not merged into the weights, or matrices have two layouts.
    pub(super) fn find<S: Source>(config: &ModelConfig, file: &Checkpoint<S>) -> Result<Self, InputError> {
        let names = Names::of(config.family);
        check_adapters(file)?;
        let prefix = prefix(&names, config.family, file)?;
        if let Some(family) = prefix.split('.').find_map(of_prefix) {
            let tensor = format!("{prefix}{}", names.words);
            return Err(unread_family(
                phrase!("name_of_tensor", "The name of the tensor `{tensor}`", tensor = tensor),
                family.name,
                family.reason(),
            ));
        }
        check_known(&names, &prefix, file)?;
        let layout = layout(&names, config, &prefix, file)?;
        let mut notes = Vec::new();
        if layout != names.layout {
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

/// The tensor names of a family.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) words: &'static str,
    pub(super) positions: &'static str,
    pub(super) kinds: Option<&'static str>,
    pub(super) norm: Option<&'static str>,
    pub(super) layer: &'static str,
    /// Names of query, key and value; `None` if they are one tensor.
    pub(super) projections: Option<[&'static str; 3]>,
    pub(super) output: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) widen: &'static str,
    pub(super) narrow: &'static str,
    pub(super) feed_forward_norm: &'static str,
    layout: Layout,
}

impl Names {
    /// The names of a family.
    pub(super) fn of(family: Family) -> Self {
        let bert = Names {
            words: "embeddings.word_embeddings.weight",
            positions: "embeddings.position_embeddings.weight",
            kinds: Some("embeddings.token_type_embeddings.weight"),
            norm: Some("embeddings.LayerNorm"),
            layer: "encoder.layer",
            projections: Some(["attention.self.query", "attention.self.key", "attention.self.value"]),
            output: "attention.output.dense",
            attention_norm: "attention.output.LayerNorm",
            widen: "intermediate.dense",
            narrow: "output.dense",
            feed_forward_norm: "output.LayerNorm",
            layout: Layout::OutputsByInputs,
        };
        match family {
            Family::Bert => bert,
            Family::DistilBert => Names {
                kinds: None,
                layer: "transformer.layer",
                projections: Some(["attention.q_lin", "attention.k_lin", "attention.v_lin"]),
                output: "attention.out_lin",
                attention_norm: "sa_layer_norm",
                widen: "ffn.lin1",
                narrow: "ffn.lin2",
                feed_forward_norm: "output_layer_norm",
                ..bert
            },
            Family::Gpt2 => Names {
                words: "wte.weight",
                positions: "wpe.weight",
                kinds: None,
                norm: None,
                layer: "h",
                projections: None,
                output: "attn.c_proj",
                attention_norm: "ln_1",
                widen: "mlp.c_fc",
                narrow: "mlp.c_proj",
                feed_forward_norm: "ln_2",
                layout: Layout::InputsByOutputs,
            },
        }
    }

    /// A tensor's name in a layer.
    pub(super) fn in_layer(&self, prefix: &str, layer: usize, name: &str) -> String {
        format!("{prefix}{}.{layer}.{name}", self.layer)
    }

    /// The linear maps of a layer.
    fn linear(&self) -> impl Iterator<Item = &'static str> {
        let fused = if self.projections.is_none() { Some(FUSED) } else { None };
        let projections = self.projections.into_iter().flatten().chain(fused);
        projections.chain([self.output, self.widen, self.narrow])
    }

    /// The tables of embeddings.
    fn embedded(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.words), Some(self.positions), self.kinds].into_iter().flatten()
    }

    /// Whether a layer of the family has a tensor of that name.
    fn is_of_layer(&self, name: &str) -> bool {
        let norms = [self.attention_norm, self.feed_forward_norm];
        // The causal mask, which older programs stored with the weights.
        ["attn.bias", "attn.masked_bias"].contains(&name)
            || self.linear().any(|part| is_part(name, part, &["weight", "bias"]))
            || norms.into_iter().any(|part| is_part(name, part, &["weight", "bias", "gamma", "beta"]))
    }

    /// Whether the family has a tensor of that name among its embeddings.
    fn is_of_embeddings(&self, name: &str) -> bool {
        self.embedded().any(|known| known == name)
            || self.norm.is_some_and(|norm| is_part(name, norm, &["weight", "bias", "gamma", "beta"]))
            // Position ids (0, 1, ..) and token type ids (all 0), which are not learnt.
            || ["embeddings.position_ids", "embeddings.token_type_ids"].contains(&name)
    }
}

fn is_part(name: &str, part: &str, ends: &[&str]) -> bool {
    name.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')).is_some_and(|end| ends.contains(&end))
}

/// The prefix of a family's names in the files.
fn prefix<S: Source>(names: &Names, family: Family, file: &Checkpoint<S>) -> Result<String, InputError> {
    let mut found = prefixes(names, file);
    match (found.pop(), found.pop()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => Err(InputError::File {
            file: WEIGHTS.into(),
            problem: phrase!(
                "two_models",
                "it holds more than one model: `{one}` and `{other}`",
                one = format!("{other}{}", names.words),
                other = format!("{one}{}", names.words)
            ),
            fix: phrase!("save_one_model", "Save the one to be measured in a file of its own."),
        }),
        (None, _) => {
            let others = [Family::Bert, Family::DistilBert, Family::Gpt2].into_iter().filter(|other| *other != family);
            match others.into_iter().find(|other| !prefixes(&Names::of(*other), file).is_empty()) {
                Some(other) => Err(InputError::File {
                    file: WEIGHTS.into(),
                    problem: phrase!(
                        "tensors_of_another_family",
                        "its tensors have the names of {other}, and config.json says {family}",
                        other = other.name(),
                        family = family.name()
                    ),
                    fix: phrase!("give_files_of_one_model", "Give config.json and the weights of one model."),
                }),
                // No prefix has both the embeddings and the first layer. If exactly one has the embeddings, it is
                // returned, so that the later error for the missing tensor names the tensor with this prefix.
                None => {
                    let mut before = file.names().filter_map(|name| before(names.words, name));
                    let first = before.next().filter(|_| before.next().is_none());
                    Ok(first.unwrap_or_default().to_owned())
                }
            }
        }
    }
}

/// All prefixes under which the files have both the word embeddings and the first layer of a family.
fn prefixes<S: Source>(names: &Names, file: &Checkpoint<S>) -> Vec<String> {
    let has_layer = |prefix: &&str| file.has(&names.in_layer(prefix, 0, &format!("{}.weight", names.output)));
    file.names().filter_map(|name| before(names.words, name)).filter(has_layer).map(str::to_owned).collect()
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
fn check_known<S: Source>(names: &Names, prefix: &str, file: &Checkpoint<S>) -> Result<(), InputError> {
    let layers = format!("{prefix}{}.", names.layer);
    let is_strange = |name: &&str| {
        if let Some(rest) = name.strip_prefix(layers.as_str()) {
            let Some((layer, rest)) = rest.split_once('.') else { return true };
            let has = |part: &str| file.has(&format!("{layers}{layer}.{part}.weight"));
            return !names.is_of_layer(rest) && names.linear().all(has);
        }
        let rest = name.strip_prefix(prefix).unwrap_or_default();
        let has = |name: &str| file.has(&format!("{prefix}{name}"));
        rest.starts_with("embeddings.") && !names.is_of_embeddings(rest) && names.embedded().all(has)
    };
    match file.names().find(is_strange) {
        Some(name) => Err(InputError::Tensor {
            tensor: name.into(),
            problem: phrase!("not_of_family", "belongs to no model of the family that config.json names"),
            expected: phrase!(
                "only_tensors_of_family",
                "only the tensors of that family, since what another one does would be left out"
            ),
        }),
        None => Ok(()),
    }
}

/// The order of the matrices, from the shapes of those that are not square.
fn layout<S: Source>(
    names: &Names,
    config: &ModelConfig,
    prefix: &str,
    file: &Checkpoint<S>,
) -> Result<Layout, InputError> {
    let (d, inner) = (config.d, config.inner);
    let mut parts = vec![(names.widen, (inner, d)), (names.narrow, (d, inner))];
    if names.projections.is_none() {
        parts.push((FUSED, (d.saturating_mul(3), d)));
    }
    let mut found: Option<(Layout, String)> = None;
    for layer in 0..config.layers {
        for (part, (n_outputs, n_inputs)) in parts.iter().filter(|(_, (outputs, inputs))| outputs != inputs) {
            let tensor = names.in_layer(prefix, layer, &format!("{part}.weight"));
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
    Ok(found.map_or(names.layout, |(layout, _)| layout))
}

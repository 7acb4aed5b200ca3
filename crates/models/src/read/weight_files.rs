//! The files of a folder that hold a model's weights: one file, or several that an index names. If none can be read,
//! the error explains how to convert an existing one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::source::{Source, whole_text};
use crate::config::file::without_mark;
use lipscope_core::experiment::{InputError, Phrase, json_problem};
use lipscope_core::phrase;

/// Weights in a single file.
pub const WEIGHTS: &str = "model.safetensors";
/// The index that names several weight files.
pub const WEIGHT_INDEX: &str = "model.safetensors.index.json";

/// Weight files, not read yet.
#[derive(Debug)]
pub struct WeightFiles<S> {
    /// Files with their names.
    pub(crate) files: Vec<(String, S)>,
    /// For each tensor, the file that holds it according to the index; empty without an index.
    pub(crate) index: BTreeMap<String, String>,
    /// Notes on files beside the weights that were not used.
    pub(crate) notes: Vec<Phrase>,
}

impl<S: Source> WeightFiles<S> {
    /// A single `model.safetensors`.
    #[must_use]
    pub fn of_one(source: S) -> Self {
        WeightFiles { files: vec![(WEIGHTS.into(), source)], index: BTreeMap::new(), notes: Vec::new() }
    }

    /// Selects the weight files of a folder.
    ///
    /// # Errors
    /// [`InputError::File`] if no file can be read (the error says how to make one), or if one of several is missing.
    pub fn gather(
        names: &BTreeSet<String>,
        mut open: impl FnMut(&str) -> Result<S, InputError>,
    ) -> Result<Self, InputError> {
        let mut found = if names.contains(WEIGHTS) {
            let mut found = WeightFiles::of_one(open(WEIGHTS)?);
            if names.contains(WEIGHT_INDEX) {
                found.notes.push(phrase!(
                    "note_two_copies",
                    "{single} was read, as transformers does; {index} beside it names other files of weights, which were not read",
                    single = WEIGHTS,
                    index = WEIGHT_INDEX
                ));
            }
            found
        } else if names.contains(WEIGHT_INDEX) {
            let index = parse_index(&whole_text(WEIGHT_INDEX, &mut open(WEIGHT_INDEX)?)?)?;
            let shards: BTreeSet<&String> = index.values().collect();
            if let Some(missing) = shards.iter().find(|name| !names.contains(**name)) {
                return Err(InputError::File {
                    file: missing.as_str().into(),
                    problem: phrase!(
                        "shard_missing",
                        "it is not there, and {index} says that a part of the weights is in it",
                        index = WEIGHT_INDEX
                    ),
                    fix: phrase!(
                        "copy_all_shards",
                        "Give all {count} files of weights that it names.",
                        count = shards.len()
                    ),
                });
            }
            let files = shards.into_iter().map(|name| open(name).map(|file| (name.clone(), file)));
            let files = files.collect::<Result<_, _>>()?;
            WeightFiles { files, index, notes: Vec::new() }
        } else {
            return Err(no_weights(names));
        };
        if names.iter().any(|name| name.starts_with("adapter_")) {
            found.notes.push(phrase!(
                "note_adapter",
                "an adapter lies beside the weights (adapter_model, adapter_config.json) and was not applied"
            ));
        }
        Ok(found)
    }
}

/// The weight files that an index names.
///
/// # Errors
/// [`InputError::File`] if it is not an index, or names a file outside the folder.
pub fn shards(index: &str) -> Result<BTreeSet<String>, InputError> {
    Ok(parse_index(index)?.into_values().collect())
}

/// Whether a file of a model's folder may concern its weights.
#[must_use]
pub fn is_about_weights(name: &str) -> bool {
    name == WEIGHT_INDEX
        || name.starts_with("adapter_")
        || [".safetensors", ".bin", ".h5", ".msgpack", ".pt", ".pth", ".ckpt"].iter().any(|end| name.ends_with(end))
}

/// The error for a folder without readable weights.
#[must_use]
pub fn no_weights(names: &BTreeSet<String>) -> InputError {
    let with = |end: &str| names.iter().find(|name| name.ends_with(end) && !name.starts_with("adapter_"));
    let of_pytorch = names.iter().find(|name| name.starts_with("pytorch_model") && name.ends_with(".bin"));
    let other = [".bin", ".pt", ".pth", ".ckpt"].into_iter().find_map(with);
    let (problem, fix) = if let Some(shard) =
        names.iter().find(|name| name.starts_with("model-") && name.ends_with(".safetensors"))
    {
        (
            phrase!(
                "index_missing",
                "{shard} is there, but not {index}, which says what is in which file",
                shard = shard,
                index = WEIGHT_INDEX
            ),
            phrase!("copy_index", "Give {index} too; it lies beside these files.", index = WEIGHT_INDEX),
        )
    } else if let Some(file) = with(".safetensors") {
        (
            phrase!("other_safetensors", "there is no file of this name, only {file}", file = file),
            phrase!(
                "rename_safetensors",
                "If {file} holds all weights of the model, rename it to {name}.",
                file = file,
                name = WEIGHTS
            ),
        )
    } else if let Some(file) = of_pytorch {
        (
            only_as(file),
            phrase!(
                "convert_pytorch",
                "Convert it in its folder by two lines of Python (pip install torch safetensors): {first} | {second}",
                first = "import glob, torch; from safetensors.torch import save_file",
                second = "save_file({n: t.contiguous().clone() for f in glob.glob(\"pytorch_model*.bin\") for n, t in torch.load(f, \"cpu\", weights_only=True).items()}, \"model.safetensors\")"
            ),
        )
    } else if let Some((file, flag)) =
        with(".h5").map(|file| (file, "from_tf")).or_else(|| with(".msgpack").map(|file| (file, "from_flax")))
    {
        (
            only_as(file),
            phrase!(
                "convert_with_transformers",
                "Convert it in its folder by two lines of Python (transformers 4): {first} | {second}",
                first = "from transformers import AutoModel",
                second = format!("AutoModel.from_pretrained(\".\", {flag}=True).save_pretrained(\".\")")
            ),
        )
    } else if let Some(file) = other {
        (
            only_as(file),
            phrase!(
                "save_from_python",
                "Load it with the program that wrote it, and save the weights by two lines of Python: {first} | {second}",
                first = "from safetensors.torch import save_model",
                second = "save_model(model, \"model.safetensors\")"
            ),
        )
    } else if names.iter().any(|name| name.starts_with("adapter_")) {
        (
            phrase!(
                "only_adapter",
                "the folder has only an adapter, which is no model without the one it was made for"
            ),
            phrase!(
                "merge_adapter",
                "Merge it into its model with {call} of the Python package peft, and save that.",
                call = "merge_and_unload()"
            ),
        )
    } else {
        (
            phrase!("not_among_files", "it is not among the files"),
            phrase!(
                "give_config_json_model",
                "Give config.json, model.safetensors and the tokenizer's files together, or the folder that has them."
            ),
        )
    };
    InputError::File { file: WEIGHTS.into(), problem, fix }
}

fn only_as(file: &str) -> Phrase {
    phrase!(
        "only_other_format",
        "it is not there; the weights are there only as {file}, and only safetensors is read",
        file = file
    )
}

fn parse_index(text: &str) -> Result<BTreeMap<String, String>, InputError> {
    #[derive(Deserialize)]
    struct Index {
        weight_map: BTreeMap<String, String>,
    }
    let broken = |problem: Phrase| InputError::File {
        file: WEIGHT_INDEX.into(),
        problem,
        fix: phrase!("copy_file_again_from", "Copy the file again from the model's folder."),
    };
    let index: Index = serde_json::from_str(without_mark(text)).map_err(|error| {
        broken(phrase!(
            "not_weight_index",
            "it does not say which file has which tensor ({detail})",
            detail = json_problem(&error)
        ))
    })?;
    if index.weight_map.is_empty() {
        return Err(broken(phrase!("empty_weight_index", "it names no file of weights")));
    }
    // A name that leads out of the folder would read, or download, another file.
    let is_plain = |name: &str| name.ends_with(".safetensors") && !name.contains(['/', '\\', ':', '?', '#', '%']);
    match index.weight_map.values().find(|name| !is_plain(name)) {
        Some(name) => Err(broken(phrase!(
            "shard_elsewhere",
            "it names \"{name}\", which is no safetensors file of its folder",
            name = name
        ))),
        None => Ok(index.weight_map),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_folder_without_weights_that_can_be_read_says_what_to_do_with_those_it_has() {
        for (list, words) in [
            (&["pytorch_model.bin"][..], ["pytorch_model.bin", "torch.load"]),
            (&["pytorch_model-00001-of-00002.bin", "pytorch_model.bin.index.json"], ["00001-of-00002", "glob"]),
            (&["tf_model.h5"], ["tf_model.h5", "from_tf=True"]),
            (&["flax_model.msgpack"], ["flax_model.msgpack", "from_flax=True"]),
            (&["ckpt.pt"], ["ckpt.pt", "save_model"]),
            (&["model-00001-of-00002.safetensors"], ["model-00001-of-00002.safetensors", "index.json"]),
            (&["weights.safetensors"], ["weights.safetensors", "rename"]),
            (&["adapter_model.safetensors", "adapter_config.json"], ["adapter", "merge_and_unload"]),
            (&["config.json"], ["not among the files", "config.json"]),
        ] {
            let said = no_weights(&names(list)).to_string();
            assert!(said.contains(WEIGHTS) && words.iter().all(|word| said.contains(word)), "{list:?}: {said}");
        }
    }

    #[test]
    fn an_index_names_files_of_its_own_folder() {
        let index =
            |file: &str| shards(&format!("\u{feff}{{\"weight_map\":{{\"a\":\"{file}\",\"b\":\"x.safetensors\"}}}}"));
        assert_eq!(index("y.safetensors"), Ok(names(&["x.safetensors", "y.safetensors"])));
        for elsewhere in ["../y.safetensors", "/y.safetensors", "http://a/y.safetensors", "y.bin", ""] {
            let said = index(elsewhere).expect_err(elsewhere).to_string();
            assert!(said.contains(WEIGHT_INDEX) && said.contains(elsewhere), "{said}");
        }
        assert!(shards("{\"weight_map\":{}}").is_err() && shards("[]").is_err() && shards("{}").is_err());
    }

    #[test]
    fn a_missing_shard_is_named() {
        let index: &[u8] = b"{\"weight_map\":{\"a\":\"x.safetensors\",\"b\":\"y.safetensors\"}}";
        let said = WeightFiles::gather(&names(&[WEIGHT_INDEX, "x.safetensors"]), |_| Ok(index));
        let said = said.expect_err("one is missing").to_string();
        assert!(said.contains("y.safetensors") && said.contains("all 2 files"), "{said}");
    }
}

//! A file of weights written in another way: reading it must give the same model.

use serde_json::{Map, Value, json};

/// A way to write the same weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewriting {
    /// Words before every name, as programs that wrap a model add them.
    Wrapped(&'static str),
    /// 32-bit numbers as 64-bit ones.
    Wide,
    /// The tensors from the last to the first.
    Backwards,
    /// Every other tensor in a second file, and an index.
    Split,
}

impl Rewriting {
    pub const ALL: [Rewriting; 5] = [
        Rewriting::Wrapped("module.model."),
        Rewriting::Wrapped("_orig_mod.base_model.model."),
        Rewriting::Wide,
        Rewriting::Backwards,
        Rewriting::Split,
    ];
}

struct Tensor {
    name: String,
    dtype: Value,
    shape: Value,
    bytes: Vec<u8>,
}

/// Files that hold the same weights as one file, with their names; `None` for an invalid file.
#[must_use]
pub fn rewritten(file: &[u8], way: Rewriting) -> Option<Vec<(String, Vec<u8>)>> {
    let (mut tensors, mut aliases) = parts(file)?;
    match way {
        Rewriting::Wrapped(prefix) => {
            tensors.iter_mut().for_each(|tensor| tensor.name.insert_str(0, prefix));
            let named = |text: &str| Value::from(format!("{prefix}{text}"));
            aliases = aliases
                .into_iter()
                .map(|(name, other)| (format!("{prefix}{name}"), other.as_str().map_or(Value::Null, named)))
                .collect();
        }
        Rewriting::Wide => tensors.iter_mut().for_each(widen),
        Rewriting::Backwards => tensors.reverse(),
        Rewriting::Split => {
            let (mut halves, mut map) = ([Vec::new(), Vec::new()], Map::new());
            for (at, tensor) in tensors.into_iter().enumerate() {
                map.insert(tensor.name.clone(), shard(at % 2).into());
                halves[at % 2].push(tensor);
            }
            let index = json!({"metadata": {}, "weight_map": map}).to_string();
            // An index names only files that hold a tensor.
            let files = halves.iter().enumerate().filter(|(_, half)| !half.is_empty());
            let mut files: Vec<_> = files.map(|(at, half)| (shard(at), written(half, &aliases))).collect();
            files.push(("model.safetensors.index.json".into(), index.into_bytes()));
            return Some(files);
        }
    }
    Some(vec![("model.safetensors".into(), written(&tensors, &aliases))])
}

fn shard(at: usize) -> String {
    format!("model-0000{}-of-00002.safetensors", at + 1)
}

/// The tensors of a file, and its metadata.
fn parts(file: &[u8]) -> Option<(Vec<Tensor>, Map<String, Value>)> {
    let length = usize::try_from(u64::from_le_bytes(*file.first_chunk::<8>()?)).ok()?;
    let (header, data) = file.get(8..)?.split_at_checked(length)?;
    let Value::Object(mut header) = serde_json::from_slice(header).ok()? else { return None };
    let aliases = match header.remove("__metadata__") {
        Some(Value::Object(aliases)) => aliases,
        _ => Map::new(),
    };
    let tensors = header.into_iter().map(|(name, info)| {
        let offset = |at: usize| usize::try_from(info["data_offsets"][at].as_u64()?).ok();
        let bytes = data.get(offset(0)?..offset(1)?)?.to_vec();
        Some(Tensor { name, dtype: info["dtype"].clone(), shape: info["shape"].clone(), bytes })
    });
    Some((tensors.collect::<Option<_>>()?, aliases))
}

fn widen(tensor: &mut Tensor) {
    if tensor.dtype == "F32" && tensor.bytes.len().is_multiple_of(4) {
        let numbers = tensor.bytes.as_chunks::<4>().0.iter().map(|four| f64::from(f32::from_le_bytes(*four)));
        tensor.bytes = numbers.flat_map(f64::to_le_bytes).collect();
        tensor.dtype = "F64".into();
    }
}

fn written(tensors: &[Tensor], aliases: &Map<String, Value>) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    if !aliases.is_empty() {
        header.insert("__metadata__".into(), aliases.clone().into());
    }
    for Tensor { name, dtype, shape, bytes } in tensors {
        let start = data.len();
        data.extend(bytes);
        header.insert(name.clone(), json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]}));
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

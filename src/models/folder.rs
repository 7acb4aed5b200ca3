//! The files of a model, and the address from which they may be fetched.

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use lipscope_models::{is_about_weights, is_picture};
use lipscope_protocol::models::{MODEL_FILES, RemoteFile, Serving};

/// A model's files.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// The folder's name.
    pub name: String,
    /// Blobs, and files at an address, by their names, as the models' worker takes them.
    pub files: Object,
    /// The names of the files.
    pub names: Vec<String>,
    /// The size of all files together, in bytes.
    pub size: f64,
}

/// A file of a model.
#[derive(Clone, Debug)]
pub enum ModelFile {
    /// Given or fetched.
    Here(Blob),
    /// At an address; ranges of it are read when they are needed.
    There {
        /// Its address.
        url: String,
        /// Its size in bytes.
        size: u64,
    },
}

impl ModelFile {
    fn size(&self) -> f64 {
        match self {
            ModelFile::Here(blob) => blob.size(),
            ModelFile::There { size, .. } => *size as f64,
        }
    }

    /// What the models' worker takes.
    fn value(&self) -> JsValue {
        match self {
            ModelFile::Here(blob) => blob.into(),
            ModelFile::There { url, size } => {
                let object = Object::new();
                // The object was just made, so setting a value succeeds.
                let _ = Reflect::set(&object, &JsValue::from_str("url"), &JsValue::from_str(url));
                let _ = Reflect::set(&object, &JsValue::from_str("size"), &JsValue::from_f64(*size as f64));
                object.into()
            }
        }
    }

    fn of_value(value: JsValue) -> Option<Self> {
        match value.dyn_into::<Blob>() {
            Ok(blob) => Some(ModelFile::Here(blob)),
            Err(there) => {
                let part = |key: &str| Reflect::get(&there, &JsValue::from_str(key)).ok();
                Some(ModelFile::There { url: part("url")?.as_string()?, size: part("size")?.as_f64()? as u64 })
            }
        }
    }
}

impl Folder {
    /// Picks the files of a model from files with names, and drops others.
    pub fn new(name: String, files: impl IntoIterator<Item = (String, ModelFile)>) -> Self {
        let mut folder = Folder { name, files: Object::new(), names: Vec::new(), size: 0.0 };
        for (name, file) in files {
            if is_of_model(&name) && !folder.names.contains(&name) {
                folder.size += file.size();
                // The object was just made, so setting a value succeeds.
                let _ = Reflect::set(&folder.files, &JsValue::from_str(&name), &file.value());
                folder.names.push(name);
            }
        }
        folder
    }

    /// Whether a picture is among the files.
    pub fn has_pictures(&self) -> bool {
        self.names.iter().any(|name| is_picture(name))
    }

    /// The same folder with other pictures.
    pub fn with_pictures(&self, pictures: impl IntoIterator<Item = (String, ModelFile)>) -> Self {
        let file = |name: &String| ModelFile::of_value(Reflect::get(&self.files, &JsValue::from_str(name)).ok()?);
        let kept = self.names.iter().filter(|name| !is_picture(name));
        let kept = kept.filter_map(|name| Some((name.clone(), file(name)?)));
        Folder::new(self.name.clone(), kept.chain(pictures).collect::<Vec<_>>())
    }
}

/// Whether a file of a model's folder is kept. Weights in another format are kept too: an error then says how to
/// convert them.
pub(super) fn is_of_model(name: &str) -> bool {
    MODEL_FILES.contains(&name) || is_about_weights(name) || is_picture(name)
}

/// An address and its state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remote {
    /// As it was typed.
    pub address: String,
    /// How far the page is with fetching from it.
    pub phase: RemotePhase,
}

/// The progress of fetching a model from an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RemotePhase {
    /// The page has no answer of the server, and waits for none.
    #[default]
    Typed,
    /// The page asks the server which files it has.
    Looking,
    /// The server has these files. A press of a button fetches them, or opens them where they are.
    Found(Vec<RemoteFile>, Serving),
    /// The files are being fetched: bytes so far, and in all.
    Fetching(u64, Option<u64>),
    /// The files have arrived.
    Here,
    /// All but the weights have arrived. Of the weights what is needed is read at the address.
    There,
}

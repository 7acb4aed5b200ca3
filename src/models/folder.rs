//! The files of a model, and the address from which they may be fetched.

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use lipscope_models::{is_about_weights, is_picture};
use lipscope_protocol::models::{MODEL_FILES, RemoteFile};

/// A model's files.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// The folder's name.
    pub name: String,
    /// Blobs by their names.
    pub files: Object,
    /// The names of the files.
    pub names: Vec<String>,
    /// The size of all files together, in bytes.
    pub size: f64,
}

impl Folder {
    /// Picks the files of a model from blobs with names, and drops other files.
    pub fn new(name: String, blobs: impl IntoIterator<Item = (String, Blob)>) -> Self {
        let mut folder = Folder { name, files: Object::new(), names: Vec::new(), size: 0.0 };
        for (name, blob) in blobs {
            if is_of_model(&name) && !folder.names.contains(&name) {
                folder.size += blob.size();
                // The object was just made, so setting a value succeeds.
                let _ = Reflect::set(&folder.files, &JsValue::from_str(&name), &blob);
                folder.names.push(name);
            }
        }
        folder
    }
}

impl Folder {
    /// Whether a picture is among the files.
    pub fn has_pictures(&self) -> bool {
        self.names.iter().any(|name| is_picture(name))
    }

    /// The same folder with other pictures.
    pub fn with_pictures(&self, pictures: impl IntoIterator<Item = (String, Blob)>) -> Self {
        let file = |name: &String| Reflect::get(&self.files, &JsValue::from_str(name)).ok()?.dyn_into::<Blob>().ok();
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
    /// The server has these files. A press of the button fetches them.
    Found(Vec<RemoteFile>),
    /// The files are being fetched: bytes so far, and in all.
    Fetching(u64, Option<u64>),
    /// The files have arrived.
    Here,
}

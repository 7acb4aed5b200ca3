//! The files of a model.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;
use web_sys::Blob;

use lipscope_models::is_about_weights;
use lipscope_protocol::models::MODEL_FILES;

/// A model's files.
#[derive(Clone, Debug, PartialEq)]
pub struct Folder {
    /// The folder's name.
    pub name: String,
    /// Blobs by their names.
    pub files: Object,
    /// Their names.
    pub names: Vec<String>,
    /// Their bytes.
    pub size: f64,
}

impl Folder {
    /// Takes the files of a model out of blobs with their names; other files are left out.
    pub fn new(name: String, blobs: impl IntoIterator<Item = (String, Blob)>) -> Self {
        let mut folder = Folder { name, files: Object::new(), names: Vec::new(), size: 0.0 };
        for (name, blob) in blobs {
            if is_of_model(&name) && !folder.names.contains(&name) {
                folder.size += blob.size();
                // It is an object that was just made.
                let _ = Reflect::set(&folder.files, &JsValue::from_str(&name), &blob);
                folder.names.push(name);
            }
        }
        folder
    }
}

/// Whether a file of a model's folder is kept: also weights in another format, of which it is said how they are converted.
pub(super) fn is_of_model(name: &str) -> bool {
    MODEL_FILES.contains(&name) || is_about_weights(name)
}

//! Receiving files: chosen one by one or by folder, dropped, or of a model that was trained on this page.

use std::sync::Arc;

use crate::prelude::*;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

use super::folder::{Folder, ModelFile};
use super::session::ModelSession;
use super::settings::{PlanForm, SourceKind};
use crate::answers::TrainedModel;
use crate::controls::TextFile;
use crate::files::read;
use crate::strings;
use lipscope_core::experiment::DecodedText;
use lipscope_models::is_picture;
use lipscope_protocol::models::MODEL_FILES;

/// The folder name of loose files.
const LOOSE: &str = "model";

/// A file and its path: `folder/config.json`, or `config.json` alone.
type Found = (String, File);

/// Takes the files of an input.
pub fn take_list(session: ModelSession, list: Option<FileList>) {
    let Some(list) = list else { return };
    let found = (0..list.length()).filter_map(|at| list.get(at)).map(|file| {
        let path = Reflect::get(&file, &JsValue::from_str("webkitRelativePath")).ok().and_then(|path| path.as_string());
        (path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name()), file)
    });
    take(session, found.collect());
}

/// Takes dropped data: files, folders, or a text.
pub fn take_dropped(session: ModelSession, data: &DataTransfer) {
    // The entries exist only during the event.
    let items = data.items();
    let entries: Vec<FileSystemEntry> = (0..items.length())
        .filter_map(|at| items.get(at))
        .filter_map(|item| item.webkit_get_as_entry().ok().flatten())
        .collect();
    if entries.is_empty() {
        let text = data.get_data("text/plain").unwrap_or_default();
        if !text.is_empty() {
            session.take_text(strings::model_dropped_text().into(), DecodedText::from_text(&text));
        }
        return;
    }
    spawn_local(async move {
        let mut found = Vec::new();
        for entry in entries {
            // The files directly in a folder belong to a model; deeper folders are ignored.
            if entry.is_directory() {
                let name = entry.name();
                for inside in children(entry.unchecked_into()).await {
                    found.extend(file_of(inside).await.map(|file| (format!("{name}/{}", file.name()), file)));
                }
            } else {
                found.extend(file_of(entry).await.map(|file| (file.name(), file)));
            }
        }
        take(session, found);
    });
}

/// Takes a text file.
pub fn take_text_file(session: ModelSession, file: File) {
    read(file, move |name, bytes| match bytes {
        Ok(bytes) => match DecodedText::from_bytes(&bytes) {
            Some(text) => session.take_text(name, text),
            None => session.complain(strings::model_not_text(&name)),
        },
        Err(problem) => session.complain(problem),
    });
}

/// Takes the file of a table.
pub fn take_table_file(session: ModelSession, file: File) {
    read(file, move |name, bytes| match bytes {
        Ok(bytes) => session.open_table(name, bytes),
        Err(problem) => session.complain(problem),
    });
}

impl ModelSession {
    /// Takes a text as the one to measure: a short one fills the form, a longer one is kept beside it as a file.
    pub(super) fn take_text(self, name: String, text: DecodedText<'_>) {
        /// A text of more bytes makes the form slow.
        const MOST_IN_FORM: usize = 40_000;
        let notes = text.notes();
        let text: Arc<str> = text.text.into();
        self.decoded.set_value((text.clone(), notes));
        if text.len() <= MOST_IN_FORM {
            self.text_file.set(None);
            self.text.set(text.to_string());
        } else {
            self.text_file.set(Some(TextFile { name, text }));
        }
    }
}

/// How many windows are measured at each length of a trained model; fewer where the text is too short.
const WINDOWS: usize = 2;
/// The most lengths at which a trained model is measured. They are evenly spread.
const LENGTHS: usize = 8;

impl ModelSession {
    /// Opens a trained model. The plan measures all its layers, at lengths up to its context length.
    pub(super) fn take_trained(self, model: TrainedModel) {
        let TrainedModel { plan, files, text } = model;
        let name = plan.name();
        let context = plan.context;
        let files: [(&str, &[u8]); 3] = [
            ("config.json", files.config.as_bytes()),
            ("model.safetensors", &files.weights),
            ("tokenizer.json", files.tokenizer.as_bytes()),
        ];
        let blobs = files.into_iter().filter_map(|(name, bytes)| {
            let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).ok()?;
            Some((name.to_owned(), ModelFile::Here(blob)))
        });
        self.given.set(Some(Folder::new(name.clone(), blobs)));
        self.source.update(|source| source.kind = SourceKind::Files);
        let windows = (text.chars().count() / context).clamp(1, WINDOWS);
        self.take_text(name, DecodedText::from_text(&text));
        let step = context.div_ceil(LENGTHS);
        let layers: Vec<String> = (0..plan.blocks).map(|layer| layer.to_string()).collect();
        self.plan.set(PlanForm {
            layers: Some(layers.join(",")),
            lengths: format!("{}:{context}:{step}", context - (context - 1) / step * step),
            windows: windows.to_string(),
            ..PlanForm::default()
        });
    }
}

impl ModelSession {
    /// Takes pictures as those that the model at hand is to see.
    fn take_pictures(self, pictures: Vec<Found>) {
        let folder = match self.source.with_untracked(|source| source.kind) {
            SourceKind::Files => self.given,
            SourceKind::Address => self.fetched,
            SourceKind::Gpt2 | SourceKind::Bert | SourceKind::Llama => {
                return self.complain(strings::model_pictures_alone());
            }
        };
        let blobs = pictures.into_iter().map(|(path, file)| (last(&path).to_owned(), ModelFile::Here(file.into())));
        match folder.get_untracked() {
            Some(model) => folder.set(Some(model.with_pictures(blobs))),
            None => self.complain(strings::model_pictures_alone()),
        }
    }
}

/// Takes files as a model, a table, pictures, or a text, by their names.
fn take(session: ModelSession, found: Vec<Found>) {
    let is_model = |(path, _): &Found| MODEL_FILES.contains(&last(path));
    if !found.iter().any(is_model) {
        let pictures: Vec<Found> = found.iter().filter(|(path, _)| is_picture(path)).cloned().collect();
        if !pictures.is_empty() {
            return session.take_pictures(pictures);
        }
        if let Some(folder) = found.iter().find_map(|(path, _)| Some(path.rsplit_once('/')?.0)) {
            return session.complain(strings::model_no_config(folder));
        }
        let Some((path, file)) = found.into_iter().next() else { return session.complain(strings::model_no_files()) };
        let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        return match extension.as_str() {
            "csv" | "json" => take_table_file(session, file),
            "safetensors" | "bin" | "pt" | "onnx" => session.complain(strings::model_no_files()),
            _ => take_text_file(session, file),
        };
    }
    // Of two files with the same name, the page takes the one nearer to the top.
    let mut found = found;
    found.sort_by_key(|(path, _)| path.matches('/').count());
    let name = found.iter().find(|one| is_model(one)).and_then(|(path, _)| {
        let mut parts = path.rsplit('/');
        parts.next();
        parts.next().map(str::to_owned)
    });
    let blobs = found.into_iter().map(|(path, file)| (last(&path).to_owned(), ModelFile::Here(file.into())));
    let folder = Folder::new(name.unwrap_or_else(|| LOOSE.into()), blobs);
    session.given.set(Some(folder));
    session.source.update(|source| source.kind = SourceKind::Files);
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The entries of a folder.
async fn children(folder: FileSystemDirectoryEntry) -> Vec<FileSystemEntry> {
    let reader = folder.create_reader();
    let mut all = Vec::new();
    loop {
        // Entries come in batches of a hundred at most; an empty batch ends the list.
        let batch = called_back(|then| reader.read_entries_with_callback(&then)).await;
        let batch: Array = batch.map(JsCast::unchecked_into).unwrap_or_default();
        if batch.length() == 0 {
            return all;
        }
        all.extend(batch.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

async fn file_of(entry: FileSystemEntry) -> Option<File> {
    if !entry.is_file() {
        return None;
    }
    let entry: FileSystemFileEntry = entry.unchecked_into();
    called_back(|then| {
        entry.file_with_callback(&then);
        Ok(())
    })
    .await
    .and_then(|file| file.dyn_into().ok())
}

/// The value that a function passes to its callback; `None` where the function refuses.
async fn called_back(call: impl FnOnce(Function) -> Result<(), JsValue>) -> Option<JsValue> {
    let mut call = Some(call);
    let promise = Promise::new(&mut |resolve, reject| {
        if call.take().is_some_and(|call| call(resolve).is_err()) {
            let _ = reject.call0(&JsValue::UNDEFINED);
        }
    });
    JsFuture::from(promise).await.ok()
}

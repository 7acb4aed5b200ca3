//! The models' worker: files arrive as blobs, and files at an address are downloaded.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::{Array, Object};
use lipscope_protocol::models::{ModelContext, ModelTasks, SharedFile};
use lipscope_workers::blob::BlobSource;
use lipscope_workers::listen::listen;
use lipscope_workers::message::get;
use lipscope_workers::network::BrowserNetwork;
use lipscope_workers::remote::RemoteSource;
use lipscope_workers::tasks::{Attachment, TasksOf};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

fn main() {
    let fetched = Rc::new(RefCell::new(None));
    let network = BrowserNetwork::new(Rc::clone(&fetched));
    let tasks = TasksOf::<ModelTasks, _>::new(ModelContext::new(Box::new(network)), Files { source: 0.0, fetched });
    listen(|_| tasks, None, || {});
}

/// Files sent in both directions.
struct Files {
    /// The number of the worker's current files.
    source: f64,
    /// Downloaded files that have not been sent yet.
    fetched: Rc<RefCell<Option<Object>>>,
}

impl Attachment<ModelContext> for Files {
    fn take(&mut self, context: &mut ModelContext, message: &JsValue) {
        let source = get(message, "source").as_f64().unwrap_or(0.0);
        let files = get(message, "files");
        // The worker has these files already; taking them again would drop what was prepared from them.
        if files.is_object() && source != self.source {
            self.source = source;
            context.take_files(readers(&files));
        }
    }

    fn give(&mut self) -> Option<Object> {
        self.fetched.borrow_mut().take()
    }
}

/// Readers of blobs, and of files at an address, by the files' names.
fn readers(files: &JsValue) -> BTreeMap<String, Box<dyn SharedFile>> {
    let entries = Object::entries(files.unchecked_ref());
    let entry = |entry: JsValue| {
        let pair: Array = entry.dyn_into().ok()?;
        let source: Box<dyn SharedFile> = match pair.get(1).dyn_into::<Blob>() {
            Ok(blob) => Box::new(BlobSource::new(blob)?),
            Err(there) => {
                let (url, size) = (get(&there, "url").as_string()?, get(&there, "size").as_f64()?);
                Box::new(RemoteSource::new(url, size as u64))
            }
        };
        Some((pair.get(0).as_string()?, source))
    };
    entries.iter().filter_map(entry).collect()
}

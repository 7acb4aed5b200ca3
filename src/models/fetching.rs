//! Fetching a model's folder from an address: first the list of files and their sizes, then, at a press of the button,
//! the files.

use std::collections::BTreeSet;

use crate::prelude::*;
use js_sys::Object;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::folder::{Folder, ModelFile, Remote, RemotePhase};
use super::session::ModelSession;
use crate::strings;
use crate::workers::ModelLane;
use lipscope_models::{WEIGHT_INDEX, WEIGHTS, no_weights};
use lipscope_protocol::envelope::Content;
use lipscope_protocol::models::{DownloadPlan, Downloaded, ModelEvent, ModelPlan, OTHER_WEIGHTS, RemoteFile, Serving};

/// The file that describes a model.
const CONFIG: &str = "config.json";

impl ModelSession {
    /// Stores the address that the reader typed.
    pub(super) fn set_address(self, address: String) {
        self.end_fetch();
        self.fetched.set(None);
        self.remote.set(Remote { address, phase: RemotePhase::Typed });
    }

    /// Asks the server which files it has.
    pub(super) fn look(self) {
        let address = self.remote.with_untracked(|remote| remote.address.trim().to_owned());
        if !(address.starts_with("https://") || address.starts_with("http://")) {
            return self.complain(strings::model_no_address(&address));
        }
        self.models().problem.set(None);
        self.set_remote(RemotePhase::Looking);
        self.ask_server(DownloadPlan::List { address });
    }

    /// Fetches the files that were found.
    pub(super) fn fetch(self) {
        self.fetch_some(|_| true);
    }

    /// Opens the files where they are: all but the weights are fetched.
    pub(super) fn open_there(self) {
        self.fetch_some(|file| !is_weights(file));
    }

    fn fetch_some(self, is_fetched: impl Fn(&RemoteFile) -> bool) {
        let Remote { address, phase } = self.remote.get_untracked();
        let RemotePhase::Found(files, _) = phase else { return };
        let address = address.trim().to_owned();
        let (fetched, there): (Vec<RemoteFile>, Vec<RemoteFile>) = files.into_iter().partition(is_fetched);
        let at_address = |file: &RemoteFile| {
            let url = format!("{}/{}", address.trim_end_matches('/'), file.name);
            Some((file.name.clone(), ModelFile::There { url, size: file.size? }))
        };
        self.there.set_value(there.iter().filter_map(at_address).collect());
        self.set_remote(RemotePhase::Fetching(0, total(&fetched)));
        let names = fetched.into_iter().map(|file| file.name).collect();
        self.ask_server(DownloadPlan::Fetch { address, names });
    }

    /// Stops fetching, and drops what has arrived.
    pub(super) fn cancel_fetch(self) {
        self.end_fetch();
        self.set_remote(RemotePhase::Typed);
    }

    fn end_fetch(self) {
        self.cancel(ModelLane::Download);
    }

    fn set_remote(self, phase: RemotePhase) {
        self.remote.update(|remote| remote.phase = phase);
    }

    fn ask_server(self, plan: DownloadPlan) {
        self.submit(ModelLane::Download, None, ModelPlan::Download(plan));
    }

    /// Receives a worker's report about a server, with fetched files beside it.
    pub(super) fn on_server(self, content: Content<ModelEvent>, files: Option<JsValue>) {
        match content {
            Content::Event(ModelEvent::Download(Downloaded::List(files, serving))) => {
                self.take_listed(files, serving);
            }
            Content::Event(ModelEvent::Download(Downloaded::Files)) => {
                if let Some(files) = files {
                    self.take_fetched(&files);
                }
            }
            Content::Progress(progress) => self.remote.update(|remote| {
                if let RemotePhase::Fetching(here, _) = &mut remote.phase {
                    *here = progress.done;
                }
            }),
            Content::Failed(problem) => {
                self.cancel_fetch();
                self.complain(problem);
            }
            _ => {}
        }
    }

    fn take_listed(self, files: Vec<RemoteFile>, serving: Serving) {
        let has = |name: &str| files.iter().any(|file| file.name == name);
        if !has(CONFIG) {
            self.set_remote(RemotePhase::Typed);
            return self.complain(strings::model_not_at_address(CONFIG));
        }
        if !has(WEIGHTS) && !has(WEIGHT_INDEX) {
            self.set_remote(RemotePhase::Typed);
            let names: BTreeSet<String> = files.into_iter().map(|file| file.name).collect();
            let is_other = names.iter().any(|name| OTHER_WEIGHTS.contains(&name.as_str()));
            return match is_other {
                true => self.complain(no_weights(&names)),
                false => self.complain(strings::model_not_at_address(WEIGHTS)),
            };
        }
        // One form of the tokenizer is enough.
        let is_wanted = |name: &str| match name {
            "vocab.txt" => !has("tokenizer.json"),
            "vocab.json" | "merges.txt" => !has("tokenizer.json") && !has("vocab.txt"),
            _ => true,
        };
        let wanted: Vec<RemoteFile> = files.iter().filter(|file| is_wanted(&file.name)).cloned().collect();
        // A file of unknown size cannot be read by ranges.
        let is_measured = wanted.iter().all(|file| !is_weights(file) || file.size.is_some());
        self.set_remote(RemotePhase::Found(wanted, if is_measured { serving } else { Serving::WholeFiles }));
    }

    fn take_fetched(self, files: &JsValue) {
        let entries = Object::entries(files.unchecked_ref());
        let blobs = entries.iter().filter_map(|entry| {
            let pair: js_sys::Array = entry.dyn_into().ok()?;
            Some((pair.get(0).as_string()?, ModelFile::Here(pair.get(1).dyn_into::<Blob>().ok()?)))
        });
        let address = self.remote.with_untracked(|remote| remote.address.clone());
        let name = address.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let there = self.there.try_update_value(std::mem::take).unwrap_or_default();
        self.set_remote(if there.is_empty() { RemotePhase::Here } else { RemotePhase::There });
        self.fetched.set(Some(Folder::new(name, blobs.chain(there))));
    }
}

/// Whether a file holds weights that can be read by ranges.
fn is_weights(file: &RemoteFile) -> bool {
    file.name.ends_with(".safetensors")
}

/// The size of all files in bytes, where the server gives the size of each.
pub fn total(files: &[RemoteFile]) -> Option<u64> {
    files.iter().map(|file| file.size).sum()
}

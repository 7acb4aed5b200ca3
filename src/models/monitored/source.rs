//! Where a log comes from: a file, a dropped file, the example.

use crate::prelude::*;
use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, Response};

use crate::files::{MAX_FILE_BYTES, read};
use crate::frame::focus_soon;
use crate::strings;

use super::context::{OpenedRun, Runs, Slot, Source};
use super::reading::Reading;

/// The name of the example, a file of the site.
const EXAMPLE: &str = "run.jsonl";

/// Opens a file that the reader has chosen.
pub fn open_file(runs: Runs, slot: Slot, file: File) {
    open(runs, slot, Source { file, handle: None }, strings::file_unreadable);
}

/// Takes dropped logs; false if there is none among the data.
pub fn take_dropped(runs: Runs, data: &DataTransfer) -> bool {
    let Some(files) = data.files() else { return false };
    let logs: Vec<(u32, File)> = (0..files.length())
        .filter_map(|at| Some((at, files.get(at)?)))
        .filter(|(_, file)| is_log(&file.name()))
        .collect();
    // The items exist only during the event.
    let handles = logs.iter().map(|(at, _)| handle(data, *at)).collect::<Vec<_>>();
    // One log goes beside the one that is there; two logs take the place of all.
    let slots = if logs.len() == 1 { [runs.slot_for_another(); 2] } else { [Slot::First, Slot::Second] };
    let is_any = !logs.is_empty();
    if is_any {
        // The figures may be below the fold.
        focus_soon(|| document().get_element_by_id("run-heading"));
    }
    for (((_, file), handle), slot) in logs.into_iter().zip(handles).zip(slots) {
        open_dropped(runs, slot, file, handle);
    }
    is_any
}

fn is_log(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".jsonl") || name.ends_with(".ndjson")
}

fn open_dropped(runs: Runs, slot: Slot, file: File, handle: Option<Promise>) {
    spawn_local(async move {
        let handle = match handle {
            Some(promise) => JsFuture::from(promise).await.ok().filter(|handle| !handle.is_null()),
            None => None,
        };
        open(runs, slot, Source { file, handle }, strings::file_unreadable);
    });
}

/// The handle of a dropped file, in browsers that have one.
fn handle(data: &DataTransfer, at: u32) -> Option<Promise> {
    let item = data.items().get(at)?;
    let get: Function = Reflect::get(&item, &JsValue::from_str("getAsFileSystemHandle")).ok()?.dyn_into().ok()?;
    get.call0(&item).ok()?.dyn_into().ok()
}

/// Reads the opened logs again.
pub fn reload(runs: Runs) {
    for (slot, source) in runs.sources() {
        spawn_local(async move {
            let file = match &source.handle {
                Some(handle) => now_of(handle).await.unwrap_or_else(|| source.file.clone()),
                None => source.file.clone(),
            };
            open(runs, slot, Source { file, ..source }, |name| strings::run_changed(name));
        });
    }
}

/// The file of a handle as it is now.
async fn now_of(handle: &JsValue) -> Option<File> {
    let get: Function = Reflect::get(handle, &JsValue::from_str("getFile")).ok()?.dyn_into().ok()?;
    let promise: Promise = get.call0(handle).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()?.dyn_into().ok()
}

/// Opens the example.
pub fn open_example(runs: Runs) {
    let slot = Slot::First;
    let reading = runs.begin_reading(slot);
    spawn_local(async move {
        match fetched(EXAMPLE).await {
            Some(bytes) => show(runs, slot, reading, EXAMPLE.into(), bytes, None),
            None => runs.complain(slot, strings::run_no_example().into()),
        }
    });
}

async fn fetched(name: &str) -> Option<Vec<u8>> {
    let response: Response = JsFuture::from(window().fetch_with_str(name)).await.ok()?.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    let buffer = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// Reads a file; `unreadable` makes the sentence for one that the browser does not read.
fn open(runs: Runs, slot: Slot, source: Source, unreadable: fn(&str) -> String) {
    let reading = runs.begin_reading(slot);
    let is_too_large = source.file.size() > MAX_FILE_BYTES;
    read(source.file.clone(), move |name, bytes| match bytes {
        Ok(bytes) => show(runs, slot, reading, name, bytes, Some(source)),
        // The sentence about the size is that of `read`.
        Err(problem) if is_too_large => runs.complain(slot, problem),
        Err(_) => runs.complain(slot, unreadable(&name)),
    });
}

/// Reads the bytes of a log, and shows its run.
fn show(runs: Runs, slot: Slot, reading: u64, name: String, bytes: Vec<u8>, source: Option<Source>) {
    let shown = name.clone();
    let then = move |found: Result<_, String>| match found {
        Ok(run) => runs.show(slot, source, OpenedRun { name: shown, run }),
        Err(problem) => runs.complain(slot, problem),
    };
    Reading::new(name, bytes).go_on(move || runs.is_latest(slot, reading), Box::new(then));
}

//! Files at an address that the user typed. Their bytes never enter this module's memory: the browser keeps them as
//! blobs.
//!
//! The Content-Security-Policy of the page forbids downloads from other servers. A worker has the policy of the
//! response that its script came with. A response without a policy allows these downloads.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    AbortController, AbortSignal, Blob, ReadableStreamDefaultReader, ReferrerPolicy, Request, RequestCache,
    RequestCredentials, RequestInit, Response,
};

use lipscope_core::experiment::InputError;
use lipscope_models::{WEIGHT_INDEX, WEIGHTS, shards};
use lipscope_protocol::models::{
    DownloadPlan, Downloaded, MODEL_FILES, Network, OTHER_WEIGHTS, RemoteFile, Serving, Transfer, TransferState,
};

use crate::message::{get, scope};
use crate::remote::{PARTIAL, range_header};
use lipscope_core::phrase;

/// Bytes per blob; the browser may keep a blob on disk.
const PART: u32 = 8 << 20;

/// Files that a model does not need.
const OPTIONAL: [&str; 3] = ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"];

/// The browser's access to other servers.
pub struct BrowserNetwork {
    /// Downloaded files wait here for the reply that carries them.
    files: Rc<RefCell<Option<Object>>>,
}

/// A transfer that continues in the background.
struct BrowserTransfer {
    state: Rc<RefCell<Result<TransferState, InputError>>>,
    abort: Option<AbortController>,
}

impl BrowserNetwork {
    /// A network that puts the downloaded files into `files`.
    pub fn new(files: Rc<RefCell<Option<Object>>>) -> Self {
        BrowserNetwork { files }
    }
}

impl Network for BrowserNetwork {
    fn begin(&mut self, plan: &DownloadPlan) -> Box<dyn Transfer> {
        let state = Rc::new(RefCell::new(Ok(TransferState::Under(0))));
        let abort = AbortController::new().ok();
        let signal = abort.as_ref().map(AbortController::signal);
        let (plan, files, under_way) = (plan.clone(), Rc::clone(&self.files), Rc::clone(&state));
        spawn_local(async move {
            let outcome = match plan {
                DownloadPlan::List { address } => list(&address, signal.as_ref()).await,
                DownloadPlan::Fetch { address, names } => {
                    let emit = |bytes| *under_way.borrow_mut() = Ok(TransferState::Under(bytes));
                    fetch(&address, &names, signal.as_ref(), emit).await.map(|fetched| {
                        *files.borrow_mut() = Some(fetched);
                        Downloaded::Files
                    })
                }
            };
            *under_way.borrow_mut() = outcome.map(TransferState::Complete);
        });
        Box::new(BrowserTransfer { state, abort })
    }
}

impl Transfer for BrowserTransfer {
    fn poll(&mut self) -> Result<TransferState, InputError> {
        self.state.borrow().clone()
    }
}

impl Drop for BrowserTransfer {
    fn drop(&mut self) {
        if let Some(abort) = &self.abort {
            abort.abort();
        }
    }
}

/// Which of a model's files the server has, and whether it gives ranges of the weights.
async fn list(address: &str, signal: Option<&AbortSignal>) -> Result<Downloaded, InputError> {
    let mut files = Vec::new();
    for name in MODEL_FILES {
        files.extend(look_for(address, name, signal).await?);
    }
    let has = |files: &[RemoteFile], name: &str| files.iter().any(|file| file.name == name);
    if has(&files, WEIGHTS) {
        // The single file is used. The index would name the same weights in several files.
        files.retain(|file| file.name != WEIGHT_INDEX);
    } else if has(&files, WEIGHT_INDEX) {
        for name in shards(&text(&url_of(address, WEIGHT_INDEX), signal).await?)? {
            let shard = look_for(address, &name, signal).await?;
            files.push(shard.ok_or_else(|| refused(&url_of(address, &name), 404))?);
        }
    } else {
        for name in OTHER_WEIGHTS {
            files.extend(look_for(address, name, signal).await?);
        }
    }
    let mut serving = Serving::WholeFiles;
    if let Some(weights) = files.iter().find(|file| file.name.ends_with(".safetensors") && file.size.is_some()) {
        let first_bytes = Some(0..8);
        // A server that cannot give ranges may answer with an error, or begin to send the whole file, which is dropped.
        match ask_for(&url_of(address, &weights.name), ("GET", first_bytes), signal).await {
            Ok(response) if response.status() == PARTIAL => serving = Serving::Ranges,
            Ok(response) => {
                // Dropping a file whose connection has broken off fails: a failure that nobody waits for would reach the page.
                if let Some(body) = response.body() {
                    let _ = JsFuture::from(body.cancel()).await;
                }
            }
            Err(_) => {}
        }
    }
    Ok(Downloaded::List(files, serving))
}

/// A file, if the server has it.
async fn look_for(address: &str, name: &str, signal: Option<&AbortSignal>) -> Result<Option<RemoteFile>, InputError> {
    let url = url_of(address, name);
    let response = ask(&url, "HEAD", signal).await?;
    match response.status() {
        404 | 410 => Ok(None),
        // A server that does not answer such requests may still have the file.
        405 | 501 => Ok(Some(RemoteFile { name: name.into(), size: None })),
        _ if response.ok() => {
            let length = response.headers().get("content-length").ok().flatten();
            let size = length.and_then(|length| length.parse().ok());
            Ok(Some(RemoteFile { name: name.into(), size }))
        }
        status => Err(refused(&url, status)),
    }
}

/// A small text file.
async fn text(url: &str, signal: Option<&AbortSignal>) -> Result<String, InputError> {
    let response = ask(url, "GET", signal).await?;
    if !response.ok() {
        return Err(refused(url, response.status()));
    }
    let text = response.text().map_err(|_| cut(url))?;
    JsFuture::from(text).await.ok().and_then(|text| text.as_string()).ok_or_else(|| cut(url))
}

/// The files as blobs by their names.
async fn fetch(
    address: &str,
    names: &[String],
    signal: Option<&AbortSignal>,
    emit: impl Fn(u64),
) -> Result<Object, InputError> {
    let files = Object::new();
    let mut done = 0;
    for name in names {
        let url = url_of(address, name);
        let response = ask(&url, "GET", signal).await?;
        // A server that answers no HEAD requests may lack this file: `look_for` could not tell.
        if OPTIONAL.contains(&name.as_str()) && matches!(response.status(), 404 | 410) {
            continue;
        }
        if !response.ok() {
            return Err(refused(&url, response.status()));
        }
        let Some(body) = response.body() else { return Err(cut(&url)) };
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let (blobs, chunks) = (Array::new(), Array::new());
        let mut waiting = 0;
        loop {
            let read = JsFuture::from(reader.read()).await.map_err(|_| cut(&url))?;
            if get(&read, "done").is_truthy() {
                break;
            }
            let chunk: Uint8Array = get(&read, "value").unchecked_into();
            waiting += chunk.length();
            done += u64::from(chunk.length());
            chunks.push(&chunk);
            if waiting >= PART {
                blobs.push(&blob(&chunks)?);
                chunks.set_length(0);
                waiting = 0;
            }
            emit(done);
        }
        blobs.push(&blob(&chunks)?);
        // It is a new object, so this cannot fail.
        let _ = Reflect::set(&files, &JsValue::from_str(name), &blob(&blobs)?);
    }
    Ok(files)
}

fn blob(parts: &Array) -> Result<JsValue, InputError> {
    Blob::new_with_u8_array_sequence(parts).map(JsValue::from).map_err(|_| InputError::File {
        file: phrase!("download", "The download"),
        problem: phrase!("browser_has_no_space", "the browser has no space for it"),
        fix: phrase!(
            "close_other_pages_download",
            "Close other pages, or download the files to this computer and choose them."
        ),
    })
}

async fn ask(url: &str, method: &str, signal: Option<&AbortSignal>) -> Result<Response, InputError> {
    ask_for(url, (method, None), signal).await
}

/// One request for a file or a range of it, without credentials, cache or referrer.
async fn ask_for(
    url: &str,
    (method, range): (&str, Option<Range<u64>>),
    signal: Option<&AbortSignal>,
) -> Result<Response, InputError> {
    let options = RequestInit::new();
    options.set_method(method);
    options.set_signal(signal);
    options.set_credentials(RequestCredentials::Omit);
    options.set_cache(RequestCache::NoStore);
    options.set_referrer_policy(ReferrerPolicy::NoReferrer);
    if let Some(range) = range {
        let headers = Object::new();
        // It is a new object, so this cannot fail.
        let _ = Reflect::set(&headers, &JsValue::from_str("Range"), &JsValue::from_str(&range_header(&range)));
        options.set_headers(&headers);
    }
    let request = Request::new_with_str_and_init(url, &options).map_err(|_| InputError::File {
        file: url.into(),
        problem: phrase!("this_not_address", "this is not an address"),
        fix: phrase!(
            "give_address_folder_model",
            "Give the address of the folder with model.safetensors; it starts with https://."
        ),
    })?;
    let response = JsFuture::from(scope().fetch_with_request(&request)).await;
    response.map(JsCast::unchecked_into).map_err(|_| InputError::File {
        file: url.into(),
        problem: phrase!(
            "there_no_connection_server",
            "there is no connection, or the server does not let other pages read it"
        ),
        fix: phrase!(
            "check_address_download_files",
            "Check the address, or download the files to this computer and choose them."
        ),
    })
}

fn url_of(address: &str, name: &str) -> String {
    format!("{}/{name}", address.trim_end_matches('/'))
}

fn refused(url: &str, status: u16) -> InputError {
    InputError::File {
        file: url.into(),
        problem: phrase!("server_answers", "the server answers {status}", status = status),
        fix: phrase!(
            "check_address_download_files",
            "Check the address, or download the files to this computer and choose them."
        ),
    }
}

fn cut(url: &str) -> InputError {
    InputError::File {
        file: url.into(),
        problem: phrase!("connection_ended_before_download", "the connection ended before the download was complete"),
        fix: phrase!("download_again", "Download it again."),
    }
}

//! Files of an address that the reader typed. They never come into this module's memory: what arrives is kept as blobs.
//!
//! The page's own policy lets nothing be fetched from elsewhere; a worker's policy is the one that the server sends with it,
//! and a server that sends none lets it fetch.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, ReadableStreamDefaultReader, ReferrerPolicy, Request, RequestCache, RequestCredentials, RequestInit, Response,
};

use super::{get, post, scope};
use lipscope_core::experiment::InputError;
use lipscope_protocol::message::RunId;
use lipscope_protocol::model_message::{FetchRequest, MODEL_FILES, ModelReply, RemoteFile};

/// So many bytes are put into one blob, which the browser may keep on disk.
const PART: u32 = 8 << 20;
/// So many bytes between two words to the page.
const WORD: u64 = 1 << 20;

/// Does what is asked, and tells the page.
pub(super) async fn answer(request: FetchRequest) {
    let failed = |run_id: RunId, problem: InputError| ModelReply::Failed { run_id, problem: problem.to_string() };
    match request {
        FetchRequest::List { run_id, address } => match list(&address).await {
            Ok(files) => post(&ModelReply::Listed { run_id, files }, None),
            Err(problem) => post(&failed(run_id, problem), None),
        },
        FetchRequest::Fetch { run_id, address, names } => match fetch(run_id, &address, &names).await {
            Ok(files) => post(&ModelReply::Fetched { run_id }, Some(&files)),
            Err(problem) => post(&failed(run_id, problem), None),
        },
    }
}

/// Which of a model's files there are.
async fn list(address: &str) -> Result<Vec<RemoteFile>, InputError> {
    let mut files = Vec::new();
    for name in MODEL_FILES {
        let url = url_of(address, name);
        let response = ask(&url, "HEAD").await?;
        match response.status() {
            404 | 410 => {}
            // A server that does not answer such questions may still have the file.
            405 | 501 => files.push(RemoteFile { name: name.into(), size: None }),
            _ if response.ok() => {
                let length = response.headers().get("content-length").ok().flatten();
                files.push(RemoteFile { name: name.into(), size: length.and_then(|length| length.parse().ok()) });
            }
            status => return Err(refused(&url, status)),
        }
    }
    Ok(files)
}

/// The files as blobs by their names.
async fn fetch(run_id: RunId, address: &str, names: &[String]) -> Result<Object, InputError> {
    let files = Object::new();
    let mut done = 0;
    let mut told = 0;
    for name in names {
        let url = url_of(address, name);
        let response = ask(&url, "GET").await?;
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
            if done - told >= WORD {
                told = done;
                post(&ModelReply::Fetching { run_id, done }, None);
            }
        }
        blobs.push(&blob(&chunks)?);
        // It is an object that was just made.
        let _ = Reflect::set(&files, &JsValue::from_str(name), &blob(&blobs)?);
    }
    Ok(files)
}

fn blob(parts: &Array) -> Result<JsValue, InputError> {
    Blob::new_with_u8_array_sequence(parts).map(JsValue::from).map_err(|_| InputError::File {
        file: "The download".into(),
        problem: "the browser has no place for it".into(),
        fix: "Close other pages, or fetch the files to this computer and choose them.".into(),
    })
}

/// One request, without anything that tells of the reader.
async fn ask(url: &str, method: &str) -> Result<Response, InputError> {
    let options = RequestInit::new();
    options.set_method(method);
    options.set_credentials(RequestCredentials::Omit);
    options.set_cache(RequestCache::NoStore);
    options.set_referrer_policy(ReferrerPolicy::NoReferrer);
    let request = Request::new_with_str_and_init(url, &options).map_err(|_| InputError::File {
        file: url.into(),
        problem: "this is no address".into(),
        fix: "Give the address of the folder with model.safetensors, from https:// on.".into(),
    })?;
    let response = JsFuture::from(scope().fetch_with_request(&request)).await;
    response.map(JsCast::unchecked_into).map_err(|_| InputError::File {
        file: url.into(),
        problem: "there is no connection, or the server does not let other pages read it".into(),
        fix: "Check the address, or fetch the files to this computer and choose them.".into(),
    })
}

fn url_of(address: &str, name: &str) -> String {
    format!("{}/{name}", address.trim_end_matches('/'))
}

fn refused(url: &str, status: u16) -> InputError {
    InputError::File {
        file: url.into(),
        problem: format!("the server answers {status}"),
        fix: "Check the address, or fetch the files to this computer and choose them.".into(),
    }
}

fn cut(url: &str) -> InputError {
    InputError::File {
        file: url.into(),
        problem: "the connection ended before all of it was here".into(),
        fix: "Fetch it again.".into(),
    }
}

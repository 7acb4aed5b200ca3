//! The envelope: one request, many replies, for every kind of work.
//!
//! The page gives every run an id, which only grows. A worker answers a request with `Started`, then any number of
//! events and progress, then one of `Finished`, `Failed` or `Cancelled`. A worker does one run at a time: a new request
//! ends the run before it.

use std::marker::PhantomData;

use lipscope_core::experiment::InputError;
use serde::{Deserialize, Serialize};

/// Names a run.
pub type RunId = u64;

/// From the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command<P> {
    /// Begin this run, in place of the one under way.
    Run(Request<P>),
    /// End the run under way.
    Cancel,
}

/// A run for a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request<P> {
    /// The id of the run.
    pub run_id: RunId,
    /// All that the worker needs to know.
    pub plan: P,
}

/// From a worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message<E> {
    /// The worker listens. A message sent to the worker before this one is lost.
    Ready,
    /// About a run.
    Reply(Reply<E>),
}

/// A message of a worker about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply<E> {
    /// The run.
    pub run_id: RunId,
    /// What the worker says about it.
    pub content: Content<E>,
}

/// One event of a run, as its worker reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content<E> {
    /// The worker has begun the run.
    Started,
    /// A result, or a part of one.
    Event(E),
    /// How far the run is.
    Progress(Progress),
    /// The run is complete.
    Finished,
    /// Another request or [`Command::Cancel`] ended the run.
    Cancelled,
    /// The run cannot be done.
    Failed(InputError),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps done: points of a sweep, iterations, bytes of a download.
    pub done: u64,
    /// Steps in all; `None` where the number is unknown.
    pub total: Option<u64>,
    /// Relative residual so far, of an iteration that has one.
    pub relative_residual: Option<f64>,
}

/// A value as bytes, for a receiver that takes the message apart in one place and the value in another: the page's first
/// module hands it on, and only the second one has the code that unpacks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Packed<T> {
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    of: PhantomData<T>,
}

impl<E> Content<E> {
    /// Whether no further message about the run follows.
    #[must_use]
    pub fn is_last(&self) -> bool {
        matches!(self, Content::Finished | Content::Cancelled | Content::Failed(_))
    }

    /// The same content with its event converted.
    pub fn map<F>(self, event: impl FnOnce(E) -> F) -> Content<F> {
        match self {
            Content::Started => Content::Started,
            Content::Event(e) => Content::Event(event(e)),
            Content::Progress(progress) => Content::Progress(progress),
            Content::Finished => Content::Finished,
            Content::Cancelled => Content::Cancelled,
            Content::Failed(problem) => Content::Failed(problem),
        }
    }
}

impl<T: Serialize + for<'a> Deserialize<'a>> Packed<T> {
    /// Packs a value.
    #[must_use]
    pub fn of(value: &T) -> Self {
        Packed { bytes: encode(value).unwrap_or_default(), of: PhantomData }
    }

    /// The value; `None` where the bytes are none, as only a message of another version has them.
    #[must_use]
    pub fn open(&self) -> Option<T> {
        decode(&self.bytes).ok()
    }
}

/// A message as bytes.
///
/// # Errors
/// If serialisation fails; it fails for no message of this crate.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(message)
}

/// A message from bytes.
///
/// # Errors
/// Where the bytes are not a message of this version.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, postcard::Error> {
    postcard::from_bytes(bytes)
}

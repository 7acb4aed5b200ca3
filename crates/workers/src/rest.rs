//! Tasks in a module of their own, which the worker fetches when the first of them is asked for.

use std::pin::Pin;

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_protocol::envelope::{Command, Content, Reply, Request, RunId};
use lipscope_protocol::task::Poll;
use wasm_bindgen::JsValue;

use crate::message::{reply, unpacked};
use crate::tasks::Tasks;

/// Fetches the module with the rest of the tasks; `None` where it does not come.
pub type FetchRest = fn() -> Pin<Box<dyn Future<Output = Option<Box<dyn Tasks>>>>>;

/// Where the rest of the tasks is.
pub(crate) enum Rest {
    /// All tasks are in the first module.
    None,
    /// Not asked for.
    Unasked(FetchRest),
    /// On its way, with the run that waits for it, if that run is still wanted.
    Coming(Option<Waiting>),
    /// Here.
    Here(Box<dyn Tasks>),
}

/// A run that waits for its module.
pub(crate) struct Waiting {
    run_id: RunId,
    message: JsValue,
}

impl Rest {
    /// Handles a command that the first module has no task for. Returns how to fetch the module, where it has to be
    /// fetched.
    pub(crate) fn begin(&mut self, message: JsValue) -> Option<FetchRest> {
        if let Rest::Here(tasks) = self {
            tasks.begin(&message);
            return None;
        }
        self.end();
        let waiting = Waiting::of(message);
        match self {
            Rest::Unasked(fetch) if waiting.is_some() => {
                let fetch = *fetch;
                *self = Rest::Coming(waiting);
                Some(fetch)
            }
            Rest::Coming(last) => {
                *last = waiting;
                None
            }
            _ => None,
        }
    }

    /// Ends the run that is under way or waits.
    pub(crate) fn end(&mut self) {
        match self {
            Rest::None | Rest::Unasked(_) => {}
            Rest::Coming(waiting) => {
                if let Some(Waiting { run_id, .. }) = waiting.take() {
                    say(run_id, Content::Cancelled);
                }
            }
            Rest::Here(tasks) => tasks.end(),
        }
    }

    /// Takes the module that was fetched, and begins the run that waits for it.
    pub(crate) fn arrive(&mut self, mut tasks: Box<dyn Tasks>) {
        if let Rest::Coming(Some(Waiting { message, .. })) = self {
            tasks.begin(message);
        }
        *self = Rest::Here(tasks);
    }

    /// The module did not come: the run that waits for it fails, and the next one tries again with `fetch`.
    pub(crate) fn lose(&mut self, fetch: FetchRest) {
        if let Rest::Coming(Some(Waiting { run_id, .. })) = self {
            say(
                *run_id,
                Content::Failed(InputError::File {
                    file: phrase!("part_of_engine", "A part of the engine"),
                    problem: phrase!("did_not_load", "it did not load"),
                    fix: phrase!("check_connection_reload", "Check the connection, then reload the page."),
                }),
            );
        }
        *self = Rest::Unasked(fetch);
    }

    /// As [`Tasks::slice`].
    pub(crate) fn slice(&mut self, end: f64) -> Poll {
        match self {
            Rest::Here(tasks) => tasks.slice(end),
            Rest::None | Rest::Unasked(_) | Rest::Coming(_) => Poll::Done,
        }
    }
}

impl Waiting {
    /// The run that a command begins. The page receives at once that it has started: it ends a worker that does not say so.
    fn of(message: JsValue) -> Option<Self> {
        // The command is read up to its plan. One that cannot be read so far is not from this page.
        let Command::Run(Request { run_id, plan: () }) = unpacked::<Command<()>>(&message)? else { return None };
        say(run_id, Content::Started);
        Some(Waiting { run_id, message })
    }
}

fn say(run_id: RunId, content: Content<()>) {
    reply(Reply { run_id, content }, None);
}

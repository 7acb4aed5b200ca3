//! A second training worker: the first one starts it and asks it for half of each step.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Array;
use lipscope_protocol::envelope::{Command, Content, Message, Reply, Request, RunId};
use lipscope_protocol::train::{Answer, GradientPlan, Helper, TrainEvent, TrainPlan};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::listen::Wake;
use crate::message::{get, packed, unpacked};

/// A worker running the same program. It ends with the worker that started it, or when that worker gives it up.
pub struct SecondWorker {
    wake: Wake,
    state: Option<Started>,
    last_question: RunId,
}

/// The state of a started worker.
struct Started {
    /// None where the browser refuses to start one.
    worker: Option<Worker>,
    received: Rc<RefCell<Received>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// The messages received from the helper so far.
#[derive(Default)]
struct Received {
    is_ready: bool,
    is_lost: bool,
    /// The last reply with a result, and the question it answers.
    answer: Option<(RunId, Answer)>,
}

impl SecondWorker {
    /// `wake` is called whenever the helper has sent a message or failed. `None` on a machine with one core.
    #[must_use]
    pub fn new(wake: &Wake) -> Option<Self> {
        let cores = get(&get(&js_sys::global(), "navigator"), "hardwareConcurrency").as_f64().unwrap_or(1.0);
        (cores >= 2.0).then(|| SecondWorker { wake: Rc::clone(wake), state: None, last_question: 0 })
    }

    fn started(&mut self) -> &Started {
        self.state.get_or_insert_with(|| Started::new(&self.wake))
    }
}

impl Helper for SecondWorker {
    fn is_ready(&mut self) -> bool {
        let received = self.started().received.borrow();
        received.is_ready && !received.is_lost
    }

    fn ask(&mut self, plan: GradientPlan) {
        self.last_question += 1;
        let request = Request { run_id: self.last_question, plan: TrainPlan::Gradient(plan) };
        let started = self.started();
        if started.post(&Command::Run(request)).is_none() {
            started.received.borrow_mut().is_lost = true;
        }
    }

    fn answer(&mut self) -> Answer {
        let question = self.last_question;
        let mut received = self.started().received.borrow_mut();
        match received.answer.take() {
            Some((run_id, answer)) if run_id == question => answer,
            _ if received.is_lost => Answer::Lost,
            _ => Answer::Pending,
        }
    }
}

impl Started {
    fn new(wake: &Wake) -> Started {
        let received = Rc::new(RefCell::new(Received::default()));
        let on_message = {
            let (received, wake) = (Rc::clone(&received), Rc::clone(wake));
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                received.borrow_mut().take(unpacked(&event.data()));
                wake();
            })
        };
        let on_error = {
            let (received, wake) = (Rc::clone(&received), Rc::clone(wake));
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                received.borrow_mut().is_lost = true;
                wake();
            })
        };
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let address = get(&get(&js_sys::global(), "location"), "href").as_string().unwrap_or_default();
        let worker = Worker::new_with_options(&address, &options).ok();
        match &worker {
            Some(worker) => {
                worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
                worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            }
            None => received.borrow_mut().is_lost = true,
        }
        Started { worker, received, _on_message: on_message, _on_error: on_error }
    }

    /// Sends a command; `None` where no worker can receive it.
    fn post(&self, command: &Command<TrainPlan>) -> Option<()> {
        let (message, buffer) = packed(command)?;
        self.worker.as_ref()?.post_message_with_transfer(&message, &Array::of1(&buffer)).ok()
    }
}

impl Drop for Started {
    /// A worker that was given up may still answer; dropping the handlers discards its messages.
    fn drop(&mut self) {
        if let Some(worker) = &self.worker {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.terminate();
        }
    }
}

impl Received {
    /// Handles a message; `None` is a message that cannot be read.
    fn take(&mut self, message: Option<Message<TrainEvent>>) {
        match message {
            Some(Message::Ready) => self.is_ready = true,
            Some(Message::Reply(Reply { run_id, content: Content::Event(TrainEvent::Gradient(event)) })) => {
                self.answer = Some((run_id, Answer::Here(event)));
            }
            Some(Message::Reply(_)) => {}
            None => self.is_lost = true,
        }
    }
}

//! A kind of work from beginning to end, as an example: a task that counts. All that belongs to it is the task and its line
//! in a list of tasks; runner, pool and messages take it from there.

use std::cell::Cell;
use std::rc::Rc;

use lipscope_core::experiment::InputError;
use lipscope_protocol::envelope::{Command, Content, Message, Reply, Request, decode, encode};
use lipscope_protocol::pool::{PoolEvent, Spare};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::{Report, Task, Turn};
use lipscope_protocol::task_list;
use serde::{Deserialize, Serialize};

use crate::browser::{Browser, Line, order};

/// How far to count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountPlan {
    /// The last number; a plan with none is wrong.
    pub to: u32,
    /// How long each number takes.
    pub milliseconds: f64,
}

/// Counts one number a step.
#[derive(Debug)]
pub struct CountTask {
    plan: CountPlan,
    counted: u32,
}

/// A clock that moves where a task says that its work took time. A worker keeps one from one run to the next.
#[derive(Clone, Debug, Default)]
pub struct Clock(Rc<Cell<f64>>);

impl Task<Clock> for CountTask {
    type Plan = CountPlan;
    type Event = u32;

    fn start(plan: CountPlan, _: &mut Clock) -> Result<Self, InputError> {
        if plan.to == 0 {
            return Err(InputError::bad_value("to", "0", "1 or more"));
        }
        Ok(CountTask { plan, counted: 0 })
    }

    fn step(&mut self, clock: &mut Clock, report: &mut Report<'_, u32>) -> Result<Turn, InputError> {
        clock.set(clock.now() + self.plan.milliseconds);
        self.counted += 1;
        report.event(self.counted);
        if report.is_due() {
            report.progress((self.counted as usize, self.plan.to as usize));
        }
        Ok(if self.counted < self.plan.to { Turn::More } else { Turn::Done })
    }
}

impl Clock {
    /// Milliseconds.
    pub fn now(&self) -> f64 {
        self.0.get()
    }

    /// Sets it.
    pub fn set(&self, now: f64) {
        self.0.set(now);
    }
}

task_list! {
    /// What the workers of these tests do.
    pub CountTasks(Clock): AnyPlan, AnyEvent, AnyRunning;
    /// Counts.
    Count = CountTask,
}

/// A plan that counts.
pub fn counting(to: u32, milliseconds: f64) -> AnyPlan {
    AnyPlan::Count(CountPlan { to, milliseconds })
}

#[test]
fn a_new_kind_of_work_goes_through_pool_messages_and_worker() {
    let mut browser = Browser::new(Spare::None);
    browser.pool.start();
    browser.pool.submit(Line::Batches, [order(Line::Batches, 1, counting(20, 5.0))]);
    browser.run();
    let contents: Vec<_> = browser
        .heard
        .iter()
        .map(|(_, event)| match event {
            PoolEvent::Reply { lane: Line::Batches, of, content, left: _, run_id: 1 } => {
                assert_eq!(**of, order(Line::Batches, 1, counting(20, 5.0)));
                content.clone()
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((contents.first(), contents.last()), (Some(&Content::Started), Some(&Content::Finished)));
    let numbers: Vec<u32> = contents
        .iter()
        .filter_map(|content| if let Content::Event(AnyEvent::Count(number)) = content { Some(*number) } else { None })
        .collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<u32>>());
    let progress: Vec<_> = contents
        .iter()
        .filter_map(|content| if let Content::Progress(progress) = content { Some(progress) } else { None })
        .collect();
    // About every 30 ms of 100 ms.
    assert_eq!(progress.len(), 2, "{progress:?}");
    assert!(progress.iter().all(|progress| progress.total == Some(20) && progress.done < 20), "{progress:?}");
}

#[test]
fn the_same_work_is_done_without_a_browser() {
    let clock = Clock::default();
    let mut runner = Runner::<CountTasks>::new(clock.clone());
    let events = runner.complete(counting(5, 7.0), || clock.now()).expect("counted");
    assert_eq!(events, [1, 2, 3, 4, 5].map(AnyEvent::Count));
    assert_eq!(clock.now(), 35.0);
    let problem = runner.complete(counting(0, 7.0), || clock.now()).expect_err("nothing to count");
    assert_eq!(problem, InputError::bad_value("to", "0", "1 or more"));
}

#[test]
fn commands_and_messages_travel_as_bytes() {
    let commands = [Command::Run(Request { run_id: u64::MAX, plan: counting(7, 0.1) }), Command::Cancel];
    for command in commands {
        let bytes = encode(&command).expect("bytes");
        assert_eq!(decode::<Command<AnyPlan>>(&bytes).expect("a command"), command);
        assert!(decode::<Command<AnyPlan>>(&bytes[..bytes.len() - 1]).is_err(), "a part of {command:?} is read");
    }
    let problem = InputError::bad_value("to", "0", "1 or more");
    let reply = |content| Message::Reply(Reply { run_id: 3, content });
    for message in [
        Message::Ready,
        reply(Content::Started),
        reply(Content::Event(AnyEvent::Count(9))),
        reply(Content::Finished),
        reply(Content::Cancelled),
        reply(Content::Failed(problem)),
    ] {
        let bytes = encode(&message).expect("bytes");
        assert_eq!(decode::<Message<AnyEvent>>(&bytes).expect("a message"), message);
    }
}

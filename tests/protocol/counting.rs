//! Complete kinds of work as examples: two tasks that count. Each consists only of the task and its line in a task
//! list; runner, pool and messages need nothing else.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use lipscope_core::experiment::InputError;
use lipscope_protocol::envelope::{Command, Content, Message, Reply, Request, decode, encode};
use lipscope_protocol::pool::{PoolEvent, Spare};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::{Cut, Poll, Report, Task};
use lipscope_protocol::task_list;
use serde::{Deserialize, Serialize};

use crate::browser::{Browser, Line, order};

/// How far to count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountPlan {
    /// The number before the first.
    pub after: u32,
    /// The last number; a plan with 0 here is refused.
    pub to: u32,
    /// How long each number takes.
    pub milliseconds: f64,
    /// The number that cannot be counted; 0 for none.
    pub fails_at: u32,
    /// What a part holds at a time; `None` for a plan that cannot be cut.
    pub bytes: Option<u64>,
}

/// Counts one number a step.
#[derive(Debug)]
pub struct CountTask {
    plan: CountPlan,
    counted: u32,
}

/// A clock that advances where a task says that its work took time. A worker keeps one clock between runs.
#[derive(Clone, Debug, Default)]
pub struct Clock(Rc<Cell<f64>>);

impl Task<Clock> for CountTask {
    type Plan = CountPlan;
    type Event = u32;

    fn cut(plan: &CountPlan, workers: usize) -> Vec<Cut> {
        let (Some(bytes), first, n) = (plan.bytes, plan.after as usize, (plan.to - plan.after) as usize) else {
            return Vec::new();
        };
        let n_parts = (6 * workers).min(n);
        (0..n_parts).map(|at| Cut { units: first + at * n / n_parts..first + (at + 1) * n / n_parts, bytes }).collect()
    }

    fn part(plan: &CountPlan, units: &Range<usize>) -> CountPlan {
        CountPlan { after: units.start as u32, to: units.end as u32, ..plan.clone() }
    }

    fn start(plan: CountPlan, _: &mut Clock) -> Result<Self, InputError> {
        if plan.to == 0 {
            return Err(InputError::bad_value("to", "0", "1 or more"));
        }
        Ok(CountTask { counted: plan.after, plan })
    }

    fn step(&mut self, clock: &mut Clock, report: &mut Report<'_, u32>) -> Result<Poll, InputError> {
        clock.set(clock.now() + self.plan.milliseconds);
        self.counted += 1;
        if self.counted == self.plan.fails_at {
            return Err(InputError::bad_value("number", self.counted.to_string(), "another"));
        }
        report.event(self.counted);
        if report.is_due() {
            let CountPlan { after, to, .. } = self.plan;
            report.progress(((self.counted - after) as usize, (to - after) as usize));
        }
        Ok(if self.counted < self.plan.to { Poll::More } else { Poll::Done })
    }
}

/// Counts and reports all numbers at once.
#[derive(Debug)]
pub struct ListTask {
    count: CountTask,
    numbers: Vec<u32>,
}

impl Task<Clock> for ListTask {
    type Plan = CountPlan;
    type Event = Vec<u32>;

    fn cut(plan: &CountPlan, workers: usize) -> Vec<Cut> {
        CountTask::cut(plan, workers)
    }

    fn part(plan: &CountPlan, units: &Range<usize>) -> CountPlan {
        CountTask::part(plan, units)
    }

    fn is_piece(_: &Vec<u32>) -> bool {
        true
    }

    fn join(pieces: &mut Vec<u32>, next: Vec<u32>) {
        pieces.extend(next);
    }

    fn start(plan: CountPlan, clock: &mut Clock) -> Result<Self, InputError> {
        Ok(ListTask { count: CountTask::start(plan, clock)?, numbers: Vec::new() })
    }

    fn step(&mut self, clock: &mut Clock, report: &mut Report<'_, Vec<u32>>) -> Result<Poll, InputError> {
        clock.set(clock.now() + self.count.plan.milliseconds);
        self.count.counted += 1;
        self.numbers.push(self.count.counted);
        if self.count.counted < self.count.plan.to {
            return Ok(Poll::More);
        }
        report.event(std::mem::take(&mut self.numbers));
        Ok(Poll::Done)
    }
}

impl Clock {
    /// Milliseconds.
    pub fn now(&self) -> f64 {
        self.0.get()
    }

    /// Sets the clock, in milliseconds.
    pub fn set(&self, now: f64) {
        self.0.set(now);
    }
}

task_list! {
    /// The tasks of the workers in these tests.
    pub CountTasks(Clock): AnyPlan, AnyEvent, AnyRunning;
    /// Counts.
    Count = CountTask,
    /// Counts and tells all numbers at once.
    List = ListTask,
}

/// A plan that counts.
pub fn counting(to: u32, milliseconds: f64) -> AnyPlan {
    AnyPlan::Count(CountPlan { after: 0, to, milliseconds, fails_at: 0, bytes: None })
}

/// The same, for a plan that can be cut into parts.
pub fn counting_in_parts(to: u32, milliseconds: f64) -> AnyPlan {
    AnyPlan::Count(CountPlan { after: 0, to, milliseconds, fails_at: 0, bytes: Some(1) })
}

#[test]
fn a_new_kind_of_work_goes_through_pool_messages_and_worker() {
    let mut browser = Browser::new(Spare::None);
    browser.pool.start();
    browser.pool.submit(Line::Batches, [order(Line::Batches, 1, counting(20, 5.0))]);
    browser.run();
    let contents: Vec<_> = browser
        .received
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

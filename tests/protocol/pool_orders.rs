//! Drawn sequences of orders, cancels, deaths and pauses: no reply of an order that is no longer wanted is received, and
//! every order that is wanted is answered, once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::{Lane, Policy, PoolEvent, PoolOptions, Preempt, Spare};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::browser::{Browser, Event, Line, Start, order};
use crate::counting::{AnyEvent, AnyPlan, counting, counting_in_parts};

/// Something that the page does, or that happens to it.
#[derive(Clone, Debug)]
enum Deed {
    Submit(Line, Vec<AnyPlan>),
    Cancel(Line),
    /// One of the workers dies.
    Kill(usize),
    Pass(f64),
    Pause,
    Resume,
    SetWorkers(usize),
    /// The next worker starts in this way.
    NextStart(Start),
}

fn lines() -> impl Strategy<Value = Line> {
    prop::sample::select(Line::ALL)
}

/// Plans that count some numbers at some milliseconds each. A plan without numbers fails. A step may be longer than a
/// worker may be silent.
fn plans() -> impl Strategy<Value = Vec<AnyPlan>> {
    let milliseconds = || prop_oneof![4 => 0.0..12.0, 2 => 12.0..90.0, 1 => Just(2500.0)];
    let plan = prop_oneof![
        2 => (0u32..6, milliseconds()).prop_map(|(to, milliseconds)| counting(to, milliseconds)),
        1 => (1u32..30, milliseconds()).prop_map(|(to, milliseconds)| counting_in_parts(to, milliseconds)),
    ];
    prop::collection::vec(plan, 0..4)
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let start = prop::sample::select(&[Start::Listens, Start::Silent, Start::Dies, Start::Refused][..]);
    let deed = prop_oneof![
        6 => (lines(), plans()).prop_map(|(line, plans)| Deed::Submit(line, plans)),
        2 => lines().prop_map(Deed::Cancel),
        2 => any::<usize>().prop_map(Deed::Kill),
        9 => prop_oneof![0.0..30.0, 30.0..300.0].prop_map(Deed::Pass),
        1 => Just(Deed::Pause),
        1 => Just(Deed::Resume),
        1 => (0usize..4).prop_map(Deed::SetWorkers),
        1 => start.prop_map(Deed::NextStart),
    ];
    prop::collection::vec(deed, 1..40)
}

/// The page's own record of a lane.
#[derive(Debug, Default)]
struct Book {
    /// Orders that are to be answered.
    wanted: BTreeSet<u64>,
    /// Submissions up to this one were cancelled.
    cancelled: u64,
    /// The newest submission.
    newest: u64,
    /// The newest submission of which a part was sent to a worker.
    newest_sent: u64,
}

struct Page {
    browser: Browser,
    books: BTreeMap<Line, Book>,
    /// Lane and submission of every order.
    orders: BTreeMap<u64, (Line, u64)>,
    /// The number that was received last of each order.
    counted: BTreeMap<u64, u32>,
    n_submissions: u64,
    n_sent: usize,
    n_received: usize,
    /// Whether the pool gave up starting workers.
    is_down: bool,
}

impl Page {
    fn new(options: PoolOptions, latency: f64) -> Self {
        let mut browser = Browser::with_options(options);
        browser.latency = latency;
        browser.pool.start();
        Page {
            browser,
            books: Line::ALL.iter().map(|line| (*line, Book::default())).collect(),
            orders: BTreeMap::new(),
            counted: BTreeMap::new(),
            n_submissions: 0,
            n_sent: 0,
            n_received: 0,
            is_down: false,
        }
    }

    fn book(&mut self, line: Line) -> &mut Book {
        self.books.get_mut(&line).expect("a lane")
    }

    fn act(&mut self, deed: Deed) -> Result<(), TestCaseError> {
        match deed {
            Deed::Submit(line, plans) => self.submit(line, plans),
            Deed::Cancel(line) => {
                let n_submissions = self.n_submissions;
                let book = self.book(line);
                book.wanted.clear();
                book.cancelled = n_submissions;
                self.browser.pool.cancel(line);
            }
            Deed::Kill(at) => {
                let workers = self.browser.workers();
                if !workers.is_empty() {
                    self.browser.kill(workers[at % workers.len()]);
                }
            }
            Deed::Pass(milliseconds) => self.browser.pass(milliseconds),
            Deed::Pause => self.browser.pool.pause(Line::Batches),
            Deed::Resume => self.browser.pool.resume(Line::Batches),
            Deed::SetWorkers(workers) => self.browser.pool.set_workers(Line::Batches, workers),
            Deed::NextStart(start) => self.browser.starts.push_back(start),
        }
        self.browser.pass(0.0);
        self.read()
    }

    fn submit(&mut self, line: Line, plans: Vec<AnyPlan>) {
        self.n_submissions += 1;
        let submission = self.n_submissions;
        let first = self.orders.len() as u64;
        let orders: Vec<_> = (first..).zip(plans).map(|(number, plan)| order(line, number, plan)).collect();
        let book = self.book(line);
        book.newest = submission;
        if line.policy() != Policy::Queue {
            book.wanted.clear();
        }
        book.wanted.extend(orders.iter().map(|order| order.companion.1));
        if orders.is_empty() && line.policy() != Policy::Queue {
            book.cancelled = submission;
        }
        self.orders.extend(orders.iter().map(|order| (order.companion.1, (line, submission))));
        self.browser.pool.submit(line, orders);
    }

    /// Processes what was sent and received since the last call, in order.
    fn read(&mut self) -> Result<(), TestCaseError> {
        while self.n_received < self.browser.received.len() {
            let event = self.browser.received[self.n_received].1.clone();
            // When an order's last part is over, the page first receives the events that were held back; the next order is
            // sent in the same call.
            let call = self.browser.received_in[self.n_received];
            while self.browser.sent_in.get(self.n_sent).is_some_and(|sent_in| *sent_in < call) {
                let (_, _, _, number) = self.browser.sent[self.n_sent];
                let (line, submission) = self.orders[&number];
                self.book(line).newest_sent = submission;
                self.n_sent += 1;
            }
            let sent = self.browser.sent_in[self.n_sent..].iter().zip(&self.browser.sent[self.n_sent..]);
            let now_sent =
                sent.take_while(|(sent_in, _)| **sent_in == call).map(|(_, sent)| self.orders[&sent.3]).collect();
            self.read_event(&event, now_sent)?;
            self.n_received += 1;
        }
        Ok(())
    }

    fn read_event(&mut self, event: &Event, now_sent: Vec<(Line, u64)>) -> Result<(), TestCaseError> {
        match event {
            PoolEvent::Reply { lane, of, content, left, .. } => {
                let (line, number) = of.companion;
                prop_assert_eq!(*lane, line);
                let submission = self.orders[&number].1;
                let book = self.book(line);
                prop_assert!(submission > book.cancelled, "{:?} was cancelled: {:?}", number, event);
                match line.policy() {
                    Policy::Queue => prop_assert!(book.wanted.contains(&number), "{event:?} was answered before"),
                    Policy::Newest(Preempt::AtOnce) => prop_assert_eq!(submission, book.newest, "{:?}", event),
                    Policy::Newest(_) => prop_assert!(
                        submission == book.newest_sent || now_sent.contains(&(line, submission)),
                        "{event:?} after {} was sent",
                        book.newest_sent
                    ),
                }
                let AnyPlan::Count(plan) = &of.plan else { return Err(TestCaseError::fail("another plan")) };
                if let Content::Event(AnyEvent::Count(received)) = content {
                    // Starts at one, whichever worker counted; a worker that died may already have reported some
                    // numbers.
                    let before = self.counted.insert(number, *received).unwrap_or_default();
                    prop_assert!(*received <= before + 1, "{:?} after {}", event, before);
                }
                if !content.is_last() {
                    return Ok(());
                }
                let is_wrong = plan.to == 0;
                if !is_wrong {
                    prop_assert_eq!(self.counted.get(&number), Some(&plan.to), "{:?}", event);
                }
                let book = self.book(line);
                match content {
                    Content::Finished => prop_assert!(!is_wrong, "{:?}", event),
                    Content::Failed(_) => prop_assert!(is_wrong, "{:?}", event),
                    _ => prop_assert!(false, "nobody cancelled {event:?}"),
                }
                if submission == book.newest || line.policy() == Policy::Queue {
                    prop_assert!(book.wanted.remove(&number), "{event:?} was answered before");
                    if is_wrong && line.policy() != Policy::Queue {
                        book.wanted.clear();
                    }
                }
                prop_assert_eq!(*left, book.wanted.len(), "{:?}", event);
            }
            PoolEvent::GaveUp { lane, of, left } => {
                let (line, number) = of.companion;
                prop_assert_eq!(*lane, line);
                let book = self.book(line);
                prop_assert!(book.wanted.remove(&number), "{event:?} was answered before");
                if line.policy() != Policy::Queue {
                    book.wanted.clear();
                }
                prop_assert_eq!(*left, book.wanted.len(), "{:?}", event);
            }
            PoolEvent::Restarted(_) => {}
            PoolEvent::CannotStart => self.is_down = true,
        }
        Ok(())
    }

    /// Runs until nothing is left to do; restarts the pool where it gave up, as a user would.
    fn end(&mut self) -> Result<(), TestCaseError> {
        self.browser.pool.resume(Line::Batches);
        self.browser.run();
        self.read()?;
        while std::mem::take(&mut self.is_down) {
            self.browser.pool.start();
            self.browser.run();
            self.read()?;
        }
        for (line, book) in &self.books {
            prop_assert!(book.wanted.is_empty(), "{:?} were lost in {:?}", book.wanted, line);
            prop_assert_eq!(self.browser.pool.running(*line), 0);
        }
        prop_assert_eq!(self.browser.idle(), self.browser.workers(), "every worker is free");
        Ok(())
    }
}

#[test]
fn what_is_wanted_is_answered_once_and_what_is_not_wanted_is_never_heard() {
    let config = Config { cases: 10_000, failure_persistence: None, ..Config::default() };
    let spare = prop::sample::select(&[Spare::One, Spare::None][..]);
    let options = (spare, 1usize..5).prop_map(|(spare, cores)| PoolOptions { cores, ..PoolOptions::one_core(spare) });
    let latency = prop_oneof![Just(0.0), 0.0..4.0, 4.0..40.0];
    let seen = RefCell::new(BTreeMap::<&str, usize>::new());
    let see = |what, count| *seen.borrow_mut().entry(what).or_default() += count;
    let outcome = TestRunner::new(config).run(&(options, latency, deeds()), |(options, latency, deeds)| {
        let mut page = Page::new(options, latency);
        for deed in deeds {
            page.act(deed)?;
        }
        page.end()?;
        for (_, event) in &page.browser.received {
            see(what(event), 1);
        }
        see("ended worker", page.browser.ended.len());
        Ok(())
    });
    outcome.unwrap_or_else(|problem| panic!("{problem}"));
    // Every difficult situation of the pool occurred.
    let seen = seen.into_inner();
    for (what, least) in [
        ("finished", 20_000),
        ("failed", 4000),
        ("restarted", 1000),
        ("gave up", 80),
        ("cannot start", 300),
        ("ended worker", 4000),
    ] {
        assert!(seen.get(what).is_some_and(|count| *count >= least), "{what} is rare: {seen:?}");
    }
}

fn what(event: &Event) -> &'static str {
    match event {
        PoolEvent::Reply { content: Content::Finished, .. } => "finished",
        PoolEvent::Reply { content: Content::Failed(_), .. } => "failed",
        PoolEvent::Reply { .. } => "reply",
        PoolEvent::Restarted(_) => "restarted",
        PoolEvent::GaveUp { .. } => "gave up",
        PoolEvent::CannotStart => "cannot start",
    }
}

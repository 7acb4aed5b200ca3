//! Orders that are cut into parts: which workers do them, and that the page receives the events of a single worker.

use std::collections::BTreeSet;

use lipscope_core::experiment::Memory;
use lipscope_protocol::envelope::{Content, Progress};
use lipscope_protocol::pool::{PoolEvent, PoolOptions, Spare};

use crate::browser::{Browser, CountOrder, Line, order};
use crate::counting::{AnyEvent, AnyPlan, CountPlan, counting_in_parts};
use crate::received::{AT_ONCE_MILLISECONDS, count, left, orders, time_of, warm, warm_with};

fn on_cores(cores: usize) -> Browser {
    warm_with(PoolOptions { cores, ..PoolOptions::one_core(Spare::One) })
}

fn in_parts(number: u64, to: u32, milliseconds: f64) -> [CountOrder; 1] {
    [order(Line::AtOnce, number, counting_in_parts(to, milliseconds))]
}

/// The numbers received from an order.
fn numbers(browser: &Browser, number: u64) -> Vec<u32> {
    let received = browser.received_of(number).into_iter();
    received
        .filter_map(
            |(_, content)| if let Content::Event(AnyEvent::Count(received)) = content { Some(received) } else { None },
        )
        .collect()
}

/// The workers that were sent something of an order.
fn workers_of(browser: &Browser, number: u64) -> BTreeSet<u64> {
    browser.sent.iter().filter(|sent| sent.3 == number).map(|sent| sent.1).collect()
}

#[test]
fn all_cores_do_an_order_and_what_is_heard_is_what_one_worker_would_have_told() {
    let received = |browser: &Browser| -> Vec<Content<AnyEvent>> {
        let contents = browser.received_of(1).into_iter().map(|(_, content)| content);
        contents.filter(|content| !matches!(content, Content::Progress(_))).collect()
    };
    let mut alone = warm(Spare::One);
    alone.pool.submit(Line::AtOnce, in_parts(1, 120, 5.0));
    let began = alone.now;
    alone.run();
    let milliseconds = time_of(&alone, 1, Content::Finished) - began;
    assert_eq!((received(&alone).len(), workers_of(&alone, 1).len()), (122, 1));
    for cores in [2, 3, 7] {
        let mut browser = on_cores(cores);
        let began = browser.now;
        browser.pool.submit(Line::AtOnce, in_parts(1, 120, 5.0));
        browser.run();
        assert_eq!(received(&browser), received(&alone), "on {cores} cores");
        assert_eq!((workers_of(&browser, 1).len(), browser.n_started), (cores, cores + 1));
        let share = (time_of(&browser, 1, Content::Finished) - began) / milliseconds;
        // Workers that are not there yet take 40 ms to start.
        assert!(share < 1.1 / cores as f64 + 0.12, "{share} of the time on {cores} cores");
        assert_eq!(left(&browser).last(), Some(&0));
        assert_eq!(browser.ended, []);
    }
}

#[test]
fn nothing_is_heard_of_an_order_while_a_newer_one_waits_for_a_worker_in_the_place_of_a_dead_one() {
    for milliseconds in (40..400).step_by(10) {
        let mut browser = on_cores(3);
        browser.latency = 10.0;
        browser.pool.submit(Line::AtOnce, in_parts(1, 600, 5.0));
        browser.pass(f64::from(milliseconds));
        // When the newer order comes, the part of the worker that is killed here waits for another worker, while the
        // other workers are in the middle of their parts.
        let first = browser.sent.iter().find(|sent| sent.3 == 1).expect("a part was sent").1;
        browser.kill(first);
        let n_received = browser.received_of(1).len();
        browser.pool.submit(Line::AtOnce, in_parts(2, 30, 5.0));
        browser.run();
        let after = &browser.received_of(1)[n_received..];
        assert!(after.is_empty(), "a worker died after {milliseconds} ms: {after:?}");
        assert_eq!(numbers(&browser, 2).last(), Some(&30));
    }
}

#[test]
fn progress_is_that_of_all_parts() {
    let mut browser = on_cores(3);
    browser.pool.submit(Line::AtOnce, in_parts(1, 600, 5.0));
    browser.run();
    let received = browser.received_of(1);
    let progress: Vec<(f64, &Progress)> = received
        .iter()
        .filter_map(
            |(time, content)| if let Content::Progress(progress) = content { Some((*time, progress)) } else { None },
        )
        .collect();
    assert!(progress.len() > 40, "{progress:?}");
    assert!(progress.iter().all(|(_, progress)| progress.total == Some(600) && progress.done <= 600), "{progress:?}");
    assert!(progress.is_sorted_by_key(|(_, progress)| progress.done), "{progress:?}");
    // Each of three workers counts a number in 5 ms. Numbers of parts that are not received yet are part of the progress.
    let (first, last) = (progress[4], progress[progress.len() - 2]);
    let rate = (last.1.done - first.1.done) as f64 / (last.0 - first.0);
    assert!((0.5..0.62).contains(&rate), "{rate} numbers a millisecond");
}

#[test]
fn what_parts_tell_is_gathered_while_the_page_draws_and_told_at_once_when_the_order_is_over() {
    // When events were received, and the end.
    let received = |mut browser: Browser, line| {
        browser.pool.submit(line, [order(line, 1, counting_in_parts(240, 5.0))]);
        browser.run();
        let received = browser.received_of(1).into_iter();
        let events =
            received.filter(|(_, content)| matches!(content, Content::Event(_))).map(|(time, _)| time.to_bits());
        let times: Vec<f64> = events.collect::<BTreeSet<_>>().into_iter().map(f64::from_bits).collect();
        (times, time_of(&browser, 1, Content::Finished))
    };
    for cores in [2, 3] {
        let (times, end) = received(on_cores(cores), Line::AtOnce);
        assert!(times.len() >= 3, "{times:?}");
        let (last, gathered) = times.split_last().expect("events");
        assert!(gathered.windows(2).all(|pair| pair[1] - pair[0] >= 100.0), "{times:?}");
        assert!(end - last < 1.0, "the last number came at {last} of {end}");
    }
    // The events of a single worker are received as they come, and so are those of parts while a slider waits for the
    // first event.
    for (cores, line) in [(1, Line::AtOnce), (2, Line::FirstEvent)] {
        let (times, _) = received(on_cores(cores), line);
        assert!(times.len() > 50, "{line:?}: {times:?}");
    }
}

#[test]
fn the_newest_order_takes_the_place_of_all_parts() {
    let mut browser = on_cores(3);
    browser.pool.submit(Line::AtOnce, in_parts(1, 600, 5.0));
    browser.pass(200.0);
    assert_eq!(browser.pool.running(Line::AtOnce), 3);
    let now = browser.now;
    browser.pool.submit(Line::AtOnce, in_parts(2, 60, 5.0));
    browser.pass(AT_ONCE_MILLISECONDS);
    assert_eq!((workers_of(&browser, 2).len(), browser.pool.running(Line::AtOnce)), (3, 3));
    browser.run();
    assert!(browser.received_of(1).iter().all(|(time, _)| *time <= now));
    assert_eq!(numbers(&browser, 2), (1..=60).collect::<Vec<_>>());
    // An order that is not cut needs one worker; the others are free.
    browser.pool.submit(Line::AtOnce, in_parts(3, 600, 5.0));
    browser.pass(100.0);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 4..5, 100, 5.0));
    browser.pass(AT_ONCE_MILLISECONDS);
    assert_eq!((browser.pool.running(Line::AtOnce), browser.idle().len()), (1, 3));
    assert_eq!((browser.ended.len(), browser.n_started), (0, 4));
}

#[test]
fn a_cancel_ends_all_parts() {
    let mut browser = on_cores(3);
    browser.pool.submit(Line::AtOnce, in_parts(1, 600, 5.0));
    browser.pass(200.0);
    browser.received.clear();
    browser.pool.cancel(Line::AtOnce);
    browser.run();
    assert!(browser.received.is_empty(), "{:?}", browser.received);
    assert_eq!((browser.idle().len(), browser.ended.len()), (4, 0));
}

#[test]
fn a_part_whose_worker_died_is_done_by_another_one_once() {
    let mut browser = on_cores(2);
    browser.pool.submit(Line::AtOnce, in_parts(1, 120, 5.0));
    browser.pass(100.0);
    // Kills the worker of a later part, of which nothing was received yet.
    browser.kill(browser.last_worker());
    browser.run();
    assert_eq!(numbers(&browser, 1), (1..=120).collect::<Vec<_>>());
    assert_eq!(count(&browser, |event| matches!(event, PoolEvent::Restarted(Line::AtOnce))), 1);
    let mut browser = on_cores(2);
    browser.pool.submit(Line::AtOnce, in_parts(1, 1200, 5.0));
    for _ in 0..2 {
        browser.pass(100.0);
        // Kills the worker of the part that is being received: its first numbers come twice.
        let first = browser.sent.iter().rfind(|sent| sent.3 == 1 && browser.workers().contains(&sent.1) && sent.2 > 1);
        let of_first = browser.sent.iter().filter(|sent| sent.3 == 1).map(|sent| sent.1).next().expect("a part");
        let id = if browser.workers().contains(&of_first) { of_first } else { first.expect("a part").1 };
        browser.kill(id);
    }
    let received = browser.received.len();
    browser.run();
    assert_eq!(count(&browser, |event| matches!(event, PoolEvent::GaveUp { left: 0, .. })), 1);
    assert_eq!(browser.received.len(), received, "nothing comes of the other parts");
    assert_eq!(browser.idle(), browser.workers());
}

#[test]
fn a_part_that_cannot_be_done_ends_the_order_where_one_worker_would_have_ended() {
    let plan = |to| AnyPlan::Count(CountPlan { after: 0, to, milliseconds: 5.0, fails_at: 71, bytes: Some(1) });
    for cores in [1, 2, 4] {
        let mut browser = on_cores(cores);
        browser.pool.submit(Line::AtOnce, [order(Line::AtOnce, 1, plan(120)), order(Line::AtOnce, 2, plan(20))]);
        browser.run();
        assert_eq!(numbers(&browser, 1), (1..=70).collect::<Vec<_>>(), "on {cores} cores");
        let received = browser.received_of(1);
        assert!(matches!(received.last(), Some((_, Content::Failed(_)))), "{received:?}");
        assert!(browser.received_of(2).is_empty());
        assert_eq!((left(&browser).last(), browser.idle()), (Some(&0), browser.workers()));
    }
}

#[test]
fn parts_that_are_done_side_by_side_fit_the_memory_together() {
    let memory = Memory::from_bytes(1000);
    for (bytes, most) in [(100, 4), (333, 3), (334, 2), (501, 1), (4000, 1)] {
        let mut browser = warm_with(PoolOptions { cores: 4, memory, ..PoolOptions::one_core(Spare::One) });
        let plan = CountPlan { after: 0, to: 240, milliseconds: 5.0, fails_at: 0, bytes: Some(bytes) };
        browser.pool.submit(Line::AtOnce, [order(Line::AtOnce, 1, AnyPlan::Count(plan))]);
        let mut side_by_side = 0;
        while browser.time_of(1, &Content::Finished).is_none() {
            browser.pass(3.0);
            side_by_side = side_by_side.max(browser.pool.running(Line::AtOnce));
        }
        assert_eq!(side_by_side, most, "parts of {bytes} bytes");
        assert_eq!(numbers(&browser, 1).len(), 240);
    }
}

#[test]
fn other_lanes_do_not_wait_for_parts() {
    let mut browser = on_cores(2);
    browser.pool.submit(Line::AtOnce, in_parts(1, 600, 5.0));
    browser.pass(200.0);
    // A worker stands ready for the first of these orders; for the second one a part gives way.
    for (number, line) in [(2, Line::FirstEvent), (3, Line::Moment)] {
        let now = browser.now;
        browser.pool.submit(line, orders(line, number..number + 1, 100, 5.0));
        browser.pass(30.0);
        assert!(time_of(&browser, number, Content::Started) - now < 10.0);
        assert_eq!(browser.n_started, 3);
    }
    assert_eq!(browser.pool.running(Line::AtOnce), 1);
    browser.run();
    assert_eq!(numbers(&browser, 1), (1..=600).collect::<Vec<_>>());
    assert_eq!((browser.n_started, browser.ended.len()), (3, 0));
    // The order had both cores again when the others were done.
    let spans = [2, 3].map(|number| time_of(&browser, number, Content::Finished));
    assert!(
        browser
            .sent
            .iter()
            .filter(|sent| sent.3 == 1 && sent.0 > spans[1])
            .map(|sent| sent.1)
            .collect::<BTreeSet<_>>()
            .len()
            > 1
    );
}

#[test]
fn a_part_that_gives_way_in_one_long_step_loses_its_worker() {
    let mut browser = on_cores(2);
    browser.pool.submit(Line::AtOnce, in_parts(1, 4, 3000.0));
    browser.pass(100.0);
    let now = browser.now;
    for (number, line) in [(2, Line::Moment), (3, Line::FirstEvent)] {
        browser.pool.submit(line, orders(line, number..number + 1, 4, 5.0));
    }
    browser.pass(200.0);
    for number in [2, 3] {
        assert!(time_of(&browser, number, Content::Started) - now < AT_ONCE_MILLISECONDS + browser.start_milliseconds);
    }
    browser.run();
    assert_eq!(numbers(&browser, 1), [1, 2, 3, 4]);
    assert!(browser.workers().len() <= 3);
}

#[test]
fn pieces_of_parts_are_heard_joined_and_once() {
    let plan = CountPlan { after: 0, to: 200, milliseconds: 5.0, fails_at: 0, bytes: Some(1) };
    for n_deaths in [0, 1] {
        let mut browser = on_cores(3);
        browser.pool.submit(Line::FirstEvent, [order(Line::FirstEvent, 1, AnyPlan::List(plan.clone()))]);
        browser.pass(150.0);
        (0..n_deaths).for_each(|_| browser.kill(browser.last_worker()));
        browser.run();
        let received = browser.received_of(1);
        let events: Vec<_> = received.iter().filter(|(_, content)| matches!(content, Content::Event(_))).collect();
        let [(time, Content::Event(AnyEvent::List(numbers)))] = &events[..] else { panic!("{events:?}") };
        assert_eq!(*numbers, (1..=200).collect::<Vec<_>>());
        assert_eq!(*time, time_of(&browser, 1, Content::Finished));
    }
    // A slider moves. An order whose result comes in one piece is waited for until all its parts are done, a second at
    // most.
    let mut browser = on_cores(3);
    let list = |number| [order(Line::FirstEvent, number, AnyPlan::List(plan.clone()))];
    browser.pool.submit(Line::FirstEvent, list(1));
    for number in 2..12 {
        browser.pass(40.0);
        browser.pool.submit(Line::FirstEvent, list(number));
    }
    browser.run();
    assert!(browser.time_of(1, &Content::Finished).is_some(), "the first order was not waited for");
    assert!((2..9).all(|number| browser.received_of(number).is_empty()));
    assert!(browser.time_of(11, &Content::Finished).is_some());
}

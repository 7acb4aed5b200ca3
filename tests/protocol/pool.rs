//! The orders of a pool: which are done, which are preempted, and what the page receives of them.

use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::{PoolEvent, PoolOptions, Spare};

use crate::browser::{Browser, Line};
use crate::counting::AnyEvent;
use crate::received::{AT_ONCE_MILLISECONDS, left, orders, time_of, warm, warm_with};

#[test]
fn the_newest_order_takes_the_place_of_the_one_before() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 1000, 5.0));
    browser.pass(200.0);
    let (worker, now) = (browser.last_worker(), browser.now);
    assert!(browser.received_of(1).len() > 20);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 2..3, 4, 5.0));
    browser.run();
    assert!(browser.received_of(1).iter().all(|(time, _)| *time <= now), "a part of the old result is of no use");
    assert!(time_of(&browser, 2, Content::Started) - now < AT_ONCE_MILLISECONDS);
    assert!(time_of(&browser, 2, Content::Finished) - now < AT_ONCE_MILLISECONDS + 20.0);
    // The worker listened between two slices, so it was not ended.
    assert_eq!((browser.last_worker(), browser.ended.len()), (worker, 0));
}

#[test]
fn an_order_that_did_not_begin_is_never_heard_of() {
    let mut browser = Browser::new(Spare::None);
    browser.pool.start();
    for number in 0..20 {
        browser.pool.submit(Line::Moment, orders(Line::Moment, number..number + 1, 3, 1.0));
        browser.pass(1.0);
    }
    browser.run();
    assert_eq!(browser.sent.len(), 1, "{:?}", browser.sent);
    assert!(
        browser.received.iter().all(|(_, event)| matches!(event, PoolEvent::Reply { of, .. } if of.companion.1 == 19))
    );
    assert!(browser.time_of(19, &Content::Finished).is_some());
}

#[test]
fn of_several_newest_orders_all_are_done_and_none_of_those_before() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..4, 10, 5.0));
    browser.pass(70.0);
    assert!(browser.time_of(1, &Content::Finished).is_some() && browser.time_of(2, &Content::Started).is_some());
    browser.received.clear();
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 4..7, 10, 5.0));
    browser.run();
    let numbers: Vec<u64> = browser.sent.iter().map(|(_, _, _, number)| *number).collect();
    assert_eq!(numbers, [1000, 1, 2, 4, 5, 6]);
    assert_eq!(left(&browser), [2, 1, 0]);
}

#[test]
fn no_orders_are_newer_than_those_before() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..3, 1000, 5.0));
    browser.pass(100.0);
    let now = browser.now;
    browser.pool.submit(Line::AtOnce, []);
    browser.pass(AT_ONCE_MILLISECONDS);
    assert_eq!((browser.pool.running(Line::AtOnce), browser.idle().len()), (0, 1));
    assert!(browser.received.iter().all(|(time, _)| *time <= now));
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 3..4, 2, 5.0));
    browser.run();
    assert!(browser.time_of(3, &Content::Finished).is_some());
}

#[test]
fn a_run_that_is_nearly_over_may_finish() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 20, 5.0));
    browser.pass(90.0);
    let now = browser.now;
    assert_eq!(browser.time_of(1, &Content::Finished), None);
    browser.pool.submit(Line::Moment, orders(Line::Moment, 2..3, 1, 1.0));
    browser.run();
    assert!(time_of(&browser, 1, Content::Finished) > now);
    assert!(time_of(&browser, 2, Content::Finished) - now < AT_ONCE_MILLISECONDS);
    // While the newer order waits, it counts as left.
    assert_eq!(left(&browser), [0, 1, 0]);
}

#[test]
fn a_run_that_is_not_nearly_over_has_a_moment_and_no_more() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 1000, 5.0));
    browser.pass(100.0);
    let now = browser.now;
    // The orders of a moving slider: the moment begins with the first of them.
    for number in 2..8 {
        browser.pool.submit(Line::Moment, orders(Line::Moment, number..number + 1, 100, 5.0));
        browser.pass(3.0);
    }
    browser.run();
    assert_eq!(browser.time_of(1, &Content::Finished), None);
    let numbers: Vec<u64> = browser.sent.iter().map(|(_, _, _, number)| *number).collect();
    assert_eq!(numbers, [1000, 1, 7]);
    let preempted = browser.sent[2].0 - now;
    assert!((10.0..20.0).contains(&preempted), "after {preempted} ms");
    assert!(browser.time_of(7, &Content::Finished).is_some());
}

#[test]
fn a_run_that_comes_in_one_piece_is_waited_for_until_its_first_event() {
    let mut browser = warm(Spare::None);
    // Three pieces of 300 ms.
    browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, 1..2, 3, 300.0));
    browser.pass(50.0);
    for number in 2..7 {
        browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, number..number + 1, 2, 20.0));
        browser.pass(40.0);
    }
    browser.run();
    let first = time_of(&browser, 1, Content::Event(AnyEvent::Count(1)));
    assert_eq!(browser.time_of(1, &Content::Event(AnyEvent::Count(2))), None);
    let begun = time_of(&browser, 6, Content::Started);
    // The worker is in its second piece by then: it is ended and another one does the newest.
    assert!(begun > first && begun - first < AT_ONCE_MILLISECONDS + browser.start_milliseconds, "{first} {begun}");
    assert!((2..6).all(|number| browser.received_of(number).is_empty()));
    assert!(browser.time_of(6, &Content::Finished).is_some());
}

#[test]
fn on_few_cores_a_lane_lets_another_one_go_first() {
    for (cores, waits) in [(1, true), (2, true), (4, false)] {
        let mut browser = warm_with(PoolOptions { cores, ..PoolOptions::one_core(Spare::One) });
        // A worker for either lane.
        browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, 3..4, 1, 1.0));
        browser.pass(200.0);
        browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 2, 4.0));
        browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, 2..3, 2, 4.0));
        browser.run();
        let (over, begun) = (time_of(&browser, 1, Content::Finished), time_of(&browser, 2, Content::Started));
        assert_eq!(begun > over, waits, "{cores} cores: over at {over}, begun at {begun}");
        assert!(browser.time_of(2, &Content::Finished).is_some());
    }
}

#[test]
fn it_lets_no_other_lane_go_first_for_longer_than_a_moment() {
    let mut browser = warm_with(PoolOptions { cores: 2, ..PoolOptions::one_core(Spare::One) });
    // A slider that moves without rest, and a number that takes longer than a frame.
    let now = browser.now;
    for number in 1..20 {
        browser.pool.submit(Line::Moment, orders(Line::Moment, number..number + 1, 8, 5.0));
        browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, number + 100..number + 101, 1, 2.0));
        browser.pass(16.0);
    }
    browser.run();
    let first = browser.received.iter().find_map(|(time, event)| match event {
        PoolEvent::Reply { lane: Line::FirstEvent, content: Content::Event(_), .. } => Some(*time),
        _ => None,
    });
    let waited = first.expect("a result") - now;
    assert!((20.0..60.0).contains(&waited), "{waited} ms");
    assert!(browser.time_of(119, &Content::Finished).is_some());
}

#[test]
fn a_run_that_listens_is_cancelled_and_its_worker_goes_on() {
    let mut browser = warm(Spare::None);
    for line in [Line::Moment, Line::FirstEvent, Line::AtOnce, Line::Batches] {
        let number = browser.sent.len() as u64;
        browser.pool.submit(line, orders(line, number..number + 2, 1000, 5.0));
        browser.pass(100.0);
        browser.received.clear();
        browser.pool.cancel(line);
        assert_eq!(browser.pool.running(line), 0);
        browser.pass(AT_ONCE_MILLISECONDS);
        assert!(browser.received.is_empty(), "{:?}", browser.received);
        assert_eq!(browser.idle().len(), 1, "it is ready for another run");
    }
    browser.run();
    assert_eq!((browser.n_started, browser.ended.len()), (1, 0));
}

#[test]
fn a_run_that_is_stuck_in_one_step_is_cancelled_with_its_worker() {
    let mut browser = warm(Spare::One);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..2, 2, 60_000.0));
    browser.pass(100.0);
    let (worker, now) = (browser.last_worker(), browser.now);
    browser.pool.cancel(Line::Batches);
    browser.received.clear();
    browser.pass(AT_ONCE_MILLISECONDS);
    let &[(ended, id)] = &browser.ended[..] else { panic!("{:?}", browser.ended) };
    assert!(id == worker && ended - now < AT_ONCE_MILLISECONDS);
    browser.pass(100.0);
    assert_eq!(browser.idle().len(), 1, "another one stands ready");
    browser.pool.submit(Line::Batches, orders(Line::Batches, 2..3, 2, 1.0));
    browser.run();
    assert!(browser.time_of(2, &Content::Finished).is_some() && browser.received_of(1).is_empty());
}

#[test]
fn orders_after_a_cancel_are_done() {
    for milliseconds in [5.0, 60_000.0] {
        let mut browser = warm(Spare::None);
        for number in 1..5 {
            browser.pool.submit(Line::Moment, orders(Line::Moment, number..number + 1, 10, milliseconds));
            browser.pass(20.0);
            browser.pool.cancel(Line::Moment);
        }
        browser.pool.submit(Line::Moment, orders(Line::Moment, 5..6, 10, 5.0));
        let now = browser.now;
        browser.run_until(now + 1000.0);
        assert!(browser.time_of(5, &Content::Finished).is_some(), "{milliseconds}: {:?}", browser.received);
        assert!(browser.workers().len() <= 5);
    }
}

#[test]
fn a_lane_that_is_paused_begins_nothing() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..4, 10, 5.0));
    browser.pass(20.0);
    browser.pool.pause(Line::Batches);
    browser.pass(1000.0);
    assert!(browser.time_of(1, &Content::Finished).is_some(), "what is under way goes on");
    assert_eq!((browser.received_of(2), browser.pool.running(Line::Batches)), (vec![], 0));
    browser.pool.submit(Line::Moment, orders(Line::Moment, 10..11, 1, 1.0));
    browser.pass(100.0);
    assert!(browser.time_of(10, &Content::Finished).is_some(), "other lanes go on");
    let now = browser.now;
    browser.pool.resume(Line::Batches);
    browser.run();
    assert!(time_of(&browser, 2, Content::Started) - now < 10.0 && browser.time_of(3, &Content::Finished).is_some());
}

#[test]
fn a_newer_order_of_a_paused_lane_waits() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 20, 5.0));
    browser.pass(20.0);
    browser.pool.pause(Line::AtOnce);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 2..3, 20, 5.0));
    browser.pass(300.0);
    assert_eq!(browser.sent.last().map(|(_, _, _, number)| *number), Some(1));
    browser.pool.resume(Line::AtOnce);
    browser.run();
    assert!(browser.time_of(2, &Content::Finished).is_some());
}

#[test]
fn of_the_newest_orders_one_at_a_time_is_done_however_many_workers_there_are() {
    let mut browser = warm(Spare::One);
    browser.pool.set_workers(Line::AtOnce, 4);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..3, 100, 5.0));
    browser.pass(100.0);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 3..5, 10, 5.0));
    let now = browser.now;
    browser.run();
    let old = [1, 2].map(|number| browser.received_of(number));
    assert!(old.iter().flatten().all(|(time, _)| *time <= now), "{old:?}");
    assert!(browser.time_of(4, &Content::Finished).is_some());
}

//! The workers of a pool: when they are started, replaced and given up, and who does what.

use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::{PoolEvent, PoolOptions, Spare};

use crate::browser::{Browser, Event, Line, Start};
use crate::counting::counting;
use crate::received::{AT_ONCE_MILLISECONDS, count, left, orders, time_of, warm, warm_with};

fn cannot_start(browser: &Browser) -> usize {
    count(browser, |event| matches!(event, PoolEvent::CannotStart))
}

#[test]
fn a_worker_that_is_silent_about_a_run_is_replaced_when_a_newer_order_waits() {
    let mut browser = warm(Spare::One);
    browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, 1..2, 2, 60_000.0));
    browser.pass(2000.0);
    assert_eq!(browser.ended, [], "nobody waits");
    let now = browser.now;
    browser.pool.submit(Line::FirstEvent, orders(Line::FirstEvent, 2..3, 2, 1.0));
    browser.run_until(now + 1100.0);
    assert_eq!(browser.ended.len(), 1);
    assert!(browser.time_of(2, &Content::Finished).is_some());
    assert_eq!(browser.received_of(1).len(), 1, "it was started, no more");
}

#[test]
fn a_worker_that_does_not_turn_to_a_newer_order_in_time_is_replaced() {
    let mut browser = warm(Spare::One);
    browser.pass(100.0);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 2, 5000.0));
    browser.pass(100.0);
    let (worker, now) = (browser.last_worker(), browser.now);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 2..3, 3, 1.0));
    browser.run();
    let &[(ended, id)] = &browser.ended[..] else { panic!("{:?}", browser.ended) };
    assert!(id == worker && ended - now < AT_ONCE_MILLISECONDS);
    assert_ne!(browser.last_worker(), worker);
    // A spare worker is there already.
    assert!(time_of(&browser, 2, Content::Finished) - now < AT_ONCE_MILLISECONDS);
    assert_eq!(count(&browser, |event| matches!(event, PoolEvent::Restarted(_))), 0, "no worker died");
}

#[test]
fn what_a_worker_was_doing_when_it_died_is_done_again_once() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..4, 10, 5.0));
    browser.pass(20.0);
    browser.kill(browser.last_worker());
    assert_eq!(count(&browser, |event| matches!(event, PoolEvent::Restarted(Line::Batches))), 1);
    browser.pass(60.0);
    let (_, _, _, number) = browser.sent.last().expect("a run");
    assert_eq!(*number, 1, "it comes before what waits");
    browser.kill(browser.last_worker());
    let gave_up =
        |event: &Event| matches!(event, PoolEvent::GaveUp { lane: Line::Batches, of, left: 2 } if of.companion.1 == 1);
    assert_eq!(count(&browser, gave_up), 1);
    browser.run();
    let numbers: Vec<u64> = browser.sent.iter().map(|(_, _, _, number)| *number).collect();
    assert_eq!(numbers, [1000, 1, 1, 2, 3]);
    assert_eq!(left(&browser), [0, 2, 1, 0]);
    assert_eq!(cannot_start(&browser), 0);
}

#[test]
fn of_the_newest_orders_nothing_is_done_after_one_that_cannot_be() {
    for dies in [true, false] {
        let mut browser = warm(Spare::None);
        browser.received.clear();
        let mut newest = orders(Line::AtOnce, 1..4, 100, 5.0);
        if !dies {
            newest[0].plan = counting(0, 1.0);
        }
        browser.pool.submit(Line::AtOnce, newest);
        if dies {
            for _ in 0..2 {
                browser.pass(60.0);
                browser.kill(browser.last_worker());
            }
        }
        browser.run();
        assert!(browser.sent.iter().all(|(_, _, _, number)| [1000, 1].contains(number)), "{:?}", browser.sent);
        assert_eq!(left(&browser), [0], "dies: {dies}");
        let is_failed = |event: &Event| matches!(event, PoolEvent::Reply { content: Content::Failed(_), .. });
        assert_eq!(count(&browser, is_failed), usize::from(!dies));
    }
}

#[test]
fn a_run_that_a_worker_died_over_is_dropped_when_a_newer_order_waits() {
    let mut browser = warm(Spare::None);
    browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 100, 5.0));
    browser.pass(50.0);
    browser.pool.submit(Line::Moment, orders(Line::Moment, 2..3, 2, 5.0));
    browser.kill(browser.last_worker());
    browser.run();
    assert_eq!(count(&browser, |event| matches!(event, PoolEvent::Restarted(_) | PoolEvent::GaveUp { .. })), 0);
    assert_eq!(browser.sent.last().map(|(_, _, _, number)| *number), Some(2));
    assert!(browser.time_of(2, &Content::Finished).is_some());
}

#[test]
fn a_worker_that_does_not_start_is_replaced() {
    for start in [Start::Silent, Start::Dies] {
        let mut browser = Browser::new(Spare::None);
        browser.starts.extend([start, start]);
        browser.pool.start();
        browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 2, 1.0));
        browser.run();
        assert!(browser.time_of(1, &Content::Finished).is_some());
        assert_eq!((browser.n_started, cannot_start(&browser)), (3, 0), "{start:?}");
        assert!(time_of(&browser, 1, Content::Finished) < 41_000.0);
    }
}

#[test]
fn after_three_workers_that_do_not_start_the_pool_gives_up_until_it_is_started_again() {
    for start in [Start::Silent, Start::Dies] {
        let mut browser = Browser::new(Spare::None);
        browser.starts.extend([start; 3]);
        browser.pool.start();
        browser.pool.submit(Line::Moment, orders(Line::Moment, 1..2, 2, 1.0));
        browser.run();
        assert_eq!((browser.n_started, cannot_start(&browser)), (3, 1), "{start:?}");
        assert!(browser.workers().is_empty());
        browser.pool.start();
        browser.run();
        assert!(browser.time_of(1, &Content::Finished).is_some());
        assert_eq!((browser.n_started, cannot_start(&browser)), (4, 1));
    }
}

#[test]
fn only_workers_in_a_row_that_do_not_start_are_counted() {
    let mut browser = Browser::new(Spare::None);
    browser.starts.extend([Start::Dies, Start::Dies, Start::Listens, Start::Dies, Start::Dies]);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..2, 100, 5.0));
    browser.pass(200.0);
    browser.kill(browser.last_worker());
    browser.run();
    assert!(browser.time_of(1, &Content::Finished).is_some());
    assert_eq!((browser.n_started, cannot_start(&browser)), (6, 0));
}

#[test]
fn a_browser_that_refuses_workers_is_asked_once_and_complained_of_once() {
    let mut browser = Browser::new(Spare::One);
    browser.starts.extend([Start::Refused; 20]);
    browser.pool.start();
    browser.pool.set_workers(Line::Batches, 3);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..6, 2, 1.0));
    browser.run();
    assert_eq!(cannot_start(&browser), 1);
    browser.starts.clear();
    browser.pool.start();
    browser.run();
    assert!((1..6).all(|number| browser.time_of(number, &Content::Finished).is_some()));
}

#[test]
fn several_workers_do_the_orders_of_a_queue() {
    let mut browser = warm(Spare::None);
    browser.received.clear();
    browser.pool.set_workers(Line::Batches, 3);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..13, 10, 5.0));
    browser.pass(200.0);
    assert_eq!((browser.pool.running(Line::Batches), browser.n_started), (3, 3));
    browser.run();
    // Every order once, in order, and each worker has its part.
    let sent: Vec<u64> = browser.sent.iter().skip(1).map(|(_, _, _, number)| *number).collect();
    assert_eq!(sent, (1..13).collect::<Vec<u64>>());
    for id in browser.workers() {
        assert!(browser.sent.iter().filter(|(_, worker, _, _)| *worker == id).count() >= 3);
    }
    assert_eq!(left(&browser), (0..12).rev().collect::<Vec<usize>>());
    assert!(
        (1..13).all(|number| browser.received_of(number).iter().filter(|(_, content)| content.is_last()).count() == 1)
    );
}

#[test]
fn fewer_workers_finish_what_they_have() {
    let mut browser = warm(Spare::None);
    browser.pool.set_workers(Line::Batches, 3);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..10, 20, 5.0));
    browser.pass(80.0);
    assert_eq!(browser.pool.running(Line::Batches), 3);
    browser.pool.set_workers(Line::Batches, 0);
    browser.pass(100.0);
    assert_eq!(browser.pool.running(Line::Batches), 1, "one at least");
    browser.run();
    assert!((1..10).all(|number| browser.time_of(number, &Content::Finished).is_some()));
}

#[test]
fn a_spare_worker_stands_ready_beside_those_that_are_busy() {
    let mut browser = warm_with(PoolOptions { cores: 2, ..PoolOptions::one_core(Spare::One) });
    browser.pool.set_workers(Line::Batches, 2);
    browser.pool.submit(Line::Batches, orders(Line::Batches, 1..3, 100, 5.0));
    browser.pass(200.0);
    assert_eq!((browser.workers().len(), browser.idle().len()), (3, 1));
    // A worker that dies is replaced.
    browser.kill(browser.idle()[0]);
    browser.pass(100.0);
    assert_eq!(browser.idle().len(), 1);
    browser.run();
    let mut without = warm(Spare::None);
    without.pool.submit(Line::Batches, orders(Line::Batches, 1..2, 100, 5.0));
    without.pass(200.0);
    assert_eq!((without.workers().len(), without.idle().len()), (1, 0));
}

#[test]
fn what_can_wait_leaves_the_processor_to_the_first_lane() {
    let mut browser = Browser::new(Spare::One);
    browser.pool.start();
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 2, 1.0));
    browser.pool.submit(Line::Moment, orders(Line::Moment, 2..3, 100, 5.0));
    browser.run();
    assert!(time_of(&browser, 1, Content::Started) >= time_of(&browser, 2, Content::Finished));
    // The lane waits at most for a while.
    let mut browser = Browser::new(Spare::One);
    browser.pool.start();
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 2, 1.0));
    browser.pool.submit(Line::Moment, orders(Line::Moment, 2..3, 1000, 5.0));
    browser.run();
    let began = time_of(&browser, 1, Content::Started);
    assert!((1500.0..1600.0).contains(&began), "{began}");
}

#[test]
fn a_worker_does_the_next_run_of_the_lane_that_it_worked_in() {
    let mut browser = warm(Spare::One);
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 1..2, 10, 5.0));
    browser.pool.submit(Line::Moment, orders(Line::Moment, 2..3, 10, 5.0));
    browser.pass(1000.0);
    let of = |browser: &Browser, number: u64| {
        browser.sent.iter().find(|(_, _, _, sent)| *sent == number).map(|(_, worker, _, _)| *worker).expect("sent")
    };
    browser.pool.submit(Line::Moment, orders(Line::Moment, 3..4, 1, 5.0));
    browser.pool.submit(Line::AtOnce, orders(Line::AtOnce, 4..5, 1, 5.0));
    browser.run();
    assert_ne!(of(&browser, 1), of(&browser, 2));
    assert_eq!((of(&browser, 3), of(&browser, 4)), (of(&browser, 2), of(&browser, 1)));
}

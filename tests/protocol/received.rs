//! Helpers for tests with [`Browser`]: one that is ready, and the events that were received of an order.

use lipscope_protocol::envelope::Content;
use lipscope_protocol::pool::{PoolEvent, PoolOptions, Spare};

use crate::browser::{Browser, CountOrder, Event, Line, order};
use crate::counting::{AnyEvent, counting};

/// The longest wait of a newer order, or of an end, for a busy worker.
pub const AT_ONCE_MILLISECONDS: f64 = 50.0;

/// A browser on one core whose first lane is warm, and which is idle again.
pub fn warm(spare: Spare) -> Browser {
    warm_with(PoolOptions::one_core(spare))
}

/// The same with other options.
pub fn warm_with(options: PoolOptions) -> Browser {
    let mut browser = Browser::with_options(options);
    browser.pool.start();
    browser.pool.submit(Line::Moment, [order(Line::Moment, 1000, counting(1, 1.0))]);
    browser.pass(200.0);
    assert!(browser.time_of(1000, &Content::Finished).is_some());
    assert_eq!(browser.idle().len(), 1);
    browser
}

/// Orders of these numbers, which count alike.
pub fn orders(line: Line, numbers: std::ops::Range<u64>, to: u32, milliseconds: f64) -> Vec<CountOrder> {
    numbers.map(|number| order(line, number, counting(to, milliseconds))).collect()
}

/// When something was first received of an order.
pub fn time_of(browser: &Browser, number: u64, content: Content<AnyEvent>) -> f64 {
    let received = browser.time_of(number, &content);
    received.unwrap_or_else(|| panic!("no {content:?} of {number} in {:?}", browser.received))
}

/// How many of the events that were received satisfy `is_it`.
pub fn count(browser: &Browser, is_it: impl Fn(&Event) -> bool) -> usize {
    browser.received.iter().filter(|(_, event)| is_it(event)).count()
}

/// The `left` of the replies that end an order, in order of time.
pub fn left(browser: &Browser) -> Vec<usize> {
    let ends = browser.received.iter().filter_map(|(_, event)| match event {
        PoolEvent::Reply { content, left, .. } if content.is_last() => Some(*left),
        PoolEvent::GaveUp { left, .. } => Some(*left),
        _ => None,
    });
    ends.collect()
}

//! A part of an order: the work of one worker.

use std::ops::Range;
use std::rc::Rc;

use super::rules::Order;
use crate::envelope::Content;
use crate::task::{Cut, TaskList};

/// A part of an order; an order that is not cut is one part.
#[derive(Debug)]
pub(super) struct Part<P, E, C> {
    /// Its number among all parts of the pool. The page receives the parts of an order in this sequence.
    pub at: u64,
    pub order: Rc<Order<P, C>>,
    /// The units of this part, and of the whole order; `None` where the order is not cut.
    pub units: Option<(Range<usize>, Range<usize>)>,
    /// The most bytes that the part holds at a time.
    pub bytes: u64,
    /// Whether the part is the last one of its order.
    pub is_last: bool,
    /// Whether a worker died while doing it.
    pub is_second_try: bool,
    /// Units done.
    pub done: u64,
    /// The contents that the page has not received, because an earlier part is not over.
    pub held: Vec<Content<E>>,
}

impl<P, E, C> Part<P, E, C> {
    /// Cuts an order into parts for `workers` workers. `last` is the number of the pool's last part, and is advanced.
    pub fn of<T: TaskList<Plan = P>>(order: Order<P, C>, workers: usize, last: &mut u64) -> Vec<Self> {
        let order = Rc::new(order);
        let cuts = if workers > 1 { T::cut(&order.plan, workers) } else { Vec::new() };
        let whole = match (cuts.first(), cuts.last()) {
            (Some(first), Some(end)) => first.units.start..end.units.end,
            _ => 0..0,
        };
        let mut part = |units, bytes, is_last| {
            *last += 1;
            let (at, order) = (*last, Rc::clone(&order));
            Part { at, order, units, bytes, is_last, is_second_try: false, done: 0, held: Vec::new() }
        };
        let n_cuts = cuts.len();
        match n_cuts {
            0 | 1 => vec![part(None, 0, true)],
            _ => (1..)
                .zip(cuts)
                .map(|(count, Cut { units, bytes })| part(Some((units, whole.clone())), bytes, count == n_cuts))
                .collect(),
        }
    }

    /// The plan of this part.
    pub fn plan<T: TaskList<Plan = P>>(&self) -> P
    where
        P: Clone,
    {
        match &self.units {
            Some((units, _)) => T::part(&self.order.plan, units),
            None => self.order.plan.clone(),
        }
    }

    /// Whether it is the first part of its order.
    pub fn is_first(&self) -> bool {
        self.units.as_ref().is_none_or(|(units, whole)| units.start == whole.start)
    }

    /// The part as it was before any worker had it.
    pub fn afresh(self) -> Self {
        Part { done: 0, held: Vec::new(), ..self }
    }
}

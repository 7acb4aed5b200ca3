//! Turns replies of workers into events for the page. The page receives the parts of an order in sequence, whichever part
//! was done first.

use std::rc::Rc;

use super::lane::Head;
use super::rules::{Action, Lane, Order, Policy, PoolEvent, Preempt, Timer, WorkerId};
use super::{DRAW_MILLISECONDS, Pool};
use crate::envelope::{Content, Reply, RunId};
use crate::task::TaskList;

/// The part that an event comes from: its run, its order, and its place in the order.
struct PartSource<P, C> {
    run_id: RunId,
    order: Rc<Order<P, C>>,
    is_first: bool,
    is_last: bool,
    is_cut: bool,
}

impl<T: TaskList, L: Lane, C> Pool<T, L, C> {
    /// Handles a reply.
    pub(super) fn on_reply(&mut self, id: WorkerId, Reply { run_id, content }: Reply<T::Event>) {
        let Some(worker) = self.workers.iter_mut().find(|worker| worker.id == id) else { return };
        if worker.run != Some(run_id) {
            // The run was preempted.
            return;
        }
        if content.is_last() {
            worker.run = None;
        }
        let Some(lane) = self.lane_of(run_id) else { return };
        if matches!(content, Content::Started) {
            self.run(run_id).into_iter().for_each(|run| run.is_started = true);
            self.preempt_when_due(lane);
            if self.run(run_id).is_none() {
                // A newer order has just preempted it.
                return;
            }
        }
        if self.lane(lane).is_preempted() {
            if content.is_last() {
                self.take_run(run_id);
            }
            return self.preempt_when_due(lane);
        }
        self.is_warm |= content.is_last() && lane == L::ALL[0];
        self.take_in(lane, run_id, content);
        let had_event = self.lane(lane).has_event;
        match lane.policy() {
            Policy::Queue => self.emit_run(lane, run_id),
            Policy::Newest(_) => self.emit_head(lane),
        }
        if self.lane(lane).has_event && !had_event {
            self.preempt_when_due(lane);
        }
    }

    /// Keeps the contents of a run until its turn comes; sends progress on at once.
    fn take_in(&mut self, lane: L, run_id: RunId, content: Content<T::Event>) {
        let is_queue = lane.policy() == Policy::Queue;
        let state = self.lane(lane);
        if let Content::Progress(progress) = content {
            let progress = if is_queue { Some(progress) } else { state.progress(run_id, progress) };
            let Some((of, progress)) = state.run(run_id).map(|run| Rc::clone(&run.part.order)).zip(progress) else {
                return;
            };
            let left = state.left();
            let content = Content::Progress(progress);
            return self.events.push(PoolEvent::Reply { lane, run_id, of, content, left });
        }
        let is_last = content.is_last();
        let Some(run) = state.run(run_id) else { return };
        run.part.held.push(content);
        if !is_last {
            return;
        }
        let Some(mut run) = state.take_run(run_id) else { return };
        if let Some((units, _)) = &run.part.units {
            run.part.done = units.len() as u64;
        }
        state.over.push((run_id, run.part));
    }

    /// Sends the contents of a queue's run to the page.
    fn emit_run(&mut self, lane: L, run_id: RunId) {
        let state = self.lane(lane);
        if let Some(run) = state.run(run_id) {
            let (of, held) = (Rc::clone(&run.part.order), std::mem::take(&mut run.part.held));
            let left = state.left();
            let reply = |content| PoolEvent::Reply { lane, run_id, of: Rc::clone(&of), content, left };
            self.events.extend(held.into_iter().map(reply));
        } else if let Some(idx) = state.over.iter().position(|over| over.0 == run_id) {
            self.emit_over(lane, idx);
        }
    }

    /// Sends the contents of the next parts in order, unless the page is still drawing earlier ones.
    pub(super) fn emit_head(&mut self, lane: L) {
        let state = self.lane(lane);
        if state.drawing.is_some() && !(state.queue.is_empty() && state.running.is_empty()) {
            return;
        }
        loop {
            let state = self.lane(lane);
            match state.head() {
                None | Some(Head::Waiting) => return,
                Some(Head::Over(idx)) => self.emit_over(lane, idx),
                Some(Head::Running(run_id)) => {
                    let Some(part) = state.run(run_id).map(|run| &mut run.part) else { return };
                    let of = PartSource {
                        run_id,
                        order: Rc::clone(&part.order),
                        is_first: part.is_first(),
                        is_last: false,
                        is_cut: part.units.is_some(),
                    };
                    // Pieces are joined when the part is over, because another worker may have to do the part again.
                    let is_piece =
                        |content: &Content<T::Event>| matches!(content, Content::Event(event) if T::is_piece(event));
                    let n_ready = match part.units {
                        Some(_) => part.held.iter().position(is_piece).unwrap_or(part.held.len()),
                        None => part.held.len(),
                    };
                    let ready: Vec<_> = part.held.drain(..n_ready).collect();
                    return ready.into_iter().for_each(|content| self.emit(lane, &of, content));
                }
            }
        }
    }

    /// Sends the contents of a part that is over.
    fn emit_over(&mut self, lane: L, idx: usize) {
        let state = self.lane(lane);
        let (run_id, part) = state.over.remove(idx);
        let of = PartSource {
            run_id,
            is_first: part.is_first(),
            is_last: part.is_last,
            is_cut: part.units.is_some(),
            order: part.order,
        };
        if lane.policy() != Policy::Queue && !matches!(part.held.last(), Some(Content::Finished)) {
            // The remaining parts depend on what this one failed to do, so they are dropped.
            state.clear();
            self.cancel_runs(lane);
        }
        for content in part.held {
            match content {
                Content::Event(event) if part.units.is_some() && T::is_piece(&event) => {
                    match &mut self.lane(lane).pieces {
                        Some(pieces) => T::join(pieces, event),
                        none => *none = Some(event),
                    }
                }
                content => self.emit(lane, &of, content),
            }
        }
        let state = self.lane(lane);
        state.before = state.last.clone().filter(|_| !of.is_last);
        state.last = state.before.clone();
    }

    /// Sends a content of a part to the page, after the pieces joined before it. Only the first part of an order
    /// reports that it has started, and only the last one that it is finished.
    fn emit(&mut self, lane: L, of: &PartSource<T::Plan, C>, content: Content<T::Event>) {
        let is_emitted = match &content {
            Content::Started => of.is_first,
            Content::Finished => of.is_last,
            _ => true,
        };
        if !is_emitted {
            return;
        }
        let state = self.lane(lane);
        let mut content = content;
        if let (Content::Event(event), true) = (&mut content, of.is_cut) {
            state.before.iter().for_each(|before| T::follow(event, before));
            state.last = Some(event.clone());
        }
        let pieces = state.pieces.take().filter(|_| matches!(content, Content::Event(_) | Content::Finished));
        let left = state.left() + usize::from(of.is_last && !content.is_last());
        for (content, left) in pieces.map(|pieces| (Content::Event(pieces), left)).into_iter().chain([(content, left)])
        {
            let (run_id, order) = (of.run_id, Rc::clone(&of.order));
            let state = self.lane(lane);
            let is_event = matches!(content, Content::Event(_));
            state.has_event |= is_event;
            if is_event && of.is_cut && lane.policy() == Policy::Newest(Preempt::AtOnce) && state.drawing.is_none() {
                state.drawing = Some(run_id);
                self.actions.push(Action::Wake(Timer::Drawn(run_id), DRAW_MILLISECONDS));
            }
            self.events.push(PoolEvent::Reply { lane, run_id, of: order, content, left });
        }
    }
}

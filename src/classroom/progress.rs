//! How far the reader is in a step: goals that are reached, tries, and when help is due.

use std::time::Duration;

use crate::prelude::*;

use crate::lessons::{Step, Visible, Way};
use crate::newest::Newest;
use crate::page::Page;
use crate::state::LessonAt;

use super::course::step_now;
use super::facts::with_situation;

/// How long a reader is left alone before the hint is shown.
const HINT_AFTER: Duration = Duration::from_secs(30);
/// After this many tries the answer is offered.
const MOST_TRIES: u32 = 3;
/// How long the controls rest before what was done counts as a try.
const TRY_REST: Duration = Duration::from_millis(900);

/// How far the reader is in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The step that the progress belongs to.
    at: Option<LessonAt>,
    /// The goals that are reached, or ruled out where they cannot be.
    reached: Vec<&'static str>,
    /// How often the controls came to rest without reaching all.
    tries: u32,
    /// Whether the reader has been at it for long.
    is_late: bool,
    /// Whether hints, answers and all texts are shown.
    pub shows_all: bool,
    /// Whether the reader has copied the link.
    pub has_shared: bool,
    /// The answer that the reader has chosen.
    pub chosen: Option<&'static str>,
    /// Whether the reader has just said of a goal that can be reached that it cannot.
    pub is_refused: bool,
}

impl Progress {
    /// Whether a goal is reached, or ruled out.
    pub fn has(&self, goal: &str) -> bool {
        self.reached.contains(&goal)
    }

    /// Whether a step is over.
    pub fn is_over(&self, step: &Step) -> bool {
        step.goals.iter().all(|goal| self.has(goal.id))
    }

    /// Whether the hint is shown.
    pub fn shows_hint(&self) -> bool {
        self.shows_all || self.is_late || self.tries >= MOST_TRIES
    }

    /// Whether the answer is offered.
    pub fn offers_answer(&self) -> bool {
        self.shows_all || self.tries >= MOST_TRIES
    }

    /// How many goals are reached.
    pub fn count(&self) -> usize {
        self.reached.len()
    }
}

/// Follows the reader's place: what a step shows, which goals are reached, when help is due.
pub fn begin(page: Page) {
    let progress = page.classroom.progress;
    let at = memo(move |_| page.lesson.get());
    let visits = StoredValue::new(0u32);
    effect(move |_| {
        let at = at.get();
        progress.set(Progress { at: at.clone(), ..Progress::default() });
        show(page, untrack(|| step_now(page)).map_or_else(Visible::default, |(.., step)| step.visible));
        visits.update_value(|count| *count += 1);
        let visit = visits.get_value();
        if at.is_some() {
            let hint = move || {
                if visits.get_value() == visit {
                    progress.update(|progress| progress.is_late = true);
                }
            };
            set_timeout(hint, HINT_AFTER);
        }
    });
    effect(move |_| {
        let Some((.., step)) = step_now(page) else { return };
        let now: Vec<&'static str> = with_situation(page, step, |situation| {
            step.goals.iter().filter(|goal| goal.is_reached(situation)).map(|goal| goal.id).collect()
        });
        let is_news = progress.with_untracked(|progress| {
            progress.at == page.lesson.get_untracked() && now.iter().any(|goal| !progress.has(goal))
        });
        if is_news {
            progress.update(|progress| {
                for goal in now {
                    if !progress.has(goal) {
                        progress.reached.push(goal);
                    }
                }
            });
        }
    });
    let counting = Newest::default();
    effect(move |before: Option<()>| {
        page.live.measured.track();
        page.held.track();
        counting.forget();
        if before.is_none() || untrack(|| page.lesson.get()).is_none() {
            return;
        }
        counting.after(TRY_REST, move || {
            if !page.held.get_untracked() {
                count_try(page);
            }
        });
    });
}

/// Counts a try, where the reader has changed something and a goal is still open.
fn count_try(page: Page) {
    let Some((.., step)) = untrack(|| step_now(page)) else { return };
    let is_open = page.classroom.progress.with_untracked(|progress| !progress.is_over(step));
    if is_open && untrack(|| super::course::differs(page, step)) {
        page.classroom.progress.update(|progress| progress.tries += 1);
    }
}

/// The reader says that a goal cannot be reached.
pub fn rule_out(page: Page, goal: &'static str) {
    let Some((.., step)) = untrack(|| step_now(page)) else { return };
    let Some(goal) = step.goals.iter().find(|known| known.id == goal) else { return };
    let is_right = matches!(goal.way, Way::Impossible(_));
    page.classroom.progress.update(|progress| {
        progress.is_refused = !is_right;
        match is_right {
            true if !progress.has(goal.id) => progress.reached.push(goal.id),
            true => {}
            false => progress.tries += 1,
        }
    });
}

fn show(page: Page, visible: Visible) {
    let plane = page.plane;
    let is_taught = page.lesson.with_untracked(Option::is_some);
    plane.wall.set(visible.wall.then(|| page.state.with_untracked(|state| state.radius)));
    // The pair costs a little at every measurement: it goes with the lesson.
    plane.has_pair.set(visible.pair);
    if is_taught {
        plane.has_row.set(visible.row || !visible.pair);
        plane.selected.set(visible.token);
        page.rung.set(visible.bound);
    }
}

//! How far the reader is in a step: goals that are reached, tries, and when help is due.

use std::time::Duration;

use crate::prelude::*;

use crate::frame::Debounce;
use crate::lessons::{Visible, Way};
use crate::state::LessonAt;
use lipscope_protocol::train::Kind as TrainedKind;

use super::context::{Classroom, Progress};
use super::course::step_now;
use super::in_sight::show_figure;
use super::situation::with_situation;
use super::{course, settle};

/// How long a step waits before it shows the hint.
const HINT_AFTER: Duration = Duration::from_secs(30);
/// How long the controls rest before the change counts as a try.
const TRY_REST: Duration = Duration::from_millis(900);

/// Follows the reader's place: what a step shows, which goals are reached, when help is due.
pub fn begin(room: Classroom) {
    let progress = room.progress;
    let at = memo(move |_| (room.page.lesson.get(), course::handed_in(room), course::reached_by_student(room)));
    let visits = StoredValue::new(0u32);
    effect(move |_| {
        let (at, _, reached) = at.get();
        // A drawing from another step is no guess at this step.
        let (guess, chosen) = untrack(|| settle::handed_in(room)).unwrap_or_default();
        room.guess.set(guess);
        room.question.set(None);
        // What a student has once reached counts, though the state that was handed in may be another.
        progress.update(|progress| {
            let anew = progress.anew(at.clone(), at.as_ref());
            *progress = Progress { chosen, reached: reached.unwrap_or_default(), ..anew };
        });
        show(room, untrack(|| step_now(room)).map_or_else(Visible::default, |(.., step)| step.visible));
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
        let Some((.., step)) = step_now(room) else { return };
        let now: Vec<&'static str> = with_situation(room, step, |situation| {
            step.goals.iter().filter(|goal| goal.is_reached(situation)).map(|goal| goal.id).collect()
        });
        let is_news = progress.with_untracked(|progress| {
            progress.at == room.page.lesson.get_untracked() && now.iter().any(|goal| !progress.has(goal))
        });
        if is_news {
            progress.update(|progress| {
                for goal in now.into_iter().filter(|goal| !progress.has(goal)).collect::<Vec<_>>() {
                    progress.reach(goal);
                }
            });
        }
    });
    effect(move |before: Option<AtWork>| {
        let training = room.page.answers.training;
        let at_work = training.with(|runs| runs.iter().find(|run| run.backwards.is_running).map(|run| run.plan.kind));
        let now = AtWork { at: room.page.lesson.get(), kind: at_work };
        // A run that another step, or this one before a reset, has begun is not one of this step.
        if before.is_some_and(|before| now.begins_after(&before)) {
            progress.update(|progress| progress.ran_backwards = at_work);
        }
        now
    });
    let counting = Debounce::default();
    effect(move |before: Option<()>| {
        room.page.answers.measured.track();
        room.page.held.track();
        counting.forget();
        if before.is_none() || untrack(|| room.page.lesson.get()).is_none() {
            return;
        }
        counting.after(TRY_REST, move || {
            if !room.page.held.get_untracked() {
                count_try(room);
            }
        });
    });
}

/// The model that is run backwards, and the step at which it is.
#[derive(Clone, Debug, PartialEq)]
struct AtWork {
    at: Option<LessonAt>,
    kind: Option<TrainedKind>,
}

impl AtWork {
    /// Whether a run has begun since, at the same step.
    fn begins_after(&self, before: &AtWork) -> bool {
        self.kind.is_some() && self.kind != before.kind && self.at == before.at
    }
}

/// Takes the reader's claim that a goal cannot be reached. A right claim closes the goal; a wrong one counts as a try.
pub fn rule_out(room: Classroom, goal: &'static str) {
    let Some((.., step)) = untrack(|| step_now(room)) else { return };
    let Some(goal) = step.goals.iter().find(|known| known.id == goal) else { return };
    let is_right = matches!(goal.way, Way::Impossible(_));
    room.progress.update(|progress| if is_right { progress.reach(goal.id) } else { progress.refuse(goal.id) });
}

/// Counts a try, where the reader has changed something and a goal is still open.
fn count_try(room: Classroom) {
    let Some((.., step)) = untrack(|| step_now(room)) else { return };
    let is_open = room.progress.with_untracked(|progress| !progress.is_over(step));
    if is_open && untrack(|| course::differs(room, step)) {
        room.progress.update(|progress| progress.tries += 1);
    }
}

fn show(room: Classroom, visible: Visible) {
    let look = room.page.look;
    let has_lesson = room.page.lesson.with_untracked(Option::is_some);
    look.wall.set(visible.wall.then(|| room.page.state.with_untracked(|state| state.radius)));
    look.lines.set(visible.lines.unwrap_or_default());
    // The pair costs a little at every measurement, so it is switched off again with the lesson.
    look.has_pair.set(visible.pair);
    if has_lesson {
        look.has_row.set(visible.lines.is_some() || !visible.pair);
        look.token.set(visible.token);
        look.rung.set(visible.bound);
        if let Some(id) = visible.figure {
            show_figure(room, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_at_the_step_at_which_it_begins() {
        let work = |step, kind| AtWork { at: Some(LessonAt { id: "inverse".into(), step }), kind };
        let running = Some(TrainedKind::ALL[0]);
        assert!(work(1, running).begins_after(&work(1, None)));
        assert!(!work(1, running).begins_after(&work(1, running)));
        assert!(!work(2, running).begins_after(&work(1, running)));
        assert!(!work(2, running).begins_after(&work(1, None)));
        assert!(!work(1, None).begins_after(&work(1, running)));
    }
}

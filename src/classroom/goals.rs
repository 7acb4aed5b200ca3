//! The goals of a step: which are reached, the hint, the answer. A goal that was reached once stays reached, here, in the
//! answer code and in the link that opens what a student has handed in; the words beside it say where the state on screen
//! no longer meets it.

use crate::prelude::*;

use crate::charts::TheoryLink;
use crate::lessons::{Goal, Step, Way};
use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::BoundId;

use super::context::{Classroom, Progress, use_classroom};
use super::guess_words::{self, Verdict};
use super::notebook::use_notebook;
use super::question::{is_answered, is_waiting};
use super::situation::with_situation;
use super::{course, progress};

/// The goals of a step, with hint and answer.
#[component]
pub fn Goals(
    /// The step whose goals are shown.
    step: &'static Step,
) -> impl IntoView {
    let room = use_classroom();
    let progress = room.progress;
    let open = move || {
        progress.with(|now| {
            step.goals.iter().find(|goal| !now.has(goal.id) && !matches!(goal.way, Way::Press | Way::Train(_)))
        })
    };
    let offers_answer = memo(move |_| progress.with(Progress::offers_answer) && open().is_some());
    let shows_all = memo(move |_| progress.with(|progress| progress.shows_all));
    let spoken = move || {
        let (answers, tasks): (Vec<&Goal>, Vec<&Goal>) = step.goals.iter().partition(|goal| goal.is_an_answer());
        let reached = |goals: &[&Goal]| progress.with(|now| goals.iter().filter(|goal| now.has(goal.id)).count());
        // A question that was answered wrongly is answered, not reached.
        let answered = (reached(&answers) > 0).then(|| guess_words::verdict(room)).flatten();
        strings::goals_said(answered.map(|verdict| verdict == Verdict::Right), reached(&tasks), tasks.len())
    };
    view! {
        <p class="note" data-testid="goals-of-student" hidden=move || course::reached_by_student(room).is_none()>{strings::goals_of_student()}</p>
        <ul class="goals" aria-label=strings::goals()>
            {step.goals.iter().map(|goal| view! { <GoalLine step goal/> }).collect_view()}
        </ul>
        {step.hint.map(|hint| view! {
            <p class="lesson-hint" data-testid="lesson-hint" hidden=move || !progress.with(Progress::shows_hint)>
                <strong>{strings::hint()}</strong> {hint.now()}
            </p>
        })}
        <div class="goal-help">
            <button type="button" id="lesson-answer" hidden=move || !offers_answer.get() on:click=move |_| if let Some(goal) = untrack(open) { answer(room, step, goal) }>
                {strings::show_answer()}
            </button>
            <button
                type="button"
                id="lesson-show-all"
                title=strings::lesson_show_all_hint()
                aria-pressed=move || shows_all.get().to_string()
                on:click=move |_| progress.update(|progress| progress.shows_all = !progress.shows_all)
            >
                {strings::lesson_show_all()}
            </button>
        </div>
        <p class="sr-only" role="status" data-testid="goals-said">{spoken}</p>
    }
}

/// A goal, and whether it is reached.
#[component]
fn GoalLine(
    /// The step that has the goal.
    step: &'static Step,
    /// The goal to show.
    goal: &'static Goal,
) -> impl IntoView {
    let (room, notebook) = (use_classroom(), use_notebook());
    // Where one goal of a step is impossible, every goal gets the button: the reader is to find out which one it is.
    let can_be_impossible = step.goals.iter().any(|goal| matches!(goal.way, Way::Impossible(_)));
    let is_reached = memo(move |_| room.progress.with(|progress| progress.has(goal.id)));
    let impossible = match goal.way {
        Way::Impossible(bound) => Some(bound),
        Way::Fields(_) | Way::Press | Way::Train(_) => None,
    };
    let is_refused = memo(move |_| room.progress.with(|progress| progress.refused == Some(goal.id)));
    let mark = memo(move |_| match (is_reached.get(), goal.is_an_answer()) {
        (false, true) if is_waiting(room) || is_answered(room) => GoalMark::Waiting,
        (false, _) => GoalMark::Open,
        (true, false) => GoalMark::Reached,
        (true, true) => guess_words::verdict(room).map_or(GoalMark::Waiting, GoalMark::Answered),
    });
    // What was known last stands while a number is on its way.
    let holds_now = memo(move |before: Option<&bool>| {
        let truth = with_situation(room, step, |situation| goal.truth(situation));
        truth.unwrap_or_else(|| before.is_some_and(|before| *before))
    });
    // On another visit, or before a reset. An answer is asked for again, since the page does not show it.
    let was_reached = memo(move |_| {
        let Some((lesson, at, _)) = course::step_now(room) else { return false };
        !goal.is_an_answer()
            && !course::is_of_student(room)
            && notebook.records.with(|records| records.of(lesson).has(at, goal.id))
    });
    let state = move || match (mark.get(), impossible) {
        (GoalMark::Open, None) if was_reached.get() => strings::goal_reached_once(),
        (GoalMark::Open | GoalMark::Waiting, _) => "",
        (GoalMark::Reached, Some(_)) => strings::goal_ruled_out(),
        (GoalMark::Reached, None) if holds_now.get() => strings::goal_reached(),
        (GoalMark::Reached, None) => strings::goal_reached_before(),
        (GoalMark::Answered(Verdict::Right), _) => strings::goal_right(),
        (GoalMark::Answered(Verdict::Wrong), _) => strings::goal_wrong(),
        (GoalMark::Answered(Verdict::Off), _) => strings::goal_off(),
    };
    let why = move || {
        let bound = impossible.filter(|_| is_reached.get())?;
        Some(strings::ruled_out(value_of(room, bound)))
    };
    let proof = move || {
        let bound = impossible.filter(|_| is_reached.get())?;
        Some(view! { <TheoryLink to=Place::Bound(bound)/> })
    };
    view! {
        <li class="goal" data-goal=goal.id data-reached=move || is_reached.get().to_string() data-mark=move || mark.get().id()>
            <span class="goal-mark" aria-hidden="true">{move || mark.get().sign()}</span>
            <span class="goal-words">
                {goal.words.now()} " " <span class="note">{state} " " {why} {strings::between_sentences()} {proof}</span>
                <span class="note goal-refused" role="status">{move || if is_refused.get() { strings::it_can_be() } else { "" }}</span>
            </span>
            {can_be_impossible.then(|| view! {
                <button type="button" class="goal-impossible" title=strings::cannot_be_hint() hidden=move || is_reached.get() on:click=move |_| progress::rule_out(room, goal.id)>
                    {strings::cannot_be()}
                </button>
            })}
        </li>
    }
}

/// The sign before a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoalMark {
    /// It is not reached.
    Open,
    /// It is reached, or ruled out.
    Reached,
    /// The reader has answered, and the page does not know the answer yet.
    Waiting,
    /// The reader has answered.
    Answered(Verdict),
}

impl GoalMark {
    fn id(self) -> &'static str {
        match self {
            GoalMark::Open => "open",
            GoalMark::Reached => "reached",
            GoalMark::Waiting => "waiting",
            GoalMark::Answered(verdict) => verdict.id(),
        }
    }

    fn sign(self) -> &'static str {
        match self {
            GoalMark::Open => "○",
            GoalMark::Waiting => "…",
            GoalMark::Reached | GoalMark::Answered(Verdict::Right) => "✓",
            GoalMark::Answered(Verdict::Wrong) => "✗",
            GoalMark::Answered(Verdict::Off) => "●",
        }
    }
}

/// Shows how a goal is reached, and which goals cannot be.
fn answer(room: Classroom, step: &'static Step, goal: &'static Goal) {
    if let Way::Fields(fields) = goal.way {
        course::put_fields_over(room, step.scene().clone(), fields);
    }
    for goal in step.goals.iter().filter(|goal| matches!(goal.way, Way::Impossible(_))) {
        progress::rule_out(room, goal.id);
    }
}

fn value_of(room: Classroom, id: BoundId) -> Option<f64> {
    room.page.answers.measured.with(|measured| {
        let bounds = &measured.as_ref()?.measurement.bounds;
        bounds.iter().find(|bound| bound.id == id).and_then(|bound| bound.value)
    })
}

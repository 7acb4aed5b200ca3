//! The state of the lessons, such as the reader's guess and progress. The reader's place in a lesson is in `Page`.

use crate::prelude::*;

use crate::later::{Later, use_later};
use crate::lessons::{QuestionNumbers, Setup, Step};
use crate::page::Page;
use crate::panels::{Panels, use_panels};
use crate::state::{Guessed, LessonAt};
use lipscope_plot::Kind;
use lipscope_protocol::train::Kind as TrainedKind;

/// After this many tries the hint is shown, and the answer is offered.
const MOST_TRIES: u32 = 3;
/// Moves by some steps in a lesson.
type GoBy = fn(Classroom, isize);

/// The state of the lessons, except the reader's place in a lesson.
#[derive(Clone, Copy)]
pub struct Classroom {
    /// The context of the page.
    pub page: Page,
    /// The page's panels.
    pub panels: Panels,
    /// The later part, which finds lessons.
    pub(super) later: Later,
    /// Whether the list of lessons is open.
    pub list_open: RwSignal<bool>,
    /// Whether the list of keys is open.
    pub keys_open: RwSignal<bool>,
    /// The settings before the first lesson.
    pub(super) before: RwSignal<Option<Setup>>,
    /// The settings when the panel was closed.
    pub(super) left: RwSignal<Option<Setup>>,
    /// Whether the reader is asked which configuration to leave a lesson with.
    pub(super) is_leaving: RwSignal<bool>,
    /// What the reader has drawn at this step.
    pub(super) guess: RwSignal<Guess>,
    /// The numbers of this step's question, once they are known.
    pub(super) question: RwSignal<Option<QuestionNumbers>>,
    /// How far the reader is in this step.
    pub(super) progress: RwSignal<Progress>,
    /// The function that moves by some steps; `None` until the lessons are loaded.
    pub(super) go_by: StoredValue<Option<GoBy>>,
}

/// The state of the lessons, from the context.
pub fn use_classroom() -> Classroom {
    expect_context()
}

impl Classroom {
    /// Before any lesson.
    pub fn new(page: Page) -> Self {
        Classroom {
            page,
            panels: use_panels(),
            later: use_later(),
            list_open: RwSignal::new(false),
            keys_open: RwSignal::new(false),
            before: RwSignal::new(None),
            left: RwSignal::new(None),
            is_leaving: RwSignal::new(false),
            guess: RwSignal::new(Guess::default()),
            question: RwSignal::new(None),
            progress: RwSignal::new(Progress::default()),
            go_by: StoredValue::new(None),
        }
    }
}

/// What a reader has drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guess {
    /// L at each handle; empty until one is moved.
    pub(super) curve: Vec<f64>,
    /// The mark, as a logarithm to base ten; `None` until it is moved.
    pub(super) mark: Option<f64>,
    /// The step at which the reader has revealed the page's numbers; `None` before.
    pub(super) revealed_at: Option<LessonAt>,
    /// What the page has found, once it has.
    pub(super) settled: Option<Settled>,
}

/// A guess beside what the page has found at the settings of the question. It stays whatever is set afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// Both.
    pub(super) guessed: Guessed,
    /// How well the norm beside a mark is known.
    pub(super) kind: Kind,
}

impl Guess {
    /// Whether the reader has revealed the page's numbers at a step.
    pub fn is_revealed_at(&self, at: Option<&LessonAt>) -> bool {
        self.revealed_at.is_some() && self.revealed_at.as_ref() == at
    }

    /// Whether a handle or the mark was moved.
    pub fn is_drawn(&self) -> bool {
        !self.curve.is_empty() || self.mark.is_some()
    }
}

/// How far the reader is in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The step that the progress belongs to.
    pub(super) at: Option<LessonAt>,
    /// The goals that are reached, or ruled out where they are impossible.
    pub(super) reached: Vec<&'static str>,
    /// The number of tries. A try is a change of controls that came to rest while a goal was open, or a wrong claim
    /// that a goal is impossible.
    pub(super) tries: u32,
    /// Whether the reader has been at the step for so long that the hint is due.
    pub(super) is_late: bool,
    /// Whether hints, answers and all texts are shown.
    pub shows_all: bool,
    /// Whether the reader has copied the link.
    pub has_shared: bool,
    /// The model that the reader has run backwards last at this step.
    pub(super) ran_backwards: Option<TrainedKind>,
    /// The id of the answer that the reader has chosen.
    pub chosen: Option<&'static str>,
    /// The numbers that the question is about, before the answer changed the settings; empty where there are none.
    pub(super) before: String,
    /// Whether this is another guess, made after the answer was seen.
    pub(super) has_seen_answer: bool,
    /// The goal that the reader has just called impossible, and that can be reached.
    pub refused: Option<&'static str>,
}

impl Progress {
    /// That of a step which begins anew. At the same step it stays known that the reader has seen the answer, and that
    /// the hint is due.
    pub(super) fn anew(&self, at: Option<LessonAt>, next: Option<&LessonAt>) -> Self {
        let is_same = next.is_some() && self.at.as_ref() == next;
        Progress {
            at,
            has_seen_answer: is_same && self.has_seen_answer,
            is_late: is_same && self.is_late,
            ..Progress::default()
        }
    }

    /// Whether a goal is reached, or ruled out.
    pub fn has(&self, goal: &str) -> bool {
        self.reached.contains(&goal)
    }

    /// Notes that a goal is reached, or ruled out.
    pub fn reach(&mut self, goal: &'static str) {
        if !self.has(goal) {
            self.reached.push(goal);
        }
        self.refused = None;
    }

    /// Notes that the reader has called a goal impossible, though it can be reached.
    pub fn refuse(&mut self, goal: &'static str) {
        self.refused = Some(goal);
        self.tries += 1;
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_begins_anew_still_has_its_answer_seen_and_its_hint_due() {
        let at = |step| Some(LessonAt { id: "mask".into(), step });
        let seen = Progress {
            at: at(1),
            has_seen_answer: true,
            is_late: true,
            reached: vec!["seen"],
            chosen: Some("higher"),
            ..Progress::default()
        };
        let same = Progress { reached: Vec::new(), chosen: None, ..seen.clone() };
        assert_eq!(seen.anew(at(1), at(1).as_ref()), same);
        assert_eq!(seen.anew(at(2), at(2).as_ref()), Progress { at: at(2), ..Progress::default() });
        assert_eq!(Progress::default().anew(None, None), Progress::default());
    }

    #[test]
    fn a_refusal_is_about_one_goal_and_ends_with_the_next_answer() {
        let mut progress = Progress::default();
        progress.refuse("four");
        assert_eq!((progress.refused, progress.tries), (Some("four"), 1));
        progress.refuse("two");
        assert_eq!(progress.refused, Some("two"));
        progress.reach("ten");
        progress.reach("ten");
        assert_eq!((progress.refused, progress.reached.len(), progress.tries), (None, 1, 2));
    }
}

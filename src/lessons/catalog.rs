//! The lessons, in the order of a course, read from `lessons/en` and `lessons/zh`.

use std::sync::OnceLock;

use crate::look::Lines;
use crate::state::{LessonAt, Scene};
use lipscope_core::bounds::{BoundId, Statement};

use super::Localized;
use super::file::{Edition, LessonFile, StepText, parse, split_when};
use super::goal::{Condition, Goal, Way};
use super::lesson::{Choice, Holds, Lesson, Paragraph, Prediction, Step, Visible};
use super::slot::Slot;

macro_rules! files {
    ($($id:literal),*) => {
        [$((include_str!(concat!("../../lessons/en/", $id, ".md")), include_str!(concat!("../../lessons/zh/", $id, ".md")))),*]
    };
}

/// The files of each lesson, in English and in Chinese.
const FILES: [(&str, &str); 13] = files![
    "lipschitz",
    "jacobian",
    "sink",
    "regime",
    "mask",
    "layer-norm",
    "whole-space",
    "inverse",
    "slack",
    "token-norm",
    "soft-cap",
    "train",
    "own"
];

/// All lessons, in the order of the course.
#[must_use]
pub fn lessons() -> &'static [Lesson] {
    static LESSONS: OnceLock<Vec<Lesson>> = OnceLock::new();
    // The build fails if a file cannot be read.
    LESSONS.get_or_init(|| FILES.into_iter().filter_map(|(english, chinese)| read(english, chinese)).collect())
}

/// The lesson with an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Lesson> {
    lessons().iter().find(|lesson| lesson.id == id)
}

/// The lesson after another; `None` after the last.
#[must_use]
pub fn next_after(lesson: &Lesson) -> Option<&'static Lesson> {
    lessons().iter().skip_while(|known| known.id != lesson.id).nth(1)
}

/// The scene of a step for a reader who comes by a link; `None` where there is no such lesson or step.
#[must_use]
pub fn scene_of(at: &LessonAt) -> Option<Scene> {
    let step = find(&at.id)?.steps.get(at.step)?;
    Some(Scene { lesson: Some(at.clone()), ..step.scene().clone() })
}

fn read(english: &'static str, chinese: &'static str) -> Option<Lesson> {
    let files = [parse(english, Edition::English).ok()?, parse(chinese, Edition::Translation).ok()?];
    let spoken = |key: &str| Some(Localized::new(files[0].value(key)?, files[1].value(key)?));
    let [ours, theirs] = &files;
    let steps = ours.steps.iter().zip(&theirs.steps);
    Some(Lesson {
        id: ours.value("id")?,
        title: spoken("title")?,
        summary: spoken("summary")?,
        minutes: ours.value("minutes")?,
        steps: steps.map(|(en, zh)| step(ours, en, zh)).collect(),
    })
}

fn step(file: &LessonFile<'static>, en: &StepText<'static>, zh: &StepText<'static>) -> Step {
    let of = |step: &StepText<'static>, key: &str, name: &str| {
        step.marks.iter().find(|mark| mark.key == key && mark.name == name).map(|mark| mark.value)
    };
    let both = |key: &str| Some(Localized::new(of(en, key, "")?, of(zh, key, "")?));
    // Only the English line has a condition, before the words.
    let named = |key: &'static str| {
        en.marks.iter().filter(move |mark| mark.key == key).filter_map(move |mark| {
            let (condition, words) = mark.value.split_once(" | ")?;
            let conditions = Condition::parse_all(condition)?;
            Some((mark.name, conditions, Localized::new(words, of(zh, key, mark.name)?)))
        })
    };
    let goal = |(id, conditions, words)| Some(Goal { id, conditions, words, way: way(of(en, "solve", id)?)? });
    let paragraph = |((_, en), (_, zh)): (&(usize, &'static str), &(usize, &'static str))| {
        let ((when, holds, en), (.., zh)) = (without_when(en), without_when(zh));
        Paragraph { when, holds, text: Localized::new(en, zh) }
    };
    Step {
        title: Localized::new(en.title, zh.title),
        fields: file.fields(en),
        visible: of(en, "show", "").map_or_else(Visible::default, visible),
        goals: named("goal").filter_map(goal).collect(),
        hint: both("hint"),
        prediction: of(en, "predict", "").map_or(Prediction::None, prediction),
        before: of(en, "before", "").and_then(Slot::parse),
        choices: named("choice").map(|(id, conditions, words)| Choice { id, conditions, words }).collect(),
        text: en.paragraphs.iter().zip(&zh.paragraphs).map(paragraph).collect(),
        source: both("source"),
        scene: OnceLock::new(),
    }
}

/// The goals after which a paragraph appears, where it is true, and its text.
fn without_when(text: &'static str) -> (Vec<&'static str>, Holds, &'static str) {
    let Some((when, text)) = text.strip_prefix("{when ").and_then(|rest| rest.split_once("} ")) else {
        return (Vec::new(), Holds::Always, text);
    };
    let (goals, place) = split_when(when);
    let holds = match place {
        "" => Holds::Always,
        "here" => Holds::AtGoal,
        // Tests reject a condition that cannot be read.
        conditions => Holds::Where(Condition::parse_all(conditions).unwrap_or_default()),
    };
    (goals, holds, text)
}

fn way(text: &'static str) -> Option<Way> {
    match text.strip_prefix("impossible by ") {
        Some(id) => bound(id).map(Way::Impossible),
        None if text == "press" => Some(Way::Press),
        None if text.starts_with("train ") => text["train ".len()..].parse().ok().map(Way::Train),
        None => Some(Way::Fields(text)),
    }
}

fn bound(id: &str) -> Option<BoundId> {
    Statement::by_id(id)
}

fn visible(words: &'static str) -> Visible {
    let mut visible = Visible::default();
    for word in words.split(", ") {
        match word.split_once(' ') {
            None if word == "pair" => visible.pair = true,
            None if word == "row" => visible.lines = Some(Lines::Given),
            None if word == "column" => visible.lines = Some(Lines::Received),
            None if word == "wall" => visible.wall = true,
            // A file counts tokens from one.
            Some(("token", number)) => visible.token = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1)),
            Some(("bound", id)) => visible.bound = bound(id),
            Some(("figure", id)) => visible.figure = Some(id),
            _ => {}
        }
    }
    visible
}

fn prediction(words: &'static str) -> Prediction {
    match words.split_once(' ') {
        Some(("choice", fields)) => Prediction::Choice(fields),
        _ if words == "curve" => Prediction::Curve,
        _ if words == "mark" => Prediction::Mark,
        _ => Prediction::None,
    }
}

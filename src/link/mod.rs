//! A scene in the fragment of the page's address, and back: `v3&n=256&mask=causal`.
//!
//! Only what differs from the first visit is written, so that the first visit has no fragment at all; in a lesson, what
//! differs from what its step has set: the lesson's name alone is a link to it. What a link says wrongly is named, field by
//! field, and the rest of it holds.
//!
//! | file | concept |
//! | --- | --- |
//! | `fields` | the fields: key, text, and how it is read |
//! | `values` | words and numbers of fields |
//! | `data` | pasted tokens and weights, and whole experiments, compressed |

mod data;
mod fields;
mod values;

use lipscope_core::experiment::{Attention, Mask};

use super::state::{LessonAt, PageState, Scene, TokenChoice, WeightChoice};
use super::strings;

use fields::{FIELDS, LESSON, lesson_of};

/// Links longer than this are cut by programs that pass them on.
pub const MOST_LINK: usize = 16_000;
/// Fragments longer than this are not looked at.
const MOST_READ: usize = 2 << 20;
/// At most so many sentences are made of one link.
const MOST_PROBLEMS: usize = 6;
/// What a link of this version, the only one, starts with.
const VERSION: &str = "v3";

/// A scene whose link would be longer than [`MOST_LINK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// What a link says.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The scene; `None` where nothing of the link can be read.
    pub scene: Option<Scene>,
    /// A sentence about each thing that is wrong with the link.
    pub problems: Vec<String>,
}

/// What a lesson's step sets; `None` where there is no such lesson.
pub type OfLesson = fn(&LessonAt) -> Option<Scene>;

/// The fragment of a scene, without the `#`; empty for that of a first visit.
///
/// # Errors
/// [`TooLong`].
pub fn write(scene: &Scene, of_lesson: OfLesson) -> Result<String, TooLong> {
    if data::is_large(&scene.state) {
        return Err(TooLong);
    }
    let mut link = String::from(VERSION);
    // What a reader of the link has so far: some fields bring others along.
    let mut reached = base(scene.lesson.as_ref(), of_lesson);
    for field in &FIELDS {
        let text = (field.text)(scene);
        if text != (field.text)(&reached) {
            link = link + "&" + field.key + "=" + &text;
            // A text that cannot be read back would be named when the link is followed.
            let _ = (field.read)(&mut reached, &text);
        }
    }
    match link.len() {
        length if length == VERSION.len() => Ok(String::new()),
        length if length > MOST_LINK => Err(TooLong),
        _ => Ok(link),
    }
}

/// The scene that a fragment says, with or without the `#`.
#[must_use]
pub fn read(fragment: &str, of_lesson: OfLesson) -> Followed {
    let fragment = fragment.trim_start_matches('#');
    if fragment.is_empty() {
        return Followed { scene: Some(Scene::default()), problems: Vec::new() };
    }
    let nothing = |problem: String| Followed { scene: None, problems: vec![problem] };
    if fragment.len() > MOST_READ {
        return nothing(strings::link_far_too_long().into());
    }
    // Programs that pass links on may write these as numbers.
    let plain = [("%26", "&"), ("%3D", "="), ("%3d", "="), ("%2C", ","), ("%2c", ",")]
        .iter()
        .fold(fragment.to_owned(), |text, (coded, sign)| text.replace(coded, sign));
    let (version, rest) = plain.split_once('&').unwrap_or((&plain, ""));
    if version != VERSION {
        return nothing(strings::link_version(version));
    }
    let said = said(rest, LESSON);
    let at = lesson_of(&said);
    let set = at.as_ref().map(of_lesson);
    let scene = Scene { lesson: None, ..set.clone().flatten().unwrap_or_default() };
    let Followed { scene, mut problems } = over(scene, rest);
    let scene = scene.map(|mut scene| {
        if let (Some(None), Some(text)) = (&set, said.last()) {
            problems.insert(0, strings::link_field(LESSON, strings::link_unknown_lesson(text)));
            scene.lesson = None;
        }
        scene
    });
    if problems.len() > MOST_PROBLEMS {
        let more = problems.len() - MOST_PROBLEMS;
        problems.truncate(MOST_PROBLEMS);
        problems.push(strings::link_more(more));
    }
    if !problems.is_empty() {
        problems.push(strings::link_rest().into());
    }
    Followed { scene, problems }
}

/// A scene with the fields of a fragment without its version (`n=64&mask=causal`) put into it; all else stays.
#[must_use]
pub fn over(scene: Scene, fields: &str) -> Followed {
    let (mut scene, mut problems) = (scene, Vec::new());
    // In the order of the fields, whatever that of the link: some depend on those before them.
    for field in &FIELDS {
        let said = said(fields, field.key);
        if said.len() > 1 {
            problems.push(strings::link_twice(field.key));
        }
        if let Some(text) = said.last()
            && let Err(problem) = (field.read)(&mut scene, text)
        {
            problems.push(strings::link_field(field.key, &problem));
        }
    }
    for part in fields.split('&').filter(|part| !part.is_empty()) {
        let key = part.split_once('=').map(|(key, _)| key);
        if !FIELDS.iter().any(|field| Some(field.key) == key) {
            problems.push(strings::link_unknown(key.unwrap_or(part)));
        }
    }
    mend(&mut scene, &mut problems);
    Followed { scene: Some(scene), problems }
}

/// What stands behind a key in the link of a scene; `None` where no field has this key.
#[must_use]
pub fn text_of(scene: &Scene, key: &str) -> Option<String> {
    FIELDS.iter().find(|field| field.key == key).map(|field| (field.text)(scene))
}

/// The texts behind a key, in their order.
fn said<'a>(fields: &'a str, key: &str) -> Vec<&'a str> {
    let pairs = fields.split('&').filter_map(|part| part.split_once('='));
    pairs.filter(|(k, _)| *k == key).map(|(_, text)| text).collect()
}

/// From where a link goes on: what the step of its lesson sets, or the first visit; its name
/// itself is a field.
fn base(lesson: Option<&LessonAt>, of_lesson: OfLesson) -> Scene {
    Scene { lesson: None, ..lesson.and_then(of_lesson).unwrap_or_default() }
}

/// Puts right what no single field shows, and says so.
fn mend(scene: &mut Scene, problems: &mut Vec<String>) {
    let first = PageState::default();
    let state = &mut scene.state;
    let lacks_data = [
        (state.tokens == TokenChoice::Own && state.own_tokens.is_none(), "tokens"),
        (state.tokens == TokenChoice::Clusters && state.own_clusters.is_none(), "tokens"),
        (state.weights == WeightChoice::Own && state.own_weights.is_none(), "weights"),
    ];
    for (_, key) in lacks_data.into_iter().filter(|(lacks, _)| *lacks) {
        problems.push(strings::link_field(key, strings::link_no_data()));
        match key {
            "tokens" => state.tokens = first.tokens,
            _ => state.weights = first.weights,
        }
    }
    if state.tokens == TokenChoice::Clusters && state.mask == Mask::Causal {
        problems.push(strings::link_field("mask", strings::link_no_order()));
        state.mask = Mask::None;
    }
    if state.weights == WeightChoice::Kim && state.tokens != TokenChoice::Skew && state.attention == Attention::Dot {
        problems.push(strings::link_field("attention", strings::link_kim_is_l2()));
        state.attention = Attention::L2;
    }
    let Err(problem) = state.check_cost() else { return };
    problems.push(strings::told(&problem));
    (state.n, state.d, state.heads, state.head_dim) = (first.n, first.d, first.heads, first.head_dim);
    if state.check_cost().is_err() {
        (state.tokens, state.weights) = (first.tokens, first.weights);
    }
}

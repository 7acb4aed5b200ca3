//! A scene in the fragment of the page's address, and back: `v3&n=256&mask=causal`.
//!
//! A link has only the differences from the first visit, so the first visit has no fragment at all. In a lesson it has
//! the differences from the step's settings, so the field `lesson` alone is a link to the step. Each wrong field is
//! named in a sentence, and the other fields still apply.
//!
//! | file | concept |
//! | --- | --- |
//! | `fields` | the fields: key, text, and how it is read |
//! | `data` | pasted tokens and weights, and whole experiments, compressed |

mod data;
mod fields;

use lipscope_core::experiment::{Attention, Mask};

use super::field::AnyField;
use super::state::{LessonAt, PageState, Scene, TokenChoice, WeightChoice};
use super::strings;

use fields::{FIELDS, Field, LESSON, lesson_of};

/// The longest link that the page writes, in bytes: programs that pass links on cut longer ones.
pub const MOST_LINK: usize = 16_000;
/// Fragments longer than this are not read.
const MOST_READ: usize = 2 << 20;
/// The most faults of one link that are named.
const MOST_PROBLEMS: usize = 6;
/// The start of a link. This is the only version.
const VERSION: &str = "v3";

/// A scene whose link would be longer than [`MOST_LINK`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// The result of reading a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The scene; `None` where nothing of the link can be read.
    pub scene: Option<Scene>,
    /// A sentence about each fault of the link.
    pub problems: Vec<String>,
}

/// Gives the scene of a lesson's step; `None` where there is no such lesson.
pub type OfLesson = fn(&LessonAt) -> Option<Scene>;

/// The fragment of a scene, without the `#`; empty for the scene of a first visit.
///
/// # Errors
/// [`TooLong`].
pub fn write(scene: &Scene, of_lesson: OfLesson) -> Result<String, TooLong> {
    if data::is_large(&scene.state) {
        return Err(TooLong);
    }
    let first = Scene::default();
    if FIELDS.iter().all(|field| field.text(scene) == field.text(&first)) {
        return Ok(String::new());
    }
    let mut link = String::from(VERSION);
    // The scene that results from the fields written so far: reading one field may change others too.
    let mut reached = base(scene.lesson.as_ref(), of_lesson);
    for field in &FIELDS {
        let text = field.text(scene);
        if text != field.text(&reached) {
            link = link + "&" + field.key() + "=" + &text;
            // An unreadable text is reported when the link is followed.
            let _ = field.read(&mut reached, &text);
        }
    }
    if link.len() > MOST_LINK { Err(TooLong) } else { Ok(link) }
}

/// Reads the scene of a fragment, with or without the `#`.
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
    // Programs that pass links on may percent-encode these characters.
    let plain = [("%26", "&"), ("%3D", "="), ("%3d", "="), ("%2C", ","), ("%2c", ",")]
        .iter()
        .fold(fragment.to_owned(), |text, (coded, sign)| text.replace(coded, sign));
    let (version, rest) = plain.split_once('&').unwrap_or((&plain, ""));
    if version != VERSION {
        return nothing(strings::link_version(version));
    }
    let spoken = spoken(rest, LESSON);
    let at = lesson_of(&spoken);
    let set = at.as_ref().map(of_lesson);
    let scene = Scene { lesson: None, ..set.clone().flatten().unwrap_or_else(Scene::link_base) };
    let Followed { scene, mut problems } = over(scene, rest);
    let scene = scene.map(|mut scene| {
        if let (Some(None), Some(text)) = (&set, spoken.last()) {
            problems.insert(0, strings::link_field { key: LESSON, problem: strings::link_unknown_lesson(text) }.text());
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

/// Puts the fields of a fragment without version (`n=64&mask=causal`) into a scene. All else stays.
#[must_use]
pub fn over(scene: Scene, fields: &str) -> Followed {
    let (mut scene, mut problems) = (scene, Vec::new());
    // In the order of `FIELDS`, not of the link: some fields depend on earlier ones.
    for field in &FIELDS {
        let spoken = spoken(fields, field.key());
        if spoken.len() > 1 {
            problems.push(strings::link_twice(field.key()));
        }
        if let Some(text) = spoken.last()
            && let Err(problem) = field.read(&mut scene, text)
        {
            problems.push(strings::link_field { key: field.key(), problem: strings::fault_text(&problem) }.text());
        }
    }
    for part in fields.split('&').filter(|part| !part.is_empty()) {
        let key = part.split_once('=').map(|(key, _)| key);
        if !FIELDS.iter().any(|field| Some(field.key()) == key) {
            problems.push(strings::link_unknown(key.unwrap_or(part)));
        }
    }
    // A preset in `steps` sets attention and mask, too.
    let has_steps = !spoken(fields, "steps").is_empty();
    for field in FIELDS.iter().filter(|field| has_steps && ["attention", "mask"].contains(&field.key())) {
        let (key, set) = (field.key(), field.text(&scene));
        let asked = spoken(fields, key).pop().filter(|asked| *asked != set);
        // A text that cannot be read has its sentence already.
        if asked.is_some_and(|asked| field.read(&mut scene.clone(), asked).is_ok()) {
            problems.push(strings::link_field { key, problem: strings::link_set_by_steps(&set) }.text());
        }
    }
    mend(&mut scene, &mut problems);
    Followed { scene: Some(scene), problems }
}

/// The text after a key in the link of a scene; `None` where no field has this key.
#[must_use]
pub fn text_of(scene: &Scene, key: &str) -> Option<String> {
    FIELDS.iter().find(|field| field.key() == key).map(|field| field.text(scene))
}

/// The number with a key in links.
#[must_use]
pub fn number(key: &str) -> Option<AnyField> {
    FIELDS.iter().filter(|field| field.key() == key).find_map(Field::number)
}

/// The texts after a key, in their order.
fn spoken<'a>(fields: &'a str, key: &str) -> Vec<&'a str> {
    let pairs = fields.split('&').filter_map(|part| part.split_once('='));
    pairs.filter(|(k, _)| *k == key).map(|(_, text)| text).collect()
}

/// The scene that a link's fields change: that of its lesson's step, or that of links. It has no lesson: the lesson's
/// name is a field of its own.
fn base(lesson: Option<&LessonAt>, of_lesson: OfLesson) -> Scene {
    Scene { lesson: None, ..lesson.and_then(of_lesson).unwrap_or_else(Scene::link_base) }
}

/// Corrects faults that no single field shows, and reports them.
fn mend(scene: &mut Scene, problems: &mut Vec<String>) {
    let first = PageState::link_base();
    let state = &mut scene.state;
    let lacks_data = [
        (state.tokens == TokenChoice::Own && state.own_tokens.is_none(), "tokens"),
        (state.tokens == TokenChoice::Clusters && state.own_clusters.is_none(), "tokens"),
        (state.weights == WeightChoice::Own && state.own_weights.is_none(), "weights"),
    ];
    for (_, key) in lacks_data.into_iter().filter(|(lacks, _)| *lacks) {
        problems.push(strings::link_field { key, problem: strings::link_no_data() }.text());
        match key {
            "tokens" => state.tokens = first.tokens,
            _ => state.weights = first.weights,
        }
    }
    state.own_from = state.moved_from();
    if state.tokens == TokenChoice::Clusters && state.mask != Mask::None {
        problems.push(strings::link_field { key: "mask", problem: strings::link_no_order() }.text());
        state.mask = Mask::None;
    }
    if state.weights == WeightChoice::Kim && state.tokens != TokenChoice::Skew && state.attention != Attention::L2 {
        problems.push(strings::link_field { key: "attention", problem: strings::link_kim_is_l2() }.text());
        state.choose_kernel(Attention::L2);
    }
    let Err(problem) = state.check_cost() else { return };
    problems.push(strings::problem_text(&problem));
    let given = scene.clone();
    take_back(&mut scene.state, &first);
    let lost = FIELDS.iter().filter(|field| field.text(&given) != field.text(scene)).map(|field| field.key());
    let lost: Vec<&str> = lost.collect();
    if !lost.is_empty() {
        problems.push(strings::link_not_loaded(lost.join(", ")));
    }
}

/// Gives a state that cannot be computed the settings of a first visit, one after another, until it can.
fn take_back(state: &mut PageState, first: &PageState) {
    if state.experiment().check().is_err() {
        (state.attention, state.mask) = (first.attention, first.mask.clone());
        (state.score, state.weighting) = (first.score.clone(), first.weighting.clone());
    }
    let steps: [fn(&mut PageState, &PageState); 4] = [
        |state, first| state.n = first.n,
        |state, first| (state.heads, state.head_dim) = (first.heads, first.head_dim),
        |state, first| state.d = first.d,
        |state, first| (state.tokens, state.weights) = (first.tokens, first.weights),
    ];
    for step in steps {
        if state.check_cost().is_ok() {
            return;
        }
        step(state, first);
    }
}

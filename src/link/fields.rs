//! The fields of a link, in the order in which they are written and read.

use crate::field::Field as Control;
use crate::state::{
    DotWeights, EstimatorQuantity, EstimatorSettings, LabTokens, LessonAt, MAX_D, MAX_N, MAX_WITNESS_N, MOST_SEED,
    PlotChoice, RadiusGrowth, Range, SCALED_TOKENS, Scene, SearchFold, SearchSettings, Settings, Stage, ThemeChoice,
    TokenChoice, Trace, Traces, WeightChoice, XAxis,
};
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::limits::{MAX_DIM, MAX_HEADS};
use lipscope_core::experiment::{Attention, Mask, Normalization, Output, Scope};
use lipscope_core::search::Region;
use lipscope_core::spectrum::{MOST_COUNT, SpectrumMap};

use super::data;
use super::values::{count, digits, number, pick, size, whole, word};

/// A field. `text` gives the text after the key; `read` puts a text into a scene, or says what is wrong with it.
pub struct Field {
    pub key: &'static str,
    pub text: fn(&Scene) -> String,
    pub read: fn(&mut Scene, &str) -> Result<(), String>,
}

/// The key of the lesson's name. It is read first: the lesson's step sets what the other fields change.
pub const LESSON: &str = "lesson";
/// The text for an n of the plot over n that follows the tokens.
const AT_N: &str = "n";
/// The text for no curve at all.
const NO_CURVES: &str = "none";
/// The longest name of a lesson.
const MOST_LESSON_ID: usize = 40;

const ATTENTIONS: [(&str, Attention); 2] = [("dot", Attention::Dot), ("l2", Attention::L2)];
const MASKS: [(&str, Mask); 2] = [("none", Mask::None), ("causal", Mask::Causal)];
const NORMALIZERS: [(&str, Normalization); 3] =
    [("none", Normalization::None), ("layer", Normalization::Layer), ("rms", Normalization::Rms)];
const SCOPES: [(&str, Scope); 2] = [("inputs", Scope::Inputs), ("composed", Scope::Composed)];
const OUTPUTS: [(&str, Output); 2] = [("absent", Output::Absent), ("drawn", Output::Drawn)];

/// A field with a fixed set of words.
macro_rules! choice {
    ($key:literal, $all:expr, $($place:ident).+) => {
        Field {
            key: $key,
            text: |scene| word(&$all, &scene.$($place).+),
            read: |scene, text| pick(&$all, text).map(|choice| scene.$($place).+ = choice),
        }
    };
}

/// A field that is a whole number.
macro_rules! size {
    ($key:literal, $range:expr, $($place:ident).+) => {
        Field {
            key: $key,
            text: |scene| scene.$($place).+.to_string(),
            read: |scene, text| size(text, $range).map(|value| scene.$($place).+ = value),
        }
    };
}

/// A field that is a seed.
macro_rules! seed {
    ($key:literal, $($place:ident).+) => {
        Field {
            key: $key,
            text: |scene| scene.$($place).+.to_string(),
            read: |scene, text| whole(text, 0..=MOST_SEED).map(|value| scene.$($place).+ = value),
        }
    };
}

/// A field that is a number, read by `number` or `count`.
macro_rules! number {
    ($key:literal, $read:ident, $range:expr, $($place:ident).+) => {
        Field {
            key: $key,
            text: |scene| digits(scene.$($place).+),
            read: |scene, text| $read(text, $range).map(|value| scene.$($place).+ = value),
        }
    };
}

/// All fields.
pub const FIELDS: [Field; 53] = [
    Field {
        key: "view",
        text: |scene| scene.stage.id().to_owned(),
        read: |scene, text| pick(&Stage::ALL.map(|stage| (stage.id(), stage)), text).map(|stage| scene.stage = stage),
    },
    Field { key: LESSON, text: lesson_text, read: read_lesson },
    choice!("plot", PlotChoice::ALL, plot),
    // Only other programs write this field: the page writes the value of each control.
    Field { key: "experiment", text: |_| String::new(), read: data::read_experiment },
    choice!("tokens", TokenChoice::ALL, state.tokens),
    size!("n", 2..=MAX_WITNESS_N, state.n),
    size!("d", 1..=MAX_D, state.d),
    number!("R", number, f64::MIN_POSITIVE..=f64::MAX, state.radius),
    seed!("seed", state.token_seed),
    Field {
        key: "weights",
        text: |scene| word(&WeightChoice::ALL, &scene.state.weights),
        read: |scene, text| pick(&WeightChoice::ALL, text).map(|choice| scene.state.choose_weights(choice)),
    },
    size!("heads", 1..=MAX_HEADS, state.heads),
    size!("k", 1..=MAX_DIM, state.head_dim),
    number!("scale", number, 0.0..=f64::MAX, state.scale),
    seed!("weight-seed", state.weight_seed),
    choice!("output", OUTPUTS, state.output),
    choice!("attention", ATTENTIONS, state.attention),
    choice!("mask", MASKS, state.mask),
    choice!("normalization", NORMALIZERS, state.normalization),
    choice!("scope", SCOPES, state.scope),
    number!("eps", number, 0.0..=f64::MAX, state.eps),
    Field {
        key: "head",
        text: |scene| (scene.state.head_shown + 1).to_string(),
        read: |scene, text| size(text, 1..=MAX_HEADS).map(|head| scene.state.head_shown = head - 1),
    },
    choice!("norm", Norm::ALL.map(|norm| (norm.id(), norm)), state.norm),
    choice!("axis", XAxis::ALL, state.x_axis),
    size!("longest", 4..=MAX_N, state.sweep_max),
    size!("draws", 1..=64, state.draws),
    choice!("range", Range::ALL, state.growth.range),
    Field { key: "at", text: read_at_text, read: read_read_at },
    choice!("growth", RadiusGrowth::ALL, state.growth.radius_growth),
    Field { key: "curves", text: curves_text, read: read_curves },
    choice!("scaled", SCALED_TOKENS, labs.scaled),
    size!("restarts", Settings::RESTARTS, labs.restarts),
    choice!("inverse-tokens", LabTokens::ALL, labs.inverse.tokens),
    choice!("inverse-weights", DotWeights::ALL, labs.inverse.dot_weights),
    number!("inverse-c", number, Settings::FRACTION, labs.inverse.fraction),
    size!("inverse-n", Settings::INVERSE_N, labs.inverse.n),
    size!("inverse-d", Settings::INVERSE_D, labs.inverse.d),
    number!("inverse-R", number, Settings::INVERSE_RADIUS, labs.inverse.radius),
    seed!("inverse-seed", labs.inverse.seed),
    choice!("search", SearchFold::ALL, state.growth.fold),
    choice!(
        "search-on",
        [Region::Ball, Region::Sphere].map(|region| (region.id(), region)),
        state.growth.search.region
    ),
    size!("search-restarts", SearchSettings::RESTARTS, state.growth.search.restarts),
    seed!("search-seed", state.growth.search.seed),
    size!("search-d", SearchSettings::DIM, state.growth.search.dim),
    size!("spectrum-count", 1..=MOST_COUNT, labs.spectrum_count),
    choice!("spectrum-map", SpectrumMap::ALL, labs.spectrum_map),
    choice!("estimators-trial", EstimatorSettings::TRIALS, labs.estimators.trial),
    number!("estimators-tolerance", number, EstimatorSettings::TOLERANCE, labs.estimators.tolerance),
    choice!("estimators-shown", EstimatorQuantity::ALL, labs.estimators.shown),
    number!("certify-eps", number, Settings::CERTIFY, labs.certify.relative),
    size!("certify-restarts", Settings::CERTIFY_RESTARTS, labs.certify.restarts),
    Field { key: "theme", text: theme_text, read: read_theme },
    Field {
        key: "token-data",
        text: |scene| data::tokens_text(&scene.state),
        read: |scene, text| data::read_tokens(&mut scene.state, text),
    },
    Field {
        key: "weight-data",
        text: |scene| data::weights_text(&scene.state),
        read: |scene, text| data::read_weights(&mut scene.state, text),
    },
];

fn read_at_text(scene: &Scene) -> String {
    scene.state.growth.at.map_or_else(|| AT_N.to_owned(), digits)
}

fn read_read_at(scene: &mut Scene, text: &str) -> Result<(), String> {
    let (least, most) = Control::GrowthAt.range();
    scene.state.growth.at = if text == AT_N { None } else { Some(count(text, least..=most)?) };
    Ok(())
}

fn lesson_text(scene: &Scene) -> String {
    scene.lesson.as_ref().map_or_else(String::new, |LessonAt { id, step }| format!("{id}.{}", step + 1))
}

/// The lesson named by the texts of its field. The last of several counts, as for every field.
pub fn lesson_of(texts: &[&str]) -> Option<LessonAt> {
    let mut scene = Scene::default();
    read_lesson(&mut scene, texts.last()?).ok()?;
    scene.lesson
}

fn read_lesson(scene: &mut Scene, text: &str) -> Result<(), String> {
    let is_name = |id: &str| {
        !id.is_empty()
            && id.len() <= MOST_LESSON_ID
            && id.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
    };
    let (id, step) = text.rsplit_once('.').filter(|(id, _)| is_name(id)).ok_or(strings::link_no_lesson())?;
    let step = size(step, 1..=99).map_err(|_| strings::link_no_lesson())?;
    // People count from one.
    scene.lesson = Some(LessonAt { id: id.to_owned(), step: step - 1 });
    Ok(())
}

/// The curves that are on, in their own order.
fn curves_text(scene: &Scene) -> String {
    let on = Trace::ALL.into_iter().filter(|trace| scene.state.growth.traces.has(*trace));
    let words: Vec<&str> = on.map(Trace::id).collect();
    if words.is_empty() { NO_CURVES.to_owned() } else { words.join(",") }
}

/// Takes the known curves, even where other words are unknown.
fn read_curves(scene: &mut Scene, text: &str) -> Result<(), String> {
    let all = Trace::ALL.map(|trace| (trace.id(), trace));
    let words = || text.split(',').filter(|word| !word.is_empty() && *word != NO_CURVES);
    scene.state.growth.traces = Traces::of(words().filter_map(|word| pick(&all, word).ok()));
    words().try_for_each(|word| pick(&all, word).map(|_| ()))
}

fn theme_text(scene: &Scene) -> String {
    scene.theme.map_or_else(String::new, |theme| theme.id().to_owned())
}

fn read_theme(scene: &mut Scene, text: &str) -> Result<(), String> {
    let all = ThemeChoice::ALL.map(|theme| (theme.id(), theme));
    scene.theme = Some(pick(&all, text)?);
    Ok(())
}

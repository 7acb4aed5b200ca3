//! The fields of a link, in the order in which they are written and read.

use crate::fault::Fault;
use crate::field::AnyField::{self, Controls, Labs};
use crate::field::Field as Number;
use crate::state::{
    Assigned, ComparedAlong, ComparedKind, ComparedTokens, DotWeights, DrawnSize, EstimatorQuantity, EstimatorSettings,
    Guessed, HiddenParts, LabTokens, LessonAt, MOST_SEED, ModelSettings, Part, PlotChoice, RadiusGrowth, Range,
    SCALED_TOKENS, Scene, SearchFold, SourceKind, Stage, ThemeChoice, TokenChoice, Trace, Traces, WeightChoice, XAxis,
};
use lipscope_core::bounds::Norm;
use lipscope_core::compare::MOST_KINDS;
use lipscope_core::experiment::{Attention, Mask, MaskKind, Normalization, Output, Scope};
use lipscope_core::picture::MOST_BLOCKS_A_SIDE;
use lipscope_core::search::Region;
use lipscope_core::spectrum::SpectrumMap;

use super::data;

/// A field of a link: a key and a text.
pub enum Field {
    /// A number, with the key and the range of the table of numbers.
    Number(AnyField),
    /// The n at which the plot over n is read. The word `n` says that this n follows the number of tokens.
    ReadAt,
    /// Anything else. `text` gives the text after the key; `read` puts a text into a scene, or says what is wrong.
    Other { key: &'static str, text: fn(&Scene) -> String, read: fn(&mut Scene, &str) -> Result<(), Fault> },
}

impl Field {
    /// The text before the equals sign.
    pub fn key(&self) -> &'static str {
        match self {
            Field::Number(number) => number.key(),
            Field::ReadAt => Number::GROWTH_AT.key,
            Field::Other { key, .. } => key,
        }
    }

    /// The text after the equals sign.
    pub fn text(&self, scene: &Scene) -> String {
        match self {
            Field::Number(number) if number.is_whole() => number.get(scene).to_string(),
            Field::Number(number) => digits(number.get(scene)),
            Field::ReadAt => scene.state.growth.at.map_or_else(|| AT_N.to_owned(), digits),
            Field::Other { text, .. } => text(scene),
        }
    }

    /// Puts a text into a scene, or says what is wrong with it.
    pub fn read(&self, scene: &mut Scene, text: &str) -> Result<(), Fault> {
        match self {
            Field::Number(Controls(number)) if number.key == Number::N.key => {
                let n = accept(number, text).map_err(|_| Fault::NotATokenCount { text: text.to_owned() })?;
                number.set(&mut scene.state, n);
            }
            Field::Number(Controls(number)) => number.set(&mut scene.state, accept(number, text)?),
            Field::Number(Labs(number)) => number.set(&mut scene.labs, accept(number, text)?),
            Field::ReadAt if text == AT_N => scene.state.growth.at = None,
            Field::ReadAt => scene.state.growth.at = Some(accept(Number::GROWTH_AT, text)?),
            Field::Other { read, .. } => read(scene, text)?,
        }
        Ok(())
    }

    /// The number that it holds, if it holds one.
    pub fn number(&self) -> Option<AnyField> {
        match self {
            Field::Number(number) => Some(*number),
            Field::ReadAt => Some(Controls(Number::GROWTH_AT)),
            Field::Other { .. } => None,
        }
    }
}

/// The key of the lesson's name. It is read first: the lesson's step sets what the other fields change.
pub const LESSON: &str = "lesson";
/// The text of [`Field::ReadAt`] where the n follows the number of tokens.
const AT_N: &str = "n";
/// The text for the block that adds most to the largest singular value.
const TOP_BLOCK: &str = "top";
/// The text for no curve, no hidden part, no answer, or no assignment.
const NONE: &str = "none";
/// The text where a student has handed a scene in without a goal reached.
const NO_GOAL: &str = "no-goal";
/// A step has fewer goals than this.
const MOST_GOALS: usize = 32;
/// The longest name of a lesson.
const MOST_LESSON_ID: usize = 40;

const ATTENTIONS: [(&str, Attention); 4] =
    [("dot", Attention::Dot), ("l2", Attention::L2), ("cosine", Attention::Cosine), ("linear", Attention::Linear)];
const MASKS: [(&str, Mask); 2] = [("none", Mask::None), ("causal", Mask::Causal)];
/// The text of `mask` where the field `steps` has the mask.
const IN_STEPS: &str = "in-steps";
const NORMALIZERS: [(&str, Normalization); 3] =
    [("none", Normalization::None), ("layer", Normalization::Layer), ("rms", Normalization::Rms)];
const SCOPES: [(&str, Scope); 2] = [("inputs", Scope::Inputs), ("composed", Scope::Composed)];
const OUTPUTS: [(&str, Output); 2] = [("absent", Output::Absent), ("drawn", Output::Drawn)];

/// A field with a fixed set of words.
macro_rules! choice {
    ($key:literal, $all:expr, $($place:ident).+) => {
        Field::Other {
            key: $key,
            text: |scene| word(&$all, &scene.$($place).+),
            read: |scene, text| pick(&$all, text).map(|choice| scene.$($place).+ = choice),
        }
    };
}

/// All fields.
pub const FIELDS: [Field; 76] = [
    Field::Other {
        key: "view",
        text: |scene| scene.stage.id().to_owned(),
        read: |scene, text| pick(&Stage::ALL.map(|stage| (stage.id(), stage)), text).map(|stage| scene.stage = stage),
    },
    Field::Other { key: "hide", text: hidden_text, read: read_hidden },
    Field::Other { key: LESSON, text: lesson_text, read: read_lesson },
    Field::Other {
        key: "answer",
        text: |scene| scene.answer.as_ref().map_or_else(|| NONE.to_owned(), Guessed::text),
        read: |scene, text| {
            scene.answer = None;
            if text != NONE {
                scene.answer = Some(Guessed::read(text).ok_or(Fault::NoAnswer)?);
            }
            Ok(())
        },
    },
    Field::Other { key: "reached", text: reached_text, read: read_reached },
    Field::Other { key: "assigned", text: assigned_text, read: read_assigned },
    choice!("plot", PlotChoice::ALL, plot),
    // Only other programs write this field: the page writes the value of each control.
    Field::Other { key: "experiment", text: |_| String::new(), read: data::read_experiment },
    choice!("tokens", TokenChoice::ALL, state.tokens),
    Field::Other {
        key: "moved-from",
        text: |scene| word(&TokenChoice::MOVED_FROM, &scene.state.moved_from()),
        read: |scene, text| pick(&TokenChoice::MOVED_FROM, text).map(|from| scene.state.own_from = from),
    },
    Field::Number(Controls(Number::N)),
    Field::Number(Controls(Number::D)),
    Field::Number(Controls(Number::RADIUS)),
    Field::Number(Controls(Number::TOKEN_SEED)),
    Field::Other {
        key: "weights",
        text: |scene| word(&WeightChoice::ALL, &scene.state.weights),
        read: |scene, text| pick(&WeightChoice::ALL, text).map(|choice| scene.state.choose_weights(choice)),
    },
    Field::Number(Controls(Number::HEADS)),
    Field::Number(Controls(Number::HEAD_DIM)),
    Field::Number(Controls(Number::SCALE)),
    Field::Number(Controls(Number::WEIGHT_SEED)),
    choice!("output", OUTPUTS, state.output),
    choice!("attention", ATTENTIONS, state.attention),
    Field::Other {
        key: "mask",
        text: |scene| match scene.state.mask.kind() {
            MaskKind::Other => IN_STEPS.to_owned(),
            MaskKind::None | MaskKind::Causal => word(&MASKS, &scene.state.mask),
        },
        read: |scene, text| {
            if text != IN_STEPS {
                scene.state.mask = pick(&MASKS, text)?;
            }
            Ok(())
        },
    },
    Field::Other {
        key: "steps",
        text: |scene| data::steps_text(&scene.state),
        read: |scene, text| data::read_steps(&mut scene.state, text),
    },
    Field::Number(Controls(Number::HEADS_PER_KEY)),
    Field::Other {
        key: "differential",
        text: |scene| scene.state.differential.map_or_else(|| NONE.to_owned(), digits),
        read: |scene, text| {
            let number = || text.parse().ok().filter(|lambda: &f64| lambda.is_finite());
            scene.state.differential = match text {
                NONE => None,
                _ => Some(number().ok_or_else(|| Fault::not_known(text, &[NONE, "0.5"]))?),
            };
            Ok(())
        },
    },
    choice!("normalization", NORMALIZERS, state.normalization),
    choice!("scope", SCOPES, state.scope),
    Field::Number(Controls(Number::EPS)),
    Field::Number(Controls(Number::HEAD)),
    choice!("norm", Norm::ALL.map(|norm| (norm.id(), norm)), state.norm),
    choice!("axis", XAxis::CHOICES, state.x_axis),
    Field::Number(Controls(Number::SWEEP_MAX)),
    Field::Number(Controls(Number::DRAWS)),
    choice!("range", Range::ALL, state.growth.range),
    Field::ReadAt,
    choice!("growth", RadiusGrowth::ALL, state.growth.radius_growth),
    Field::Other { key: "curves", text: curves_text, read: read_curves },
    choice!("scaled", SCALED_TOKENS, labs.scaled),
    Field::Number(Labs(Number::RESTARTS)),
    choice!("inverse-tokens", LabTokens::ALL, labs.inverse.tokens),
    choice!("inverse-weights", DotWeights::ALL, labs.inverse.dot_weights),
    Field::Number(Labs(Number::INVERSE_C)),
    Field::Number(Labs(Number::INVERSE_N)),
    Field::Number(Labs(Number::INVERSE_D)),
    Field::Number(Labs(Number::INVERSE_RADIUS)),
    Field::Number(Labs(Number::INVERSE_SEED)),
    choice!("search", SearchFold::ALL, state.growth.fold),
    choice!(
        "search-on",
        [Region::Ball, Region::Sphere].map(|region| (region.id(), region)),
        state.growth.search.region
    ),
    Field::Number(Controls(Number::SEARCH_RESTARTS)),
    Field::Number(Controls(Number::SEARCH_SEED)),
    Field::Number(Controls(Number::SEARCH_DIM)),
    Field::Number(Labs(Number::SPECTRUM_COUNT)),
    choice!("spectrum-map", SpectrumMap::ALL, labs.spectrum_map),
    Field::Other { key: "block", text: block_text, read: read_block },
    choice!("estimators-trial", EstimatorSettings::TRIALS, labs.estimators.trial),
    Field::Number(Labs(Number::TOLERANCE)),
    choice!("estimators-shown", EstimatorQuantity::ALL, labs.estimators.shown),
    Field::Other { key: "compare", text: compared_text, read: read_compared },
    choice!("compare-along", ComparedAlong::ALL, labs.compare.along),
    choice!("compare-tokens", ComparedTokens::ALL, labs.compare.tokens),
    Field::Number(Labs(Number::COMPARE_CAP)),
    Field::Number(Labs(Number::COMPARE_WINDOW)),
    Field::Number(Labs(Number::COMPARE_SINK)),
    Field::Number(Labs(Number::CERTIFY_EPS)),
    Field::Number(Labs(Number::CERTIFY_RESTARTS)),
    choice!("model", SourceKind::ALL, labs.model.kind),
    Field::Other { key: "model-size", text: size_text, read: read_size },
    Field::Other { key: "model-plan", text: plan_text, read: read_plan },
    choice!("model-mask", ModelSettings::MASKS, labs.model.mask),
    choice!("model-map", ModelSettings::maps(), labs.model.map),
    choice!("model-estimators", ModelSettings::ESTIMATORS, labs.model.estimators),
    choice!("model-bounds", ModelSettings::BOUNDS, labs.model.bounds),
    choice!("model-upper", ModelSettings::UPPERS, labs.model.upper),
    Field::Other { key: "theme", text: theme_text, read: read_theme },
    Field::Other {
        key: "token-data",
        text: |scene| data::tokens_text(&scene.state),
        read: |scene, text| data::read_tokens(&mut scene.state, text),
    },
    Field::Other {
        key: "weight-data",
        text: |scene| data::weights_text(&scene.state),
        read: |scene, text| data::read_weights(&mut scene.state, text),
    },
];

/// The value that a text gives a number, or a fault that names its range.
fn accept<Of>(number: &Number<Of>, text: &str) -> Result<f64, Fault> {
    let (least, most) = number.range;
    number.accept_within(text, number.range).map_err(|_| {
        if number.is_whole {
            Fault::NotAWholeNumberFrom { text: text.to_owned(), least: least as u64, most: most as u64 }
        } else {
            Fault::NotANumberFrom { text: text.to_owned(), least, most }
        }
    })
}

/// A number in the shortest form that keeps all its digits.
fn digits(x: f64) -> String {
    let (plain, power) = (x.to_string(), format!("{x:e}"));
    if plain.len() <= power.len() { plain } else { power }
}

/// The word of a choice.
fn word<T: PartialEq>(all: &[(&'static str, T)], now: &T) -> String {
    all.iter().find(|(_, choice)| choice == now).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// The choice with a word, or a fault that names the words there are.
fn pick<T: Clone>(all: &[(&'static str, T)], text: &str) -> Result<T, Fault> {
    let words = || all.iter().map(|(word, _)| *word).collect::<Vec<_>>();
    all.iter()
        .find(|(word, _)| *word == text)
        .map(|(_, choice)| choice.clone())
        .ok_or_else(|| Fault::not_known(text, &words()))
}

fn lesson_text(scene: &Scene) -> String {
    scene.lesson.as_ref().map_or_else(String::new, |LessonAt { id, step }| format!("{id}.{}", step + 1))
}

/// The lesson named by the texts of its field. Of several texts the last counts, as for every field.
pub fn lesson_of(texts: &[&str]) -> Option<LessonAt> {
    let mut scene = Scene::default();
    read_lesson(&mut scene, texts.last()?).ok()?;
    scene.lesson
}

/// Whether a text can be the id of a lesson or of a goal.
fn is_name(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= MOST_LESSON_ID
        && id.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
}

fn read_lesson(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    scene.lesson = Some(place_in_lesson(text).ok_or(Fault::NoLessonStep)?);
    Ok(())
}

/// The place that `lesson.step` names. A link counts steps from one.
fn place_in_lesson(text: &str) -> Option<LessonAt> {
    let (id, step) = text.rsplit_once('.').filter(|(id, _)| is_name(id))?;
    let step = step.parse().ok().filter(|step: &usize| (1..=99).contains(step))?;
    Some(LessonAt { id: id.to_owned(), step: step - 1 })
}

/// The goals that a student had reached.
fn reached_text(scene: &Scene) -> String {
    match scene.reached.as_deref() {
        None => NONE.to_owned(),
        Some([]) => NO_GOAL.to_owned(),
        Some(goals) => goals.join(","),
    }
}

fn read_reached(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    scene.reached = None;
    let goals: Vec<&str> = text.split(',').take(MOST_GOALS + 1).collect();
    scene.reached = match text {
        NONE => None,
        NO_GOAL => Some(Vec::new()),
        _ if goals.len() <= MOST_GOALS && goals.iter().all(|goal| is_name(goal)) => {
            Some(goals.into_iter().map(str::to_owned).collect())
        }
        _ => return Err(Fault::NoGoals),
    };
    Ok(())
}

/// The assignment: `sink.2` for a step, `sink` for a whole lesson.
fn assigned_text(scene: &Scene) -> String {
    match &scene.assigned {
        None => NONE.to_owned(),
        Some(Assigned { lesson, step: None }) => lesson.clone(),
        Some(Assigned { lesson, step: Some(step) }) => format!("{lesson}.{}", step + 1),
    }
}

fn read_assigned(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    scene.assigned = None;
    scene.assigned = match place_in_lesson(text) {
        _ if text == NONE => None,
        Some(LessonAt { id, step }) => Some(Assigned { lesson: id, step: Some(step) }),
        None if is_name(text) => Some(Assigned { lesson: text.to_owned(), step: None }),
        None => return Err(Fault::NoLessonStep),
    };
    Ok(())
}

/// The words of the curves that are switched on, in the order of `Trace::ALL`.
fn curves_text(scene: &Scene) -> String {
    let on = Trace::ALL.into_iter().filter(|trace| scene.state.growth.traces.has(*trace));
    let words: Vec<&str> = on.map(Trace::id).collect();
    if words.is_empty() { NONE.to_owned() } else { words.join(",") }
}

/// Takes the known curves, even where other words are unknown.
fn read_curves(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let all = Trace::ALL.map(|trace| (trace.id(), trace));
    let words = || text.split(',').filter(|word| !word.is_empty() && *word != NONE);
    scene.state.growth.traces = Traces::of(words().filter_map(|word| pick(&all, word).ok()));
    words().try_for_each(|word| pick(&all, word).map(|_| ()))
}

/// The words of the compared kinds.
fn compared_text(scene: &Scene) -> String {
    scene.labs.compare.kinds.iter().map(|kind| word(&ComparedKind::ALL, kind)).collect::<Vec<_>>().join(",")
}

fn read_compared(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let named = text.split(',').map(|one| pick(&ComparedKind::ALL, one)).collect::<Result<Vec<_>, _>>()?;
    let in_order = ComparedKind::ALL.into_iter().map(|(_, kind)| kind).filter(|kind| named.contains(kind));
    scene.labs.compare.kinds = in_order.take(MOST_KINDS).collect();
    Ok(())
}

/// The size of a random model: width, layers, heads, seed.
fn size_text(scene: &Scene) -> String {
    let DrawnSize { d, layers, heads, seed } = scene.labs.model.size;
    format!("{d},{layers},{heads},{seed}")
}

fn read_size(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let wrong = || Fault::not_known(text, &["768,12,12,0"]);
    let numbers: Vec<u64> = text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    let [d, layers, heads, seed] = numbers[..] else { return Err(wrong()) };
    let size = |number: u64| usize::try_from(number).ok().filter(|number| *number > 0).ok_or_else(wrong);
    if seed > MOST_SEED {
        return Err(wrong());
    }
    scene.labs.model.size = DrawnSize { d: size(d)?, layers: size(layers)?, heads: size(heads)?, seed };
    Ok(())
}

/// The word for the middle layer of a model.
const MIDDLE: &str = "middle";

/// Layers, lengths, windows per length, heads; a colon is written as a point.
fn plan_text(scene: &Scene) -> String {
    let ModelSettings { layers, lengths, windows, heads, .. } = &scene.labs.model;
    format!("{}_{lengths}_{windows}_{heads}", layers.as_deref().unwrap_or(MIDDLE)).replace(':', ".")
}

fn read_plan(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let wrong = || Fault::not_known(text, &["0,6_2.98.8_2_all"]);
    let parts: Vec<&str> = text.split('_').collect();
    let [layers, lengths, windows, heads] = parts[..] else { return Err(wrong()) };
    let list = |text: &str| ModelSettings::list(&text.replace('.', ":")).ok_or_else(wrong);
    let (lengths, heads) = (list(lengths)?, list(heads)?);
    let layers = if layers == MIDDLE { None } else { Some(list(layers)?) };
    let windows = windows.parse().map_err(|_| wrong())?;
    scene.labs.model = ModelSettings { layers, lengths, windows, heads, ..scene.labs.model.clone() };
    Ok(())
}

/// The selected block as `output.input`; people count from one.
fn block_text(scene: &Scene) -> String {
    scene.labs.block.map_or_else(|| TOP_BLOCK.to_owned(), |(output, input)| format!("{}.{}", output + 1, input + 1))
}

fn read_block(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let place = |text: &str| {
        let place = text.parse().ok().filter(|place| (1..=MOST_BLOCKS_A_SIDE).contains(place));
        let range = || Fault::NotAWholeNumberFrom { text: text.to_owned(), least: 1, most: MOST_BLOCKS_A_SIDE as u64 };
        place.map(|place| place - 1).ok_or_else(range)
    };
    scene.labs.block = match text.split_once('.') {
        _ if text == TOP_BLOCK => None,
        Some((output, input)) => Some((place(output)?, place(input)?)),
        None => return Err(Fault::not_known(text, &[TOP_BLOCK, "3.5"])),
    };
    Ok(())
}

/// The parts that are hidden, in their own order.
fn hidden_text(scene: &Scene) -> String {
    let words = scene.hidden.ids(",");
    if words.is_empty() { NONE.to_owned() } else { words }
}

/// Hides the known parts, even where other words are unknown.
fn read_hidden(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let all = Part::ALL.map(|part| (part.id(), part));
    let words = || text.split(',').filter(|word| !word.is_empty() && *word != NONE);
    scene.hidden = HiddenParts::of(words().filter_map(|word| pick(&all, word).ok()));
    words().try_for_each(|word| pick(&all, word).map(|_| ()))
}

fn theme_text(scene: &Scene) -> String {
    scene.theme.map_or_else(String::new, |theme| theme.id().to_owned())
}

fn read_theme(scene: &mut Scene, text: &str) -> Result<(), Fault> {
    let all = ThemeChoice::ALL.map(|theme| (theme.id(), theme));
    scene.theme = Some(pick(&all, text)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_every_plot_is_in_the_document_for_other_programs() {
        let text = include_str!("../../docs/embedding.md");
        let row = |key: &str| text.lines().find(|line| line.starts_with("| `") && line.contains(&format!("`{key}`")));
        for field in &FIELDS {
            assert!(row(field.key()).is_some(), "docs/embedding.md has no row for `{}`", field.key());
        }
        let plots = row("plot").expect("a row");
        for (word, _) in PlotChoice::ALL {
            assert!(plots.contains(&format!("`{word}`")), "docs/embedding.md lacks the plot `{word}`");
        }
    }
}

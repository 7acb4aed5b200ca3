//! Every lesson, step by step: its settings are valid, its texts refer to existing things, it contains no fixed
//! numbers, and every goal is reached by its witness or ruled out by its bound.

use lipscope::answers::TrainRun;
use lipscope::lessons::{
    Acts, Choice, Condition, Edition, Goal, Lesson, Piece, Prediction, Quantity, Slot, Step, Way, agree, find, lessons,
    next_after, parse, pieces, scene_of, slots,
};
use lipscope::link;
use lipscope::state::{
    LessonAt, PageState, PlotChoice, RadiusGrowth, Range, Scene, Settings, TokenChoice, WeightChoice, XAxis,
};
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::experiment::{Attention, Mask, Normalization, Scope};
use lipscope_testkit::in_repository;

use crate::answers::Answers;
use crate::lessons_training::trained;

fn each_step(mut check: impl FnMut(&str, &'static Lesson, usize, &'static Step)) {
    for lesson in lessons() {
        for (at, step) in lesson.steps.iter().enumerate() {
            check(&format!("{}, step {}", lesson.id, at + 1), lesson, at, step);
        }
    }
}

/// The scene of some fields, which must all be read.
fn scene_over(base: Scene, fields: &str, name: &str) -> Scene {
    let followed = link::over(base, fields);
    assert_eq!(followed.problems, Vec::<String>::new(), "{name}: {fields}");
    let scene = followed.scene.expect("a scene");
    assert!(scene.state.check().is_ok(), "{name}: {:?}", scene.state.check());
    scene
}

/// A page that differs from a first visit in everything.
fn other_scene() -> Scene {
    let mut state = PageState {
        tokens: TokenChoice::Skew,
        n: 7,
        d: 3,
        radius: 0.3,
        token_seed: 5,
        weights: WeightChoice::IdentityPlus,
        heads: 3,
        head_dim: 5,
        scale: 2.0,
        weight_seed: 9,
        attention: Attention::L2,
        mask: Mask::Causal,
        normalization: Normalization::Rms,
        scope: Scope::Composed,
        eps: 0.1,
        norm: Norm::L1,
        x_axis: Some(XAxis::N),
        sweep_max: 99,
        draws: 3,
        head_shown: 2,
        ..PageState::default()
    };
    (state.growth.range, state.growth.at, state.growth.radius_growth) =
        (Range::Million, Some(77.0), RadiusGrowth::SqrtLog);
    Scene { state, plot: PlotChoice::Spectrum, ..Scene::default() }
}

/// What a step must set: the state without curves and own data, the plot, and the settings of the lab if the plot is
/// one of its own.
fn in_use(scene: &Scene) -> (PageState, PlotChoice, Settings) {
    let first = PageState::default();
    let mut state = scene.state.clone();
    state.growth.traces = first.growth.traces;
    // Own data are left out: the experiments that hold them are compared too.
    (state.own_tokens, state.own_clusters, state.own_weights) = (None, None, None);
    let labs = match scene.plot {
        PlotChoice::Inverse | PlotChoice::Scaled | PlotChoice::Tightness => scene.labs.clone(),
        _ => Settings::default(),
    };
    (state, scene.plot, labs)
}

#[test]
fn every_step_sets_what_the_page_can_show_and_counts_on_no_first_value() {
    each_step(|name, _, _, step| {
        let scene = scene_over(Scene::default(), &step.fields, name);
        let elsewhere = scene_over(other_scene(), &step.fields, name);
        assert_eq!(in_use(&scene), in_use(&elsewhere), "{name}");
        assert_eq!(scene.state.experiment(), elsewhere.state.experiment(), "{name}");
        // Own tokens are compared by identity: a step has one scene.
        assert_eq!(step.scene(), step.scene(), "{name}");
        assert_eq!(
            step.setup(&PageState::default()),
            step.setup(&PageState { n: 7, ..PageState::default() }),
            "{name}"
        );
    });
}

#[test]
fn choices_stand_under_a_question() {
    each_step(|name, _, _, step| {
        let asked = step.text.iter().rfind(|part| part.when.is_empty());
        // On a phone a longer one cannot be seen together with its choices.
        let words = asked.filter(|_| !step.choices.is_empty()).map_or(0, |part| part.text.all()[0].chars().count());
        assert!(words <= 180, "{name}: a question of {words} characters");
        for text in asked.filter(|_| !step.choices.is_empty()).into_iter().flat_map(|part| part.text.all()) {
            assert!(text.ends_with(['?', '？']), "{name}: choices stand under {text:?}");
        }
    });
}

#[test]
fn the_name_of_a_step_is_a_link_to_it_and_unknown_ones_are_answered() {
    each_step(|name, lesson, at, step| {
        let link = format!("v3&lesson={}.{}", lesson.id, at + 1);
        let followed = link::read(&link, scene_of);
        assert_eq!(followed.problems, Vec::<String>::new(), "{name}");
        let scene = followed.scene.expect("a scene");
        assert_eq!(scene, Scene { lesson: Some(LessonAt { id: lesson.id.into(), step: at }), ..step.scene().clone() });
        assert_eq!(link::write(&scene, scene_of), Ok(link), "{name}");
    });
    let last = lessons()[0].steps.len();
    for unknown in ["foo.9".to_owned(), format!("{}.{}", lessons()[0].id, last + 1)] {
        let followed = link::read(&format!("v3&lesson={unknown}&n=12"), scene_of);
        let scene = followed.scene.expect("a scene");
        assert_eq!((scene.state.n, scene.lesson), (12, None));
        assert!(followed.problems[0].contains(&unknown), "{:?}", followed.problems);
    }
}

#[test]
fn every_place_names_something_that_the_page_has_at_this_plot() {
    each_step(|name, _, _, step| {
        let plot = step.scene().plot;
        let words = step.goals.iter().map(|goal| goal.words).chain(step.hint).chain(step.source);
        let texts = step.text.iter().map(|paragraph| paragraph.text).chain(words);
        for text in texts.flat_map(|text| text.all()) {
            let found = pieces(text).unwrap_or_else(|place| panic!("{name}: {place:?} names nothing in {text:?}"));
            for piece in found {
                match piece {
                    Piece::Value(slot) => {
                        assert_eq!(Slot::parse(&slot.words()), Some(slot), "{name}: a slot is called by its own words");
                        assert!(
                            slot.plot().is_none_or(|only| only == plot),
                            "{name}: {{{}}} at {plot:?}",
                            slot.words()
                        );
                    }
                    Piece::Press(_, fields) => drop(scene_over(step.scene().clone(), fields, name)),
                    Piece::Slider(handle) => {
                        for stop in handle.stops() {
                            scene_over(step.scene().clone(), &format!("{}={stop}", handle.field.key()), name);
                        }
                    }
                    Piece::Words(_) | Piece::Formula(_) | Piece::Share | Piece::Link(..) => {}
                }
            }
        }
    });
}

/// The numbers that are written with digits in a text, outside its places and controls.
fn numbers_in(text: &str) -> Vec<f64> {
    let mut bare = String::new();
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            // What is in parentheses behind a control belongs to it.
            '(' if text[..at].ends_with(']') => depth += 1,
            '}' | ']' => depth -= 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    // Removes names, a formula that serves as a name, and commas within numbers.
    let bare = bare.replace("L2", "").replace("e^(2a)", "").replace("2a", "").replace(',', "");
    let digits = bare.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    digits.filter_map(|part| part.trim_matches('.').parse().ok()).collect()
}

#[test]
fn no_number_of_the_page_stands_in_a_text() {
    each_step(|name, _, _, step| {
        let texts = step.text.iter().map(|paragraph| paragraph.text).chain([step.title]).chain(step.hint);
        for text in texts.flat_map(|text| text.all()) {
            let found = numbers_in(text);
            // The numbers 1 and 2 name dimensions and tokens that a step is about.
            let allowed = |number: &f64| *number == 1.0 || *number == 2.0;
            assert!(found.iter().all(allowed), "{name}: {found:?} in {text:?}");
        }
    });
}

#[test]
fn lessons_are_whole() {
    let ids: Vec<&str> = lessons().iter().map(|lesson| lesson.id).collect();
    let expected = [
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
        "own",
    ];
    assert_eq!(ids, expected);
    let mut read = 0;
    for lesson in lessons() {
        assert!((3..=8).contains(&lesson.steps.len()), "{} has {} steps", lesson.id, lesson.steps.len());
        let (recap, steps) = lesson.steps.split_last().expect("steps");
        assert!(recap.goals.is_empty() && recap.text.len() == 1, "{}: the recap", lesson.id);
        assert!(
            steps.iter().all(|step| !step.goals.is_empty() && step.hint.is_some()),
            "{}: a step without",
            lesson.id
        );
        assert!(lesson.steps.iter().all(|step| step.source.is_some()), "{}: a source is missing", lesson.id);
        // Nothing was dropped while it was read.
        let files = ["en", "zh"].map(|language| {
            let path = in_repository(format!("lessons/{language}/{}.md", lesson.id));
            std::fs::read_to_string(path).expect("a file")
        });
        let english = parse(&files[0], Edition::English).expect("a lesson");
        assert_eq!(agree(&english, &parse(&files[1], Edition::Translation).expect("a translation")), Ok(()));
        for (step, text) in lesson.steps.iter().zip(&english.steps) {
            let count = |key: &str| text.marks.iter().filter(|mark| mark.key == key).count();
            assert_eq!((step.goals.len(), step.choices.len()), (count("goal"), count("choice")), "{}", lesson.id);
            assert_eq!(step.prediction != Prediction::None, count("predict") == 1, "{}", lesson.id);
            read += count("goal");
        }
    }
    assert!(read > 50, "only {read} goals");
    assert_eq!(next_after(&lessons()[0]).map(|lesson| lesson.id), Some("jacobian"));
    assert!(next_after(find("own").expect("a lesson")).is_none());
    assert!(find("none").is_none());
    let has = |prediction: fn(&Prediction) -> bool| {
        lessons().iter().flat_map(|lesson| &lesson.steps).any(|step| prediction(&step.prediction))
    };
    assert!(has(|p| *p == Prediction::Curve) && has(|p| *p == Prediction::Mark));
    assert!(has(|p| matches!(p, Prediction::Choice(_))));
}

#[test]
fn every_goal_is_open_at_first_and_reached_by_its_witness_or_ruled_out_by_its_bound() {
    let mut impossible = 0;
    let mut faults = Vec::new();
    each_step(|name, _, _, step| {
        let at_first = Answers::of(step.scene().clone(), name);
        for goal in &step.goals {
            let name = format!("{name}, goal {}", goal.id);
            if at_first.reaches(goal, Acts::default()) {
                faults.push(format!("{name}: it is reached before anything is done"));
            }
            match goal.way {
                Way::Fields(fields) => {
                    let answers = Answers::of(scene_over(step.scene().clone(), fields, &name), &name);
                    let acts = Acts { has_changed: answers.scene != at_first.scene, ..Acts::default() };
                    if !answers.reaches(goal, acts) {
                        faults.push(format!("{name}: L = {} at {fields}", answers.live.measurement.spectral));
                    }
                }
                Way::Press => {
                    let by_revealing = at_first.reaches(goal, Acts { has_answered: true, ..Acts::default() });
                    let by_sharing = at_first.reaches(goal, Acts { has_shared: true, ..Acts::default() });
                    let share = step.text.iter().flat_map(|text| pieces(text.text.all()[0]).unwrap_or_default());
                    let can_share = share.into_iter().any(|piece| piece == Piece::Share);
                    assert!(
                        by_revealing && step.prediction != Prediction::None || by_sharing && can_share,
                        "{name}: the step has no press that reaches it"
                    );
                }
                Way::Train(steps) => {
                    let answers = Answers { training: trained(steps), ..Answers::of(step.scene().clone(), &name) };
                    let has_run = |kind| Acts { ran_backwards: Some(kind), ..Acts::default() };
                    let acts = answers.training.iter().map(|run| has_run(run.plan.kind));
                    if !acts.into_iter().any(|acts| answers.reaches(goal, acts)) {
                        faults.push(format!("{name}: {:?}", answers.training.iter().map(TrainRun::last)));
                    }
                }
                Way::Impossible(id) => {
                    impossible += 1;
                    assert_ruled_out(goal, id, step, &name);
                }
            }
        }
    });
    assert_eq!(faults, Vec::<String>::new());
    assert!(impossible > 0);
}

#[test]
fn one_answer_is_shown_for_all_goals_that_it_reaches_and_keeps_the_ball_of_its_step() {
    let mut several = 0;
    each_step(|name, _, _, step| {
        let answers = |goal: &Goal| match goal.way {
            Way::Fields(fields) => Some(Answers::of(scene_over(step.scene().clone(), fields, name), name)),
            _ => None,
        };
        let shown: Vec<Answers> = step.goals.iter().filter_map(answers).collect();
        let acts = Acts { has_changed: true, ..Acts::default() };
        let count = |answers: &Answers| step.goals.iter().filter(|goal| answers.reaches(goal, acts)).count();
        if let Some(first) = shown.first().filter(|_| shown.len() > 1) {
            let most = shown.iter().map(count).max();
            assert_eq!(Some(count(first)), most, "{name}: a later answer reaches more goals");
            several += 1;
        }
        // The bound of the verdict is about the ball that the text names.
        for answers in shown.iter().filter(|_| step.visible.wall) {
            let (radius, of_step) = (answers.live.measurement.radius, step.scene().state.radius);
            assert!((radius - of_step).abs() <= 1e-9 * of_step, "{name}: {radius} in place of {of_step}");
        }
    });
    assert!(several > 3, "{several}");
}

/// Checks that a bound rules the goal out: on the ball in which the step keeps the tokens, the bound is below the L
/// that the goal asks for.
fn assert_ruled_out(goal: &Goal, id: BoundId, step: &Step, name: &str) {
    assert!(step.visible.wall, "{name}: tokens may leave the ball that the bound is about");
    let state = &step.scene().state;
    // Tokens on the sphere: the bound of measured tokens takes their largest norm for R.
    let fields = format!("tokens=sphere&n={}&R={}", state.n, state.radius);
    let answers = Answers::of(scene_over(step.scene().clone(), &fields, name), name);
    let bounds = &answers.live.measurement.bounds;
    let bound = bounds.iter().find(|bound| bound.id == id).and_then(|bound| bound.value).expect("the bound applies");
    assert!((answers.live.measurement.radius - state.radius).abs() <= 1e-9 * state.radius, "{name}");
    let least = goal.conditions.iter().find_map(|condition| match condition {
        Condition::AtLeast(Quantity::Slot(slot), Quantity::Number(least)) if slot.words() == "measured" => Some(*least),
        _ => None,
    });
    assert!(bound < least.expect("a goal about L"), "{name}: {bound}");
}

#[test]
fn one_answer_of_a_choice_is_right() {
    let mut choices = 0;
    each_step(|name, _, _, step| {
        let Prediction::Choice(fields) = step.prediction else { return };
        let answers = Answers::of(scene_over(step.scene().clone(), fields, name), name);
        let holds = |choice: &Choice| {
            answers.ask(Acts::default(), |situation| choice.conditions.iter().all(|one| one.holds(situation)))
        };
        let right: Vec<&str> = step.choices.iter().filter(|choice| holds(choice)).map(|choice| choice.id).collect();
        assert_eq!(right.len(), 1, "{name}: {right:?}");
        choices += 1;
    });
    assert!(choices >= 2);
}

#[test]
fn what_a_text_says_of_a_configuration_is_what_the_engine_measures_there() {
    let mut filled = 0;
    each_step(|name, _, _, step| {
        let answers = Answers::of(step.scene().clone(), name);
        let places = step.text.iter().flat_map(|paragraph| slots(paragraph.text.all()[0]));
        for slot in places.filter(|slot| matches!(slot, Slot::Measured(_) | Slot::Chosen(_))) {
            let found = answers.ask(Acts::default(), |situation| slot.fill(&situation.facts));
            let found = found.unwrap_or_else(|| panic!("{name}: nothing stands at {{{}}}", slot.words()));
            assert!(!found.text.is_empty() && !found.full.is_empty(), "{name}: {{{}}}", slot.words());
            if slot.words() == "measured" {
                assert_eq!(found.full, answers.live.measurement.spectral.to_string(), "{name}");
                assert_eq!(found.sign, "=", "{name}");
            }
            if slot.words().starts_with("bound ") || slot.words() == "best-bound" {
                assert!(["≤", "≥"].contains(&found.sign), "{name}: {{{}}} has {}", slot.words(), found.sign);
            }
            filled += 1;
        }
    });
    assert!(filled > 80, "only {filled} places were looked at");
}

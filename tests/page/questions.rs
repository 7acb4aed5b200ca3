//! What stays when the settings change: a question keeps its numbers once it is answered, and a conclusion says where it is
//! true.

use lipscope::lessons::{
    Acts, Age, Ages, Facts, Holds, Paragraph, Piece, Prediction, QuestionNumbers, Situation, Slot, Step, Way, pieces,
    slots,
};
use lipscope::link;
use lipscope::state::{PlotChoice, Scene};

use crate::answers::Answers;
use crate::lessons_shown::each_step;
use crate::lessons_training::trained;

/// The scene in which the first goal that fields reach is reached, or in which the question is answered.
fn reached_at(step: &Step, goals: &[&str]) -> Option<Scene> {
    let last = step.goals.iter().rfind(|goal| goals.contains(&goal.id))?;
    match last.way {
        Way::Fields(fields) => link::over(step.scene().clone(), fields).scene,
        Way::Press => Some(step.question_scene()),
        Way::Train(_) | Way::Impossible(_) => None,
    }
}

#[test]
fn a_question_keeps_its_numbers_when_the_answer_changes_the_settings() {
    let (mut kept, mut changed) = (0, 0);
    each_step(|name, step, faults| {
        let Prediction::Choice(_) = step.prediction else { return };
        let before = Answers::of(step.scene().clone(), name);
        let after = Answers::of(step.question_scene(), name);
        let Some(numbers) = before.ask(Acts::default(), |now| QuestionNumbers::gather(step, &now.facts)) else {
            return faults.push(format!("{name}: the question never has all its numbers"));
        };
        for place in step.question_places() {
            let at_question = before.ask(Acts::default(), |now| place.fill(&now.facts));
            let on_screen = after.ask(Acts::default(), |now| place.fill(&now.facts));
            if numbers.of(place) != at_question.as_ref() {
                faults.push(format!("{name}: {{{}}} is not kept", place.words()));
            }
            // What a setting was needs no answer of the page.
            if step.set_at(place) != at_question.clone().filter(|_| matches!(place, Slot::Chosen(_))) {
                faults.push(format!("{name}: {{{}}} is not what the step sets", place.words()));
            }
            kept += 1;
            changed += usize::from(at_question.map(|filled| filled.text) != on_screen.map(|filled| filled.text));
        }
    });
    assert!(kept > 40 && changed > 20, "{changed} of {kept} numbers change with the answer");
}

#[test]
fn the_number_of_before_is_one_that_the_answer_changes_where_the_choices_are_about_a_bound_of_another_norm() {
    for (at, before, known) in [(0, "measured", "bound local_token"), (1, "best-there", "there general_token")] {
        let step = lessons_step("token-norm", at);
        let (before, known) = (Slot::parse(before).expect("a place"), Slot::parse(known).expect("a place"));
        assert_eq!(step.asked_places(), [before]);
        assert!(step.choices.iter().all(|choice| choice.conditions[0].slot() == Some(known)), "step {at}");
        let filled = |scene: &Scene, place: Slot| {
            Answers::of(scene.clone(), "token-norm")
                .ask(Acts::default(), |now| place.fill(&now.facts))
                .expect("a value")
        };
        // The bound of the answer is there before it, and as large.
        assert_eq!(filled(step.scene(), known).text, filled(&step.question_scene(), known).text);
        let asked = filled(step.scene(), before).value.expect("a number");
        assert!(asked > filled(step.scene(), known).value.expect("a number"), "step {at}: {asked}");
    }
}

#[test]
fn two_hundred_tokens_and_the_causal_mask_are_the_whole_goal_at_every_radius() {
    let step = lessons_step("token-norm", 2);
    let goal = &step.goals[0];
    for radius in ["0.5", "2", "6"] {
        let fields = format!("n=256&mask=causal&R={radius}");
        let scene = link::over(step.scene().clone(), &fields).scene.expect("a scene");
        let answers = Answers::of(scene, "token-norm");
        assert!(answers.reaches(goal, Acts::default()), "R = {radius}");
        // The norm that the step speaks of is there.
        assert!(answers.live.measurement.norm(lipscope_core::bounds::Norm::MaxToken).is_some(), "R = {radius}");
    }
}

#[test]
fn a_number_of_earlier_settings_and_a_half_search_are_no_numbers_of_a_question() {
    let mut looked = 0;
    each_step(|name, step, _| {
        let plot = step.scene().plot;
        let Prediction::Choice(_) = step.prediction else { return };
        let answers = Answers::of(step.scene().clone(), name);
        let gathered = |ages: Ages| {
            answers.ask(Acts::default(), |now| QuestionNumbers::gather(step, &Facts { ages, ..now.facts }).is_some())
        };
        assert!(gathered(Ages::default()), "{name}");
        for age in [Age::Before, Age::Unfinished] {
            let ages = match plot {
                PlotChoice::Inverse => Ages { inverse: age, ..Ages::default() },
                PlotChoice::Scaled => Ages { scaling: age, ..Ages::default() },
                PlotChoice::Tightness => Ages { tightness: age, ..Ages::default() },
                _ if age == Age::Unfinished => continue,
                _ => Ages { measured: age, ..Ages::default() },
            };
            let over_n = step.question_places().iter().all(|place| !matches!(place, Slot::Measured(_)));
            if plot == PlotChoice::Growth && over_n {
                continue;
            }
            assert!(!gathered(ages), "{name}: {age:?}");
            looked += 1;
        }
    });
    assert!(looked > 15, "{looked}");
    let answers = Answers::of(lessons_step("inverse", 0).scene().clone(), "inverse");
    let ages = Ages { inverse: Age::Unfinished, ..Ages::default() };
    for place in ["inverse-l2 outcome", "inverse-l2 steps", "inverse-dot error"]
        .map(|words| Slot::parse(words).expect("a place"))
    {
        let filled = answers.ask(Acts::default(), |now| place.fill(&Facts { ages, ..now.facts }));
        assert_eq!(filled, None, "{{{}}} of half an iteration", place.words());
    }
}

fn lessons_step(lesson: &str, at: usize) -> &'static Step {
    &lipscope::lessons::find(lesson).expect("a lesson").steps[at]
}

fn holds(step: &Step, paragraph: &Paragraph, answers: &Answers, acts: Acts) -> bool {
    answers.ask(acts, |situation: &Situation<'_>| paragraph.holds(step, situation))
}

/// Whether a condition reads draws over n, which are not drawn here.
fn reads_draws(paragraph: &Paragraph) -> bool {
    let Holds::Where(conditions) = &paragraph.holds else { return false };
    conditions.iter().any(|condition| condition.slot() == Some(Slot::Slope))
}

#[test]
fn a_conclusion_is_true_where_it_is_reached_and_its_conditions_fail_elsewhere() {
    let mut looked = 0;
    each_step(|name, step, faults| {
        let own = Answers::of(step.scene().clone(), name);
        let conditional = step.text.iter().filter(|part| part.holds != Holds::Always && !reads_draws(part));
        for paragraph in conditional.filter(|part| part.when.iter().all(|goal| !is_trained(step, goal))) {
            looked += 1;
            if paragraph.holds == Holds::Where(Vec::new()) {
                faults.push(format!("{name}: a condition cannot be read: {:?}", paragraph.text.all()[0]));
            }
            let scene = reached_at(step, &paragraph.when).unwrap_or_else(|| step.scene().clone());
            let reached = Answers::of(scene, name);
            let acts = Acts { has_answered: true, has_changed: true, ..Acts::default() };
            let at_first = Acts::default();
            // One of several conclusions may be about the settings before the answer.
            let is_true = holds(step, paragraph, &reached, acts) || holds(step, paragraph, &own, acts);
            if !is_true {
                faults.push(format!("{name}: nowhere true: {:?}", paragraph.text.all()[0]));
            }
            if paragraph.holds == Holds::AtGoal && holds(step, paragraph, &own, at_first) {
                faults.push(format!("{name}: true before anything is done: {:?}", paragraph.text.all()[0]));
            }
        }
    });
    assert!(looked > 15, "{looked}");
}

fn is_trained(step: &Step, id: &str) -> bool {
    step.goals.iter().any(|goal| goal.id == id && matches!(goal.way, Way::Train(_)))
}

#[test]
fn a_conclusion_about_the_settings_on_screen_says_where_it_is_true() {
    let mut looked = 0;
    each_step(|name, step, faults| {
        for paragraph in step.text.iter().filter(|part| !part.when.is_empty()) {
            let text = paragraph.text.all()[0];
            let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
            let points = |word: String| ["here", "now", "everyone"].contains(&word.as_str());
            if ["so many", "You moved"].iter().any(|part| text.contains(part)) || words.into_iter().any(points) {
                looked += 1;
                // A number follows the settings, and so does its sentence.
                if paragraph.holds == Holds::Always && slots(text).is_empty() && !is_a_link(text) {
                    faults.push(format!("{name}: “{text}” is shown at any settings"));
                }
            }
        }
    });
    assert!(looked > 10, "{looked}");
}

fn is_a_link(text: &'static str) -> bool {
    pieces(text).expect("a text").iter().any(|piece| matches!(piece, Piece::Press(..)))
}

#[test]
fn what_is_said_of_an_inverse_past_one_is_not_said_below_one() {
    let step = lessons_step("inverse", 3);
    let said = |c: f64| {
        let scene = link::over(step.scene().clone(), &format!("inverse-c={c}")).scene.expect("a scene");
        let answers = Answers::of(scene, "inverse.4");
        let conditional = step.text.iter().filter(|part| matches!(part.holds, Holds::Where(_)));
        conditional.map(|part| holds(step, part, &answers, Acts::default())).collect::<Vec<_>>()
    };
    assert_eq!(
        [said(0.9), said(0.95), said(1.0), said(1.2)],
        [[false, true], [false, true], [true, false], [true, false]]
    );
}

#[test]
fn the_norm_of_a_small_matrix_is_not_said_to_be_iterated() {
    let step = lessons_step("lipschitz", 5);
    let part = step.text.iter().find(|part| part.text.all()[0].contains("{steps}")).expect("a paragraph");
    for (n, is_iterated) in [(16, false), (24, false), (256, true)] {
        let scene = link::over(step.scene().clone(), &format!("n={n}")).scene.expect("a scene");
        let answers = Answers::of(scene, "lipschitz.6");
        assert_eq!(holds(step, part, &answers, Acts::default()), is_iterated, "n = {n}");
    }
}

#[test]
fn a_model_is_run_backwards_at_the_step_that_asks_for_it_and_the_text_says_how_that_ended() {
    let mut runs = trained(40);
    let with = |runs: &[lipscope::answers::TrainRun]| Answers {
        training: runs.to_vec(),
        ..Answers::of(lessons_step("train", 3).scene().clone(), "train.4")
    };
    for at in [2, 3] {
        let step = lessons_step("train", at);
        assert!(!with(&runs).reaches(&step.goals[0], Acts::default()), "step {at}: met by what was done before");
    }
    let step = lessons_step("train", 3);
    let conclusions: Vec<&Paragraph> = step.text.iter().filter(|part| !part.when.is_empty()).collect();
    for (error, expected) in [(Some(1e-13), [true, false]), (Some(0.3), [false, true]), (None, [false, true])] {
        for run in &mut runs {
            run.backwards.windows.iter_mut().for_each(|row| row.error = error);
        }
        let answers = with(&runs);
        let shown: Vec<bool> = conclusions.iter().map(|part| holds(step, part, &answers, Acts::default())).collect();
        assert_eq!(shown, expected, "an error of {error:?}");
    }
}

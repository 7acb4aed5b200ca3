//! Every step of every lesson in Chromium. Its settings are valid. The measurement has the numbers that its texts name.
//! Each goal is reached at the settings that are its witness, except for goals that need the worker's curves. Numbers
//! and goals of steps with too many tokens are left out. `tests/page/lessons.rs` checks the rest, without a browser.

use lipscope::answers::{Curves, KnownTokens, Measured, Pair, Sweep};
use lipscope::lessons::{Acts, Ages, Facts, Situation, Slot, Step, Way, lessons, slots};
use lipscope::link;
use lipscope::page::PlotChoice;
use lipscope::state::{PageState, Range, Scene};
use lipscope_core::measure::{MeasureOptions, measure_with};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Steps with more tokens are left out: measuring takes too long here. The end-to-end tests read their numbers.
const LONGEST: f64 = 200.0;

fn each_step(mut check: impl FnMut(&str, &'static Step)) {
    for lesson in lessons() {
        for (at, step) in lesson.steps.iter().enumerate() {
            check(&format!("{}, step {}", lesson.id, at + 1), step);
        }
    }
}

#[wasm_bindgen_test]
fn every_step_sets_what_the_page_can_show() {
    each_step(|name, step| {
        let followed = link::over(Scene::default(), &step.fields);
        assert_eq!(followed.problems, Vec::<String>::new(), "{name}");
        let setup = step.setup(&PageState::default());
        assert!(setup.state.check().is_ok(), "{name}: {:?}", setup.state.check());
    });
}

#[wasm_bindgen_test]
fn texts_and_goals_are_about_what_the_engine_measures() {
    let (mut filled, mut reached) = (0, 0);
    each_step(|name, step| {
        let places: Vec<Slot> = step.text.iter().flat_map(|paragraph| slots(paragraph.text.all()[0])).collect();
        at(step.scene(), |situation| {
            for slot in places.iter().filter(|slot| matches!(slot, Slot::Measured(_) | Slot::Chosen(_))) {
                let found = slot.fill(&situation.facts);
                assert!(found.is_some_and(|found| !found.full.is_empty()), "{name}: {{{}}}", slot.words());
                filled += 1;
            }
        });
        for goal in &step.goals {
            // Goals beyond the measured n need curves from the engine's worker, which does not run here.
            let Way::Fields(fields) = goal.way else { continue };
            if step.scene().plot == PlotChoice::Growth && step.scene().state.growth.range != Range::Measured {
                continue;
            }
            let scene = link::over(step.scene().clone(), fields).scene.expect("a scene");
            at(&scene, |situation| {
                assert!(goal.is_reached(situation), "{name}, goal {}", goal.id);
                reached += 1;
            });
        }
    });
    assert!(filled > 70 && reached > 20, "{filled} places, {reached} goals");
}

/// Measures a scene, and calls `ask` with the result; leaves out lists longer than [`LONGEST`].
fn at(scene: &Scene, ask: impl FnOnce(&Situation<'_>)) {
    if scene.state.n_tokens() > LONGEST {
        return;
    }
    let measurement =
        measure_with(&scene.state.experiment(), MeasureOptions::default()).expect("a lesson can be measured");
    // No text and no goal uses a picture.
    let live = Measured::of_numbers(measurement, &scene.state);
    let facts = Facts {
        state: &scene.state,
        settings: &scene.labs,
        measured: Some(&live),
        sweep: &Sweep::default(),
        growth: &Curves::default(),
        known: &KnownTokens::default(),
        scaling: &[],
        tightness: &[],
        inverse: &Pair::default(),
        training: &[],
        training_shown: None,
        ages: Ages::default(),
    };
    ask(&Situation { facts, scene, acts: Acts { has_changed: true, ..Acts::default() } });
}

//! Every lesson, step by step: what it sets can be set, what its texts name is there, no number stands in them.

use lipscope::labs::{InverseRun, ScalingRun, TightnessRun};
use lipscope::lessons::{Facts, LESSONS, Lesson, Setup, Slot, Task, find, pieces, scene_of, slots};
use lipscope::link;
use lipscope::live::{GrowthData, Measured, SweepData};
use lipscope::page::PlotChoice;
use lipscope::state::{PageState, Scene};
use lipscope_core::measure::{MeasureOptions, Measurement, measure_with};
use lipscope_core::picture::{AttentionPicture, PlaneFrame, TokenPicture, Unit};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Lists longer than this take too long to measure again here; the browser tests read their numbers off the page.
const LONGEST: f64 = 200.0;

fn each_step(mut check: impl FnMut(&str, &'static Lesson, usize, Setup)) {
    let now = PageState::default();
    for lesson in LESSONS {
        for at in 0..lesson.steps.len() {
            let name = format!("{}, step {}", lesson.id, at + 1);
            check(&name, lesson, at, lesson.setup(at, &now));
        }
    }
}

fn slots_of(lesson: &Lesson, at: usize) -> Vec<Slot> {
    lesson.steps[at].text.iter().flat_map(|text| slots(text.all()[0])).collect()
}

#[wasm_bindgen_test]
fn every_step_sets_what_the_page_can_show() {
    each_step(|name, _, _, setup| {
        assert!(setup.state.check().is_ok(), "{name}: {:?}", setup.state.check());
    });
}

#[wasm_bindgen_test]
fn the_name_of_a_step_is_a_link_to_it() {
    each_step(|name, lesson, at, setup| {
        let link = format!("v3&lesson={}.{}", lesson.id, at + 1);
        let scene = link::read(&link, scene_of).scene.expect("a scene");
        assert_eq!((&scene.state, scene.plot, &scene.labs), (&setup.state, setup.plot, &setup.settings), "{name}");
        assert_eq!(link::write(&scene, scene_of), Ok(link), "{name}");
        // What was set back to a first visit's is told too.
        let first = PageState { own_clusters: scene.state.own_clusters.clone(), ..PageState::default() };
        // Clusters that a step has brought stay at hand.
        let scene = Scene { state: first, ..scene };
        let link = link::write(&scene, scene_of).expect("short");
        assert_eq!(link::read(&link, scene_of).scene.as_ref(), Some(&scene), "{name}: {link}");
    });
}

#[wasm_bindgen_test]
fn every_place_names_something_that_the_page_has_at_this_plot() {
    each_step(|name, lesson, at, setup| {
        let step = &lesson.steps[at];
        for text in step.text.iter().flat_map(|text| text.all()) {
            if let Err(place) = pieces(text) {
                panic!("{name}: {{{place}}} names nothing");
            }
        }
        for text in step.text {
            let [mut english, mut chinese] =
                text.all().map(|text| slots(text).into_iter().map(|slot| slot.words()).collect::<Vec<_>>());
            english.sort();
            chinese.sort();
            assert_eq!(english, chinese, "{name}: other places in another language");
        }
        for slot in slots_of(lesson, at) {
            assert_eq!(Slot::parse(&slot.words()), Some(slot), "{name}: a slot is called by its own words");
            if let Some(plot) = slot.plot() {
                assert_eq!(plot, setup.plot, "{name}: {{{}}} is known at another plot only", slot.words());
            }
        }
    });
}

#[wasm_bindgen_test]
fn no_number_stands_in_a_text() {
    each_step(|name, lesson, at, _| {
        let step = &lesson.steps[at];
        for text in step.text.iter().chain([&step.title]).flat_map(|text| text.all()) {
            let words: String =
                text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
            // Names, and a formula that is a name of its own.
            let words = words.replace("L2", "").replace("e^(2a)", "");
            assert!(!words.contains(|c: char| c.is_ascii_digit()), "{name}: a number is typed into {words:?}");
        }
    });
}

#[wasm_bindgen_test]
fn lessons_are_as_long_as_lessons_are_and_have_a_source_at_every_step() {
    let mut ids: Vec<&str> = LESSONS.map(|lesson| lesson.id).to_vec();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), LESSONS.len());
    for lesson in LESSONS {
        assert!((4..=7).contains(&lesson.steps.len()), "{} has {} steps", lesson.id, lesson.steps.len());
        assert_eq!(find(lesson.id).map(|found| found.title), Some(lesson.title));
        for step in lesson.steps {
            assert!(!step.source.now().is_empty() && !step.text.is_empty(), "{}: {}", lesson.id, step.title.now());
        }
    }
    assert!(find("none").is_none());
    let tasks = |task: Task| LESSONS.iter().flat_map(|lesson| lesson.steps).filter(|step| step.task == task).count();
    assert!(tasks(Task::DrawCurve) >= 1 && tasks(Task::PlaceNorm) >= 1);
}

#[wasm_bindgen_test]
fn a_step_is_the_same_whatever_was_set_before() {
    let other = PageState { n: 7, radius: 0.3, ..PageState::default() };
    for lesson in LESSONS {
        for at in 0..lesson.steps.len() {
            let (fresh, later) = (lesson.setup(at, &PageState::default()), lesson.setup(at, &other));
            assert_eq!(fresh, later, "{}", lesson.id);
        }
        let last = lesson.steps.len() - 1;
        assert_eq!(lesson.clamped(usize::MAX), last);
        assert_eq!(lesson.setup(1000, &other), lesson.setup(last, &other));
    }
}

#[wasm_bindgen_test]
fn what_a_text_says_of_a_configuration_is_what_the_engine_measures_there() {
    let mut filled = 0;
    each_step(|name, lesson, at, setup| {
        if setup.state.n_tokens() > LONGEST {
            return;
        }
        let options = MeasureOptions::default();
        let measurement = measure_with(&setup.state.experiment(), options).expect("a lesson can be measured");
        let live = live_of(&measurement, &setup);
        let facts = Facts {
            state: &setup.state,
            settings: &setup.settings,
            measured: Some(&live),
            sweep: &SweepData::default(),
            growth: &GrowthData::default(),
            scaling: &ScalingRun::default(),
            tightness: &TightnessRun::default(),
            inverse: &InverseRun::default(),
        };
        for slot in slots_of(lesson, at).into_iter().filter(|slot| matches!(slot, Slot::Measured(_) | Slot::Chosen(_)))
        {
            let found = slot.fill(&facts).unwrap_or_else(|| panic!("{name}: nothing stands at {{{}}}", slot.words()));
            assert!(!found.text.is_empty() && !found.full.is_empty(), "{name}: {{{}}}", slot.words());
            if slot.words() == "measured" {
                assert_eq!(found.full, measurement.spectral.to_string(), "{name}");
                assert_eq!(found.sign, "=", "{name}");
            }
            if slot.words().starts_with("bound ") {
                assert!(["≤", "≥"].contains(&found.sign), "{name}: {{{}}} has {}", slot.words(), found.sign);
            }
            filled += 1;
        }
    });
    assert!(filled > 60, "only {filled} places were looked at");
}

/// The measurement as the page has it; its texts look at no picture.
fn live_of(measurement: &Measurement, setup: &Setup) -> Measured {
    Measured {
        measurement: measurement.clone(),
        attention: AttentionPicture {
            head_idx: 0,
            unit: Unit::Token,
            n: 0,
            side: 0,
            weights: Vec::new(),
            column_sums: Vec::new(),
        },
        tokens: TokenPicture {
            positions: Vec::new(),
            d: 0,
            ln_sizes: None,
            largest_norm: 0.0,
            variance_shares: None,
            frame: PlaneFrame::own(0),
            tokens: None,
        },
        pair: None,
        milliseconds: 0.0,
        state: setup.state.clone(),
    }
}

#[wasm_bindgen_test]
fn a_reader_draws_where_draws_are_measured() {
    each_step(|name, lesson, at, setup| {
        let task = lesson.steps[at].task;
        if task == Task::DrawCurve {
            assert!(setup.state.can_sweep() && setup.plot == PlotChoice::Draws, "{name}");
        }
    });
}

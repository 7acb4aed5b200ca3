//! What a lesson says beside what its step shows: a bound is the best one or is named, a number of the text is drawn in
//! the plot, and who is to move a control is asked first.

use std::collections::BTreeMap;
use std::path::Path;

use lipscope::lessons::{
    Condition, GrowthReading, Lines, Measured, Piece, Prediction, Quantity, Slot, Step, Visible, Way, lessons, pieces,
    slots,
};
use lipscope::link;
use lipscope::state::{PageState, PlotChoice, Scene, Trace, XAxis};
use lipscope_core::bounds::{BoundId, Domain, KIM_L2, KIM_LINF, Norm};
use lipscope_testkit::in_repository;

use crate::answers::Answers;

/// Calls `check` with the name, the step, and a list that it adds faults to; the list must stay empty.
pub fn each_step(mut check: impl FnMut(&str, &'static Step, &mut Vec<String>)) {
    let mut faults = Vec::new();
    for lesson in lessons() {
        for (at, step) in lesson.steps.iter().enumerate() {
            check(&format!("{}, step {}", lesson.id, at + 1), step, &mut faults);
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

/// The names of the bounds by their ids, without what stands in brackets after them.
fn names(language: &str) -> BTreeMap<String, String> {
    let path = in_repository(format!("words/{language}/bounds.toml"));
    let words: toml::Table = std::fs::read_to_string(path).expect("a catalogue").parse().expect("TOML");
    let labels = words["bound_label"].as_table().expect("labels");
    let bare = |label: &str| label.split(['(', '[', '（']).next().unwrap_or_default().trim().to_owned();
    labels.iter().map(|(id, label)| (id.clone(), bare(label.as_str().expect("a text")))).collect()
}

/// The id under which the catalogue has a bound's name.
fn named_as(id: BoundId) -> &'static str {
    if id == &KIM_LINF { KIM_L2.id() } else { id.id().trim_end_matches("_masked") }
}

/// The bound that a place quotes by name.
fn quoted(slot: Slot) -> Option<BoundId> {
    match slot {
        Slot::Measured(Measured::Bound(id) | Measured::Times(id) | Measured::Losses(id))
        | Slot::Growth(GrowthReading::Bound(id)) => Some(id),
        _ => None,
    }
}

/// The sentences of a text: each its words, and the places in it.
fn sentences(text: &'static str) -> Vec<(String, Vec<Slot>)> {
    let mut found = vec![(String::new(), Vec::new())];
    for piece in pieces(text).expect("a text that can be read") {
        match piece {
            Piece::Words(words) => {
                // A Chinese full stop has no space behind it.
                for (at, part) in words.replace(['。', '？'], ". ").split(". ").enumerate() {
                    if at > 0 {
                        found.push((String::new(), Vec::new()));
                    }
                    found.last_mut().expect("a sentence").0.push_str(part);
                }
            }
            Piece::Value(slot) => found.last_mut().expect("a sentence").1.push(slot),
            _ => {}
        }
    }
    found
}

#[test]
fn a_bound_in_a_text_is_the_best_one_or_is_named_in_its_sentence() {
    let names = [names("en"), names("zh")];
    let mut quotes = 0;
    each_step(|name, step, faults| {
        for paragraph in &step.text {
            for (text, names) in paragraph.text.all().into_iter().zip(&names) {
                for (words, places) in sentences(text) {
                    for id in places.into_iter().filter_map(quoted) {
                        quotes += 1;
                        let wanted = &names[named_as(id)];
                        if !words.contains(wanted) {
                            faults.push(format!("{name}: “{words}” quotes {} and does not say “{wanted}”", id.id()));
                        }
                    }
                }
            }
        }
    });
    assert!(quotes > 30, "only {quotes} bounds were looked at");
}

/// What a plot lacks of a number of the text; `None` where it has it.
fn lack(slot: Slot, scene: &Scene, visible: Visible, name: &str) -> Option<String> {
    let state = &scene.state;
    match scene.plot {
        PlotChoice::Growth => lack_over_n(slot, state, visible)
            .or_else(|| (slot == Slot::Growth(GrowthReading::Crossover)).then(|| lack_of_crossover(scene, name))?),
        PlotChoice::Scaled => match slot {
            Slot::Measured(Measured::Bound(id)) if id != &KIM_L2 => Some("a line".into()),
            _ => None,
        },
        // The largest column sum is what the lines to a token add up to.
        PlotChoice::Tokens => (slot == Slot::Measured(Measured::ColumnSum) && visible.lines != Some(Lines::Received))
            .then(|| "the lines of a column".into()),
        _ => None,
    }
}

fn lack_over_n(slot: Slot, state: &PageState, visible: Visible) -> Option<String> {
    let n = state.n_tokens();
    let has = |trace: Trace| state.growth.traces.has(trace);
    let lacks = |trace: Trace| (!has(trace)).then(|| format!("the curve {}", trace.id()));
    let of_bound = |id: BoundId| {
        let trace = Trace::ALL.into_iter().find(|trace| trace.bounds().contains(&id))?;
        lacks(trace)
    };
    match slot {
        Slot::Measured(what) => {
            let curve = match what {
                // The rung that is selected has a ring where it has no curve.
                Measured::Bound(id) | Measured::Times(id) if id.domain() == Domain::Tokens => {
                    (visible.bound != Some(id)).then(|| format!("the ring of {}", id.id()))
                }
                Measured::Bound(id) | Measured::Times(id) | Measured::Losses(id) => of_bound(id),
                Measured::BestBound => lacks(Trace::Sharp),
                Measured::BestLower => lacks(Trace::Worst),
                Measured::Spectral | Measured::Ratio => None,
                // These stand among the numbers beside the plot, and are no heights in it.
                _ => return None,
            };
            curve.or_else(|| (state.read_at() != n).then(|| format!("the cursor at n = {n}")))
        }
        Slot::Slope => lacks(Trace::Draws),
        Slot::Growth(GrowthReading::Bound(id)) => of_bound(id),
        Slot::Growth(GrowthReading::Best) => lacks(Trace::Sharp),
        Slot::Growth(GrowthReading::Worst) => lacks(Trace::Worst),
        Slot::Growth(GrowthReading::Exact) => lacks(Trace::Exact),
        Slot::Growth(GrowthReading::Gap) => lacks(Trace::Sharp)
            .or_else(|| lacks(Trace::Worst))
            .or_else(|| (state.growth_axis() != XAxis::LogLog).then(|| "the shaded gap".into())),
        _ => None,
    }
}

/// The upright line of the crossover, where the axis reaches it.
fn lack_of_crossover(scene: &Scene, name: &str) -> Option<String> {
    let answers = Answers::of(scene.clone(), name);
    let is_there =
        answers.growth.crossover(Norm::Spectral).is_some_and(|found| found.ln_n.exp() <= scene.state.growth_end());
    (!is_there).then(|| "the line of the crossover".into())
}

#[test]
fn every_number_that_a_text_talks_about_is_drawn_in_the_plot_of_its_step() {
    let mut looked = 0;
    each_step(|name, step, faults| {
        // A mark is placed between bounds, in place of the plot.
        if step.prediction == Prediction::Mark {
            return;
        }
        let mut scenes = vec![step.scene().clone()];
        if let Prediction::Choice(fields) = step.prediction {
            scenes.extend(link::over(step.scene().clone(), fields).scene);
        }
        for scene in &scenes {
            // A plot of other norms shows no bound on the spectral norm.
            for paragraph in step.text.iter().filter(|_| scene.state.norm == Norm::Spectral) {
                for slot in slots(paragraph.text.all()[0]) {
                    looked += 1;
                    if let Some(lack) = lack(slot, scene, step.visible, name) {
                        faults.push(format!("{name}: {{{}}} without {lack}", slot.words()));
                    }
                }
            }
        }
    });
    assert!(looked > 200, "only {looked} numbers were looked at");
}

#[test]
fn a_figure_that_a_step_scrolls_to_is_an_element_of_the_page() {
    let mut shown = 0;
    let source = sources(&in_repository("src"));
    each_step(|name, step, faults| {
        if let Some(id) = step.visible.figure {
            shown += 1;
            let plot_of = id.strip_suffix("-plot").unwrap_or("-");
            if ![format!("\"{id}\""), format!("plot_ids!(\"{plot_of}\")")].iter().any(|part| source.contains(part)) {
                faults.push(format!("{name}: there is no {id}"));
            }
        }
    });
    assert!(shown > 5, "{shown}");
}

/// The text of all source files of a folder.
fn sources(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| if path.is_dir() { sources(&path) } else { std::fs::read_to_string(path).unwrap_or_default() })
        .collect()
}

#[test]
fn a_mark_is_placed_between_the_bounds_that_the_text_quotes() {
    each_step(|name, step, faults| {
        if step.prediction != Prediction::Mark {
            return;
        }
        let places = step.text.iter().flat_map(|paragraph| slots(paragraph.text.all()[0]));
        for slot in places.filter(|slot| quoted(*slot).is_some()) {
            faults.push(format!("{name}: {{{}}} need not be among the rails", slot.words()));
        }
    });
}

#[test]
fn who_is_to_move_a_control_is_asked_first_what_it_will_do() {
    let is_setting = |condition: &Condition| match condition {
        // Tokens are moved by hand: that is no control.
        Condition::Is(key, word) => (*key, *word) != ("tokens", "own"),
        Condition::AtLeast(more, less) => [more, less]
            .into_iter()
            .all(|side| matches!(side, Quantity::Number(_) | Quantity::Set(_) | Quantity::Slot(Slot::Chosen(_)))),
        _ => false,
    };
    let mut asked = 0;
    each_step(|name, step, faults| {
        let goals = step.goals.iter().filter(|goal| matches!(goal.way, Way::Fields(_)));
        for goal in goals.filter(|goal| goal.conditions.iter().all(is_setting)) {
            faults.push(format!("{name}: the goal {} is one control's move, and nothing is asked before", goal.id));
        }
        if let Prediction::Choice(_) = step.prediction {
            asked += 1;
            // A slider or a button before the answer would give it away.
            let first = step.text.iter().filter(|paragraph| paragraph.when.is_empty());
            let pieces = first.flat_map(|paragraph| pieces(paragraph.text.all()[0]).expect("a text"));
            if pieces.into_iter().any(|piece| matches!(piece, Piece::Slider(_) | Piece::Press(..))) {
                faults.push(format!("{name}: a control stands before the answer"));
            }
        }
    });
    assert!(asked > 15, "only {asked} steps ask");
}

//! The opened runs, and what is chosen of them.

use std::sync::Arc;

use crate::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::File;

use lipscope_plot::Extent;
use lipscope_run::{Place, Run, RunView, map_with};

/// Where a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The run whose steps the slider has.
    First,
    /// The run beside it.
    Second,
}

/// A run, and the name of its file.
#[derive(Clone, Debug)]
pub struct OpenedRun {
    pub name: String,
    pub run: Run,
}

/// Where a log was read from, so that it can be read again.
#[derive(Clone, Debug)]
pub struct Source {
    pub file: File,
    /// The browser's handle of a dropped file: it gives the file as it is now. A file alone is the one of its first reading.
    pub handle: Option<JsValue>,
}

/// What the reader has chosen. A run that does not have it shows its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    pub map: Option<String>,
    pub column: Option<String>,
    pub layer: Option<Place>,
    /// The columns that are drawn as lines.
    pub lines: Vec<String>,
}

/// The run of a slot, if it has one.
type Opened = RwSignal<Option<Arc<OpenedRun>>>;

/// The opened runs, from the context.
pub fn use_runs() -> Runs {
    expect_context()
}

/// The opened runs, and what is chosen of them.
#[derive(Clone, Copy)]
pub struct Runs {
    first: Opened,
    second: Opened,
    /// What is shown of each run.
    views: [Memo<Option<RunView>>; 2],
    /// Where each run was read from.
    sources: StoredValue<[Option<Source>; 2], LocalStorage>,
    pub choice: RwSignal<Choice>,
    /// The chosen step.
    pub step: RwSignal<u64>,
    /// What is wrong, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// Which slots are being read.
    reading: RwSignal<[bool; 2]>,
    /// Counts the readings of each slot: only the latest may show its run.
    readings: StoredValue<[u64; 2]>,
}

impl Runs {
    /// The context before any run.
    pub fn new() -> Self {
        let (first, second) = (RwSignal::new(None), RwSignal::new(None));
        let choice = RwSignal::new(Choice::default());
        let view = move |own: Opened| memo(move |_| view(own, [first, second], choice));
        Runs {
            first,
            second,
            views: [view(first), view(second)],
            sources: StoredValue::new_local([None, None]),
            choice,
            step: RwSignal::default(),
            problem: RwSignal::default(),
            reading: RwSignal::default(),
            readings: StoredValue::default(),
        }
    }

    fn signal(self, slot: Slot) -> Opened {
        match slot {
            Slot::First => self.first,
            Slot::Second => self.second,
        }
    }

    /// The run of a slot. Tracks it.
    pub fn opened(self, slot: Slot) -> Option<Arc<OpenedRun>> {
        self.signal(slot).get()
    }

    /// Whether a slot has a run. Tracks it.
    pub fn is_open(self, slot: Slot) -> bool {
        self.signal(slot).with(Option::is_some)
    }

    /// Whether a slot has a run, without tracking.
    pub fn is_open_untracked(self, slot: Slot) -> bool {
        self.signal(slot).with_untracked(Option::is_some)
    }

    /// The slot of a run that is dropped: beside the first one, if there is one.
    pub fn slot_for_another(self) -> Slot {
        if self.is_open_untracked(Slot::First) { Slot::Second } else { Slot::First }
    }

    /// Removes the run of a slot.
    pub fn close(self, slot: Slot) {
        self.signal(slot).set(None);
        self.sources.update_value(|sources| sources[slot as usize] = None);
    }

    /// Where the runs were read from.
    pub fn sources(self) -> Vec<(Slot, Source)> {
        let of = |slot: Slot| self.sources.with_value(|sources| sources[slot as usize].clone().map(|of| (slot, of)));
        [Slot::First, Slot::Second].into_iter().filter_map(of).collect()
    }

    /// Begins a reading; its number says later whether it is still the latest of its slot.
    pub fn begin_reading(self, slot: Slot) -> u64 {
        self.problem.set(None);
        self.reading.update(|reading| reading[slot as usize] = true);
        self.readings.update_value(|readings| readings[slot as usize] += 1);
        self.readings.get_value()[slot as usize]
    }

    /// Whether a log is being read. Tracks it.
    pub fn is_reading(self) -> bool {
        self.reading.get().contains(&true)
    }

    /// Whether a reading is the latest of its slot.
    pub fn is_latest(self, slot: Slot, reading: u64) -> bool {
        self.readings.get_value()[slot as usize] == reading
    }

    /// Ends a reading with a sentence about what is wrong.
    pub fn complain(self, slot: Slot, problem: String) {
        self.reading.update(|reading| reading[slot as usize] = false);
        self.problem.set(Some(problem));
    }

    /// Ends a reading with its run. The step stays, or follows the end of a run that has grown.
    pub fn show(self, slot: Slot, source: Option<Source>, opened: OpenedRun) {
        self.reading.update(|reading| reading[slot as usize] = false);
        let last = |run: &Run| run.steps().last().copied().unwrap_or_default();
        let before = self.signal(slot).with_untracked(|before| before.as_ref().map(|before| last(&before.run)));
        let was_at_end = before.is_none_or(|before| before == self.step.get_untracked());
        if slot == Slot::First && was_at_end {
            self.step.set(last(&opened.run));
        }
        self.sources.update_value(|sources| sources[slot as usize] = source);
        self.signal(slot).set(Some(Arc::new(opened)));
    }

    /// What is shown of the run of a slot. Tracks the runs and the choice.
    pub fn view(self, slot: Slot) -> Option<RunView> {
        self.views[slot as usize].get()
    }
}

/// What is shown of a run; the colours mean the same in both runs.
fn view(own: Opened, all: [Opened; 2], choice: RwSignal<Choice>) -> Option<RunView> {
    let opened = own.get()?;
    let view = choice.with(|choice| chosen_view(&opened.run, choice));
    let [first, second] = all.map(|one| one.get().and_then(|opened| range(&opened.run, &view)));
    Some(RunView { colors: first.zip(second).map(|(first, second)| first.union(second)), ..view })
}

fn range(run: &Run, view: &RunView) -> Option<Extent> {
    Extent::of(run.grid(&view.map, &view.column).values.into_iter().flatten())
}

/// What a run shows of a choice.
fn chosen_view(run: &Run, choice: &Choice) -> RunView {
    let map = choice.map.as_deref().filter(|map| run.maps().contains(map));
    let view = map.map_or_else(|| RunView::new(run), |map| RunView::of_map(run, map));
    let columns = run.columns(&view.map);
    let column = choice.column.clone().filter(|column| columns.contains(&column.as_str()));
    let layer = choice.layer.clone().filter(|layer| run.places(&view.map).contains(layer));
    let lines = choice.lines.iter().filter(|column| map_with(run, &view.map, column).is_some());
    RunView {
        column: column.unwrap_or_else(|| view.column.clone()),
        columns: lines.cloned().collect(),
        layer: layer.or_else(|| view.layer.clone()),
        ..view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_run::Row;

    #[test]
    fn a_choice_that_a_run_does_not_have_is_its_default() {
        let row = |layer: &str, map: &str, value| Row { value: Some(value), ..Row::new(0, layer, map) }.to_line();
        let lines = [row("h.0", "attention", 9.0), row("h.0", "block", 1.0), row("h.1", "block", 2.0)];
        let run = Run::parse(&lines.join("\n")).expect("a run");
        let other = Choice {
            map: Some("mlp".into()),
            column: Some("sink".into()),
            layer: Some(Place { layer: "h.7".into(), call: None, item: None }),
            lines: vec!["sink".into(), "value".into()],
        };
        let view = chosen_view(&run, &other);
        assert_eq!((view.map.as_str(), view.column.as_str(), view.columns.len()), ("block", "value", 1));
        assert_eq!(view.layer.map(|layer| layer.to_string()).as_deref(), Some("h.1"));
        let attention = Choice { map: Some("attention".into()), ..Choice::default() };
        assert_eq!(chosen_view(&run, &attention).layer.map(|layer| layer.to_string()).as_deref(), Some("h.0"));
    }
}

//! A mark for the norm that the reader places between the bounds, and the measured norm beside it.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{LastPainted, Paint, TableFold, Timing, role_of, use_easel};
use crate::frame::When;
use crate::keys::GuessKey;
use crate::state::Trace;
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_plot::{Kind, Ladder, LadderLayout, LadderRow, Role};

use super::context::{Classroom, use_classroom};
use super::guess;

/// A press of an arrow key moves the mark by this part of a power of ten.
const STEP: f64 = 0.05;

/// The picture on which the reader places the mark.
#[component]
pub fn PlaceMark() -> impl IntoView {
    let room = use_classroom();
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<LadderLayout> = StoredValue::new_local(None);
    let is_held = StoredValue::new_local(false);
    let ladder = memo(move |_| ladder(room));
    use_easel(
        canvas,
        Timing::Frame(When::Before),
        move || ladder.track(),
        move |easel| {
            if let Some(layout) = ladder.with_untracked(|ladder| ladder.paint(easel)) {
                painted.set_value(Some(Rc::new(layout)));
            }
        },
    );
    let mark = memo(move |_| guess::mark(room));
    let range = memo(move |_| guess::mark_range(room));
    let move_to = move |event: &ev::PointerEvent| {
        if let Some(layout) = painted.get_value() {
            guess::set_mark(room, layout.px_to_log10(f64::from(event.offset_x())));
        }
    };
    let on_down = move |event: ev::PointerEvent| {
        if guess::task_is_open(room) {
            // Where the browser refuses the capture, moving ends at the edge.
            let _ = event_target::<web_sys::Element>(&event).set_pointer_capture(event.pointer_id());
            is_held.set_value(true);
            move_to(&event);
        }
    };
    let on_move = move |event: ev::PointerEvent| {
        if is_held.get_value() {
            move_to(&event);
        }
    };
    let lift = move |_: ev::PointerEvent| is_held.set_value(false);
    let on_key = move |event: ev::KeyboardEvent| on_key(room, &event);
    view! {
        <div class="plot-stage guess-mark-stage">
            <canvas
                node_ref=canvas
                id="guess-mark"
                class="guess-canvas"
                role="slider"
                tabindex="0"
                aria-label=strings::place_label()
                aria-valuemin=move || range.get().lo().to_string()
                aria-valuemax=move || range.get().hi().to_string()
                aria-valuenow=move || mark.get().to_string()
                aria-valuetext=move || strings::mark(10f64.powf(mark.get()))
                aria-describedby="guess-hint"
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=lift
                on:pointercancel=lift
                on:keydown=on_key
            ></canvas>
        </div>
        <div class="plot-foot">
            <p class="readout" id="guess-hint">{strings::place_hint()}</p>
            <TableFold
                id="guess-table"
                name="lipscope-guess.csv"
                table=move || ladder.get().table()
                csv=move || ladder.get_untracked().to_csv()
            />
        </div>
    }
}

fn ladder(room: Classroom) -> Ladder {
    let mut rows: Vec<LadderRow> = guess::rails(room)
        .iter()
        .map(|bound| LadderRow {
            id: bound.id.id().into(),
            label: room.page.state.with(|state| strings::measured_bound_label(bound.id, state)),
            log10: bound.log10,
            kind: strings::side_kind(bound.side),
            role: role_of(bound.id),
        })
        .collect();
    if !guess::is_covered(room) {
        rows.extend(room.page.answers.measured.with(|measured| {
            measured.as_ref().map(|m| LadderRow {
                id: "measured".into(),
                label: strings::trace_label(Trace::Draws).into(),
                log10: m.measurement.spectral.log10(),
                kind: strings::kind_of(&m.measurement, Norm::Spectral),
                role: Role::Measured,
            })
        }));
    }
    let yours = (guess::is_covered(room) || guess::has_guessed(room)).then_some(rows.len());
    if yours.is_some() {
        rows.push(LadderRow {
            id: "yours".into(),
            label: strings::your_mark().into(),
            log10: guess::mark(room),
            kind: Kind::Plain,
            role: Role::Selected,
        });
    }
    let mut ladder = Ladder::new(strings::norm_symbol(Norm::Spectral), rows);
    ladder.selected = yours;
    ladder.range = Some(guess::mark_range(room));
    ladder
}

fn on_key(room: Classroom, event: &ev::KeyboardEvent) {
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return;
    }
    let Some(key) = GuessKey::of(&event.key()) else { return };
    event.prevent_default();
    let (now, range) = untrack(|| (guess::mark(room), guess::mark_range(room)));
    let to = match key {
        GuessKey::Reveal => return guess::reveal_guess(room),
        GuessKey::Left | GuessKey::Down => now - STEP,
        GuessKey::Right | GuessKey::Up => now + STEP,
        GuessKey::PageDown => now - 2f64.log10(),
        GuessKey::PageUp => now + 2f64.log10(),
        GuessKey::First => range.lo(),
        GuessKey::Last => range.hi(),
    };
    if guess::task_is_open(room) {
        guess::set_mark(room, to);
    }
}

//! Playing the iterations: play and pause, a step, and a slider. With reduced motion there are steps only.

use std::time::Duration;

use crate::prelude::*;
use leptos::ev;

use crate::frame::{Debounce, is_motion_reduced};
use crate::page::{Page, PlotChoice, use_page};
use crate::strings;

use crate::phase::Phase;

/// How long each iterate is shown.
const BEAT: Duration = Duration::from_millis(180);
/// A long iteration is played in about this many beats.
const BEATS: usize = 40;

/// The iteration of the inverse that is pictured, in the context.
#[derive(Clone, Copy, Default)]
pub struct Frame(pub RwSignal<usize>);

/// The iteration from the context.
pub fn use_frame() -> Frame {
    expect_context()
}

/// The buttons under the planes.
#[component]
pub fn Player() -> impl IntoView {
    let (page, Frame(frame)) = (use_page(), use_frame());
    let last = memo(move |_| page.answers.inverse.with(|data| data.last()));
    let is_playing = RwSignal::new(false);
    let beat = Debounce::default();
    let play = move || {
        if frame.get_untracked() >= last.get_untracked() {
            frame.set(0);
        }
        is_playing.set(true);
        go_on(page, frame, last, is_playing, beat);
    };
    // Plays once when an answer is complete, unless the reader wants reduced motion.
    let is_done = memo(move |_| {
        let inverse = page.answers.inverse;
        (inverse.phase() == Phase::Done).then(|| inverse.latest())
    });
    effect(move |_| {
        is_playing.set(false);
        if is_done.with(Option::is_some) {
            frame.set(0);
            if !is_motion_reduced() && page.plot.get_untracked() == PlotChoice::Inverse {
                play();
            }
        }
    });
    let on_play = move |_| if is_playing.get_untracked() { is_playing.set(false) } else { play() };
    let step = move |by: isize| {
        is_playing.set(false);
        frame.update(|frame| *frame = frame.saturating_add_signed(by).min(last.get_untracked()));
    };
    let on_slide = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        is_playing.set(false);
        frame.set(event.target().value().parse().unwrap_or(0));
    };
    let shown = move || frame.get().min(last.get());
    view! {
        <div class="lab-player" role="group" aria-label=strings::player()>
            <button type="button" id="inverse-play" hidden=is_motion_reduced() on:click=on_play>
                {move || if is_playing.get() { strings::pause() } else { strings::play() }}
            </button>
            <button type="button" id="inverse-back" aria-label=strings::step_back() title=strings::step_back() on:click=move |_| step(-1)>"←"</button>
            <button type="button" id="inverse-step" aria-label=strings::step_on() title=strings::step_on() on:click=move |_| step(1)>"→"</button>
            <input
                type="range"
                id="inverse-frame"
                min="0"
                max=move || last.get().to_string()
                aria-label=strings::inverse_x()
                aria-valuetext=move || strings::iteration(shown())
                prop:value=move || shown().to_string()
                style=move || format!("--at:{}", shown() as f64 / last.get().max(1) as f64)
                on:input:target=on_slide
            />
            <span class="lab-frame" data-testid="inverse-frame" data-value=move || shown().to_string()>{move || strings::iteration(shown())}</span>
        </div>
    }
}

/// Shows a later iterate after every beat, until the last one.
fn go_on(page: Page, frame: RwSignal<usize>, last: Memo<usize>, is_playing: RwSignal<bool>, beat: Debounce) {
    beat.after(BEAT, move || {
        if !is_playing.get_untracked() {
            return;
        }
        let end = last.get_untracked();
        let next = (frame.get_untracked() + end.div_ceil(BEATS).max(1)).min(end);
        frame.set(next);
        if next >= end || page.plot.get_untracked() != PlotChoice::Inverse {
            return is_playing.set(false);
        }
        go_on(page, frame, last, is_playing, beat);
    });
}

//! Playing through a list: play and pause, a step, and a slider. With reduced motion there are steps only.

use std::time::Duration;

use crate::prelude::*;
use leptos::ev;

use crate::frame::{Debounce, is_motion_reduced};
use crate::page::{Page, PlotChoice, use_page};
use crate::strings;

/// How long each entry is shown.
const BEAT: Duration = Duration::from_millis(180);

/// The list, and the entry that is shown.
#[derive(Clone, Copy)]
pub struct Reel {
    /// The index of the entry.
    pub at: Signal<usize>,
    /// The last index.
    pub last: Signal<usize>,
    /// Shows the entry with an index; the last one for a larger index.
    pub show: Callback<(usize,)>,
    /// How many entries a beat goes on, given the last index.
    pub stride: fn(usize) -> usize,
    /// The plot in which it is played: it stops elsewhere.
    pub plot: PlotChoice,
}

/// A list that can be played.
#[derive(Clone, Copy)]
pub struct Playing {
    page: Page,
    reel: Reel,
    is_on: RwSignal<bool>,
    beat: Debounce,
}

impl Playing {
    /// A list that rests.
    pub fn new(reel: Reel) -> Self {
        Playing { page: use_page(), reel, is_on: RwSignal::new(false), beat: Debounce::default() }
    }

    /// Plays on, or from the start if the last entry is shown.
    pub fn play(self) {
        let Reel { at, last, show, .. } = self.reel;
        if at.get_untracked() >= last.get_untracked() {
            show.run((0,));
        }
        self.is_on.set(true);
        self.go_on();
    }

    /// Ends playing.
    pub fn stop(self) {
        self.is_on.set(false);
    }

    fn step(self, by: isize) {
        self.stop();
        self.reel.show.run((self.reel.at.get_untracked().saturating_add_signed(by),));
    }

    /// Shows a later entry after every beat, until the last one.
    fn go_on(self) {
        self.beat.after(BEAT, move || {
            let Reel { at, last, show, stride, plot } = self.reel;
            if !self.is_on.get_untracked() {
                return;
            }
            let end = last.get_untracked();
            let next = (at.get_untracked() + stride(end)).min(end);
            show.run((next,));
            if next >= end || self.page.plot.get_untracked() != plot {
                return self.stop();
            }
            self.go_on();
        });
    }
}

/// The ids of the controls.
#[derive(Clone, Copy)]
pub struct PlayerIds {
    /// The button that plays and pauses.
    pub play: &'static str,
    /// The button to the entry before.
    pub back: &'static str,
    /// The button to the next entry.
    pub on: &'static str,
    /// The slider, and the entry in words.
    pub slider: &'static str,
}

/// The names of the controls.
#[derive(Clone, Copy)]
pub struct PlayerWords {
    /// The name of the group.
    pub group: &'static str,
    /// The name of the button to the entry before.
    pub back: &'static str,
    /// The name of the button to the next entry.
    pub on: &'static str,
    /// The name of the slider.
    pub slider: &'static str,
}

/// The controls.
#[component]
pub fn Player(
    /// What is played.
    playing: Playing,
    /// The ids.
    ids: PlayerIds,
    /// The names.
    names: PlayerWords,
    /// The classes of the group.
    class: &'static str,
    /// The entry in words.
    #[prop(into)]
    words: Signal<String>,
    /// The entry for programs.
    #[prop(into)]
    value: Signal<String>,
) -> impl IntoView {
    let Playing { reel: Reel { at, last, show, .. }, is_on, .. } = playing;
    let on_play = move |_| if is_on.get_untracked() { playing.stop() } else { playing.play() };
    let on_slide = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        playing.stop();
        show.run((event.target().value().parse().unwrap_or(0),));
    };
    view! {
        <div class=class role="group" aria-label=names.group>
            <button type="button" id=ids.play hidden=is_motion_reduced() on:click=on_play>
                {move || if is_on.get() { strings::pause() } else { strings::play() }}
            </button>
            <button type="button" id=ids.back aria-label=names.back title=names.back on:click=move |_| playing.step(-1)>"←"</button>
            <button type="button" id=ids.on aria-label=names.on title=names.on on:click=move |_| playing.step(1)>"→"</button>
            <input
                type="range"
                id=ids.slider
                min="0"
                max=move || last.get().to_string()
                aria-label=names.slider
                aria-valuetext=move || words.get()
                prop:value=move || at.get().to_string()
                style=move || format!("--at:{}", at.get() as f64 / last.get().max(1) as f64)
                on:input:target=on_slide
            />
            <span class="lab-frame" data-testid=ids.slider data-value=move || value.get()>{move || words.get()}</span>
        </div>
    }
}

//! Playing the iterations of an inverse.

use crate::prelude::*;

use crate::frame::is_motion_reduced;
use crate::page::{PlotChoice, use_page};
use crate::phase::Phase;
use crate::player::{Player, PlayerIds, PlayerWords, Playing, Reel};
use crate::strings;

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
pub fn IterationPlayer() -> impl IntoView {
    let (page, Frame(frame)) = (use_page(), use_frame());
    let last = memo(move |_| page.answers.inverse.with(|data| data.last()));
    let shown = Signal::derive(move || frame.get().min(last.get()));
    let playing = Playing::new(Reel {
        at: shown,
        last: last.into(),
        show: Callback::new(move |(iteration,): (usize,)| frame.set(iteration.min(last.get_untracked()))),
        stride: |last| last.div_ceil(BEATS).max(1),
        plot: PlotChoice::Inverse,
    });
    // Plays once when an answer is complete, unless the reader wants reduced motion.
    let is_done = memo(move |_| {
        let inverse = page.answers.inverse;
        (inverse.phase() == Phase::Done).then(|| inverse.latest())
    });
    effect(move |_| {
        playing.stop();
        if is_done.with(Option::is_some) {
            frame.set(0);
            if !is_motion_reduced() && page.plot.get_untracked() == PlotChoice::Inverse {
                playing.play();
            }
        }
    });
    let ids = PlayerIds { play: "inverse-play", back: "inverse-back", on: "inverse-step", slider: "inverse-frame" };
    let names = PlayerWords {
        group: strings::player(),
        back: strings::step_back(),
        on: strings::step_on(),
        slider: strings::inverse_x(),
    };
    let words = Signal::derive(move || strings::iteration(shown.get()));
    view! { <Player playing ids names class="lab-player" words value=Signal::derive(move || shown.get().to_string())/> }
}

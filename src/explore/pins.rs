//! Pinned states: the number and the curves of a state stay in the plot, paler, while the reader moves another one.
//!
//! Pins are the reader's own until the page is closed: links do not hold them, and undo leaves them.

use crate::prelude::*;

use lipscope_core::bounds::{Norm, SHARP};
use lipscope_plot::{Kind, LineStyle, Role, Series, SeriesKind};

use crate::answers::{Curves, Measured, Sweep};
use crate::charts::role_of;
use crate::over_n;
use crate::page::Page;
use crate::state::PageState;
use crate::strings;

/// The most pins: more curves of one colour could not be told apart.
pub const MOST_PINS: usize = 3;
/// The opacity of what is pinned.
const PINNED: f64 = 0.5;
/// The dashes by which the pins' curves differ.
const DASHES: [LineStyle; MOST_PINS] = [LineStyle::Dashed, LineStyle::Dotted, LineStyle::DashDot];
/// The start of the ids of what is pinned.
const ID: &str = "pin-";

/// A pinned state, with its number and its curves over n.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its state.
    pub state: PageState,
    /// Number of tokens.
    pub n: f64,
    /// The norm at the tokens, and how well it is known.
    pub norm: (f64, Kind),
    /// The mean of the draws, as (n, value).
    mean: Vec<(f64, f64)>,
    /// The best bound, as (n, log10).
    best: Vec<(f64, f64)>,
}

impl Pin {
    /// The pin of a state, with those of the answers that belong to it; `None` where its number is not there yet.
    pub fn of(state: &PageState, measured: Option<&Measured>, sweep: &Sweep, curves: &Curves) -> Option<Self> {
        let measured = measured.filter(|measured| measured.answers(state))?;
        let measurement = &measured.measurement;
        let is_swept = sweep.is_of(state);
        let rows = if curves.are_on_ball(state) { curves.rows() } else { &[] };
        Some(Pin {
            state: state.clone(),
            n: measurement.n,
            norm: measured.norm(Norm::Spectral)?,
            mean: if is_swept { over_n::mean(sweep, sweep.of.as_ref(), Norm::Spectral).data } else { Vec::new() },
            best: rows
                .iter()
                .filter_map(|row| row.best_upper(Norm::Spectral).map(|bound| (row.n, bound.log10)))
                .collect(),
        })
    }
}

/// What the plot draws of the pins.
#[derive(Clone, Copy, Default)]
pub struct Pinned(pub RwSignal<Vec<Series>>);

/// What the plot draws of the pins, from the context.
pub fn use_pinned() -> Pinned {
    expect_context()
}

/// The pins of the page. They come with its later part.
#[derive(Clone, Copy)]
pub struct Pins {
    /// The pins in the order in which they were made.
    pub all: RwSignal<Vec<Pin>>,
    drawn: Pinned,
}

/// The pins, from the context.
pub fn use_pins() -> Pins {
    expect_context()
}

impl Pins {
    /// No pins yet; the plot will draw `drawn`.
    pub fn new(drawn: Pinned) -> Self {
        Pins { all: RwSignal::default(), drawn }
    }

    /// Whether there is room for another pin.
    pub fn has_room(self) -> bool {
        self.all.with(|all| all.len() < MOST_PINS)
    }

    /// Pins the state on screen; false where it has no number yet, or there is no room.
    pub fn pin(self, page: Page) -> bool {
        let answers = page.answers;
        let new = untrack(|| {
            let (sweep, curves, measured) = (answers.sweep.read(), answers.bounds.read(), answers.measured.get());
            Pin::of(&page.state.read(), measured.as_deref(), &sweep, &curves)
        });
        let Some(new) = new.filter(|_| untrack(|| self.has_room())) else { return false };
        self.change(|all| all.push(new));
        true
    }

    /// Removes a pin.
    pub fn remove(self, at: usize) {
        self.change(|all| {
            if at < all.len() {
                all.remove(at);
            }
        });
    }

    fn change(self, change: impl FnOnce(&mut Vec<Pin>)) {
        self.all.update(change);
        self.drawn.0.set(self.all.with_untracked(|all| series_of(all).collect()));
    }
}

/// Whether a series is one of a pin.
pub fn is_pinned(series_id: &str) -> bool {
    series_id.starts_with(ID)
}

/// The curves and the numbers of the pins, paler than those of the present state.
fn series_of(pins: &[Pin]) -> impl Iterator<Item = Series> + '_ {
    pins.iter().zip(DASHES).enumerate().flat_map(|(at, (pin, dashes))| {
        let series = |what: &str, label: String, role: Role, kind: SeriesKind, data: &[(f64, f64)]| Series {
            opacity: PINNED,
            line: (kind == SeriesKind::Line).then_some(dashes),
            ..Series::new(format!("{ID}{}-{what}", at + 1), label, role, kind, data.to_vec())
        };
        let best = role_of(&SHARP);
        let bound = series("best", strings::pin_best(at + 1), best, SeriesKind::Line, &pin.best);
        [
            bound.given_log10().claim(Kind::UpperBound),
            series("mean", strings::pin_mean(at + 1), Role::Measured, SeriesKind::Line, &pin.mean),
            series("here", String::new(), Role::Selected, SeriesKind::Hollow, &[(pin.n, pin.norm.0)]),
        ]
        .into_iter()
        .filter(|series| !series.data.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use lipscope_core::experiment::Mask;

    use super::*;
    use crate::plans;

    #[test]
    fn a_pin_keeps_number_and_curves_of_its_state_and_nothing_of_another_one() {
        let state = PageState { n: 4, ..PageState::default() };
        let measured = Measured::without_pictures(&state);
        let sweep = Sweep { of: plans::sweep(&state), ..Sweep::default() };
        let pin = |state: &PageState| Pin::of(state, Some(&measured), &sweep, &Curves::default());
        let pinned = pin(&state).expect("it is measured");
        assert_eq!((pinned.n, pinned.norm), (4.0, (measured.measurement.spectral, Kind::Exact)));
        assert_eq!(pin(&PageState { n: 5, ..state.clone() }), None, "its number is not there yet");
        let two = [pinned.clone(), Pin { best: vec![(2.0, 0.5)], mean: vec![(2.0, 1.5)], ..pinned }];
        let series: Vec<Series> = series_of(&two).collect();
        let ids: Vec<&str> = series.iter().map(|series| series.id.as_str()).collect();
        assert_eq!(ids, ["pin-1-here", "pin-2-best", "pin-2-mean", "pin-2-here"]);
        assert!(series.iter().all(|series| series.opacity == PINNED && is_pinned(&series.id)));
    }

    #[test]
    fn a_pin_is_named_by_what_differs_in_the_words_of_the_controls() {
        let pinned = PageState { n: 100, mask: Mask::Causal, radius: 2.0, ..PageState::default() };
        assert_eq!(strings::differences(&pinned, &PageState::default()), "n = 100, R = 2, mask: causal");
        assert_eq!(strings::differences(&PageState::default(), &pinned), "n = 12, R = 1.5, mask: none");
        assert_eq!(strings::differences(&pinned, &pinned), strings::pin_same());
        // Another sample in the same ball.
        let drawn = PageState { token_seed: 3, ..pinned.clone() };
        assert!(strings::differences(&drawn, &pinned).ends_with("seed 3"));
    }
}

//! Tokens that can be touched: moved, added, removed and snapped on the token plane, by pointer and by keys; the leading
//! singular pair over them, and the attention row of one.
//!
//! | file | concept |
//! | --- | --- |
//! | `scene` | what the plane shows: tokens as they are now, arrows and rows as they were measured last |
//! | `canvas` | the canvas with its pointer and its keys |
//! | `pace` | a token that is moved is shown in one frame with its numbers |
//! | `stage` | the large plane with its tools and its legend |
//! | `breath` | the swing of X + e v |

mod breath;
mod canvas;
mod pace;
mod scene;
mod stage;

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::Rows;
use lipscope_core::picture::{FEWEST_TOKENS, MOST_MOVABLE, PairRequest, PlaneFrame, Snap, TokenEdit};
use lipscope_plot::Extent;

use super::live::Measured;
use super::newest::Newest;
use super::page::{Page, PlotChoice};
use super::state::{Fixed, PageState};
use super::strings;

pub use canvas::PlaneCanvas;
pub use scene::{MOST_DRAWN, Size, plane_of};
pub use stage::{PlaneTable, TokenStage, plane_words};

use pace::Pace;
use scene::scene;

/// Where sentences about edits by hand stand.
pub const PLACE: &str = "token-plane";

/// How long the numbers rest before a screen reader hears where a token is.
const SAY_REST: Duration = Duration::from_millis(300);

/// What the token plane shows besides the tokens.
#[derive(Clone, Copy)]
pub struct Plane {
    /// The token that is selected, from zero.
    pub selected: RwSignal<Option<usize>>,
    /// Whether the attention row of the selected token is shown.
    pub has_row: RwSignal<bool>,
    /// Whether the leading singular pair is shown.
    pub has_pair: RwSignal<bool>,
    /// Whether it is to swing.
    pub is_swinging: RwSignal<bool>,
    /// By which part of itself the pair is moved, while it swings.
    pub swing: RwSignal<Option<f64>>,
    /// When the tokens of the opening view changed last, while they may swing.
    opening_since: StoredValue<Option<f64>>,
    /// The ball that tokens cannot be moved out of, where there is one.
    pub wall: RwSignal<Option<f64>>,
    /// What a screen reader is told.
    pub said: RwSignal<String>,
    /// What holds still while a token is moved.
    held: StoredValue<Option<Held>>,
    /// Whether tokens wait for their numbers.
    pace: Pace,
    /// What a screen reader is told when the token rests.
    saying: Newest,
}

/// What holds still while a token is moved.
#[derive(Clone, Debug, Default)]
struct Held {
    frame: Option<PlaneFrame>,
    stretch: Option<f64>,
    /// The axes of each plane.
    axes: [Option<(Extent, Extent)>; 3],
}

impl Default for Plane {
    fn default() -> Self {
        Plane {
            selected: RwSignal::new(None),
            has_row: RwSignal::new(true),
            has_pair: RwSignal::new(false),
            is_swinging: RwSignal::new(false),
            swing: RwSignal::new(None),
            opening_since: StoredValue::new(None),
            wall: RwSignal::new(None),
            said: RwSignal::new(String::new()),
            held: StoredValue::new(None),
            pace: Pace::default(),
            saying: Newest::default(),
        }
    }
}

/// Starts what runs by itself: the swing of the pair, and how tokens and numbers keep pace.
pub fn begin(page: Page) {
    breath::begin(page);
    pace::begin(page);
}

impl Plane {
    /// Whether the worker is asked for the pair.
    pub fn pair_wanted(self, plot: PlotChoice) -> PairRequest {
        if self.has_pair.get() || plot == PlotChoice::Explore { PairRequest::Included } else { PairRequest::Skipped }
    }

    /// Whether the leading singular pair is shown on a plane: on that of the opening view always.
    pub fn shows_pair(self, size: Size) -> bool {
        size == Size::Opening || self.has_pair.get()
    }

    /// Whether it swings there.
    pub fn swings(self, size: Size) -> bool {
        match size {
            Size::Small => false,
            Size::Large => self.is_swinging.get(),
            Size::Opening => self.swing.with(Option::is_some),
        }
    }

    /// The index of the token whose row is shown, where it is one of n tokens.
    pub fn row_shown(self, n: usize) -> Option<usize> {
        self.selected_of(n).filter(|_| self.has_row.get())
    }

    /// The index of the selected token, where it is one of n tokens.
    pub fn selected_of(self, n: usize) -> Option<usize> {
        self.selected.get().filter(|token| *token < n)
    }
}

impl Page {
    /// How many places of tokens the last measurement has.
    pub fn n_on_plane(self) -> usize {
        self.live.measured.with(|measured| measured.as_ref().map_or(0, |measured| measured.tokens.positions.len()))
    }

    /// Does something with the tokens that can be moved; or says why none can.
    pub fn with_tokens_in_hand<T>(self, read: impl FnOnce(&Rows, &PlaneFrame) -> T) -> Result<T, Fixed> {
        self.live
            .measured
            .with(|measured| self.with_tokens_of(&self.in_effect().ok_or(Fixed::Waiting)?, measured.as_deref(), read))
    }

    /// The same with the tokens of another state.
    fn with_tokens_of<T>(
        self,
        state: &PageState,
        measured: Option<&Measured>,
        read: impl FnOnce(&Rows, &PlaneFrame) -> T,
    ) -> Result<T, Fixed> {
        let rows = state.in_hand(drawn(state, measured))?;
        let frame = self.frame(measured).filter(|frame| frame.mean.len() == rows.n_columns());
        Ok(read(rows, &frame.ok_or(Fixed::Waiting)?))
    }

    /// The plane that is shown: the one that holds still, or that of the last measurement.
    fn frame(self, measured: Option<&Measured>) -> Option<PlaneFrame> {
        let held = self.plane.held.with_value(|held| held.as_ref().and_then(|held| held.frame.clone()));
        held.or_else(|| measured.map(|measured| measured.tokens.frame.clone()))
    }

    /// Edits the tokens by hand.
    pub fn edit_tokens(self, edit: TokenEdit) {
        let Some(state) = untrack(|| self.in_effect()) else { return };
        let edited = self.live.measured.with_untracked(|measured| {
            let measured = measured.as_deref();
            let frame = self.frame(measured).filter(|frame| frame.mean.len() == state.dim());
            frame.map(|frame| {
                let edited = state.with_edit(drawn(&state, measured), &frame, &edit)?;
                match self.plane.wall.get_untracked() {
                    Some(radius) => edited.with_edit(None, &frame, &TokenEdit::Snap { radius, snap: Snap::Into }),
                    None => Ok(edited),
                }
            })
        });
        if let Some(edited) = edited {
            let is_move = matches!(edit, TokenEdit::Move { .. });
            if !is_move {
                // Moves within a drag are one step, which begins when the plane is held.
                self.begin_step();
            }
            if self.put(PLACE, edited) && is_move {
                self.plane.pace.wait();
            }
            self.say_token_soon();
        }
    }

    /// Holds axes and plane still while a token is moved.
    pub fn hold_plane(self) {
        if self.plane.held.with_value(Option::is_none) {
            let frame = self.live.measured.with_untracked(|measured| self.frame(measured.as_deref()));
            self.plane.held.set_value(Some(Held { frame, ..Held::default() }));
            self.begin_step();
        }
        if !self.held.get_untracked() {
            self.held.set(true);
        }
    }

    /// Lets them settle.
    pub fn release_plane(self) {
        if self.plane.held.with_value(Option::is_some) {
            self.plane.held.set_value(None);
            self.plane.pace.rest();
            self.held.set(false);
        }
    }

    /// Adds a token at a place, or where one is seen at once; the new one is selected.
    pub fn add_token(self, at: Option<(f64, f64)>) {
        let step = self.token_step(0.1);
        let found = untrack(|| {
            self.with_tokens_in_hand(|rows, frame| {
                let beside = self.plane.selected_of(rows.n_rows()).and_then(|token| rows.iter().nth(token));
                let place = beside.map_or((0.0, 0.0), |token| frame.place(token));
                (at.unwrap_or((place.0 + step, place.1)), rows.n_rows())
            })
        });
        if let Ok((at, n)) = found
            && n < MOST_MOVABLE
        {
            self.edit_tokens(TokenEdit::Add { at });
            self.plane.selected.set(Some(n));
        }
    }

    /// Removes the selected token; the one after it takes its place.
    pub fn remove_token(self) {
        let n = untrack(|| self.with_tokens_in_hand(|rows, _| rows.n_rows())).unwrap_or(0);
        if let Some(token) = untrack(|| self.plane.selected_of(n))
            && n > FEWEST_TOKENS
        {
            self.edit_tokens(TokenEdit::Remove { token });
            self.plane.selected.set(Some(token.min(n - 2)));
        }
    }

    /// A part of the radius of the ball that the tokens are in.
    pub fn token_step(self, part: f64) -> f64 {
        let radius = self.live.measured.with_untracked(|m| m.as_ref().map_or(0.0, |m| m.tokens.largest_norm));
        part * if radius > 0.0 { radius } else { self.state.with_untracked(|state| state.radius) }
    }

    /// Selects a token, or none.
    pub fn select_token(self, token: Option<usize>) {
        if self.plane.selected.get_untracked() != token {
            self.plane.selected.set(token);
        }
        self.say_token_soon();
    }

    /// The selected token in words.
    pub fn selected_words(self) -> Option<String> {
        let plane = scene(self, Size::Small)?;
        let token = plane.selected?;
        let place = *plane.points.get(token)?;
        self.live.measured.with(|measured| {
            let measured = measured.as_deref()?;
            let norm = self.norm();
            Some(strings::token_said(token, place, &measured.tokens, &measured.measurement, norm))
        })
    }

    fn say_token_soon(self) {
        self.plane.saying.after(SAY_REST, move || {
            let words = untrack(|| self.selected_words()).unwrap_or_default();
            self.plane.said.set(words);
        });
    }
}

/// What the worker drew, where it is of this state.
fn drawn<'a>(state: &PageState, measured: Option<&'a Measured>) -> Option<&'a Rows> {
    measured.filter(|measured| measured.state.draws_like(state)).and_then(|measured| measured.tokens.tokens.as_ref())
}

//! What the token plane holds besides the tokens, and how tokens are edited by hand.

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::Rows;
use lipscope_core::picture::{FEWEST_TOKENS, MOST_MOVABLE, PlaneFrame, Snap, TokenEdit};
use lipscope_plot::Extent;

use crate::debounce::Debounce;
use crate::live::Measured;
use crate::page::Page;
use crate::state::{NotMovable, PageState};
use crate::strings;

use super::token_number_sync::TokenNumberSync;

/// Where sentences about edits by hand stand.
pub const PLACE: &str = "token-plane";

/// A point of the plane.
pub(super) type Point = (f64, f64);

/// The most points that are drawn: more are a blot, and cost frames.
pub const MOST_DRAWN: usize = 1024;
/// How long the numbers rest before a screen reader hears where a token is.
const SAY_REST: Duration = Duration::from_millis(300);

/// Which of both planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Among the small views.
    Small,
    /// In the place of the main plot.
    Large,
    /// In the opening view.
    Opening,
}

/// What the token plane shows besides the tokens.
#[derive(Clone, Copy)]
pub struct Plane {
    pub(super) page: Page,
    /// Whether it is to swing.
    pub is_swinging: RwSignal<bool>,
    /// By which part of itself the pair is moved, while it swings.
    pub swing: RwSignal<Option<f64>>,
    /// When the tokens of the opening view changed last, while they may swing.
    pub(super) opening_since: StoredValue<Option<f64>>,
    /// What a screen reader is told.
    pub said: RwSignal<String>,
    /// What holds still while a token is moved.
    pub(super) held: StoredValue<Option<Held>>,
    /// Whether tokens wait for their numbers.
    pub(super) pace: TokenNumberSync,
    /// What a screen reader is told when the token rests.
    pub(super) saying: Debounce,
}

/// What holds still while a token is moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) frame: Option<PlaneFrame>,
    pub(super) stretch: Option<f64>,
    /// The axes of each plane.
    pub(super) axes: [Option<(Extent, Extent)>; 3],
}

impl Plane {
    /// Nothing is moved.
    pub fn new(page: Page) -> Self {
        Plane {
            page,
            is_swinging: RwSignal::new(false),
            swing: RwSignal::new(None),
            opening_since: StoredValue::new(None),
            said: RwSignal::new(String::new()),
            held: StoredValue::new(None),
            pace: TokenNumberSync::default(),
            saying: Debounce::default(),
        }
    }
}

/// The context.
pub fn use_plane() -> Plane {
    expect_context()
}

impl Plane {
    /// Whether the leading singular pair is shown on a plane: on that of the opening view always.
    pub fn shows_pair(self, size: Size) -> bool {
        size == Size::Opening || self.page.look.has_pair.get()
    }

    /// Hears of numbers as they come, so that tokens wait for them.
    pub(super) fn begin_pace(self) {
        self.pace.begin(self.page);
    }

    /// Whether it swings there.
    pub fn swings(self, size: Size) -> bool {
        match size {
            Size::Small => false,
            Size::Large => self.is_swinging.get(),
            Size::Opening => self.swing.with(Option::is_some),
        }
    }
}

impl Plane {
    /// How many places of tokens the last measurement has.
    pub fn n_on_plane(self) -> usize {
        self.page.live.measured.with(|measured| measured.as_ref().map_or(0, |measured| measured.tokens.positions.len()))
    }

    /// Does something with the tokens that can be moved; or says why none can.
    pub fn with_tokens_in_hand<T>(self, read: impl FnOnce(&Rows, &PlaneFrame) -> T) -> Result<T, NotMovable> {
        self.page.live.measured.with(|measured| {
            self.with_tokens_of(&self.page.in_effect().ok_or(NotMovable::Waiting)?, measured.as_deref(), read)
        })
    }

    /// The same with the tokens of another state.
    pub(super) fn with_tokens_of<T>(
        self,
        state: &PageState,
        measured: Option<&Measured>,
        read: impl FnOnce(&Rows, &PlaneFrame) -> T,
    ) -> Result<T, NotMovable> {
        let rows = state.in_hand(drawn(state, measured))?;
        let frame = self.frame(measured).filter(|frame| frame.mean.len() == rows.n_columns());
        Ok(read(rows, &frame.ok_or(NotMovable::Waiting)?))
    }

    /// The plane that is shown: the one that holds still, or that of the last measurement.
    pub(super) fn frame(self, measured: Option<&Measured>) -> Option<PlaneFrame> {
        let held = self.held.with_value(|held| held.as_ref().and_then(|held| held.frame.clone()));
        held.or_else(|| measured.map(|measured| measured.tokens.frame.clone()))
    }

    /// Edits the tokens by hand.
    pub fn edit_tokens(self, edit: TokenEdit) {
        let Some(state) = untrack(|| self.page.in_effect()) else { return };
        let edited = self.page.live.measured.with_untracked(|measured| {
            let measured = measured.as_deref();
            let frame = self.frame(measured).filter(|frame| frame.mean.len() == state.dim());
            frame.map(|frame| {
                let edited = state.with_edit(drawn(&state, measured), &frame, &edit)?;
                match self.page.look.wall.get_untracked() {
                    Some(radius) => edited.with_edit(None, &frame, &TokenEdit::Snap { radius, snap: Snap::Into }),
                    None => Ok(edited),
                }
            })
        });
        if let Some(edited) = edited {
            let is_move = matches!(edit, TokenEdit::Move { .. });
            if !is_move {
                // Moves within a drag are one step, which begins when the plane is held.
                self.page.begin_step();
            }
            if self.page.put(PLACE, edited) && is_move {
                self.pace.wait();
            }
            self.say_token_soon();
        }
    }

    /// Holds axes and plane still while a token is moved.
    pub fn hold_plane(self) {
        if self.held.with_value(Option::is_none) {
            let frame = self.page.live.measured.with_untracked(|measured| self.frame(measured.as_deref()));
            self.held.set_value(Some(Held { frame, ..Held::default() }));
            self.page.begin_step();
        }
        if !self.page.held.get_untracked() {
            self.page.held.set(true);
        }
    }

    /// Lets them settle.
    pub fn release_plane(self) {
        if self.held.with_value(Option::is_some) {
            self.held.set_value(None);
            self.pace.rest();
            self.page.held.set(false);
        }
    }

    /// Adds a token at a place, or where one is seen at once; the new one is selected.
    pub fn add_token(self, at: Option<(f64, f64)>) {
        let step = self.token_step(0.1);
        let found = untrack(|| {
            self.with_tokens_in_hand(|rows, frame| {
                let beside = self.page.look.token_of(rows.n_rows()).and_then(|token| rows.iter().nth(token));
                let place = beside.map_or((0.0, 0.0), |token| frame.place(token));
                (at.unwrap_or((place.0 + step, place.1)), rows.n_rows())
            })
        });
        if let Ok((at, n)) = found
            && n < MOST_MOVABLE
        {
            self.edit_tokens(TokenEdit::Add { at });
            self.page.look.token.set(Some(n));
        }
    }

    /// Removes the selected token; the one after it takes its place.
    pub fn remove_token(self) {
        let n = untrack(|| self.with_tokens_in_hand(|rows, _| rows.n_rows())).unwrap_or(0);
        if let Some(token) = untrack(|| self.page.look.token_of(n))
            && n > FEWEST_TOKENS
        {
            self.edit_tokens(TokenEdit::Remove { token });
            self.page.look.token.set(Some(token.min(n - 2)));
        }
    }

    /// A part of the radius of the ball that the tokens are in.
    pub fn token_step(self, part: f64) -> f64 {
        let radius = self.page.live.measured.with_untracked(|m| m.as_ref().map_or(0.0, |m| m.tokens.largest_norm));
        part * if radius > 0.0 { radius } else { self.page.state.with_untracked(|state| state.radius) }
    }

    /// Selects a token, or none.
    pub fn select_token(self, token: Option<usize>) {
        if self.page.look.token.get_untracked() != token {
            self.page.look.token.set(token);
        }
        self.say_token_soon();
    }

    /// Snaps all tokens to the ball of the radius that the controls have.
    pub fn snap_tokens(self, snap: Snap) {
        let radius = self.page.state.with_untracked(|state| state.radius);
        self.edit_tokens(TokenEdit::Snap { radius, snap });
    }

    fn say_token_soon(self) {
        self.saying.after(SAY_REST, move || {
            let words = untrack(|| self.selected_words()).unwrap_or_default();
            self.said.set(words);
        });
    }

    /// Where the tokens are drawn: as they are now where they can be moved, else as they were measured; and whether they are of now.
    /// Tracks what it reads.
    pub(super) fn points(self, measured: &Measured) -> (Vec<Point>, bool) {
        let places = |rows: &Rows, frame: &PlaneFrame| rows.iter().map(|row| frame.place(row)).collect();
        let in_hand =
            self.with_state_in_view(measured, |state| self.with_tokens_of(state, Some(measured), places).ok());
        let is_now = in_hand.is_some();
        let as_measured = || {
            let positions = measured.tokens.positions.iter().take(MOST_DRAWN);
            positions.map(|(x, y)| (f64::from(*x), f64::from(*y))).collect()
        };
        (in_hand.unwrap_or_else(as_measured), is_now)
    }

    /// The selected token in words: which one it is, where it lies, and what is measured of it.
    pub fn selected_words(self) -> Option<String> {
        let page = self.page;
        let measured = page.live.measured.get()?;
        let (points, _) = self.points(&measured);
        let token = page.look.token_of(points.len())?;
        let place = *points.get(token)?;
        Some(strings::token_said(token, place, &measured.tokens, &measured.measurement, page.norm()))
    }

    /// Reads the state whose tokens are shown: while one is moved that of the numbers beside it, unless these are late.
    pub(super) fn with_state_in_view<T>(self, measured: &Measured, read: impl FnOnce(&PageState) -> T) -> T {
        let is_moved = self.page.held.get() && self.held.with_value(Option::is_some);
        match self.page.in_effect().filter(|_| !is_moved || self.pace.is_ahead()) {
            Some(state) => read(&state),
            None => read(&measured.state),
        }
    }
}

/// What the worker drew, where it is of this state.
fn drawn<'a>(state: &PageState, measured: Option<&'a Measured>) -> Option<&'a Rows> {
    measured.filter(|measured| measured.state.draws_like(state)).and_then(|measured| measured.tokens.tokens.as_ref())
}

//! The state of the token plane besides the tokens, and editing tokens by hand.

use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::Rows;
use lipscope_core::picture::{FEWEST_TOKENS, MOST_MOVABLE, PlaneFrame, Snap, TokenEdit};
use lipscope_plot::Extent;

use crate::answers::Measured;
use crate::frame::Debounce;
use crate::page::Page;
use crate::state::{NotMovable, PageState};
use crate::strings;

use super::token_number_sync::TokenNumberSync;

/// Where sentences about edits by hand stand.
pub const PLACE: &str = "token-plane";

/// A point of the plane.
pub(super) type Point = (f64, f64);

/// The most points that are drawn: more would be a blot, and slow down the frames.
pub const MOST_DRAWN: usize = 1024;
/// How long the numbers rest before a screen reader hears where a token is.
const SAY_REST: Duration = Duration::from_millis(300);

/// Which of the three planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Among the small views.
    Small,
    /// In the place of the main plot.
    Large,
    /// The disc of the opening view.
    Opening,
}

/// What the rim of the ball does to a token that is moved beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rim {
    /// The token stays on the rim.
    Stops,
    /// The ball grows with it, unless a lesson forbids it.
    GivesWay,
}

/// The state of the token plane besides the tokens.
#[derive(Clone, Copy)]
pub struct Plane {
    pub(super) page: Page,
    /// Whether the reader has switched the swing on.
    pub is_swinging: RwSignal<bool>,
    /// The factor by which the pair moves the tokens, while they swing.
    pub swing: RwSignal<Option<f64>>,
    /// When the tokens of the opening view last changed, while they may swing.
    pub(super) opening_since: StoredValue<Option<f64>>,
    /// How many times the reader has asked for the worst tokens known. The later part answers.
    pub worst_asked: RwSignal<u32>,
    /// The last way to the worst tokens known, for the way back.
    pub way_back: RwSignal<Option<WayBack>>,
    /// Whether a pointer is on the disc of the opening view, and whether it has the focus.
    pub(super) is_under_pointer: RwSignal<bool>,
    pub(super) has_focus: RwSignal<bool>,
    /// The text for a screen reader.
    pub spoken: RwSignal<String>,
    /// The parts of the picture that are frozen while a token is moved.
    pub(super) held: StoredValue<Option<Held>>,
    /// Whether tokens wait for their numbers.
    pub(super) sync: TokenNumberSync,
    /// Tells a screen reader where the selected token is, once the token rests.
    pub(super) saying: Debounce,
}

/// Where the tokens were before the page moved them to the worst known, and after.
#[derive(Clone, Debug, PartialEq)]
pub struct WayBack {
    /// The state before.
    pub from: PageState,
    /// The state after.
    pub to: PageState,
}

/// The parts of the picture that are frozen while a token is moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) frame: Option<PlaneFrame>,
    pub(super) stretch: Option<f64>,
    /// The axes of the plane of each size.
    pub(super) axes: [Option<(Extent, Extent)>; 3],
}

impl Plane {
    /// The plane while no token is moved.
    pub fn new(page: Page) -> Self {
        Plane {
            page,
            is_swinging: RwSignal::new(false),
            swing: RwSignal::new(None),
            opening_since: StoredValue::new(None),
            worst_asked: RwSignal::new(0),
            way_back: RwSignal::new(None),
            is_under_pointer: RwSignal::new(false),
            has_focus: RwSignal::new(false),
            spoken: RwSignal::new(String::new()),
            held: StoredValue::new(None),
            sync: TokenNumberSync::default(),
            saying: Debounce::default(),
        }
    }
}

/// The state of the token plane, from the context.
pub fn use_plane() -> Plane {
    expect_context()
}

impl Plane {
    /// Whether a plane shows the leading singular pair. The opening view always does.
    pub fn shows_pair(self, size: Size) -> bool {
        size == Size::Opening || self.page.look.has_pair.get()
    }

    /// Whether a reader is at the disc of the opening view: it then shows all arrows.
    pub(super) fn is_attended(self) -> bool {
        self.is_under_pointer.get() || self.has_focus.get()
    }

    /// Whether the tokens of a plane swing.
    pub fn swings(self, size: Size) -> bool {
        match size {
            Size::Small => false,
            Size::Large => self.is_swinging.get(),
            Size::Opening => self.swing.with(Option::is_some),
        }
    }
}

impl Plane {
    /// How many token positions the last measurement has.
    pub fn n_on_plane(self) -> usize {
        self.page
            .answers
            .measured
            .with(|measured| measured.as_ref().map_or(0, |measured| measured.tokens.positions.len()))
    }

    /// Reads the tokens that can be moved, or says why none can.
    pub fn with_tokens_in_hand<T>(self, read: impl FnOnce(&Rows, &PlaneFrame) -> T) -> Result<T, NotMovable> {
        self.page.answers.measured.with(|measured| {
            self.with_tokens_of(&self.page.in_effect().ok_or(NotMovable::Waiting)?, measured.as_deref(), read)
        })
    }

    /// As `with_tokens_in_hand`, with the tokens of another state.
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

    /// The frame of the plane on screen: the frozen frame, or the frame of the last measurement.
    pub(super) fn frame(self, measured: Option<&Measured>) -> Option<PlaneFrame> {
        let held = self.held.with_value(|held| held.as_ref().and_then(|held| held.frame.clone()));
        held.or_else(|| measured.map(|measured| measured.tokens.frame.clone()))
    }

    /// Edits the tokens by hand.
    pub fn edit_tokens(self, edit: TokenEdit) {
        self.edit_within(edit, Rim::GivesWay);
    }

    /// Edits the tokens by hand, within the ball or beyond it.
    pub(super) fn edit_within(self, edit: TokenEdit, rim: Rim) {
        let Some(state) = untrack(|| self.page.in_effect()) else { return };
        let edited = self.page.answers.measured.with_untracked(|measured| {
            let measured = measured.as_deref();
            let frame = self.frame(measured).filter(|frame| frame.mean.len() == state.dim());
            frame.map(|frame| {
                let edited = state.with_edit(drawn(&state, measured), &frame, &edit)?;
                let wall = self.page.look.wall.get_untracked();
                match wall.or_else(|| state.rim().filter(|_| rim == Rim::Stops)) {
                    Some(radius) => edited.with_edit(None, &frame, &TokenEdit::Snap { radius, snap: Snap::Into }),
                    None => Ok(edited),
                }
            })
        });
        if let Some(edited) = edited {
            let is_move = matches!(edit, TokenEdit::Move { .. });
            if !is_move {
                // All moves within a drag are one step, which begins when the plane is frozen.
                self.page.begin_step();
            }
            if self.page.put(PLACE, edited) && is_move {
                self.sync.wait();
            }
            self.say_token_soon();
        }
    }

    /// Freezes axes and plane while a token is moved.
    pub fn hold_plane(self) {
        if self.held.with_value(Option::is_none) {
            let frame = self.page.answers.measured.with_untracked(|measured| self.frame(measured.as_deref()));
            self.held.set_value(Some(Held { frame, ..Held::default() }));
            self.page.begin_step();
        }
        if !self.page.held.get_untracked() {
            self.page.held.set(true);
        }
    }

    /// Releases axes and plane.
    pub fn release_plane(self) {
        if self.held.with_value(Option::is_some) {
            self.held.set_value(None);
            self.sync.rest();
            self.page.held.set(false);
        }
    }

    /// Adds a token at a place, or else a step to the right of the selected token or of the centre. Selects the new
    /// token.
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

    /// Removes the selected token, and selects the next one.
    pub fn remove_token(self) {
        let n = untrack(|| self.with_tokens_in_hand(|rows, _| rows.n_rows())).unwrap_or(0);
        if let Some(token) = untrack(|| self.page.look.token_of(n))
            && n > FEWEST_TOKENS
        {
            self.edit_tokens(TokenEdit::Remove { token });
            self.page.look.token.set(Some(token.min(n - 2)));
        }
    }

    /// The length of a step on the plane: `part` of the radius of the tokens' ball.
    pub fn token_step(self, part: f64) -> f64 {
        let radius = self.page.answers.measured.with_untracked(|m| m.as_ref().map_or(0.0, |m| m.tokens.largest_norm));
        part * if radius > 0.0 { radius } else { self.page.state.with_untracked(|state| state.radius) }
    }

    /// Selects a token, or deselects it.
    pub fn select_token(self, token: Option<usize>) {
        if self.page.look.token.get_untracked() != token {
            self.page.look.token.set(token);
        }
        self.say_token_soon();
    }

    /// Snaps all tokens to the ball of the controls' radius.
    pub fn snap_tokens(self, snap: Snap) {
        let radius = self.page.state.with_untracked(|state| state.radius);
        self.edit_tokens(TokenEdit::Snap { radius, snap });
    }

    fn say_token_soon(self) {
        self.saying.after(SAY_REST, move || {
            let words = untrack(|| self.selected_words()).unwrap_or_default();
            self.spoken.set(words);
        });
    }

    /// Drops the words about the selected token once they are no longer those of the measured tokens.
    pub(super) fn forget_old_words(self) {
        effect(move |_| {
            self.page.answers.measured.track();
            let words = self.spoken.get_untracked();
            if !words.is_empty() && untrack(|| self.selected_words()).as_deref() != Some(&*words) {
                self.spoken.set(String::new());
            }
        });
    }

    /// Where the tokens are drawn, and whether these places are the present ones. Tokens that can be moved are drawn at
    /// their present places, others where they were measured. Tracks its signals.
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
        let measured = page.answers.measured.get()?;
        let (points, _) = self.points(&measured);
        let token = page.look.token_of(points.len())?;
        let place = *points.get(token)?;
        Some(strings::token_said(token, place, &measured.tokens, &measured.measurement, page.norm()))
    }

    /// Reads the state whose tokens are drawn. While a token is moved, this is the state of the numbers on screen,
    /// unless the next numbers are late.
    pub(super) fn with_state_in_view<T>(self, measured: &Measured, read: impl FnOnce(&PageState) -> T) -> T {
        let is_moved = self.page.held.get() && self.held.with_value(Option::is_some);
        match self.page.in_effect().filter(|_| !is_moved || self.sync.is_ahead()) {
            Some(state) => read(&state),
            None => read(&measured.state),
        }
    }
}

/// The tokens that the worker drew at random, if they belong to this state.
fn drawn<'a>(state: &PageState, measured: Option<&'a Measured>) -> Option<&'a Rows> {
    measured.filter(|measured| measured.state.draws_like(state)).and_then(|measured| measured.tokens.tokens.as_ref())
}

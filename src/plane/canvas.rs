//! The canvas of the tokens with its pointer and its keys.
//!
//! A finger on a token moves the token; elsewhere it scrolls the page.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{Easel, LastPainted, Paint, Timing, use_easel};
use crate::frame::When;
use crate::state::PageState;
use crate::strings;
use lipscope_core::picture::{Snap, TokenEdit};
use lipscope_plot::{PlaneLayout, PlaneShape, TokenPlane};

use super::context::{PLACE, Plane, Rim, Size, use_plane};
use super::scene::{Moves, keep, scene};

/// How near a token a pointer must be, in CSS pixels: a mouse, and a finger.
const REACH: (f64, f64) = (12.0, 26.0);
/// How far a pointer moves before it drags: less is a click.
const LEAST_MOVE: f64 = 3.0;
/// The steps of the arrow keys, as parts of the largest norm: without and with Shift.
const STEPS: (f64, f64) = (0.02, 0.1);

/// A drag of a token.
#[derive(Clone, Debug)]
struct Drag {
    token: usize,
    /// The vector from the pointer to the token, in CSS pixels.
    offset: (f64, f64),
    began: (f64, f64),
    is_moving: bool,
    /// The state that Escape restores.
    before: PageState,
}

/// The tokens on a canvas.
#[component]
pub fn PlaneCanvas(
    /// The id of the canvas.
    id: &'static str,
    /// The size of the plane.
    size: Size,
    /// What it shows, in words.
    #[prop(into)]
    words: Signal<String>,
    /// How far tokens may move, where that is shown.
    #[prop(optional)]
    moves: Option<Signal<Option<Moves>>>,
) -> impl IntoView {
    let plane = use_plane();
    let page = plane.page;
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<(TokenPlane, PlaneLayout)> = StoredValue::new_local(None);
    let drag = StoredValue::new(None::<Drag>);
    let is_over = RwSignal::new(false);
    // New numbers of moved tokens often leave this scene unchanged: the memo then prevents another painting.
    let shown = memo(move |_| scene(plane, size, moves.and_then(|moves| moves.get())));
    let when = if size == Size::Small { When::After } else { When::Before };
    use_easel(
        canvas,
        Timing::Number(when),
        move || shown.track(),
        move |easel| {
            paint(shown, easel, painted);
            if let Some(canvas) = canvas.get_untracked() {
                // Where the selected token is drawn, for programs that drive the page.
                let _ = canvas.set_attribute("data-at", &selected_at(painted).unwrap_or_default());
            }
        },
    );
    let attend = move |by: RwSignal<bool>, is_attended: bool| {
        if size == Size::Opening && by.get_untracked() != is_attended {
            by.set(is_attended);
        }
    };
    let is_movable = memo(move |_| plane.with_tokens_in_hand(|_, _| ()).is_ok());
    let on_down = move |event: ev::PointerEvent| {
        if event.button() != 0 || !event.is_primary() {
            return;
        }
        let at = place(&event);
        let Some((token, token_at)) = hit(painted, at, &event) else {
            drag.set_value(None);
            // A finger that scrolls, or that makes a double tap to add a token, begins the same way: only a mouse
            // deselects.
            if event.pointer_type() == "mouse" {
                plane.select_token(None);
            }
            return;
        };
        plane.select_token(Some(token));
        if is_movable.get_untracked() {
            if let Some(canvas) = canvas.get_untracked() {
                // Without the capture, the token would be let go at the edge of the canvas.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            let offset = (token_at.0 - at.0, token_at.1 - at.1);
            let before = page.state.get_untracked();
            drag.set_value(Some(Drag { token, offset, began: at, is_moving: false, before }));
        }
    };
    let on_move = move |event: ev::PointerEvent| {
        let at = place(&event);
        let Some(now) = drag.get_value() else {
            let over = is_movable.get_untracked() && hit(painted, at, &event).is_some();
            if is_over.get_untracked() != over {
                is_over.set(over);
            }
            return;
        };
        if !now.is_moving && (at.0 - now.began.0).hypot(at.1 - now.began.1) < LEAST_MOVE {
            return;
        }
        if !now.is_moving {
            plane.hold_plane();
            if let Some(painted) = painted.get_value() {
                keep(plane, size, &painted.0, painted.1.shown());
            }
            drag.update_value(|drag| {
                if let Some(drag) = drag {
                    drag.is_moving = true;
                }
            });
        }
        let to = painted.get_value().map(|painted| painted.1.place_at(at.0 + now.offset.0, at.1 + now.offset.1));
        if let Some(to) = to {
            let rim = if event.shift_key() { Rim::GivesWay } else { rim_of(size) };
            plane.edit_within(TokenEdit::Move { token: now.token, to }, rim);
        }
    };
    let let_go = move || {
        drag.set_value(None);
        plane.release_plane();
    };
    let take_back = move || {
        if let Some(Drag { is_moving: true, before, .. }) = drag.get_value() {
            page.put(PLACE, Ok(before));
        }
        let_go();
    };
    let on_double = move |event: ev::MouseEvent| {
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let Some(painted) = painted.get_value() else { return };
        if is_movable.get_untracked() && painted.1.nearest(at.0, at.1, REACH.0).is_none() {
            let (x, y) = painted.1.place_at(at.0, at.1);
            plane.add_token(Some((x, if painted.0.shape == PlaneShape::Line { 0.0 } else { y })));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && drag.with_value(Option::is_some) {
            return take_back();
        }
        if on_key(plane, size, painted, &event) {
            event.prevent_default();
        }
    };
    view! {
        <canvas
            node_ref=canvas
            id=id
            class="token-canvas"
            class:over=is_over
            role="application"
            aria-roledescription=strings::plane_role()
            tabindex="0"
            aria-label=move || words.get()
            title=move || if is_movable.get() { strings::plane_hint() } else { "" }
            on:pointerenter=move |_| attend(plane.is_under_pointer, true)
            on:pointerleave=move |_| attend(plane.is_under_pointer, false)
            on:focus=move |_| attend(plane.has_focus, true)
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| let_go()
            on:pointercancel=move |_| take_back()
            // The pointer is on a token, so this touch is no scrolling.
            on:touchstart=move |event: ev::TouchEvent| {
                if drag.with_value(Option::is_some) {
                    event.prevent_default();
                }
            }
            on:dblclick=on_double
            on:keydown=on_key
            on:keyup=move |_| if drag.with_value(Option::is_none) { plane.release_plane() }
            on:blur=move |_| {
                attend(plane.has_focus, false);
                if drag.with_value(Option::is_none) {
                    plane.release_plane();
                }
            }
        ></canvas>
    }
}

/// The width at which a plane has room for its texts, in CSS pixels.
const LEAST_WIDTH: f64 = 240.0;

fn paint(shown: Memo<Option<TokenPlane>>, easel: &Easel, painted: LastPainted<(TokenPlane, PlaneLayout)>) {
    let Some(plane) = shown.get_untracked() else { return };
    if let Some(layout) = plane.paint(&easel.with_room_for(LEAST_WIDTH)) {
        painted.set_value(Some(Rc::new((plane, layout))));
    }
}

/// The pixels of the selected token, x and y.
fn selected_at(painted: LastPainted<(TokenPlane, PlaneLayout)>) -> Option<String> {
    let painted = painted.get_value()?;
    let (x, y) = painted.1.positions.get(painted.0.selected?).copied().flatten()?;
    Some(format!("{x} {y}"))
}

fn place(event: &ev::PointerEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// The token under a pointer, and its place on the canvas.
fn hit(
    painted: LastPainted<(TokenPlane, PlaneLayout)>,
    at: (f64, f64),
    event: &ev::PointerEvent,
) -> Option<(usize, (f64, f64))> {
    let painted = painted.get_value()?;
    let reach = if event.pointer_type() == "touch" { REACH.1 } else { REACH.0 };
    let token = painted.1.nearest(at.0, at.1, reach)?;
    Some((token, painted.1.positions.get(token).copied().flatten()?))
}

/// Answers a key. Returns whether the plane has used it: false for other keys, and for an arrow key where no token can
/// be moved.
fn on_key(
    plane: Plane,
    size: Size,
    painted: LastPainted<(TokenPlane, PlaneLayout)>,
    event: &ev::KeyboardEvent,
) -> bool {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return false;
    }
    let Some(painted) = painted.get_value() else { return false };
    let n = painted.0.points.len();
    let selected = plane.page.look.token.get_untracked().filter(|token| *token < n);
    let select = |token: usize| plane.select_token(Some(token.min(n.saturating_sub(1))));
    let step = plane.token_step(if event.shift_key() { STEPS.1 } else { STEPS.0 });
    let rim = if event.shift_key() { Rim::GivesWay } else { rim_of(size) };
    let key = event.key();
    match key.as_str() {
        "PageDown" | "]" | "n" => select(selected.map_or(0, |token| (token + 1) % n.max(1))),
        "PageUp" | "[" | "p" => select(selected.map_or(n, |token| (token + n).saturating_sub(1) % n.max(1))),
        "Home" => select(0),
        "End" => select(n),
        "Escape" => plane.select_token(None),
        "Delete" | "Backspace" => plane.remove_token(),
        "a" => plane.add_token(None),
        "s" => plane.snap_tokens(Snap::Into),
        "S" => plane.snap_tokens(Snap::Onto),
        "ArrowLeft" => return nudge(plane, (size, rim), &painted.0, (-step, 0.0)),
        "ArrowRight" => return nudge(plane, (size, rim), &painted.0, (step, 0.0)),
        "ArrowUp" => return nudge(plane, (size, rim), &painted.0, (0.0, step)),
        "ArrowDown" => return nudge(plane, (size, rim), &painted.0, (0.0, -step)),
        _ => return false,
    }
    true
}

/// What the rim does to a token that is moved without the Shift key.
fn rim_of(size: Size) -> Rim {
    if size == Size::Opening { Rim::Stops } else { Rim::GivesWay }
}

/// Moves the selected token; without a selected token, selects the first. False where no token can be moved.
fn nudge(plane: Plane, (size, rim): (Size, Rim), painted: &TokenPlane, by: (f64, f64)) -> bool {
    // Two steps may come before one is painted, so the place comes from the tokens, not from the picture.
    let found = untrack(|| {
        plane.with_tokens_in_hand(|rows, frame| {
            let token = plane.page.look.token_of(rows.n_rows());
            token.and_then(|token| rows.iter().nth(token).map(|row| (token, frame.place(row))))
        })
    });
    match found {
        Ok(Some((token, from))) => {
            plane.hold_plane();
            keep(plane, size, painted, None);
            plane.edit_within(TokenEdit::Move { token, to: (from.0 + by.0, from.1 + by.1) }, rim);
        }
        Ok(None) => plane.select_token(Some(0)),
        Err(_) => return false,
    }
    true
}

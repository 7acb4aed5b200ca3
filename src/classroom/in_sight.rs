//! Scrolls into sight what has just appeared in the text of a lesson, and the figure that a step speaks of. On a phone
//! the panel of the lesson covers the lower part of the page, and on any screen a figure may stand below others.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use crate::prelude::*;

use crate::state::LessonAt;

use super::context::Classroom;

/// The time from one look to the next.
const PAUSE: Duration = Duration::from_millis(300);
/// The space that stays above the figure, in pixels.
const ABOVE: f64 = 8.0;
/// The number of looks. What stands above the figure is built in these seconds, and moves it.
const LOOKS: u32 = 8;

/// What a reader does who moves about the page.
const HANDS: [&str; 4] = ["wheel", "touchstart", "pointerdown", "keydown"];

/// Scrolls the panel at the next frame, as little as needed, so that the elements are in sight: all of them where there
/// is room, else the beginning of the first.
pub fn show_soon(find: impl Fn() -> Vec<web_sys::Element> + 'static) {
    request_animation_frame(move || {
        let elements = find();
        let (Some(first), Some(last)) = (elements.first(), elements.last()) else { return };
        let Ok(Some(panel)) = first.closest(".lesson-body") else { return };
        let panel = panel.get_bounding_client_rect();
        if last.get_bounding_client_rect().bottom() > panel.bottom() {
            last.scroll_into_view_with_bool(false);
        }
        if first.get_bounding_client_rect().top() < panel.top() {
            first.scroll_into_view();
        }
    });
}

/// Shows the beginning of a figure, by the id of its element, as the page is built, while the reader is at this step and
/// does nothing.
pub fn show_figure(room: Classroom, id: &'static str) {
    let is_moved = Rc::new(Cell::new(false));
    let on_event = |event| {
        let is_moved = is_moved.clone();
        window_event_listener_untyped(event, move |_| is_moved.set(true))
    };
    let listeners = HANDS.map(on_event).into();
    look_for(room, Watch { at: room.page.lesson.get_untracked(), id, is_moved, listeners }, LOOKS);
}

/// A figure that is looked for.
struct Watch {
    /// The reader's place.
    at: Option<LessonAt>,
    /// The id of the figure's element.
    id: &'static str,
    /// Whether the reader has done something since.
    is_moved: Rc<Cell<bool>>,
    /// What receives of it.
    listeners: Vec<WindowListenerHandle>,
}

fn look_for(room: Classroom, watch: Watch, looks: u32) {
    let look = move || {
        let is_on = !watch.is_moved.get() && room.page.lesson.get_untracked() == watch.at;
        let figure = document().get_element_by_id(watch.id).filter(|figure| is_on && figure.client_height() > 0);
        if let Some(figure) = figure {
            let seen = figure.get_bounding_client_rect();
            if is_out_of_sight(seen.top(), seen.bottom(), lower_edge()) {
                figure.scroll_into_view();
                // On a phone the browser leaves room above for a pinned plot, and the figure would lie under the panel.
                let top = figure.get_bounding_client_rect().top();
                if top > ABOVE {
                    window().scroll_by_with_x_and_y(0.0, top - ABOVE);
                }
            }
        }
        if is_on && looks > 1 {
            look_for(room, watch, looks - 1);
        } else {
            watch.listeners.into_iter().for_each(WindowListenerHandle::remove);
        }
    };
    set_timeout(look, PAUSE);
}

/// Whether a figure has to be scrolled, in pixels from the top of the window. Of one that is taller than the free part
/// the top is enough, in the upper half of it.
fn is_out_of_sight(top: f64, bottom: f64, edge: f64) -> bool {
    top < 0.0 || if bottom - top > edge { top > edge / 2.0 } else { bottom > edge }
}

/// Where the part of the page that is not covered ends, in pixels from the top of the window.
fn lower_edge() -> f64 {
    let page = document().document_element().map_or(0.0, |page| f64::from(page.client_height()));
    let panel = document().get_element_by_id("lesson-panel").map(|panel| panel.get_bounding_client_rect());
    // Beside the page the panel begins at its top.
    panel.filter(|panel| panel.top() > page / 4.0).map_or(page, |panel| panel.top())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_figure_taller_than_the_free_part_the_top_is_enough() {
        assert!(!is_out_of_sight(10.0, 300.0, 400.0));
        assert!(is_out_of_sight(200.0, 490.0, 400.0));
        assert!(!is_out_of_sight(10.0, 900.0, 400.0));
        assert!(is_out_of_sight(-10.0, 900.0, 400.0));
        assert!(is_out_of_sight(410.0, 1300.0, 400.0));
    }
}

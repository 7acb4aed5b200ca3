//! Scrolls the figure that a step speaks of into sight. On a phone the panel of the lesson covers the lower part of the
//! page, and on any screen a figure may stand below others.

use std::time::Duration;

use crate::prelude::*;

use crate::state::LessonAt;

use super::context::Classroom;

/// How long to wait for a figure: its plot may have to be built.
const PAUSE: Duration = Duration::from_millis(300);
/// After this many pauses the figure is not expected any more.
const MOST_PAUSES: u32 = 10;

/// Shows the beginning of a figure, by the id of its element, once the page has it and while the reader is at this step.
pub fn show_figure(room: Classroom, id: &'static str) {
    wait_for(room, room.page.lesson.get_untracked(), id, MOST_PAUSES);
}

fn wait_for(room: Classroom, at: Option<LessonAt>, id: &'static str, pauses: u32) {
    let look = move || {
        if room.page.lesson.get_untracked() != at {
            return;
        }
        let figure = document().get_element_by_id(id).filter(|figure| figure.client_height() > 0);
        match figure {
        Some(figure) => {
            let seen = figure.get_bounding_client_rect();
            if seen.top() < 0.0 || seen.bottom() > lower_edge() {
                figure.scroll_into_view();
            }
        }
        None if pauses > 0 => wait_for(room, at, id, pauses - 1),
            None => {}
        }
    };
    set_timeout(look, PAUSE);
}

/// Where the part of the page that is not covered ends, in pixels from the top of the window.
fn lower_edge() -> f64 {
    let page = document().document_element().map_or(0.0, |page| f64::from(page.client_height()));
    let panel = document().get_element_by_id("lesson-panel").map(|panel| panel.get_bounding_client_rect());
    // Beside the page the panel begins at its top.
    panel.filter(|panel| panel.top() > page / 4.0).map_or(page, |panel| panel.top())
}

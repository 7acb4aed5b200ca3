//! Scrolls the figure that a step speaks of into sight. On a phone the panel of the lesson covers the lower part of the
//! page, and on any screen a figure may stand below others.

use std::time::Duration;

use crate::prelude::*;

use crate::state::LessonAt;

use super::context::Classroom;

/// The time from one look to the next.
const PAUSE: Duration = Duration::from_millis(300);
/// The number of looks. What stands above the figure is built in these seconds, and moves it.
const LOOKS: u32 = 8;

/// Shows the beginning of a figure, by the id of its element, as the page is built and while the reader is at this step.
pub fn show_figure(room: Classroom, id: &'static str) {
    look_for(room, room.page.lesson.get_untracked(), id, LOOKS);
}

fn look_for(room: Classroom, at: Option<LessonAt>, id: &'static str, looks: u32) {
    let look = move || {
        if room.page.lesson.get_untracked() != at {
            return;
        }
        if let Some(figure) = document().get_element_by_id(id).filter(|figure| figure.client_height() > 0) {
            let seen = figure.get_bounding_client_rect();
            if seen.top() < 0.0 || seen.bottom() > lower_edge() {
                figure.scroll_into_view();
            }
        }
        if looks > 1 {
            look_for(room, at, id, looks - 1);
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

//! The row of plots' names scrolls where it is narrow: the one that is shown is kept in sight.

use crate::prelude::*;

use crate::page::{Page, PlotChoice};

/// What of a neighbour is seen beside it, in CSS pixels.
const MARGIN: f64 = 24.0;

/// Scrolls the row when another plot is shown, also by a link or a key.
pub fn keep_in_sight(page: Page) {
    effect(move |before: Option<PlotChoice>| {
        let plot = page.plot.get();
        if before.is_some_and(|before| before != plot) {
            to_top();
        }
        // When the button says that it is pressed.
        request_animation_frame(scroll);
        plot
    });
}

/// Another plot is looked at from its top, however far down the button was that led to it. On a phone the whole page scrolls.
fn to_top() {
    window().scroll_to_with_x_and_y(0.0, 0.0);
    if let Some(main) = document().get_element_by_id("main") {
        main.set_scroll_top(0);
    }
}

fn scroll() {
    let found = |selector| document().query_selector(selector).ok().flatten();
    let (Some(row), Some(tab)) = (found(".plot-head .tabs"), found(".plot-head .tabs [aria-pressed=true]")) else {
        return;
    };
    let (row_box, tab_box) = (row.get_bounding_client_rect(), tab.get_bounding_client_rect());
    let before = (row_box.left() + MARGIN - tab_box.left()).max(0.0);
    let after = (tab_box.right() + MARGIN - row_box.right()).max(0.0);
    if before > 0.0 || after > 0.0 {
        row.set_scroll_left(row.scroll_left() + (after - before).round() as i32);
    }
}

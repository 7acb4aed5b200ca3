//! The row of plots' names scrolls where it is narrow: the one that is shown is kept in sight.

use crate::prelude::*;

use crate::page::Page;

/// What of a neighbour is seen beside it, in CSS pixels.
const MARGIN: f64 = 24.0;

/// Scrolls the row when another plot is shown, also by a link or a key.
pub fn keep_in_sight(page: Page) {
    effect(move |_| {
        page.plot.track();
        // When the button says that it is pressed.
        request_animation_frame(scroll);
    });
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

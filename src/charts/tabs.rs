//! The row of plot names scrolls where it is narrow. The name of the plot on screen stays in sight.

use crate::prelude::*;

use crate::page::{Page, PlotChoice};

/// How much of the neighbouring name stays visible, in CSS pixels.
const MARGIN: f64 = 24.0;

/// Scrolls the row when another plot is shown, also by a link or a key.
pub fn keep_in_sight(page: Page) {
    effect(move |before: Option<PlotChoice>| {
        let plot = page.plot.get();
        if before.is_some_and(|before| before != plot) {
            to_top();
        }
        // In the next frame, when the button is marked as pressed.
        request_animation_frame(scroll);
        plot
    });
}

/// Scrolls to the top of the new plot, wherever the button was. On a phone the whole page scrolls.
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

//! Scrolls the text of a lesson so that what has just appeared in it is seen.

use crate::prelude::*;

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

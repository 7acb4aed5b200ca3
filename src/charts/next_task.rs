//! Content that is built in a task of its own, after the content above it.

use std::time::Duration;

use crate::prelude::*;

/// Builds its children in the next task.
#[component]
pub fn NextTask(
    /// The content that waits.
    children: ChildrenFn,
) -> impl IntoView {
    let is_due = RwSignal::new(false);
    let build = move || {
        // The view may have gone.
        let _ = is_due.try_set(true);
    };
    set_timeout(build, Duration::ZERO);
    move || is_due.get().then(|| children())
}

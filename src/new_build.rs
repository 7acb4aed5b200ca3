//! A line that offers a newer build of the page.
//!
//! assets/boot.js detects a newer build: it marks the root element, and style/smalls.css shows the line. A press of the
//! button lets the newer build in.

use crate::prelude::*;

use super::strings;

/// The line and its button.
#[component]
pub fn NewBuild() -> impl IntoView {
    let is_closed = RwSignal::new(false);
    view! {
        <div class="status new-build" role="status" hidden=is_closed>
            <span>{strings::new_build()}</span>
            <button type="button" id="new-build">{strings::take_new_build()}</button>
            <span class="others">{strings::close_other_pages()}</span>
            <button type="button" on:click=move |_| is_closed.set(true)>{strings::close()}</button>
        </div>
    }
}

//! Where a reader draws: in the place of the plots.

use leptos::prelude::*;

use crate::lessons::Task;
use crate::page::use_page;

use super::draw::DrawCurve;
use super::guess::task_now;
use super::place::PlaceMark;

/// The picture that the reader draws on, while a step asks for it.
#[component]
pub fn GuessStage() -> impl IntoView {
    let page = use_page();
    let task = Memo::new(move |_| task_now(page));
    view! {
        <div class="guess" hidden=move || task.get() == Task::Read>
            {move || match task.get() {
                Task::Read => ().into_any(),
                Task::DrawCurve => view! { <DrawCurve/> }.into_any(),
                Task::PlaceNorm => view! { <PlaceMark/> }.into_any(),
            }}
        </div>
    }
}

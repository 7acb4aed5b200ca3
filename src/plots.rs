//! The plots of a view, one of them on screen, and the switch between them.

use crate::prelude::*;

use super::charts::plot_name;
use super::classroom::{is_guessed, use_classroom};
use super::later::{LaterView, Piece};
use super::page::use_page;
use super::state::{PlotChoice, View};
use super::strings;

/// The plots of the view that is shown.
#[component]
pub fn Plots() -> impl IntoView {
    let (page, room) = (use_page(), use_classroom());
    let view = memo(move |_| page.plot.get().view());
    let heading = move || plot_name(page.plot.get()).2;
    // The opening plot has its own place.
    let choices = PlotChoice::ALL.into_iter().map(|(_, choice)| choice).filter(|choice| *choice != PlotChoice::Explore);
    let later = move |choice: PlotChoice| {
        view! { <LaterView wanted=Signal::derive(move || page.plot.get() == choice) piece=Piece::Plot(choice)/> }
    };
    view! {
        <section class="plot" id="plots" aria-labelledby="plot-heading" hidden=move || page.plot.get() == PlotChoice::Explore>
            <h2 id="plot-heading" class="sr-only">{heading}</h2>
            <div class="plot-head" hidden=move || !view.get().has_tabs()>
                {move || view.get().has_tabs().then(|| view! { <Tabs of=view.get()/> })}
            </div>
            {choices.map(later).collect_view()}
            <LaterView wanted=Signal::derive(move || is_guessed(room)) piece=Piece::GuessStage/>
        </section>
    }
}

/// The switch between the plots of a view.
#[component]
fn Tabs(
    /// The view whose plots are offered.
    of: View,
) -> impl IntoView {
    let page = use_page();
    let tab = move |choice: PlotChoice| {
        let (id, words, ..) = plot_name(choice);
        view! {
            <button type="button" id=id aria-pressed=move || (page.plot.get() == choice).to_string() on:click=move |_| page.plot.set(choice)>
                <span class="tab-name">{words}</span>
            </button>
        }
    };
    view! {
        <div class="switch tabs" role="group" aria-label=strings::plots()>{of.plots().iter().copied().map(tab).collect_view()}</div>
    }
}

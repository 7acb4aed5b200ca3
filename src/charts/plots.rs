//! The plots of a view, of which one is shown, with the switch between them.

use crate::prelude::*;

use crate::classroom::is_guessed;
use crate::later::LaterView;
use crate::page::{PlotChoice, use_page};
use crate::state::View;
use crate::strings;

/// The plots in the order of the page; the opening one has a place of its own.
const PLOTS: [PlotChoice; 11] = [
    PlotChoice::Growth,
    PlotChoice::Scaled,
    PlotChoice::Tightness,
    PlotChoice::Inverse,
    PlotChoice::Tokens,
    PlotChoice::Spectrum,
    PlotChoice::EstimatorComparison,
    PlotChoice::Model,
    PlotChoice::Train,
    PlotChoice::Gallery,
    PlotChoice::Reach,
];

/// The plots of the view that is shown.
#[component]
pub fn Plots() -> impl IntoView {
    let page = use_page();
    let view = memo(move |_| page.plot.get().view());
    let heading = move || name(page.plot.get()).2;
    let later = move |choice: PlotChoice| {
        view! { <LaterView wanted=Signal::derive(move || page.plot.get() == choice) view=move |later| (later.plot)(choice)/> }
    };
    view! {
        <section class="plot" id="plots" aria-labelledby="plot-heading" hidden=move || page.plot.get() == PlotChoice::Explore>
            <h2 id="plot-heading" class="sr-only">{heading}</h2>
            <div class="plot-head" hidden=move || !view.get().has_tabs()>
                {move || view.get().has_tabs().then(|| view! { <Tabs of=view.get()/> })}
            </div>
            {PLOTS.map(later).collect_view()}
            <LaterView wanted=Signal::derive(move || is_guessed(page)) view=|later| (later.guess_stage)()/>
        </section>
    }
}

/// The switch between the plots of a view.
#[component]
fn Tabs(
    /// The view.
    of: View,
) -> impl IntoView {
    let page = use_page();
    let tab = move |choice: PlotChoice| {
        let (id, words, _, hint) = name(choice);
        view! {
            <button type="button" id=id aria-pressed=move || (page.plot.get() == choice).to_string() on:click=move |_| page.plot.set(choice)>
                <span class="tab-name">{words}</span>
                <span class="tab-hint">{hint}</span>
            </button>
        }
    };
    view! {
        <div class="switch tabs" role="group" aria-label=strings::plots()>{of.plots().iter().copied().map(tab).collect_view()}</div>
    }
}

/// The id of a plot's button, its words, the heading of the plot, and a line about it.
pub fn name(choice: PlotChoice) -> (&'static str, &'static str, &'static str, &'static str) {
    match choice {
        PlotChoice::Explore => ("plot-explore", strings::plot_explore(), strings::lead(), strings::plot_explore_hint()),
        PlotChoice::Growth => {
            ("plot-growth", strings::plot_growth(), strings::growth_heading(), strings::plot_growth_hint())
        }
        PlotChoice::Tokens => {
            ("plot-tokens", strings::plot_tokens(), strings::plane_heading(), strings::plot_tokens_hint())
        }
        PlotChoice::Spectrum => {
            ("plot-spectrum", strings::plot_spectrum(), strings::spectrum_heading(), strings::plot_spectrum_hint())
        }
        PlotChoice::EstimatorComparison => {
            ("plot-court", strings::plot_estimators(), strings::estimators_heading(), strings::plot_estimators_hint())
        }
        PlotChoice::Scaled => {
            ("plot-scaled", strings::plot_scaled(), strings::scaled_heading(), strings::plot_scaled_hint())
        }
        PlotChoice::Tightness => {
            ("plot-tightness", strings::plot_tightness(), strings::tightness_heading(), strings::plot_tightness_hint())
        }
        PlotChoice::Inverse => {
            ("plot-inverse", strings::plot_inverse(), strings::inverse_heading(), strings::plot_inverse_hint())
        }
        PlotChoice::Model => {
            ("plot-model", strings::plot_model(), strings::model_heading(), strings::plot_model_hint())
        }
        PlotChoice::Train => {
            ("plot-train", strings::plot_train(), strings::train_heading(), strings::plot_train_hint())
        }
        PlotChoice::Gallery => ("plot-lab", strings::gallery(), strings::gallery_heading(), strings::gallery_hint()),
        PlotChoice::Reach => {
            ("plot-reach", strings::plot_reach(), strings::reach_heading(), strings::plot_reach_hint())
        }
    }
}

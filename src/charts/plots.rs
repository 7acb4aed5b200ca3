//! The plots of which one is shown: the bounds against n up to 1e18, which is there first, or another.

use leptos::prelude::*;

use crate::classroom::is_guessed;
use crate::later::LaterView;
use crate::page::{PlotChoice, use_page};
use crate::strings;

use super::growth_plot::GrowthPlot;

/// The plots that come after the first picture, in the order of the page.
const LATER: [PlotChoice; 9] = [
    PlotChoice::Draws,
    PlotChoice::Scaled,
    PlotChoice::Tightness,
    PlotChoice::Inverse,
    PlotChoice::Tokens,
    PlotChoice::Search,
    PlotChoice::Spectrum,
    PlotChoice::EstimatorComparison,
    PlotChoice::Model,
];

/// The plots, with the switch between them.
#[component]
pub fn Plots() -> impl IntoView {
    let page = use_page();
    let tab = move |(id, choice, words, hint): (&'static str, PlotChoice, &'static str, &'static str)| {
        view! {
            <button
                type="button"
                id=id
                title=hint
                aria-pressed=move || (page.plot.get() == choice).to_string()
                on:click=move |_| page.plot.set(choice)
            >
                {words}
            </button>
        }
    };
    let tabs = [
        ("plot-regime", PlotChoice::Growth, strings::plot_growth(), strings::plot_growth_hint()),
        ("plot-draws", PlotChoice::Draws, strings::plot_draws(), strings::plot_draws_hint()),
        ("plot-tokens", PlotChoice::Tokens, strings::plot_tokens(), strings::plot_tokens_hint()),
        ("plot-hunt", PlotChoice::Search, strings::plot_search(), strings::plot_search_hint()),
        ("plot-spectrum", PlotChoice::Spectrum, strings::plot_spectrum(), strings::plot_spectrum_hint()),
        ("plot-court", PlotChoice::EstimatorComparison, strings::plot_estimators(), strings::plot_estimators_hint()),
        ("plot-scaled", PlotChoice::Scaled, strings::plot_scaled(), strings::plot_scaled_hint()),
        ("plot-tightness", PlotChoice::Tightness, strings::plot_tightness(), strings::plot_tightness_hint()),
        ("plot-inverse", PlotChoice::Inverse, strings::plot_inverse(), strings::plot_inverse_hint()),
        ("plot-model", PlotChoice::Model, strings::plot_model(), strings::plot_model_hint()),
    ];
    let heading = move || match page.plot.get() {
        PlotChoice::Growth => strings::growth_heading(),
        PlotChoice::Draws => strings::plot_heading(),
        PlotChoice::Scaled => strings::scaled_heading(),
        PlotChoice::Tightness => strings::tightness_heading(),
        PlotChoice::Inverse => strings::inverse_heading(),
        PlotChoice::Tokens => strings::plane_heading(),
        PlotChoice::Search => strings::search_heading(),
        PlotChoice::Spectrum => strings::spectrum_heading(),
        PlotChoice::EstimatorComparison => strings::estimators_heading(),
        PlotChoice::Model => strings::model_heading(),
    };
    let is_draws = Signal::derive(move || page.plot.get() == PlotChoice::Draws);
    let later = move |choice: PlotChoice| {
        view! { <LaterView wanted=Signal::derive(move || page.plot.get() == choice) view=move |later| (later.plot)(choice)/> }
    };
    view! {
        <section class="plot" id="plots" aria-labelledby="plot-heading">
            <h2 id="plot-heading" class="sr-only">{heading}</h2>
            <div class="plot-head">
                <div class="switch tabs" role="group" aria-label=strings::plots()>{tabs.map(tab).collect_view()}</div>
                <div class="plot-tools" hidden=move || !is_draws.get()>
                    <LaterView wanted=page.has_later() view=|later| (later.draws_tools)()/>
                </div>
            </div>
            <GrowthPlot/>
            {LATER.map(later).collect_view()}
            <LaterView wanted=Signal::derive(move || is_guessed(page)) view=|later| (later.guess_stage)()/>
        </section>
    }
}

//! The plots of which one is shown: the bounds against n up to 1e18, or the norms of draws.

use leptos::prelude::*;

use crate::app::classroom::GuessStage;
use crate::app::labs::{CourtLab, HuntLab, InverseLab, ScalingLab, SpectrumLab, TightnessLab};
use crate::app::page::{PlotChoice, use_page};
use crate::app::plane::TokenStage;
use crate::app::strings;

use super::draws_plot::{AxisChoice, DrawsPlot, Slope};
use super::regime_plot::RegimePlot;

/// Both plots, with the switch between them.
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
        ("plot-regime", PlotChoice::Regime, strings::PLOT_REGIME, strings::PLOT_REGIME_HINT),
        ("plot-draws", PlotChoice::Draws, strings::PLOT_DRAWS, strings::PLOT_DRAWS_HINT),
        ("plot-tokens", PlotChoice::Tokens, strings::PLOT_TOKENS, strings::PLOT_TOKENS_HINT),
        ("plot-hunt", PlotChoice::Hunt, strings::PLOT_HUNT, strings::PLOT_HUNT_HINT),
        ("plot-spectrum", PlotChoice::Spectrum, strings::PLOT_SPECTRUM, strings::PLOT_SPECTRUM_HINT),
        ("plot-court", PlotChoice::Court, strings::PLOT_COURT, strings::PLOT_COURT_HINT),
        ("plot-scaled", PlotChoice::Scaled, strings::PLOT_SCALED, strings::PLOT_SCALED_HINT),
        ("plot-tightness", PlotChoice::Tightness, strings::PLOT_TIGHTNESS, strings::PLOT_TIGHTNESS_HINT),
        ("plot-inverse", PlotChoice::Inverse, strings::PLOT_INVERSE, strings::PLOT_INVERSE_HINT),
    ];
    let heading = move || match page.plot.get() {
        PlotChoice::Regime => strings::REGIME_HEADING,
        PlotChoice::Draws => strings::PLOT_HEADING,
        PlotChoice::Scaled => strings::SCALED_HEADING,
        PlotChoice::Tightness => strings::TIGHTNESS_HEADING,
        PlotChoice::Inverse => strings::INVERSE_HEADING,
        PlotChoice::Tokens => strings::TOKENS_HEADING,
        PlotChoice::Hunt => strings::HUNT_HEADING,
        PlotChoice::Spectrum => strings::SPECTRUM_HEADING,
        PlotChoice::Court => strings::COURT_HEADING,
    };
    let no_draws = move || page.plot.get() != PlotChoice::Draws;
    view! {
        <section class="plot" id="plots" aria-labelledby="plot-heading">
            <h2 id="plot-heading" class="sr-only">{heading}</h2>
            <div class="plot-head">
                <div class="switch tabs" role="group" aria-label=strings::PLOTS>{tabs.map(tab).collect_view()}</div>
                <div class="plot-tools" hidden=no_draws>
                    <Slope/>
                    <AxisChoice/>
                </div>
            </div>
            <RegimePlot/>
            <DrawsPlot/>
            <ScalingLab/>
            <TightnessLab/>
            <InverseLab/>
            <TokenStage/>
            <GuessStage/>
            <HuntLab/>
            <SpectrumLab/>
            <CourtLab/>
        </section>
    }
}

//! The singular values of the Jacobian, the share of each token in the first singular pair, and the norms of its
//! blocks.

use crate::prelude::*;

use crate::charts::ExperimentSource;
use crate::field::Field;
use crate::page::PlotChoice;
use crate::state::{PageState, Settings};
use crate::strings::{self, Paper};
use lipscope_core::picture::BlockPlan;
use lipscope_core::spectrum::{Coverage, Level, Spectrum, SpectrumMap, SpectrumPlan};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::blocks::{BlocksFigure, SpectrumData};
use super::frame::{Fact, LabParts, lab_view};
use super::inputs::{LabChoice, LabNumber};
use super::lab::Lab;
use super::plot::{LabPlot, plot_ids};
use super::spectrum_chart::{energy_chart, energy_table, level_at, values_chart, values_table};
use crate::phase::Phase;
use crate::query::{Query, Request};

/// The singular values of the Jacobian, and the norms of its blocks.
pub struct SpectrumLab;

impl Lab for SpectrumLab {
    const PLOT: PlotChoice = PlotChoice::Spectrum;
    type Data = SpectrumData;

    fn request(settings: &Settings, state: &PageState) -> Request {
        let Settings { spectrum_count: count, spectrum_map: map, .. } = *settings;
        let plan = SpectrumPlan { experiment: state.experiment(), count, map };
        let blocks = BlockPlan { experiment: state.experiment(), map };
        Ok(vec![EnginePlan::Spectrum(plan), EnginePlan::Blocks(blocks)])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        match event {
            EngineEvent::Spectrum(found) => run.fresh(|data| data.values = Some(*found)),
            EngineEvent::Blocks(found) => run.fresh(|data| data.blocks = Some(found)),
            _ => {}
        }
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let values = LabPlot::new(
            plot_ids!("spectrum"),
            run,
            |found: &SpectrumData| values_chart(found.values.as_ref()),
            |found| strings::spectrum_finding(found.values.as_ref()),
            |found, at| strings::spectrum_readout(found.values.as_ref().and_then(|spectrum| level_at(spectrum, at?))),
            |found, written| values_table(found.values.as_ref(), written),
        );
        let energies = LabPlot::new(
            plot_ids!("energy"),
            run,
            |found: &SpectrumData| energy_chart(found.values.as_ref()),
            |found| strings::energy_finding(found.values.as_ref()),
            |found, at| strings::energy_readout(found.values.as_ref().and_then(|spectrum| spectrum.top.as_ref()), at),
            |found, written| energy_table(found.values.as_ref(), written),
        );
        let with = move |get: fn(&Spectrum) -> Option<f64>| {
            Signal::derive(move || run.with(|data| data.values.as_ref().and_then(get)))
        };
        let holds = move |test: fn(&Spectrum) -> bool| run.with(|data| data.values.as_ref().is_some_and(test));
        let sign = move |test: fn(&Spectrum) -> bool| Signal::derive(move || strings::claim(holds(test)));
        let gap_sign = Signal::derive(move || if holds(|found| is_exact(found.second())) { "=" } else { "≈" });
        let has_failed = move || matches!(run.phase(), Phase::Failed(_));
        let plots = vec![values, energies];
        lab_view(run, plots, LabParts {
            id: "spectrum",
            plot: Self::PLOT,
            controls: view! {
                <div class="lab-head">
                    <p class="lab-finding" data-testid="spectrum-how">{move || (!has_failed()).then(|| run.with(|data| strings::spectrum_how(data.values.as_ref())))}</p>
                    <LabChoice
                        id="spectrum-map"
                        label=strings::spectrum_map()
                        all=SpectrumMap::ALL
                        words=strings::spectrum_map_choice
                        get=|settings| settings.spectrum_map
                        set=|settings, map: SpectrumMap| settings.spectrum_map = map
                    />
                    <LabNumber field=Field::SPECTRUM_COUNT/>
                </div>
            }
            .into_any(),
            aside: Some(view! { <BlocksFigure run/> }.into_any()),
            facts: view! {
                <p class="lab-note" data-testid="top-block">{move || run.with(|data| strings::top_block(data.values.as_ref()))}</p>
                <dl class="lab-facts">
                    <Fact id="spectrum-first" name="σ₁" sign=sign(|found| is_exact(found.first())) value=with(|found| Some(found.first()?.value))/>
                    <Fact id="spectrum-second" name="σ₂" sign=sign(|found| is_exact(found.second())) value=with(|found| Some(found.second()?.value))/>
                    <Fact id="spectrum-gap" name=strings::spectral_gap() sign=gap_sign value=with(Spectrum::gap)/>
                    <Fact id="spectrum-rank" name=strings::numerical_rank() sign=sign(|found| found.coverage == Coverage::All) value=with(|found| found.top.as_ref().map(|_| found.rank())) written=strings::count/>
                    <Fact id="spectrum-size" name=strings::of_values() sign="=" value=with(|found| Some(found.size)) written=strings::count/>
                    <Fact id="spectrum-residual" name=strings::top_residual() sign="=" value=with(|found| found.top.as_ref().map(|top| top.relative_residual))/>
                </dl>
            }
            .into_any(),
            terms: vec![
                (strings::spectrum_map_name::residual(), strings::spectrum_map_about()),
                Field::SPECTRUM_COUNT.meaning(),
                (strings::spectral_gap(), strings::spectral_gap_about()),
                (strings::numerical_rank(), strings::numerical_rank_about()),
                (strings::top_residual(), strings::top_residual_about()),
                (strings::blocks_heading(), strings::blocks_about()),
            ],
            paper: Paper::Castin,
            theory: None,
            source: ExperimentSource::Experiment,
        })
    }
}

fn is_exact(level: Option<Level>) -> bool {
    level.is_some_and(|level| level.is_converged())
}

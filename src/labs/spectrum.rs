//! The singular values of the Jacobian, and the tokens that the first pair lives on.

use leptos::prelude::*;

use crate::charts::Twin;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use lipscope_core::spectrum::{Coverage, Level, MOST_COUNT, Spectrum};
use lipscope_plot::Number;

use super::chart::LabChart;
use super::number::{LabNumber, Taken};
use super::progress::LabProgress;
use super::scaling::Fact;
use super::spectrum_chart::{energy_chart, energy_table, level_at, values_chart, values_table};

/// The view of the singular values.
#[component]
pub fn SpectrumLab() -> impl IntoView {
    let page = use_page();
    let run = page.labs.spectrum;
    let (at, token_at) = (RwSignal::new(None::<f64>), RwSignal::new(None::<f64>));
    let phase = Memo::new(move |_| run.with(|run| run.phase.clone()));
    let progress = Memo::new(move |_| run.with(|run| run.progress));
    let chart = Memo::new(move |_| run.with(|run| values_chart(run.data.as_ref(), &run.phase)));
    let energies = Memo::new(move |_| run.with(|run| energy_chart(run.data.as_ref(), &run.phase)));
    let words = Memo::new(move |_| run.with(|run| strings::spectrum_finding(run.data.as_ref())));
    let energy_words = Memo::new(move |_| run.with(|run| strings::energy_finding(run.data.as_ref())));
    let read = move || {
        run.with(|run| {
            let level = run.data.as_ref().and_then(|spectrum| level_at(spectrum, at.get()?));
            strings::spectrum_readout(level)
        })
    };
    let read_token = move || {
        run.with(|run| {
            let top = run.data.as_ref().and_then(|spectrum| spectrum.top.as_ref());
            strings::energy_readout(top, token_at.get())
        })
    };
    let with = move |get: fn(&Spectrum) -> Option<f64>| {
        Signal::derive(move || run.with(|run| run.data.as_ref().and_then(get)))
    };
    let sign = move |get: fn(&Spectrum) -> Option<Level>| {
        Signal::derive(move || {
            let level = run.with(|run| run.data.as_ref().and_then(get));
            strings::claim(level.is_some_and(|level| level.is_converged()))
        })
    };
    let rank_sign = Signal::derive(move || {
        let is_whole = run.with(|run| run.data.as_ref().is_some_and(|found| found.coverage == Coverage::All));
        strings::claim(is_whole)
    });
    let gap_sign = Signal::derive(move || {
        let gap_is_known = run.with(|run| {
            run.data.as_ref().is_some_and(|found| found.second().is_some_and(|level| level.is_converged()))
        });
        if gap_is_known { "=" } else { "≈" }
    });
    let about = move || run.with(|run| strings::spectrum_how(run.data.as_ref()));
    let block = move || run.with(|run| strings::top_block(run.data.as_ref()));
    let is_hidden = move || page.plot.get() != PlotChoice::Spectrum;
    view! {
        <div class="lab" hidden=is_hidden data-testid="spectrum-lab">
            <div class="lab-head">
                <p class="lab-finding" data-testid="spectrum-how">{about}</p>
                <LabNumber
                    id="spectrum-count"
                    label=strings::leading()
                    hint=strings::leading_hint()
                    taken=Taken::Whole(1, MOST_COUNT as u64)
                    get=|settings| settings.spectrum_count as f64
                    set=|settings, value| settings.spectrum_count = value as usize
                />
            </div>
            <div class="lab-spectrum">
                <div class="plot-stage"><LabChart id="spectrum-plot" chart at words readout="spectrum-readout"/></div>
                <div class="plot-stage">
                    <LabChart id="energy-plot" chart=energies at=token_at words=energy_words readout="energy-readout"/>
                </div>
            </div>
            <p class="lab-note" data-testid="top-block">{block}</p>
            <dl class="lab-facts">
                <Fact id="spectrum-first" name="σ₁" sign=sign(Spectrum::first) value=with(|found| Some(found.first()?.value))/>
                <Fact id="spectrum-second" name="σ₂" sign=sign(Spectrum::second) value=with(|found| Some(found.second()?.value))/>
                <Fact id="spectrum-gap" name=strings::spectral_gap() sign=gap_sign value=with(Spectrum::gap)/>
                <Fact id="spectrum-rank" name=strings::numerical_rank() sign=rank_sign value=with(|found| found.top.as_ref().map(|_| found.rank())) written=strings::count/>
                <Fact id="spectrum-size" name=strings::of_values() sign="=" value=with(|found| Some(found.size)) written=strings::count/>
                <Fact id="spectrum-residual" name=strings::top_residual() sign="=" value=with(|found| found.top.as_ref().map(|top| top.relative_residual))/>
            </dl>
            <p class="readout" id="spectrum-readout" aria-live="polite">{read}</p>
            <p class="readout" id="energy-readout" aria-live="polite">{read_token}</p>
            <div class="lab-foot">
                <LabProgress id="spectrum" phase progress/>
                <Twin
                    id="spectrum-table"
                    name="lipscope-spectrum.csv"
                    table=move || run.with(|run| values_table(run.data.as_ref(), |x| Number::of(x).to_string()))
                    csv=move || run.with_untracked(|run| values_table(run.data.as_ref(), |x| x.to_string()).to_csv())
                />
                <Twin
                    id="energy-table"
                    name="lipscope-energies.csv"
                    table=move || run.with(|run| energy_table(run.data.as_ref(), |x| Number::of(x).to_string()))
                    csv=move || run.with_untracked(|run| energy_table(run.data.as_ref(), |x| x.to_string()).to_csv())
                />
            </div>
        </div>
    }
}

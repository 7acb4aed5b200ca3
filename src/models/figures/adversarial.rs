//! Heads at the adversarial tokens of the paper, one at a time, with C sqrt(n) fitted.

use crate::prelude::*;

use crate::charts::exportable;
use crate::strings;
use lipscope_models::Quantity;
use lipscope_models::charts::{adversarial_chart, sqrt_law};

use super::curves::{Curves, CurvesMenu, Offered};
use super::dots::DotsCanvas;
use super::figure_data::FigureData;
use super::group_choice::GroupChoice;
use super::norms::nothing;
use crate::models::figure_files::{FileIds, Files};

/// The norms of one head at its adversarial tokens, over n.
#[component]
pub fn AdversarialFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let at = shown.at;
    // A published curve is of all heads together, and the figure of one head.
    let curves = Curves::new(shown, at, Signal::stored(false));
    let chart = memo(move |_| {
        let (published, words) = (curves.drawn(), strings::model_words());
        shown.with_group(at.get(), |group| adversarial_chart(group, &published, &words)).unwrap_or_else(nothing)
    });
    let dot = RwSignal::new(None::<usize>);
    let read = move || {
        let found = dot.get().and_then(|dot| {
            shown.with_group(at.get(), |group| {
                let mut with_norm = group.readings.iter().filter(|(_, estimate)| estimate.spectral.is_some());
                with_norm.nth(dot).map(|(cell, estimate)| strings::model_length_readout(cell.n, estimate))
            })
        });
        found.flatten().unwrap_or_else(|| strings::model_length_hint().to_owned())
    };
    let fit = move |quantity: Quantity| {
        let law = shown.with_group(at.get(), |group| sqrt_law(group, quantity)).flatten();
        law.map(|law| strings::model_root_fit(quantity, &law))
    };
    let about = move || {
        shown.table.with(|table| {
            let subject = &table.as_ref()?.subject;
            Some(strings::model_adversarial_about(&subject.model, &subject.mask, subject.adversarial_radius()?))
        })
    };
    view! {
        <div class="model-figure">
            <p class="note" data-testid="model-adversarial-about">{about}</p>
            <div class="model-tools"><GroupChoice shown id="model-adversarial-group"/></div>
            <p class="model-fit" data-testid="model-root-spectral">{move || fit(Quantity::Spectral)}</p>
            <p class="model-fit" data-testid="model-root-released">{move || fit(Quantity::Released)}</p>
            <div class="model-stage">
                <DotsCanvas
                    id="model-adversarial"
                    chart
                    selected=dot
                    on_select=Callback::new(move |found| dot.set(found))
                    on_open=Callback::new(|()| ())
                    words=Signal::derive(|| strings::model_adversarial_finding().to_owned())
                    readout="model-adversarial-readout"
                />
            </div>
            <p class="readout" id="model-adversarial-readout" data-testid="model-adversarial-readout" aria-live="polite">{read}</p>
            <div class="model-foot">
                <CurvesMenu curves offered=Offered::Adversarial id="model-adversarial-curves"/>
                <Files
                    ids=FileIds { canvas: "model-adversarial", table: "model-adversarial-table", export: "export-model-adversarial", file: "lipscope-adversarial", csv: "lipscope-adversarial.csv" }
                    title=strings::model_adversarial_heading()
                    figure=move |_: (f64, f64)| exportable(Some(chart.get_untracked()))
                    table=move || shown.lengths()
                    csv=move || shown.csv()
                />
            </div>
        </div>
    }
}

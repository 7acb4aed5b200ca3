//! The figures of a table of results: norms over n, by layer, by head and over the attention sink; and norms at
//! adversarial tokens.
//!
//! | module | concept |
//! | --- | --- |
//! | `figure_data` | the data of all figures: groups, the chosen one, the selected window |
//! | `group_choice`, `curves` | which layer and head; which published curves |
//! | `dots`, `window_dots` | canvases that the reader reads with pointer or keys |
//! | `norms`, `grids`, `head_map`, `adversarial` | the figures: norms over n and over the attention sink, means as tiles, layers by heads, one head |
//! | `patch_map` | which patches of a picture the worst change moves |
//! | `adversarial_form` | the choice of head and R |
//! | `earlier` | earlier tables of this visit, to show again or beside the present one |
//! | `bounds` | the bounds at the tokens of each window |
//! | `readout` | the selected window, and a link into the explorer |

mod adversarial;
mod adversarial_form;
mod bounds;
mod curves;
mod dots;
mod earlier;
mod figure_data;
mod grids;
mod group_choice;
mod head_map;
mod norms;
mod patch_map;
mod readout;
mod window_dots;

use crate::prelude::*;

use crate::strings;

use crate::frame::NextTask;
use crate::models::context::use_models;
use crate::models::form_at_hand::use_form;

use adversarial::AdversarialFigure;
use adversarial_form::AdversarialForm;
use bounds::BoundsFigure;
use earlier::EarlierTables;
use figure_data::{FigureData, Kind};
use grids::{HeadsFigure, LayersFigure};
use head_map::HeadMapFigure;
use norms::{NormsFigure, SinksFigure};
use patch_map::PatchMapFigure;

/// All figures of [`super::context::Models::table`] and of [`super::context::Models::adversarial`].
#[component]
pub fn ModelFigures() -> impl IntoView {
    let models = use_models();
    let shown = FigureData::of(models.table);
    let adversarial = FigureData::of(models.adversarial);
    let kind = shown.kind();
    let about = move || {
        shown.table.with(|table| {
            table.as_ref().map(|table| {
                let subject = &table.subject;
                strings::model_about(&subject.model, &subject.map, &subject.mask, table.rows.len())
            })
        })
    };
    let form = use_form();
    // The table is read first: without rows there may be no form yet.
    let is_other = memo(move |_| {
        let subject = shown
            .table
            .with(|table| table.as_ref().filter(|table| !table.rows.is_empty()).map(|table| table.subject.clone()));
        subject.is_some_and(|subject| form.session().is_some_and(|session| session.is_of_another_choice(&subject)))
    });
    let no_bound = move || shown.map().and_then(strings::model_no_bound);
    view! {
        <div class="model-figures" data-testid="model-figures">
            <EarlierTables/>
            <p class="note" role="status" data-testid="model-other" hidden=move || !is_other.get()>{strings::model_other()}</p>
            <div class="model-figures" class:stale=is_other>
            {move || match kind.get() {
                Kind::Empty => view! { <p class="note" data-testid="model-empty">{move || strings::model_empty(models.phase.get())}</p> }.into_any(),
                Kind::Text => view! {
                    <p class="note" data-testid="model-about">{about}</p>
                    <p class="note" data-testid="model-no-bound" hidden=move || no_bound().is_none()>{no_bound} {strings::between_sentences()} {strings::model_no_window()}</p>
                    <NormsFigure shown/>
                    <BoundsFigure shown/>
                    <PatchMapFigure shown/>
                    <NextTask>
                        <LayersFigure shown/>
                        <HeadsFigure shown/>
                        <HeadMapFigure shown/>
                        <SinksFigure shown/>
                    </NextTask>
                }
                .into_any(),
                Kind::Adversarial => view! {
                    <p class="note" data-testid="model-about">{about}</p>
                    <section class="model-figure" aria-labelledby="model-opened-heading">
                        <h3 id="model-opened-heading">{strings::model_adversarial_heading()}</h3>
                        <p class="note">{strings::model_adversarial_note()}</p>
                        <AdversarialFigure shown/>
                    </section>
                }
                .into_any(),
            }}
            </div>
            <AdversarialForm shown=adversarial hidden=Signal::derive(move || kind.get() == Kind::Adversarial)/>
        </div>
    }
}

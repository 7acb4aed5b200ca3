//! The choice of the head that is measured at its adversarial tokens, and of R.

use crate::prelude::*;

use crate::controls::InputBox;
use crate::models::context::use_models;
use crate::models::form_at_hand::use_form;
use crate::strings;

use lipscope_models::check_adversarial;

use super::adversarial::AdversarialFigure;
use super::figure_data::FigureData;

/// The choice of a head of the form's model, and its curve once it has arrived.
#[component]
pub fn AdversarialForm(
    /// The table of adversarial tokens, and the choices in it.
    shown: FigureData,
    /// Whether another table of adversarial tokens is shown in its place.
    hidden: Signal<bool>,
) -> impl IntoView {
    let (models, form) = (use_models(), use_form());
    let [head, radius] = ["0", "100"].map(|text| RwSignal::new(text.to_owned()));
    let typed_layer = RwSignal::new(None::<String>);
    let middle_layer = move || form.session().map(|session| session.middle_layer.get());
    let layer = memo(move |_| typed_layer.get().or_else(middle_layer).unwrap_or_default());
    let problem = RwSignal::new(None::<String>);
    let is_awaited = models.adversarial_awaited;
    let on_measure = move |_| {
        let typed = radius.get_untracked();
        match typed.trim().parse::<f64>().ok().filter(|radius| radius.is_finite() && *radius > 0.0) {
            Some(radius) => {
                problem.set(None);
                if let Some(session) = form.session() {
                    session.ask_adversarial(layer.get_untracked(), head.get_untracked(), radius);
                }
            }
            None => problem.set(Some(strings::model_not_a_radius(typed.trim()))),
        }
    };
    // Not every family's scores are those of A alone.
    let reason = memo(move |_| {
        let facts = form.session()?.facts.get()?;
        check_adversarial(&facts.config).err().map(|problem| strings::problem_text(&problem))
    });
    let is_there = memo(move |_| !hidden.get() && shown.table.with(Option::is_some));
    let is_other = memo(move |_| {
        let subject = shown.table.with(|table| table.as_ref().map(|table| table.subject.clone()));
        subject.is_some_and(|subject| form.session().is_some_and(|session| !session.is_in_form(&subject)))
    });
    view! {
        <section class="model-figure" aria-labelledby="model-adversarial-heading" hidden=hidden>
            <h3 id="model-adversarial-heading">{strings::model_adversarial_heading()}</h3>
            <p class="note">{strings::model_adversarial_note()}</p>
            <div class="model-tools">
                <InputBox id="adversarial-layer" label=strings::model_adversarial_layer() width="3" value=layer set=Callback::new(move |text| typed_layer.set(Some(text)))/>
                <InputBox id="adversarial-head" label=strings::model_adversarial_head() width="3" value=head set=Callback::new(move |text| head.set(text))/>
                <InputBox id="adversarial-radius" label="R" width="5" value=radius set=Callback::new(move |text| radius.set(text))/>
                <button type="button" id="adversarial-measure" disabled=move || is_awaited.get() || reason.with(Option::is_some) aria-describedby="adversarial-reason" on:click=on_measure>
                    {strings::model_adversarial_measure()}
                </button>
                <span class="note" role="status">{move || is_awaited.get().then(strings::model_waiting)}</span>
            </div>
            <p class="note" id="adversarial-reason" data-testid="adversarial-reason" hidden=move || reason.with(Option::is_none)>{move || reason.get()}</p>
            <p class="problem" role="alert" hidden=move || problem.with(Option::is_none)>{move || problem.get()}</p>
            <div class="model-figures" class:stale=is_other>{move || is_there.get().then(|| view! { <AdversarialFigure shown/> })}</div>
        </section>
    }
}

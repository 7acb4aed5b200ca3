//! The attention map: kernel, mask, normaliser, and the settings that readers rarely change.

use crate::prelude::*;

use crate::field::Field;
use crate::page::use_page;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Attention, Normalization, Output, Scope};

use super::beside::Meanings;
use super::choice::Choice;
use super::number::NumberField;
use super::steps::{MaskSize, StepControls};

/// Kernel, mask, normaliser, scope, norm, and "more".
#[component]
pub fn AttentionControls() -> impl IntoView {
    let page = use_page();
    let read = move |get: fn(&PageState) -> &'static str| Signal::derive(move || page.state.with(get));
    let is_clusters = memo(move |_| page.state.with(|state| state.tokens == TokenChoice::Clusters));
    let masks = memo(move |_| page.state.with(|state| strings::mask_choices(&state.mask)));
    let is_other_norm = memo(move |_| page.state.with(|state| state.norm != Norm::Spectral));
    let has_normalizer = memo(move |_| page.state.with(|state| state.normalization != Normalization::None));
    let is_kim =
        memo(move |_| page.state.with(|state| state.weights == WeightChoice::Kim && state.tokens != TokenChoice::Skew));
    view! {
        <section class="group" aria-labelledby="attention-heading">
            <h2 id="attention-heading">{strings::attention()}</h2>
            <p class="note">{strings::attention_line()}</p>
            <Choice
                id="attention"
                label=strings::kernel()
                hint=strings::kernel_hint()
                options=listed(strings::kernels())
                chosen=read(|state| state.attention.id())
                fixed=Signal::derive(move || is_kim.get().then(strings::kernel_of_kim))
                on_pick=Callback::new(move |id: String| {
                    if let Some(kernel) = Attention::ALL.into_iter().find(|known| known.id() == id) {
                        page.edit("attention", |state| state.choose_kernel(kernel));
                    }
                })
            />
            <Choice
                id="mask"
                label=strings::mask()
                hint=strings::mask_hint()
                options=masks
                chosen=read(|state| state.mask.id())
                fixed=Signal::derive(move || is_clusters.get().then(strings::no_causal_clusters))
                on_pick=Callback::new(move |id: String| {
                    page.edit("mask", |state| state.choose_mask(&id));
                })
            />
            <MaskSize/>
            <Choice
                id="normalization"
                label=strings::normalizer()
                hint=strings::normalizer_hint()
                options=listed(strings::normalizers())
                chosen=read(|state| state.normalization.id())
                on_pick=Callback::new(move |id: String| {
                    let known = [Normalization::None, Normalization::Layer, Normalization::Rms];
                    if let Some(normalization) = known.into_iter().find(|known| known.id() == id) {
                        page.edit("normalization", |state| state.normalization = normalization);
                    }
                })
            />
            <Show when=move || has_normalizer.get()>
                <Choice
                    id="scope"
                    label=strings::scope()
                    hint=strings::scope_hint()
                    options=listed(strings::scopes())
                    chosen=read(|state| state.scope.id())
                    on_pick=Callback::new(move |id: String| {
                        let scope = if id == Scope::Composed.id() { Scope::Composed } else { Scope::Inputs };
                        page.edit("scope", |state| state.scope = scope);
                    })
                />
                <p class="note">{move || strings::scope_note(page.state.with(|state| state.scope))}</p>
            </Show>
            <Choice
                id="norm"
                label=strings::norm()
                hint=strings::norm_hint_text()
                options=Signal::stored(Norm::ALL.map(|norm| (norm.id(), strings::norm_choice(norm).to_owned())).to_vec())
                chosen=read(|state| state.norm.id())
                on_pick=Callback::new(move |id: String| {
                    if let Some(norm) = Norm::ALL.into_iter().find(|norm| norm.id() == id) {
                        page.edit("norm", |state| state.norm = norm);
                    }
                })
            />
            <p class="note" data-testid="norm-stays" hidden=move || !is_other_norm.get()>{strings::norm_stays()}</p>
            <More/>
            <Meanings of=vec![
                (strings::kernel(), strings::kernel_hint()),
                (strings::mask(), strings::mask_hint()),
                (strings::normalizer(), strings::normalizer_hint()),
                (strings::scope(), strings::scope_hint()),
                (strings::norm(), strings::norm_hint_text()),
                (strings::output(), strings::output_hint()),
                Field::EPS.meaning(),
            ]/>
        </section>
    }
}

/// The settings that readers rarely change, with a dot when one differs from a first visit.
#[component]
fn More() -> impl IntoView {
    let page = use_page();
    let is_changed = memo(move |_| {
        let first = PageState::default();
        page.state
            .with(|state| state.output != first.output || state.eps != first.eps || !state.experiment().is_plain())
    });
    let is_random = memo(move |_| page.state.with(|state| state.weights == WeightChoice::Random));
    let eps_fixed = Signal::derive(move || {
        let is_none = page.state.with(|state| state.normalization == Normalization::None);
        is_none.then_some(strings::only_normalized())
    });
    let chosen = Signal::derive(move || match page.state.with(|state| state.output) {
        Output::Absent => "absent",
        Output::Drawn => "drawn",
    });
    view! {
        <details class="more">
            <summary>
                {strings::more()}
                <span class="dot" role="img" aria-label=strings::more_changed() hidden=move || !is_changed.get()></span>
            </summary>
            <Choice
                id="output"
                label=strings::output()
                hint=strings::output_hint()
                options=listed(strings::outputs())
                chosen
                fixed=Signal::derive(move || (!is_random.get()).then(strings::only_random))
                on_pick=Callback::new(move |id: String| {
                    let output = if id == "drawn" { Output::Drawn } else { Output::Absent };
                    page.edit("output", |state| state.output = output);
                })
            />
            <NumberField field=Field::EPS fixed=eps_fixed/>
            <StepControls/>
        </details>
    }
}

fn listed<const N: usize>(options: [(&'static str, &'static str); N]) -> Signal<Vec<(&'static str, String)>> {
    Signal::stored(options.map(|(id, words)| (id, words.to_owned())).to_vec())
}

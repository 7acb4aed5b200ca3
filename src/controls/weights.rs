//! The weights: their source, and how large random ones are.

use crate::prelude::*;

use crate::field::Field;
use crate::later::use_later;
use crate::page::use_page;
use crate::panels::{OwnDataKind, use_panels};
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;

use super::beside::{Meanings, UnavailableControl};
use super::choice::Choice;
use super::number::NumberField;
use super::seed::SeedField;
use super::steps::Ungrouped;

const CHOICES: [(&str, WeightChoice); 5] = WeightChoice::ALL;

/// All controls of the weights but the output matrix, which readers rarely change.
#[component]
pub fn WeightControls() -> impl IntoView {
    let (page, panels, later) = (use_page(), use_panels(), use_later());
    let chosen = memo(move |_| page.state.with(|state| state.weights));
    let is_skew = memo(move |_| page.state.with(|state| state.tokens == TokenChoice::Skew));
    let chosen_id = Signal::derive(move || {
        CHOICES.iter().find(|(_, known)| *known == chosen.get()).map_or("identity-minus", |(id, _)| *id)
    });
    let own_shape = memo(move |_| page.state.with(own_shape));
    let options = Signal::derive(move || {
        CHOICES.iter().map(|(id, choice)| (*id, strings::weight_choice(*choice, own_shape.get()))).collect()
    });
    let on_pick = move |id: String| match CHOICES.iter().find(|(known, _)| *known == id) {
        Some((_, WeightChoice::Own)) if page.state.with_untracked(|s| s.own_weights.is_none()) => {
            panels.open_own_data(OwnDataKind::Weights, later)
        }
        Some((_, choice)) => page.edit("weights", |state| state.choose_weights(*choice)),
        None => {}
    };
    let fixed = Signal::derive(move || match chosen.get() {
        _ if is_skew.get() => Some(strings::fixed_by_witness()),
        WeightChoice::Random | WeightChoice::Kim => None,
        WeightChoice::IdentityPlus | WeightChoice::IdentityMinus => Some(strings::only_random()),
        WeightChoice::Own => Some(strings::fixed_by_own_weights()),
    });
    let is_kim = memo(move |_| !is_skew.get() && chosen.get() == WeightChoice::Kim);
    let head_dim_fixed = Signal::derive(move || is_kim.get().then(strings::share_of_head));
    view! {
        <section class="group" aria-labelledby="weights-heading">
            <h2 id="weights-heading">{strings::weights()}</h2>
            <p class="note">{strings::weights_line()}</p>
            <Choice id="weights" label=strings::weight_source() hint=strings::weight_source_hint() options chosen=chosen_id fixed=Signal::derive(move || is_skew.get().then(strings::skew_note)) on_pick=Callback::new(on_pick)/>
            <p class="note" data-testid="kim-note" hidden=move || !is_kim.get()>{move || page.state.with(|state| strings::kim_note(state.heads, state.dim()))}</p>
            <Show when=move || fixed.get().is_none()>
                <NumberField field=Field::HEADS/>
                <Ungrouped/>
                <NumberField field=Field::HEAD_DIM fixed=head_dim_fixed/>
                <NumberField field=Field::SCALE/>
                <SeedField field=Field::WEIGHT_SEED redraw_hint=strings::redraw_weights()/>
            </Show>
            <UnavailableControl id="random-weights" label=strings::of_random_weights() reason=fixed/>
            <Meanings of=vec![
                (strings::weight_source(), strings::weight_source_hint()),
                Field::HEADS.meaning(),
                Field::HEAD_DIM.meaning(),
                Field::SCALE.meaning(),
            ]/>
        </section>
    }
}

fn own_shape(state: &PageState) -> Option<(usize, usize)> {
    let own = state.own_weights.as_ref()?;
    Some((own.heads.len(), own.heads.first()?.q.n_columns()))
}

//! Attention as it is run today: a preset, a picture of its steps, and each step with its numbers and what it changes.

use crate::prelude::*;

use crate::field::Field;
use crate::page::use_page;
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::experiment::{Alibi, Attention, Mask, Preset, QkNorm, Rope, RopeLayout, VectorNorm, Weighting};

use super::choice::Choice;
use super::number::NumberField;

/// The id of the option that stands for steps of no preset.
const OWN: &str = "own";

/// The choice of a preset, the picture of the steps, and the fold with all steps.
#[component]
pub fn StepControls() -> impl IntoView {
    let page = use_page();
    let preset = memo(move |_| page.state.with(|state| Preset::of(state.attention, &state.steps())));
    let options = memo(move |_| {
        let all = Preset::ALL.into_iter().map(|preset| (preset.id(), strings::preset_name(preset).to_owned()));
        let own = preset.get().is_none().then(|| (OWN, strings::step_words::own_steps().to_owned()));
        all.chain(own).collect::<Vec<_>>()
    });
    let kernel = memo(move |_| page.state.with(|state| state.attention));
    let idle = memo(move |_| {
        page.answers.ball.with(|facts| {
            let ball =
                facts.as_ref().filter(|facts| page.state.with(|state| facts.is_of(state))).map(|facts| &facts.ball)?;
            strings::idle(&ball.idle, ball.n)
        })
    });
    let on_pick = move |id: String| {
        let Some(preset) = Preset::ALL.into_iter().find(|preset| preset.id() == id) else { return };
        page.edit("attention-preset", |state| state.choose_preset(preset));
    };
    view! {
        <Choice
            id="attention-preset"
            label=strings::step_words::preset()
            hint=strings::step_words::preset_hint()
            options
            chosen=Signal::derive(move || preset.get().map_or(OWN, Preset::id))
            on_pick=Callback::new(on_pick)
        />
        <Pipeline/>
        <p class="note" data-testid="idle-steps" hidden=move || idle.with(Option::is_none)>{move || idle.get()}</p>
        <Show when=move || matches!(kernel.get(), Attention::Cosine | Attention::Linear)>
            <p class="note">
                {move || match kernel.get() {
                    Attention::Cosine => page.state.with(strings::cosine_note),
                    _ => strings::step_note::linear().to_owned(),
                }}
            </p>
        </Show>
        <details class="steps">
            <summary>{strings::step_words::steps()}</summary>
            <ScoreSteps/>
            <WeightSteps/>
            <HeadSteps/>
        </details>
    }
}

/// The steps from token to output, in their order; those that do nothing are faint.
#[component]
fn Pipeline() -> impl IntoView {
    let page = use_page();
    let steps = memo(move |_| page.state.with(strings::pipeline));
    view! {
        <ol class="pipeline" aria-label=strings::step_words::pipeline() data-testid="pipeline">
            {move || {
                let step = |(name, is_there): (String, bool)| view! { <li class:faint=!is_there>{name}</li> };
                steps.get().into_iter().map(step).collect_view()
            }}
        </ol>
    }
}

#[component]
fn ScoreSteps() -> impl IntoView {
    let page = use_page();
    let kernel = memo(move |_| page.state.with(|state| state.attention));
    let is_clusters = memo(move |_| page.state.with(|state| state.tokens == TokenChoice::Clusters));
    let not_dot = Signal::derive(move || (kernel.get() != Attention::Dot).then(strings::step_words::only_dot));
    let not_turned = Signal::derive(move || match kernel.get() {
        Attention::L2 | Attention::Linear => Some(strings::step_words::only_dot_cosine()),
        _ => is_clusters.get().then(strings::step_words::not_clusters),
    });
    let not_scored = Signal::derive(move || (kernel.get() == Attention::Linear).then(strings::step_words::not_linear));
    let has_norm = memo(move |_| page.state.with(|state| state.score.qk_norm.is_some()));
    let has_rope = memo(move |_| page.state.with(|state| state.score.rope.is_some()));
    view! {
        <Choice
            id="qk-norm"
            label=strings::step_words::qk_norm_name()
            hint=strings::step_words::qk_norm_hint()
            options=Signal::stored(strings::qk_norms())
            chosen=Signal::derive(move || {
                page.state.with(|state| state.score.qk_norm.as_ref().map_or("none", |norm| norm.kind.id()))
            })
            fixed=not_dot
            on_pick=Callback::new(move |id: String| {
                let kind = VectorNorm::ALL.into_iter().find(|kind| kind.id() == id);
                page.edit("qk-norm", |state| state.score.qk_norm = kind.map(QkNorm::of));
            })
        />
        <Show when=move || has_norm.get()>
            <NumberField field=Field::QK_EPS/>
            <p class="note">{strings::step_note::qk_norm()}</p>
        </Show>
        <Choice
            id="rope"
            label=strings::step_words::rope_name()
            hint=strings::step_words::rope_hint()
            options=Signal::stored(strings::ropes())
            chosen=Signal::derive(move || page.state.with(|state| state.score.rope.map_or("none", |rope| rope.layout.id())))
            fixed=not_turned
            on_pick=Callback::new(move |id: String| {
                let layout = RopeLayout::ALL.into_iter().find(|layout| layout.id() == id);
                page.edit("rope", |state| {
                    let now = state.score.rope.unwrap_or(Rope::DEFAULT);
                    state.score.rope = layout.map(|layout| Rope { layout, ..now });
                });
            })
        />
        <Show when=move || has_rope.get()>
            <NumberField field=Field::ROPE_BASE/>
            <NumberField field=Field::ROPE_FRACTION/>
            <p class="note">{strings::step_note::rope()}</p>
        </Show>
        <OptionalNumber field=Field::SCORE_SCALE has=|state| state.score.scale.is_some() drop=|state| state.score.scale = None note=strings::scale_note fixed=not_scored/>
        <OptionalNumber field=Field::SOFTCAP has=|state| state.score.softcap.is_some() drop=|state| state.score.softcap = None note=|_| strings::step_note::cap().to_owned() fixed=not_scored/>
        <Toggle
            id="alibi"
            label=strings::step_words::alibi_name()
            is_on=Signal::derive(move || page.state.with(|state| state.score.alibi.is_some()))
            fixed=Signal::derive(move || is_clusters.get().then(strings::step_words::not_clusters))
            on_change=Callback::new(move |is_on: bool| {
                page.edit("alibi", |state| state.score.alibi = is_on.then_some(Alibi { slopes: None }));
            })
        />
        <Show when=move || page.state.with(|state| state.score.alibi.is_some())>
            <p class="note">{strings::step_note::alibi()}</p>
        </Show>
    }
}

#[component]
fn WeightSteps() -> impl IntoView {
    let page = use_page();
    let chosen = memo(move |_| page.state.with(|state| strings::weighting_id(&state.weighting)));
    let has_own_number = memo(move |_| {
        page.state.with(|state| match state.weighting {
            Weighting::Softmax { .. } => false,
            Weighting::Sigmoid { bias: number }
            | Weighting::Relu { divisor: number }
            | Weighting::Softplus { divisor: number } => number.is_some(),
        })
    });
    let note = move || match chosen.get() {
        "sink" => Some(strings::step_note::sink()),
        // The notes are about the usual bias and divisor.
        _ if has_own_number.get() => None,
        "sigmoid" => Some(strings::step_note::sigmoid()),
        "relu" => Some(strings::step_note::relu()),
        "softplus" => Some(strings::step_note::softplus()),
        _ => None,
    };
    let is_linear = memo(move |_| page.state.with(|state| state.attention == Attention::Linear));
    view! {
        <Choice
            id="weighting"
            label=strings::step_words::weighting_name()
            hint=strings::step_words::weighting_hint()
            options=Signal::stored(strings::weightings())
            chosen=Signal::derive(move || chosen.get())
            fixed=Signal::derive(move || is_linear.get().then(strings::step_words::not_linear))
            on_pick=Callback::new(move |id: String| {
                let mut all = Weighting::ALL.into_iter().chain([Weighting::with_sink(0.0)]);
                let known = all.find(|known| strings::weighting_id(known) == id);
                if let Some(weighting) = known {
                    page.edit("weighting", |state| state.weighting = weighting);
                }
            })
        />
        <Show when=move || chosen.get() == "sink">
            <NumberField field=Field::SINK/>
        </Show>
        <p class="note" hidden=move || note().is_none()>{note}</p>
    }
}

/// The number of a mask that has one, and what the mask changes.
#[component]
pub fn MaskSize() -> impl IntoView {
    let page = use_page();
    let has_size =
        memo(move |_| page.state.with(|state| matches!(state.mask, Mask::Window { .. } | Mask::Prefix { .. })));
    let note = move || {
        page.state.with(|state| match state.mask {
            Mask::Window { .. } => Some(strings::step_note::window()),
            Mask::Prefix { .. } => Some(strings::step_note::prefix()),
            _ => None,
        })
    };
    view! {
        <Show when=move || has_size.get()>
            <NumberField field=Field::MASK_SIZE/>
            <p class="note">{note}</p>
        </Show>
    }
}

#[component]
fn HeadSteps() -> impl IntoView {
    let page = use_page();
    let not_random = Signal::derive(move || {
        page.state.with(|state| (state.weights != WeightChoice::Random).then(strings::only_random))
    });
    view! {
        <OptionalNumber field=Field::VALUE_EPS has=|state| state.score.value_norm.is_some() drop=|state| state.score.value_norm = None note=|_| strings::step_note::value_norm().to_owned()/>
        <NumberField field=Field::HEADS_PER_KEY fixed=not_random/>
        <Ungrouped/>
        <Show when=move || page.state.with(|state| state.kv_heads() != state.heads && state.weights == WeightChoice::Random)>
            <p class="note">{strings::step_note::grouped()}</p>
        </Show>
        <OptionalNumber field=Field::DIFFERENTIAL has=|state| state.differential.is_some() drop=|state| state.differential = None note=|_| strings::step_note::differential().to_owned() fixed=not_random/>
    }
}

/// Says that heads do not share keys and values, where their number does not allow it.
#[component]
pub fn Ungrouped() -> impl IntoView {
    let page = use_page();
    let said = memo(move |_| page.state.with(strings::ungrouped));
    view! { <p class="note ungrouped" role="status" hidden=move || said.with(Option::is_none)>{move || said.get()}</p> }
}

/// A step with one number: a box to switch it on, then its number and what it changes.
#[component]
fn OptionalNumber(
    /// The number of the step.
    field: &'static Field<PageState>,
    /// Whether the step is there.
    has: fn(&PageState) -> bool,
    /// Takes the step away.
    drop: fn(&mut PageState),
    /// What the step changes.
    note: fn(&PageState) -> String,
    /// Why the reader cannot set it now, in a few words.
    #[prop(optional, into)]
    fixed: Option<Signal<Option<&'static str>>>,
) -> impl IntoView {
    let page = use_page();
    let is_on = memo(move |_| page.state.with(has));
    let on_change = move |is_on: bool| {
        page.edit(field.id, |state| match is_on {
            true => field.set(state, field.used(state)),
            false => drop(state),
        });
    };
    let fixed = fixed.unwrap_or_else(|| Signal::stored(None));
    view! {
        <Toggle id=field.id label=field.meaning().0 is_on=Signal::derive(move || is_on.get()) fixed on_change=Callback::new(on_change)/>
        <Show when=move || is_on.get() && fixed.get().is_none()>
            <NumberField field/>
            <p class="note">{move || page.state.with(note)}</p>
        </Show>
    }
}

/// A labelled box.
#[component]
fn Toggle(
    /// The id of the step; the box has this id and "-on".
    id: &'static str,
    /// The name of the step.
    label: &'static str,
    /// Whether it is ticked.
    is_on: Signal<bool>,
    /// Why the reader cannot tick it now, in a few words.
    fixed: Signal<Option<&'static str>>,
    /// Called with the new tick.
    on_change: Callback<bool>,
) -> impl IntoView {
    let on_tick = move |event: leptos::ev::Targeted<leptos::ev::Event, web_sys::HtmlInputElement>| {
        on_change.run(event.target().checked());
    };
    view! {
        <label class="tick" hidden=move || fixed.get().is_some()>
            <input type="checkbox" id=format!("{id}-on") prop:checked=move || is_on.get() on:change:target=on_tick/>
            {label}
        </label>
        <super::beside::UnavailableControl id=format!("{id}-on") label reason=fixed/>
    }
}

//! The few main controls, which act on everything on screen. The button "more" opens all others.

use crate::prelude::*;

use crate::controls::{NumberField, Switch, why_n_is_fixed};
use crate::field::Field;
use crate::later::use_later;
use crate::page::{PLACE_LINK, Page, use_page};
use crate::panels::{OwnDataKind, use_panels};
use crate::state::{BarControl, MOST_SEED, PageState, TokenChoice, WeightChoice};
use crate::strings;
use lipscope_core::experiment::{Distribution, Mask, MaskKind, Normalization, Scope};

use super::facts::{Standing, facts};

/// A dimension in which LayerNorm leaves the tokens room to move.
const ROOMY_DIM: usize = 8;

/// Tokens, n, R, mask, normaliser, a new sample, and the way to all other controls.
#[component]
pub fn Quick() -> impl IntoView {
    let page = use_page();
    let later = use_later();
    let is_open = use_panels().controls;
    let source = chosen_source(page);
    // While the reader moves a token by hand, no control goes away.
    let unused = unused(page);
    let is_random = move || {
        unused(BarControl::Tokens).is_none()
            && (source.get() == Some(Source::Random) || page.state.with(PageState::has_samples))
    };
    let own = Signal::derive(move || page.state.with(why_n_is_fixed));
    let fixed_n = Signal::derive(move || unused(BarControl::N).or_else(|| own.get()));
    let fixed_radius =
        Signal::derive(move || unused(BarControl::Radius).or_else(|| own.get().map(|_| strings::fixed_by_farthest())));
    let problem = memo(move |_| {
        // Sentences that stand at controls of the panel. While the panel is closed, they are shown here instead.
        let is_elsewhere = |place: &str| place != PLACE_LINK && !place.starts_with("quick-");
        let spoken =
            page.answers.problem.with(|p| p.as_ref().filter(|p| is_elsewhere(p.place)).map(|p| p.text.clone()));
        spoken.map(|text| later.text_of(text))
    });
    view! {
        <div class="quick" role="group" aria-label=strings::quick()>
            <TokenSwitch chosen=source/>
            <NumberField field=Field::N fixed=fixed_n id="quick-n"/>
            <NumberField field=Field::RADIUS fixed=fixed_radius id="quick-radius"/>
            <MaskSwitch/>
            <NormalizerSwitch/>
            <div class="quick-buttons">
                <span class="quick-below" aria-hidden="true">{strings::quick_below()}</span>
                <button type="button" id="new-sample" class:gone=move || !is_random() on:click=move |_| page.edit("token-seed", new_sample)>
                    {strings::new_sample()}
                </button>
                <button
                    type="button"
                    id="more-controls"
                    aria-expanded=move || is_open.get().to_string()
                    aria-controls="controls"
                    on:click=move |_| is_open.update(|open| *open = !*open)
                >
                    {move || if is_open.get() { strings::fewer_controls() } else { strings::more_controls() }}
                </button>
            </div>
            <p class="problem" role="alert" id="quick-problem" hidden=move || problem.get().is_none() || is_open.get()>
                {move || problem.get().unwrap_or_default()}
            </p>
        </div>
    }
}

/// Why the plot on screen does not use a control of the bar; `None` where it does.
fn unused(page: Page) -> impl Fn(BarControl) -> Option<&'static str> + Copy + Send + Sync + 'static {
    move |control| {
        let is_ignored = page.settings.with(|settings| settings.ignores(page.plot.get(), control));
        is_ignored.then(|| strings::unused_here(control, page.plot.get()))
    }
}

/// Words that never change, as the signal that a [`Switch`] takes.
fn words(words: &str) -> Signal<String> {
    Signal::stored(words.to_owned())
}

fn new_sample(state: &mut PageState) {
    state.draw_anew();
    state.token_seed = if state.token_seed < MOST_SEED { state.token_seed + 1 } else { 0 };
}

/// The tokens that a button of the switch chooses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Random,
    Worst,
    Yours,
}

/// Whether the choice of the worst tokens stands for some: those that were tried in the ball, or others that are known.
/// True also before the first answer.
pub(super) fn has_worst_tokens(page: Page) -> bool {
    let were_tried = page.answers.ball.with(|facts| facts.as_ref().is_none_or(|facts| facts.ball.worst.is_some()));
    let is_random = |state: PageState| matches!(state.tokens, TokenChoice::Distribution(_));
    were_tried || page.in_effect().is_some_and(|state| !is_random(state))
}

/// The source of the tokens that the disc shows: its button is pressed. `None` for tokens without a button.
fn chosen_source(page: Page) -> Memo<Option<Source>> {
    memo(move |_| {
        page.state.with(|state| match state.tokens {
            TokenChoice::Distribution(_) => Some(Source::Random),
            // While worse tokens are on their way no button is pressed. Where none are known, the disc shows random ones.
            TokenChoice::Worst => {
                let is_worst = facts(page).is_none_or(|facts| facts.standing != Standing::Below);
                has_worst_tokens(page).then_some(Source::Worst).filter(|_| is_worst)
            }
            TokenChoice::Own | TokenChoice::Clusters => {
                Some(if is_loaded_worst(page, state) { Source::Worst } else { Source::Yours })
            }
            TokenChoice::Adversarial | TokenChoice::Skew => None,
        })
    })
}

/// Whether a list is the worst known: the button "worst known" has loaded it, and none has been found since.
fn is_loaded_worst(page: Page, state: &PageState) -> bool {
    state.moved_from() == Some(TokenChoice::Worst) && facts(page).is_some_and(|facts| facts.standing == Standing::Worst)
}

#[component]
fn TokenSwitch(
    /// The source whose button is pressed.
    chosen: Memo<Option<Source>>,
) -> impl IntoView {
    let (page, panels, later) = (use_page(), use_panels(), use_later());
    let has_worst = memo(move |_| has_worst_tokens(page));
    // The distribution of the last random tokens, for the button "random". While other tokens are chosen, the state
    // does not hold it.
    let last_random = StoredValue::new(Distribution::Ball);
    effect(move |_| {
        if let TokenChoice::Distribution(distribution) = page.state.with(|state| state.tokens) {
            last_random.set_value(distribution);
        }
    });
    let options = vec![
        ("quick-random", Source::Random, words(strings::quick_random())),
        ("quick-worst", Source::Worst, words(strings::quick_worst())),
        ("quick-yours", Source::Yours, words(strings::quick_yours())),
    ];
    let on_pick = move |source: Source| match source {
        // These tokens are chosen already: a second press must not change them to others of the same kind.
        _ if chosen.get_untracked() == Some(source) => {}
        Source::Random => choose(page, TokenChoice::Distribution(last_random.get_value())),
        Source::Worst => later.with(move |table| page.load_worst(table.worst_known)),
        Source::Yours => {
            match page.state.with_untracked(|state| (state.own_tokens.is_some(), state.own_clusters.is_some())) {
                (true, _) => choose(page, TokenChoice::Own),
                (false, true) => choose(page, TokenChoice::Clusters),
                (false, false) => {
                    panels.open_own_data(OwnDataKind::Tokens, later);
                }
            }
        }
    };
    let note = Signal::derive(move || {
        page.state.with(|state| match state.tokens {
            TokenChoice::Worst if !has_worst.get() => Some(strings::worst_is_random().to_owned()),
            TokenChoice::Own | TokenChoice::Clusters if is_loaded_worst(page, state) => None,
            TokenChoice::Own | TokenChoice::Clusters if state.moved_from().is_some() => {
                Some(strings::quick_moved_said().to_owned())
            }
            TokenChoice::Own | TokenChoice::Clusters => Some(strings::quick_yours_said().to_owned()),
            _ => None,
        })
    });
    let unused = unused(page);
    let away = Signal::derive(move || unused(BarControl::Tokens));
    view! { <Switch label=strings::tokens() options chosen on_pick=Callback::new(on_pick) note away/> }
}

fn choose(page: Page, tokens: TokenChoice) {
    page.edit("distribution", |state| state.choose_tokens(tokens));
}

#[component]
fn MaskSwitch() -> impl IntoView {
    let page = use_page();
    let chosen = Signal::derive(move || Some(page.state.with(|state| state.mask.kind())));
    // A mask of another kind, such as the window of a preset, comes from elsewhere: its button is there, pressed, only
    // while it is set, and the note says which it is.
    let is_other = memo(move |_| page.state.with(|state| state.mask.kind() == MaskKind::Other));
    let other = Signal::derive(move || if is_other.get() { strings::quick_other().to_owned() } else { String::new() });
    let options = move || {
        vec![
            ("quick-mask-none", MaskKind::None, words(strings::quick_none())),
            ("quick-mask-causal", MaskKind::Causal, words(strings::quick_causal())),
            ("quick-mask-other", MaskKind::Other, other),
        ]
    };
    let note = Signal::derive(move || page.state.with(|state| is_other.get().then(|| strings::mask_name(&state.mask))));
    // Clusters have no order, so there is nothing to mask. The worst tokens that the reader has moved are clusters too:
    // a mask draws the worst tokens anew.
    let is_masked =
        memo(move |_| page.state.with(|state| state.tokens != TokenChoice::Clusters || !state.has_fixed_n()));
    let pick = move |mask| {
        if mask == MaskKind::Other {
            return;
        }
        page.edit("mask", |state| {
            if state.tokens == TokenChoice::Clusters {
                state.draw_anew();
            }
            state.mask = if mask == MaskKind::Causal { Mask::Causal } else { Mask::None };
        });
    };
    let unused = unused(page);
    let away = Signal::derive(move || unused(BarControl::Mask));
    view! {
        <Show when=move || is_masked.get()>
            <Switch label=strings::mask() options=options() chosen on_pick=Callback::new(pick) note away/>
        </Show>
    }
}

#[component]
fn NormalizerSwitch() -> impl IntoView {
    let page = use_page();
    let chosen = Signal::derive(move || Some(page.state.with(|state| state.normalization)));
    let options = vec![
        ("quick-norm-none", Normalization::None, words(strings::quick_none())),
        ("quick-norm-rms", Normalization::Rms, words(strings::quick_rms())),
        ("quick-norm-layer", Normalization::Layer, words(strings::quick_layer())),
    ];
    let on_pick = move |normalizer| page.edit("normalization", |state| state.normalization = normalizer);
    let unused = unused(page);
    let away = Signal::derive(move || unused(BarControl::Normalizer));
    view! { <Switch label=strings::normalizer() options chosen on_pick=Callback::new(on_pick) away/> }
}

/// Side effects of a choice that a reader may miss, each with a button that makes another choice.
#[component]
pub fn Notes() -> impl IntoView {
    let page = use_page();
    let normalizer = memo(move |_| page.state.with(|state| state.normalization));
    let scope = memo(move |_| page.state.with(|state| state.scope));
    let dim = memo(move |_| page.state.with(PageState::dim));
    let is_collapsed = move || normalizer.get() == Normalization::Layer && dim.get() <= 2;
    // Some tokens and weights fix the dimension.
    let has_room =
        memo(move |_| page.state.with(|state| PageState { d: ROOMY_DIM, ..state.clone() }.dim() == ROOMY_DIM));
    let with_other_scope = move |state: &mut PageState| {
        state.scope = match state.scope {
            Scope::Inputs => Scope::Composed,
            Scope::Composed => Scope::Inputs,
        };
    };
    view! {
        <div class="quick-notes">
        <p class="quick-note" hidden=move || normalizer.get() == Normalization::None>
            <span data-testid="scope-note">
                {move || strings::which_map(scope.get(), normalizer.get(), dim.get())} " "
                <button type="button" id="other-scope" on:click=move |_| page.edit("scope", with_other_scope)>
                    {move || strings::other_scope(scope.get())}
                </button>
            </span> " "
            <span data-testid="collapse-note" hidden=move || !is_collapsed()>
                {move || (dim.get() == 2).then(|| view! { <CollapsePicture/> })}
                {move || strings::layer_collapse(dim.get())} " "
                <button type="button" id="roomy-dim" hidden=move || !has_room.get() on:click=move |_| page.edit("d", |state| state.d = ROOMY_DIM)>{strings::layer::use_dim(ROOMY_DIM)}</button>
            </span>
        </p>
        </div>
    }
}

/// The content of [`CollapsePicture`] as text: as elements of the view it would take ten times the code.
const COLLAPSE: &str = r#"<circle class="rim" cx="20" cy="20" r="17"/><path class="rim" d="M8 32L32 8"/>
<path class="way" d="M25 23L32 32M34 20L32 32M20 33L32 32M15 17L8 8M6 20L8 8M20 7L8 8"/>
<g class="from"><circle cx="25" cy="23" r="1.4"/><circle cx="34" cy="20" r="1.4"/><circle cx="20" cy="33" r="1.4"/>
<circle cx="15" cy="17" r="1.4"/><circle cx="6" cy="20" r="1.4"/><circle cx="20" cy="7" r="1.4"/></g>
<g class="to"><circle cx="32" cy="32" r="2.8"/><circle cx="8" cy="8" r="2.8"/></g>"#;

/// Tokens of a plane on their way to the two points to which LayerNorm maps them: tokens below the diagonal to one,
/// those above it to the other. The sentence beside the picture says the same.
#[component]
fn CollapsePicture() -> impl IntoView {
    view! {
        <svg class="collapse-picture" viewBox="0 0 40 40" aria-hidden="true" inner_html=COLLAPSE></svg>
    }
}

/// The attention of this view in plain words, with a button for the other sign of A.
#[component]
pub fn AttentionLine() -> impl IntoView {
    let page = use_page();
    let shown = memo(move |_| page.state.with(strings::which_attention));
    let other = memo(move |_| match page.state.with(|state| (state.tokens, state.weights)) {
        (TokenChoice::Skew, _) => None,
        (_, WeightChoice::IdentityMinus) => Some(WeightChoice::IdentityPlus),
        (_, WeightChoice::IdentityPlus) => Some(WeightChoice::IdentityMinus),
        _ => None,
    });
    let choose = move |_| {
        if let Some(other) = other.get_untracked() {
            page.edit("weights", |state| state.choose_weights(other));
        }
    };
    view! {
        <p class="attention-line" data-testid="attention-line">
            {move || shown.get()} " "
            <button type="button" id="other-sign" hidden=move || other.get().is_none() on:click=choose>
                {move || other.get().map(strings::other_sign)}
            </button>
        </p>
    }
}

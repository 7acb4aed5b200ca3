//! The fields of the plan.

use crate::prelude::*;

use super::session::ModelSession;
use super::settings::{PlanForm, Special};
use super::source_view::Drawn;
use crate::controls::Choice;
use crate::controls::{InputBox, Tick};
use crate::state::ModelSettings;
use crate::strings;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{Bounding, MapKind, ModelConfig, Shard, SpecialToken};

/// The choice of a layer's map, with the formulas of all maps for the norms of this model.
#[component]
pub fn MapField(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let config = memo(move |_| session.facts.with(|facts| facts.as_ref().map(|facts| facts.config)));
    let note = move || {
        let kind = session.plan.with(|plan| plan.kind);
        config.with(|config| strings::model_map_note(kind, config.as_ref()))
    };
    let maps = memo(move |_| {
        let of = |config: &ModelConfig| {
            MapKind::ALL.map(|kind| (strings::model_map_choice(Some(kind)), kind.formula(config))).to_vec()
        };
        config.with(|config| config.as_ref().map_or_else(Vec::new, of))
    });
    view! {
        <div class="model-row">
            <Of session id="model-map" label=strings::model_map() all=ModelSettings::maps() word=strings::model_map_choice get=|plan| plan.kind set=|plan, kind| plan.kind = kind/>
            <span class="note" data-testid="model-map-note">{note}</span>
        </div>
        <div class="model-row">
            <Tick id="model-bounds" label=strings::model_bounds() states=[Bounding::Skipped, Bounding::AtTokens] now=Signal::derive(move || session.plan.with(|plan| plan.bounds)) on_change=move |bounds| session.plan.update(|plan| plan.bounds = bounds)/>
            <span class="note" data-testid="model-bounds-note">{strings::model_bounds_note()}</span>
        </div>
        <div class="model-row">
            <Tick id="model-upper" label=strings::model_upper() states=[UpperNumber::Skipped, UpperNumber::Included] now=Signal::derive(move || session.plan.with(|plan| plan.upper)) on_change=move |upper| session.plan.update(|plan| plan.upper = upper)/>
            <span class="note" data-testid="model-upper-note">{strings::model_upper_note()}</span>
        </div>
        <details class="model-maps" id="model-maps">
            <summary>{strings::model_maps()}</summary>
            <dl>
                {move || maps.get().into_iter().map(|(name, formula)| view! { <div><dt>{name}</dt><dd class="formula">{formula}</dd></div> }).collect_view()}
            </dl>
        </details>
    }
}

/// A fold with the fields that most readers leave as they are: the model's size, layers, lengths, windows, heads, mask,
/// estimators. Its summary shows layers, lengths and windows.
#[component]
pub fn MoreFields(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    type Part = fn(&mut PlanForm) -> &mut String;
    let field =
        move |(id, label, hint, width, part): (&'static str, &'static str, &'static str, &'static str, Part)| {
            let value = Signal::derive(move || part(&mut session.plan.get()).clone());
            let set = move |text: String| session.plan.update(|plan| *part(plan) = text);
            view! { <InputBox id label hint width value set/> }
        };
    let fields: [(&'static str, &'static str, &'static str, &'static str, Part); 3] = [
        ("model-lengths", strings::model_lengths(), strings::model_lengths_hint(), "9", |plan| &mut plan.lengths),
        ("model-windows", strings::model_windows(), strings::model_windows_hint(), "3", |plan| &mut plan.windows),
        ("model-head", strings::model_heads(), strings::model_heads_hint(), "8", |plan| &mut plan.heads),
    ];
    // The names of the special tokens before and after a text, of a model that has some.
    let special = move || {
        let special = session.facts.with(|facts| facts.as_ref().map(|facts| facts.special.clone()))?;
        let names =
            |tokens: &[SpecialToken]| tokens.iter().map(|token| token.name.clone()).collect::<Vec<_>>().join(" ");
        (special.count() > 0).then(|| (names(&special.before), names(&special.after)))
    };
    // The plan is checked while it is typed. What a run has complained about is no longer true once a field has changed.
    let problem = memo(move |_| session.plan_problem());
    effect(move |before: Option<()>| {
        session.plan.track();
        session.source.track();
        if before.is_some() && !untrack(|| session.models().is_at_work()) {
            set_if_new(session.models().problem, None);
        }
    });
    view! {
        <details class="more" id="model-more">
            <summary>
                {strings::model_more()} " "
                <span class="note">{move || session.plan.with(|plan| strings::model_plan_line { layers: session.layers().trim(), lengths: plan.lengths.trim(), windows: plan.windows.trim() }.text())}</span>
            </summary>
            <Drawn session/>
            <div class="model-row">
                <InputBox
                    id="model-layers"
                    label=strings::model_layers()
                    hint=strings::model_layers_hint()
                    width="8"
                    value=Signal::derive(move || session.layers())
                    set=move |text: String| session.plan.update(|plan| plan.layers = Some(text))
                />
                {fields.map(field).collect_view()}
                <button type="button" id="model-published" title=strings::model_published_hint() on:click=move |_| session.plan.update(PlanForm::as_published)>
                    {strings::model_published()}
                </button>
            </div>
            <p class="problem" role="alert" data-testid="model-plan-problem" hidden=move || problem.with(Option::is_none)>{move || problem.get()}</p>
            <div class="model-row">
                <Tick id="model-special" label=strings::model_special() states=[Special::None, Special::OfModel] now=Signal::derive(move || session.plan.with(|plan| plan.special)) on_change=move |special| session.plan.update(|plan| plan.special = special) hidden=Signal::derive(move || special().is_none())/>
                <span class="note" data-testid="model-special-note">{move || special().map(|(before, after)| strings::model_special_note { after: &after, before: &before }.text())}</span>
            </div>
            <div class="model-row">
                <Of session id="model-mask" label=strings::model_mask() all=ModelSettings::MASKS.to_vec() word=strings::model_mask_choice get=|plan| plan.mask set=|plan, mask| plan.mask = mask/>
                <Of session id="model-estimator" label=strings::model_estimator() all=ModelSettings::ESTIMATORS.to_vec() word=strings::model_estimator_choice get=|plan| plan.estimators set=|plan, one| plan.estimators = one/>
            </div>
        </details>
    }
}

impl ModelSession {
    /// What is wrong with the plan, in a sentence; `None` also while no model is open.
    fn plan_problem(self) -> Option<String> {
        let facts = self.facts.get()?;
        let words = self.middle_layer.with(|middle| self.plan.with(|plan| plan.words(middle, &facts.special)));
        let plan = match words {
            Ok(words) => words.plan(&facts.config),
            Err(fault) => return Some(strings::fault_text(&fault)),
        };
        // As before a run.
        let checked = plan.and_then(|plan| {
            plan.check(facts.ids.len())?;
            let batches = plan.batches(Shard { index: 0, count: 1 });
            plan.needs(&facts.ids, &batches).check(&facts.config)
        });
        checked.err().map(|problem| strings::problem_text(&problem))
    }
}

/// A select for one choice of the plan.
#[component]
fn Of<T: Copy + PartialEq + Send + Sync + 'static>(
    /// The form of models, with its workers.
    session: ModelSession,
    /// The id of the select.
    id: &'static str,
    /// The label of the select.
    label: &'static str,
    /// The choices with their ids.
    all: Vec<(&'static str, T)>,
    /// The words of a choice.
    word: fn(T) -> &'static str,
    /// Reads the choice from the plan.
    get: fn(&PlanForm) -> T,
    /// Writes the choice into the plan.
    set: fn(&mut PlanForm, T),
) -> impl IntoView {
    let all = StoredValue::new(all);
    let options = Signal::derive(move || {
        all.with_value(|all| all.iter().map(|(id, one)| (*id, word(*one).to_owned())).collect::<Vec<_>>())
    });
    let chosen = Signal::derive(move || {
        let now = session.plan.with(get);
        all.with_value(|all| all.iter().find(|(_, one)| *one == now).map_or("", |(id, _)| *id))
    });
    let on_pick = move |picked: String| {
        let found = all.with_value(|all| all.iter().find(|(id, _)| *id == picked).map(|(_, one)| *one));
        if let Some(one) = found {
            session.plan.update(|plan| set(plan, one));
        }
    };
    view! { <Choice id label options chosen on_pick=Callback::new(on_pick)/> }
}

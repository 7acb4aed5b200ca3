//! The bound ladder: the measured norm between the bounds on it, the details of the selected bound, and buttons that
//! load the tokens of a lower bound. `role_of` gives each bound the same role, and so the same colour, in every plot.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::frame::When;
use crate::later::{Arrival, LaterView, Piece, use_later};
use crate::page::{Page, use_page};
use crate::state::{PageState, TokenChoice, Trace};
use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::{
    ALL, Bound, BoundId, ELEMENTWISE, FORK, GENERAL, Group, KIM_LINF, LOCAL, LOCAL_BLOCKS, Norm, SHARP, SHARP_MASKED,
    SINK, Side, Statement, TWO_CLUSTERS, TWO_TOKENS, is_same,
};
use lipscope_core::measure::Measurement;
use lipscope_plot::{HeldExtent, Kind, Ladder, LadderLayout, LadderRow, Number, Role};

use super::easel::{Easel, LastPainted, Paint, Timing, use_easel};
use super::theory_link::TheoryLink;

/// The rows of the ladder, top to bottom: upper bounds, the measured norm (`None`), lower bounds.
fn all_rungs() -> Vec<Option<BoundId>> {
    let mut shown: Vec<BoundId> = ALL.into_iter().filter(|id| id.rung().is_some()).collect();
    shown.sort_by_key(|id| id.rung());
    let (upper, lower): (Vec<BoundId>, Vec<BoundId>) = shown.into_iter().partition(|id| id.side() == Side::Upper);
    upper.into_iter().map(Some).chain([None]).chain(lower.into_iter().map(Some)).collect()
}

/// The width at which the ladder has room for its texts, in CSS pixels.
const LEAST_WIDTH: f64 = 400.0;
/// The id of the measured norm's row.
pub(super) const MEASURED: &str = "measured";

/// The ladder, with the details of the selected row and the folds of its numbers.
#[component]
pub fn BoundLadder() -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<(Ladder, LadderLayout)> = StoredValue::new_local(None);
    let axis = StoredValue::new_local(HeldExtent::default());
    let selected = page.look.rung;
    let norm = memo(move |_| page.norm());
    // True also where the later part failed to load: the view says so here, once for all of the first pictures.
    let arrived = Signal::derive(move || !matches!(later.arrival(), Arrival::Waiting));
    let watch = move || {
        page.answers.measured.track();
        norm.track();
        page.held.track();
        selected.track();
    };
    use_easel(canvas, Timing::Frame(When::Before), watch, move |easel| paint(page, easel, painted, axis, selected));
    let on_pointer = move |event: ev::PointerEvent| {
        let at = row_under(painted, f64::from(event.offset_y()));
        if let Some(id) = at.filter(|id| *id != selected.get_untracked()) {
            selected.set(id);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let rungs = page
            .answers
            .measured
            .with_untracked(|m| m.as_ref().map(|m| rungs(&m.measurement, norm.get_untracked())).unwrap_or_default());
        let now = rungs.iter().position(|id| *id == shown(&rungs, selected.get_untracked())).unwrap_or(0);
        let to = match event.key().as_str() {
            "ArrowUp" => now.saturating_sub(1),
            "ArrowDown" => now + 1,
            "Home" => 0,
            "End" => usize::MAX,
            _ => return,
        };
        event.prevent_default();
        if let Some(id) = rungs.get(to.min(rungs.len().saturating_sub(1))) {
            selected.set(*id);
        }
    };
    let finding = memo(move |_| {
        let norm = norm.get();
        page.answers
            .measured
            .with(|m| m.as_ref().map_or_else(String::new, |m| strings::ladder_finding(&m.measurement, norm, &m.state)))
    });
    let note = memo(move |_| {
        page.answers.measured.with(|m| {
            m.as_ref().map_or_else(
                || strings::ladder_note().to_owned(),
                |m| strings::ladder_scope(&m.state, &m.measurement.bounds),
            )
        })
    });
    let of_eps = memo(move |_| {
        let log10 = page.answers.measured.with(|m| m.as_ref().and_then(|m| m.measurement.log10_ratio_by_eps()));
        log10.map_or_else(String::new, |log10| strings::small_eps(Number::rough_from_log10(log10)))
    });
    let title =
        memo(move |_| strings::ladder_title(page.answers.measured.with(|m| m.as_ref().map(|m| m.measurement.n))));
    view! {
        <figure class="small ladder" class:stale=move || !page.is_measured()>
            <div class="small-stage">
                <canvas
                    node_ref=canvas
                    id="ladder"
                    role="img"
                    tabindex="0"
                    aria-label=move || strings::label(strings::ladder_heading(), &finding.get())
                    aria-describedby="ladder-slack"
                    on:pointermove=on_pointer
                    on:pointerdown=on_pointer
                    on:keydown=on_key
                ></canvas>
            </div>
            <figcaption>
                <h2>{move || title.get()} " " <span class="note" data-testid="ladder-note">{move || note.get()}</span></h2>
                <p class="note">{strings::bound_names()} {strings::between_sentences()} <TheoryLink to=Place::Start/></p>
                <p class="note" data-testid="norm-note" hidden=move || norm.get() == Norm::Spectral>{move || strings::norm_note(norm.get())}</p>
                <p class="note" data-testid="eps-note" hidden=move || of_eps.with(String::is_empty)>{of_eps}</p>
                <Values/>
                <div class="slack-place"><LaterView wanted=arrived piece=Piece::SlackDetails/></div>
                <div class="folds"><LaterView wanted=later.is_here() piece=Piece::LadderFolds/></div>
            </figcaption>
        </figure>
    }
}

/// The bound on a norm, if it applies to what was measured.
pub fn bound_of(measurement: &Measurement, norm: Norm, id: BoundId) -> Option<&Bound> {
    measurement.bounds.iter().find(|bound| bound.id == id && id.is_about(norm))
}

/// The rows that apply; `None` is the measured norm.
pub(super) fn rungs(measurement: &Measurement, norm: Norm) -> Vec<Option<BoundId>> {
    let larger = larger_local(measurement, norm);
    let listed = values(measurement, norm);
    let is_there = |rung: &Option<BoundId>| match rung {
        Some(id) => listed.contains(id) && Some(*id) != larger,
        None => measurement.norm(norm).is_some(),
    };
    all_rungs().into_iter().filter(is_there).collect()
}

/// The bounds that stand in the list for screen readers: those that apply, and of several best bounds the smallest.
fn values(measurement: &Measurement, norm: Norm) -> Vec<BoundId> {
    let is_shown = |id: &BoundId| {
        bound_of(measurement, norm, id).is_some() && !lipscope_core::bounds::is_replaced(&measurement.bounds, id)
    };
    all_rungs().into_iter().flatten().filter(is_shown).collect()
}

/// The selected row, or its substitute where the selected row does not apply.
pub(super) fn shown(rungs: &[Option<BoundId>], selected: Option<BoundId>) -> Option<BoundId> {
    if rungs.contains(&selected) {
        return selected;
    }
    let ours = [&SHARP, &TWO_TOKENS, &SHARP_MASKED, &GENERAL, &ELEMENTWISE, &LOCAL_BLOCKS, &LOCAL, &KIM_LINF];
    ours.into_iter().find(|id| rungs.contains(&Some(*id)))
}

pub(super) fn with_ladder<T>(page: Page, read: impl FnOnce(&Ladder) -> T) -> Option<T> {
    let norm = page.state.with_untracked(|state| state.norm);
    page.answers.measured.with(|measured| measured.as_ref().map(|m| read(&ladder(&m.measurement, &m.state, norm))))
}

/// The role that a bound has in every view.
pub fn role_of(bound: BoundId) -> Role {
    match bound.group() {
        Group::Published => Role::PublishedGeneral,
        Group::MeanField => Role::PublishedMeanField,
        Group::Best => Role::Sharp,
        Group::Unified => Role::Unified,
        Group::Local | Group::BlockNorms => Role::Local,
        Group::Tokens => Role::LowerBound,
        Group::Sink => Role::LowerSink,
        Group::Fork => Role::LowerFork,
        Group::Adversarial => Role::LowerFamily,
        Group::Envelope => Role::Envelope,
        Group::OtherWeights => Role::Skew,
    }
}

/// A text in the page's language.
type Words = fn() -> &'static str;

/// Lower bounds whose tokens can be loaded, with the words of their buttons.
static WITNESSES: [(BoundId, Words); 3] = [
    (&TWO_CLUSTERS, || strings::load_two_clusters()),
    (&SINK, || strings::load_sink()),
    (&FORK, || strings::load_fork()),
];

/// Buttons that load the tokens of a lower bound.
#[component]
pub fn Loads() -> impl IntoView {
    let page = use_page();
    let witness = move |(bound, words): (BoundId, Words)| {
        let has = memo(move |_| {
            let has = |measurement: &Measurement| measurement.witnesses.get(bound).is_some();
            page.answers.measured.with(|measured| measured.as_ref().is_some_and(|m| has(&m.measurement)))
        });
        let on_click = move |_| {
            page.load_witness(bound);
        };
        view! { <button type="button" id=format!("load-{}", bound.id()) hidden=move || !has.get() on:click=on_click>{words()}</button> }
    };
    let choice = move |(id, words, choice): (&'static str, &'static str, TokenChoice)| {
        let on_click = move |_| page.edit("distribution", |state| state.choose_tokens(choice));
        view! { <button type="button" id=id on:click=on_click>{words}</button> }
    };
    let choices = [
        ("load-adversarial", strings::load_adversarial(), TokenChoice::Adversarial),
        ("load-skew", strings::load_skew(), TokenChoice::Skew),
    ];
    view! {
        <div class="loads" role="group" aria-label=strings::load_hint()>
            <span>{strings::load()}</span>
            {WITNESSES.map(witness).collect_view()}
            {choices.map(choice).collect_view()}
        </div>
    }
}

/// The bounds that apply, as text, for screen readers and for programs that read the page.
#[component]
fn Values() -> impl IntoView {
    let page = use_page();
    let line = move |id: BoundId| {
        let bound = memo(move |_| {
            let norm = page.norm();
            page.answers.measured.with(|m| {
                let measurement = &m.as_ref()?.measurement;
                let bound = bound_of(measurement, norm, id).copied()?;
                Some((bound, written_kind(&bound, measurement, norm)))
            })
        });
        // Of several best bounds only the smallest has the name. The others stay readable for programs.
        let is_hidden = memo(move |_| {
            page.answers
                .measured
                .with(|m| m.as_ref().is_none_or(|m| !values(&m.measurement, page.norm()).contains(&id)))
        });
        let name = memo(move |_| {
            page.answers
                .measured
                .with(|m| m.as_ref().map_or_else(String::new, |m| strings::measured_bound_label(id, &m.state)))
        });
        let full =
            move || bound.get().and_then(|(bound, _)| bound.value).map_or_else(String::new, |value| value.to_string());
        let log10 = move || bound.get().map_or_else(String::new, |(bound, _)| bound.log10.to_string());
        let text = move || {
            bound.get().map_or_else(String::new, |(bound, kind)| Number::claimed(bound.log10, kind).to_string())
        };
        view! {
            <div hidden=move || is_hidden.get()>
                <dt>{move || name.get()}</dt>
                <dd data-testid=format!("bound-{}", id.id()) data-value=full data-log10=log10>{text}</dd>
            </div>
        }
    };
    view! { <dl class="sr-only">{all_rungs().into_iter().flatten().map(line).collect_view()}</dl> }
}

/// The larger of the two local bounds. The ladder leaves it out: the smaller one says more.
fn larger_local(measurement: &Measurement, norm: Norm) -> Option<BoundId> {
    let [rows, blocks] = [&LOCAL, &LOCAL_BLOCKS].map(|id| bound_of(measurement, norm, id));
    rows.zip(blocks).map(|(rows, blocks)| if rows.log10 < blocks.log10 { blocks.id } else { rows.id })
}

/// The kind of a bound as it is written: a lower bound that equals the measured norm has the sign of that norm, because
/// one number rounded in two ways would look like two numbers.
fn written_kind(bound: &Bound, measurement: &Measurement, norm: Norm) -> Kind {
    let measured =
        measurement.norm(norm).filter(|value| bound.side == Side::Lower && is_same(bound.log10, value.log10()));
    measured.map_or_else(|| strings::side_kind(bound.side), |_| strings::kind_of(measurement, norm))
}

fn ladder(measurement: &Measurement, state: &PageState, norm: Norm) -> Ladder {
    let row = |rung: &Option<BoundId>| match rung.and_then(|id| bound_of(measurement, norm, id)) {
        Some(bound) => LadderRow {
            id: bound.id.id().into(),
            label: strings::measured_bound_label(bound.id, state),
            log10: bound.log10,
            kind: written_kind(bound, measurement, norm),
            role: role_of(bound.id),
        },
        None => LadderRow {
            id: MEASURED.into(),
            label: strings::trace_label(Trace::Draws).into(),
            log10: measurement.norm(norm).map_or(f64::NAN, f64::log10),
            kind: strings::kind_of(measurement, norm),
            role: Role::Measured,
        },
    };
    Ladder::new(strings::norm_symbol(norm), rungs(measurement, norm).iter().map(row).collect())
}

fn paint(
    page: Page,
    easel: &Easel,
    painted: LastPainted<(Ladder, LadderLayout)>,
    axis: StoredValue<HeldExtent, LocalStorage>,
    selected: RwSignal<Option<BoundId>>,
) {
    let Some(measured) = page.answers.measured.get_untracked() else { return };
    let norm = page.state.with_untracked(|state| state.norm);
    let mut ladder = ladder(&measured.measurement, &measured.state, norm);
    let rungs = rungs(&measured.measurement, norm);
    let now = shown(&rungs, selected.get_untracked());
    ladder.selected = rungs.iter().position(|rung| *rung == now);
    axis.update_value(|axis| {
        if page.held.get_untracked() {
            axis.hold()
        } else {
            axis.release()
        }
        ladder.range = axis.update(ladder.extent());
    });
    if let Some(layout) = ladder.paint(&easel.with_room_for(LEAST_WIDTH)) {
        painted.set_value(Some(Rc::new((ladder, layout))));
    }
}

/// The row at a height. The outer `None` means that no row is there, the inner `None` is the measured norm.
fn row_under(painted: LastPainted<(Ladder, LadderLayout)>, y: f64) -> Option<Option<BoundId>> {
    let painted = painted.get_value()?;
    let (ladder, layout) = painted.as_ref();
    let row = ladder.rows.get(layout.row_at(y)?)?;
    Some(Statement::by_id(&row.id))
}

#[cfg(test)]
mod tests {
    use lipscope_core::bounds::{Domain, MAX_TOKEN};

    use super::*;
    use crate::answers::Measured;

    #[test]
    fn two_tokens_have_one_best_bound() {
        for (n, radius, best) in [(2, 3.0, &TWO_TOKENS), (2, 0.1, &SHARP), (3, 3.0, &SHARP)] {
            let state = PageState { n, radius, ..PageState::default() };
            let measured = Measured::without_pictures(&state);
            let rungs = rungs(&measured.measurement, Norm::Spectral);
            let of_best: Vec<BoundId> =
                rungs.iter().flatten().copied().filter(|id| Trace::Sharp.bounds().contains(id)).collect();
            assert_eq!(of_best, [best], "n = {n}, R = {radius}");
            assert_eq!(shown(&rungs, Some(&SHARP)), Some(best));
            // The list for screen readers, and the name: a reader heard 4.815 as the best bound beside 3.167.
            let listed = values(&measured.measurement, Norm::Spectral);
            let named = |id: &&BoundId| strings::bound_label(id) == strings::bound_label(&SHARP);
            assert_eq!(listed.iter().filter(named).copied().collect::<Vec<_>>(), [best]);
        }
    }

    #[test]
    fn every_bound_has_a_rung_on_its_side_of_the_measured_norm() {
        let sorted = |mut ids: Vec<BoundId>| {
            ids.sort_unstable();
            ids
        };
        // A bound about other weights has no measured norm beside it. The row sums of block norms stand in the measured
        // row itself.
        let is_comparable = |id: &BoundId| id.domain() != Domain::OtherWeights && *id != &MAX_TOKEN;
        let bounds_of = |side: Side| {
            let of_side = |id: &BoundId| id.side() == side;
            sorted(ALL.into_iter().filter(is_comparable).filter(of_side).collect())
        };
        let halves: Vec<_> =
            all_rungs().split(Option::is_none).map(|half| half.iter().flatten().copied().collect()).collect();
        assert_eq!(halves.into_iter().map(sorted).collect::<Vec<_>>(), [Side::Upper, Side::Lower].map(bounds_of));
    }
}

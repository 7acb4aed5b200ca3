//! The large plane with its tools, the selected token in words, its legend and its table.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, TableFold, exportable};
use crate::controls::ProblemAt;
use crate::frame::is_motion_reduced;
use crate::look::Lines;
use crate::page::{Page, PlotChoice};
use crate::state::NotMovable;
use crate::strings::{self, Paper};
use lipscope_core::picture::{FEWEST_TOKENS, MOST_MOVABLE, Snap};

use super::canvas::PlaneCanvas;
use super::context::{PLACE, Size, use_plane};
use super::crowds::crowd_words;
use super::scene::{scene, scene_at_rest};

/// How many tokens a table lists.
const LISTED: usize = 100;

/// The plane in the place of the main plot.
#[component]
pub fn TokenStage() -> impl IntoView {
    let plane = use_plane();
    let page = plane.page;
    let is_hidden = move || page.plot.get() != PlotChoice::Tokens;
    let words = memo(move |before: Option<&String>| match before {
        // The description stays the same while a token moves.
        Some(before) if page.held.get() => before.clone(),
        _ => plane_words(page),
    });
    let chosen = memo(move |_| plane.selected_words());
    // "Being measured" is not shown: it would end before anyone could read it.
    let fixed = memo(move |_| plane.with_tokens_in_hand(|_, _| ()).err().filter(|fixed| *fixed != NotMovable::Waiting));
    view! {
        <div class="token-stage" class:stale=move || !page.is_measured() hidden=is_hidden>
            <div class="plot-stage">
                <PlaneCanvas id="token-stage" size=Size::Large words/>
            </div>
            <div class="plot-foot tokens-foot">
                <p class="readout" data-testid="plane-readout">{move || chosen.get().unwrap_or_else(|| strings::plane_hint().to_owned())}</p>
                <p class="note" data-testid="plane-fixed" hidden=move || fixed.get().is_none()>{move || fixed.get().map(strings::fixed)}</p>
                <Tools/>
                <ProblemAt place=PLACE/>
                <Legend/>
                <PlaneTable id="token-stage-table" export="export-tokens-stage" canvas="token-stage"/>
            </div>
        </div>
    }
}

/// The plane as a table, and as files.
#[component]
pub fn PlaneTable(
    /// The id of the fold with the table.
    id: &'static str,
    /// The id of the fold with what can be exported.
    export: &'static str,
    /// The id of the canvas.
    canvas: &'static str,
) -> impl IntoView {
    let plane = use_plane();
    let csv = move || untrack(|| scene(plane, Size::Large, None)).map(|plane| plane.to_csv()).unwrap_or_default();
    view! {
        <TableFold
            id
            name="lipscope-tokens.csv"
            table=move || {
                let mut table = scene(plane, Size::Large, None).map(|plane| plane.to_table()).unwrap_or_default();
                table.rows.truncate(LISTED);
                table
            }
            csv
        />
        <ExportFold
            id=export
            name="lipscope-tokens"
            canvas
            title=strings::tokens_heading()
            figure=move |_: (f64, f64)| exportable(untrack(|| scene_at_rest(plane, Size::Large)))
            csv
            paper=Paper::Castin
            source=ExperimentSource::Experiment
        />
    }
}

/// The plane in words.
pub fn plane_words(page: Page) -> String {
    let finding = page.answers.measured.with(|m| {
        let m = m.as_ref()?;
        let sentences = [strings::tokens_finding(&m.tokens), crowd_words(m)];
        Some(sentences.join(strings::between_sentences()).trim_end().to_owned())
    });
    strings::label(strings::tokens_heading(), &finding.unwrap_or_default())
}

/// The tools of the plane.
#[component]
fn Tools() -> impl IntoView {
    let plane = use_plane();
    let page = plane.page;
    let n = memo(move |_| plane.with_tokens_in_hand(|rows, _| rows.n_rows()).ok());
    // While the tokens are measured they cannot be moved yet. The buttons stay, so that nothing jumps.
    let is_fixed = memo(move |_| plane.with_tokens_in_hand(|_, _| ()).is_err_and(|fixed| fixed != NotMovable::Waiting));
    let is_waiting = move || n.get().is_none();
    let radius = memo(move |_| page.state.with(|state| state.radius));
    let switch = move |id, words, hint, on: RwSignal<bool>, is_away: Signal<bool>| {
        view! {
            <button type="button" id=id title=hint aria-pressed=move || on.get().to_string() hidden=is_away on:click=move |_| on.update(|on| *on = !*on)>
                {words}
            </button>
        }
    };
    let no_pair = Signal::derive(move || !page.look.has_pair.get());
    // The attention lines belong to the selected token: without one there are none.
    let no_row = Signal::derive(move || page.look.token_of(plane.n_on_plane()).is_none());
    view! {
        <div class="plane-tools">
            <div class="own-tools" hidden=move || is_fixed.get()>
                <button type="button" id="token-add" title=strings::add_hint() disabled=move || n.get().is_none_or(|n| n >= MOST_MOVABLE) on:click=move |_| plane.add_token(None)>{strings::add()}</button>
                <button
                    type="button"
                    id="token-remove"
                    title=strings::remove_hint()
                    disabled=move || n.get().is_none_or(|n| n <= FEWEST_TOKENS || page.look.token_of(n).is_none())
                    on:click=move |_| plane.remove_token()
                >
                    {strings::remove()}
                </button>
                <button type="button" id="token-snap-into" title=strings::snap_into_hint() disabled=is_waiting on:click=move |_| plane.snap_tokens(Snap::Into)>
                    {move || strings::snap_into(radius.get())}
                </button>
                <button type="button" id="token-snap-onto" title=strings::snap_onto_hint() disabled=is_waiting on:click=move |_| plane.snap_tokens(Snap::Onto)>
                    {move || strings::snap_onto(radius.get())}
                </button>
            </div>
            <div class="switch" role="group" aria-label=strings::plane_shows()>
                {switch("plane-row", strings::show_row(), strings::show_row_hint(), page.look.has_row, no_row)}
                {switch("plane-pair", strings::show_pair(), strings::show_pair_hint(), page.look.has_pair, Signal::stored(false))}
                {switch("plane-animate", strings::animate(), strings::animate_hint(), plane.is_swinging, no_pair)}
            </div>
        </div>
    }
}

/// The meaning of the arrows and the lines.
#[component]
fn Legend() -> impl IntoView {
    let plane = use_plane();
    let page = plane.page;
    let shown = memo(move |_| {
        // The small plane has the same legend and does not swing, so no frame of the animation makes the legend anew.
        let drawn = scene(plane, Size::Small, None)?;
        Some((drawn.changes.map(|changes| (changes.stretch, changes.images.is_empty())), drawn.shares, drawn.selected))
    });
    let pair = memo(move |_| {
        let (changes, ..) = shown.get()?;
        page.look.has_pair.get().then_some(changes)
    });
    let missing = move || {
        let is_missing = pair.get().is_some_and(|changes| changes.is_none());
        is_missing.then(|| page.answers.measured.with(|m| m.as_ref().map(|m| strings::no_pair(&m.state, &m.tokens))))
    };
    let times = move || pair.get().flatten();
    let norm = move || page.answers.measured.with(|m| m.as_ref().map(|m| m.measurement.spectral)).unwrap_or(f64::NAN);
    let swing = move || {
        let (stretch, _) = times().filter(|_| plane.is_swinging.get())?;
        Some(if is_motion_reduced() { strings::swing_ends(stretch) } else { strings::swinging(stretch) })
    };
    let row = move || {
        let (_, shares, selected) = shown.get()?;
        if !page.look.has_row.get() {
            return None;
        }
        let head = page.answers.measured.with(|m| m.as_ref().map(|m| m.attention.head_idx))?;
        Some(match page.look.lines.get() {
            Lines::Given => strings::row_legend(selected?, head, &shares),
            Lines::Received => strings::column_legend(selected?, head, &shares),
        })
    };
    view! {
        <ul class="plane-legend" data-testid="plane-legend">
            <li hidden=move || times().is_none()>
                <span class="swatch nudge" aria-hidden="true"></span>
                {move || times().map(|(stretch, _)| strings::nudge_legend(stretch))}
            </li>
            <li hidden=move || times().is_none_or(|(_, no_images)| no_images)>
                <span class="swatch response" aria-hidden="true"></span>
                {move || times().map(|(stretch, _)| strings::response_legend(stretch, norm()))}
            </li>
            <li hidden=move || times().is_none_or(|(_, no_images)| !no_images)>{strings::no_images()}</li>
            <li hidden=move || swing().is_none() data-testid="plane-swing">{swing}</li>
            <li hidden=move || missing().is_none() data-testid="plane-no-pair">{missing}</li>
            <li hidden=move || row().is_none() data-testid="plane-row-words"><span class="swatch row" aria-hidden="true"></span>{row}</li>
        </ul>
    }
}

//! The attention matrix of a head, with the attention that each token receives.

use crate::prelude::*;
use leptos::html::Canvas;

use crate::answers::Measured;
use crate::controls::Choice;
use crate::frame::When;
use crate::later::{LaterView, Piece, use_later};
use crate::page::{Page, use_page};
use crate::strings;
use lipscope_core::picture::AttentionPicture;
use lipscope_plot::{Extent, HeatMap};

use super::easel::{Easel, Paint, Timing, use_easel};

/// The ids of the heads that can be chosen.
const HEAD_IDS: [&str; 64] = [
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20",
    "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
    "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58",
    "59", "60", "61", "62", "63", "64",
];
/// The width at which the heat map has room for its texts, in CSS pixels.
const LEAST_WIDTH: f64 = 240.0;

/// The attention matrix as a heat map, with a caption beside it.
#[component]
pub fn AttentionMap() -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let canvas = NodeRef::<Canvas>::new();
    let watch = move || {
        page.answers.measured.track();
        page.look.token.track();
        page.look.has_row.track();
        page.look.lines.track();
    };
    use_easel(canvas, Timing::Frame(When::Before), watch, move |easel| paint(page, easel));
    let finding = memo(move |_| finding_of(page).unwrap_or_default());
    let n_heads = memo(move |_| page.state.with(|state| state.n_heads()));
    let chosen = Signal::derive(move || page.state.with(|state| head_id(state.head_shown)));
    let options = Signal::derive(move || {
        (0..n_heads.get().min(HEAD_IDS.len())).map(|h| (head_id(h), strings::head(h))).collect()
    });
    let on_pick = move |id: String| {
        if let Some(head) = (0..n_heads.get_untracked().min(HEAD_IDS.len())).find(|head| head_id(*head) == id) {
            page.edit("head-shown", |state| state.head_shown = head);
        }
    };
    view! {
        <figure class="small" class:stale=move || !page.is_measured()>
            <h2>{strings::attention_heading()}</h2>
            <div class="small-stage">
                <canvas node_ref=canvas id="attention-map" role="img" aria-label=move || strings::label(strings::attention_heading(), &finding.get())></canvas>
            </div>
            <figcaption>
                <div class="head-choice" class:one=move || n_heads.get() < 2>
                    <Choice id="head-shown" label=strings::head_text() options chosen on_pick=Callback::new(on_pick)/>
                </div>
                <p>{move || finding.get()}</p>
                <div class="folds"><LaterView wanted=later.is_here() piece=Piece::AttentionFolds/></div>
            </figcaption>
        </figure>
    }
}

pub(super) fn with_picture<T>(page: Page, read: impl FnOnce(&AttentionPicture) -> T) -> Option<T> {
    page.answers.measured.with(|measured| measured.as_deref().map(|Measured { attention, .. }| read(attention)))
}

fn finding_of(page: Page) -> Option<String> {
    page.answers.measured.with(|m| m.as_deref().map(|m| strings::attention_finding(&m.attention, &m.measurement)))
}

pub(super) fn heat_map(picture: &AttentionPicture) -> HeatMap {
    let side = picture.side;
    let mut map = HeatMap::new(side, side, picture.weights.iter().map(|weight| f64::from(*weight)).collect());
    (map.row_span, map.col_span) = (picture.n, picture.n);
    map.column_sums = Some(picture.column_sums.clone());
    let (from, to) = strings::unit_axes(picture.unit);
    (map.row_label, map.col_label) = (from.into(), to.into());
    map.sums_label = strings::column_sums().into();
    map.range = Extent::new(0.0, map.values.iter().copied().fold(0.0, f64::max));
    map
}

fn paint(page: Page, easel: &Easel) {
    let Some(measured) = page.answers.measured.get_untracked() else { return };
    let mut map = heat_map(&measured.attention);
    map.highlight_row = untrack(|| page.look.row_of(measured.tokens.positions.len())).filter(|_| {
        // The plane's tokens and the picture's rows correspond only where there are equally many.
        measured.attention.n == measured.tokens.positions.len()
    });
    map.paint(&easel.with_room_for(LEAST_WIDTH));
}

fn head_id(head: usize) -> &'static str {
    HEAD_IDS.get(head).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use lipscope_core::experiment::{Distribution, Mask};
    use lipscope_core::measure::{MeasureOptions, Measuring, Step};
    use lipscope_core::picture::attention_picture;

    use super::*;
    use crate::state::{PageState, TokenChoice, WeightChoice};

    #[test]
    fn l_is_called_about_the_root_of_the_column_sum_only_where_it_is() {
        let (mut about, mut deviation) = (0, 0);
        let tokens = [TokenChoice::Adversarial, TokenChoice::Skew, TokenChoice::Distribution(Distribution::Sphere)];
        let weights = [WeightChoice::IdentityMinus, WeightChoice::IdentityPlus, WeightChoice::Random];
        for at in 0..54 {
            let state = PageState {
                tokens: tokens[at % 3],
                weights: weights[at / 3 % 3],
                mask: if at % 2 == 0 { Mask::None } else { Mask::Causal },
                n: [4, 24, 60][at / 9 % 3],
                radius: [0.3, 2.0, 4.0][at / 18],
                ..PageState::default()
            };
            let mut measuring = Measuring::start(&state.experiment(), MeasureOptions::default()).expect("a state");
            let measurement = loop {
                if let Step::Done(found) = measuring.step().expect("a number") {
                    break found;
                }
            };
            let picture = attention_picture(measuring.view(), 0, 64);
            let sentence = strings::attention_finding(&picture, &measurement);
            let root = picture.column_sums.iter().copied().fold(0.0, f64::max).sqrt();
            let is_near = (measurement.spectral / root - 1.0).abs() <= 0.1;
            assert_eq!(sentence.contains("about"), is_near, "{}, {root}: {sentence}", measurement.spectral);
            if is_near { about += 1 } else { deviation += 1 }
        }
        assert!(about > 2 && deviation > 2, "{about} and {deviation}");
    }
}

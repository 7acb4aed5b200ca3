//! The tokens in the plane: their own, or that of their first two principal axes.

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::app::frame::When;
use crate::app::page::{Page, use_page};
use crate::app::strings;
use crate::picture::TokenPicture;
use crate::plot::{Number, Table, TokenPlane};

use super::easel::{Easel, use_easel};
use super::twin::Twin;

/// The most points that are drawn: more are a blot, and cost frames.
const MOST_DRAWN: usize = 1024;
/// How many tokens a table lists.
const LISTED: usize = 100;

/// The token plane, with a caption beside it.
#[component]
pub fn TokenView() -> impl IntoView {
    let page = use_page();
    let canvas = NodeRef::<Canvas>::new();
    use_easel(canvas, When::After, move || page.live.measured.track(), move |easel| paint(page, easel));
    let finding = Memo::new(move |_| with_picture(page, strings::tokens_finding).unwrap_or_default());
    let drawn = Memo::new(move |_| {
        let n = with_picture(page, |picture| picture.positions.len()).unwrap_or(0);
        (n > MOST_DRAWN).then(|| strings::drawn_of(MOST_DRAWN, n))
    });
    view! {
        <figure class="small">
            <h2>{strings::TOKENS_HEADING}</h2>
            <div class="small-stage">
                <canvas node_ref=canvas id="token-plane" role="img" aria-label=move || strings::label(strings::TOKENS_HEADING, &finding.get())></canvas>
            </div>
            <figcaption>
                <p>{move || finding.get()} " " {move || drawn.get()}</p>
                <Twin
                    id="token-table"
                    name="lipscope-tokens.csv"
                    table=move || with_picture(page, table).unwrap_or_default()
                    csv=move || with_picture(page, |picture| plane(picture, usize::MAX).to_csv()).unwrap_or_default()
                />
            </figcaption>
        </figure>
    }
}

fn with_picture<T>(page: Page, read: impl FnOnce(&TokenPicture) -> T) -> Option<T> {
    page.live.measured.with(|measured| measured.as_deref().map(|measured| read(&measured.tokens)))
}

/// The plane with at most so many points, the first ones.
fn plane(picture: &TokenPicture, most: usize) -> TokenPlane {
    let points = picture.positions.iter().take(most).map(|(x, y)| (f64::from(*x), f64::from(*y))).collect();
    let mut plane = TokenPlane::new(points);
    plane.ln_sizes = picture.ln_sizes.as_ref().map(|logs| logs.iter().take(most).copied().collect());
    (plane.x_label, plane.y_label) = strings::plane_axes(picture);
    if picture.variance_shares.is_none() {
        plane.ball_radius = Some(picture.largest_norm);
        plane.ball_label = strings::ball(picture.largest_norm);
    }
    plane
}

fn paint(page: Page, easel: &Easel) {
    let Some(measured) = page.live.measured.get_untracked() else { return };
    let Some(area) = easel.area() else { return };
    // A canvas that cannot be drawn on keeps its last picture; the table is under it.
    let _ = plane(&measured.tokens, MOST_DRAWN).draw(&area, &easel.style);
}

fn table(picture: &TokenPicture) -> Table {
    let (x_label, y_label) = strings::plane_axes(picture);
    let number = |x: f32| Number::of(f64::from(x)).to_string();
    // Tokens on the line have no second axis.
    let n_columns = if y_label.is_empty() { 2 } else { 3 };
    let first = |mut cells: Vec<String>| {
        cells.truncate(n_columns);
        cells
    };
    let row = |(i, (x, y)): (usize, &(f32, f32))| first(vec![(i + 1).to_string(), number(*x), number(*y)]);
    Table {
        header: first(vec![strings::TOKEN.into(), x_label, y_label]),
        rows: picture.positions.iter().take(LISTED).enumerate().map(row).collect(),
    }
}

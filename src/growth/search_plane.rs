//! The best tokens of a search, in the ball. With reduced motion they are drawn anew only when the search pauses or
//! ends.

use std::sync::Arc;

use crate::prelude::*;
use leptos::html::Canvas;

use crate::charts::{Paint, TableFold, Timing, use_easel};
use crate::frame::{When, is_motion_reduced};
use crate::plane::{MOST_DRAWN, plane_of};
use crate::strings;
use lipscope_core::picture::TokenPicture;
use lipscope_plot::TokenPlane;

use super::context::use_growth;

/// Points nearer than this share of the largest norm are drawn as one: they are about a pixel apart.
const SAME: f64 = 0.01;

/// The plane with its table.
#[component]
pub fn SearchPlane() -> impl IntoView {
    let run = use_growth().search;
    let canvas = NodeRef::<Canvas>::new();
    let best = memo(move |before: Option<&Drawn>| match before {
        Some(before) if is_motion_reduced() && before.0.is_some() && run.is_running() => before.clone(),
        _ => Drawn(run.with(|run| run.best.clone()), run.with(|run| run.domain.as_ref().map(|domain| domain.radius))),
    });
    use_easel(
        canvas,
        Timing::Frame(When::After),
        move || best.track(),
        move |easel| {
            let Drawn(best, radius) = best.get_untracked();
            let mut plane = best.map_or_else(Default::default, |best| plane_of(&best, MOST_DRAWN));
            // The axes show the whole ball, not only these tokens. A picture along principal axes shows no ball: its
            // origin is another one.
            if let Some(radius) = radius.filter(|_| plane.ball_radius.is_some()) {
                plane.ball_radius = Some(radius);
                plane.ball_label = strings::ball(radius);
            }
            count_alike(&mut plane);
            // Where the canvas cannot be drawn on, the last picture stays: the table is under it.
            let _ = plane.paint(easel);
        },
    );
    // Every token, also those that the picture leaves out.
    let whole = move || {
        let none = || TokenPlane { point_label: strings::token().into(), ..TokenPlane::default() };
        run.with(|run| run.best.as_ref().map_or_else(none, |best| plane_of(best, usize::MAX)))
    };
    view! {
        <figure class="search-plane">
            <div class="small-stage"><canvas node_ref=canvas id="search-plane" role="img" aria-label=strings::search_plane_best()></canvas></div>
            <figcaption class="note">
                {strings::search_plane_best()}
                <TableFold
                    id="search-plane-table"
                    name="lipscope-search-tokens.csv"
                    table=move || whole().to_table()
                    csv=move || untrack(whole).to_csv()
                />
            </figcaption>
        </figure>
    }
}

/// Merges points that look the same into one, named by their count; on a line they are stacked instead.
fn count_alike(plane: &mut TokenPlane) {
    if plane.points.iter().all(|point| point.1 == 0.0) {
        return;
    }
    let distance = SAME * plane.points.iter().map(|point| point.0.hypot(point.1)).fold(0.0, f64::max);
    let mut groups: Vec<((f64, f64), usize)> = Vec::new();
    for point in &plane.points {
        let is_same = |other: &(f64, f64)| (other.0 - point.0).hypot(other.1 - point.1) <= distance;
        match groups.iter_mut().find(|(place, _)| is_same(place)) {
            Some((_, count)) => *count += 1,
            None => groups.push((*point, 1)),
        }
    }
    plane.points = groups.iter().map(|(place, _)| *place).collect();
    plane.labels =
        groups.iter().map(|(_, count)| if *count > 1 { strings::alike(*count) } else { String::new() }).collect();
}

/// The tokens to draw, and the radius of the ball. Pictures of tokens are compared by identity, since each answer
/// brings a new one.
#[derive(Clone, Debug, Default)]
struct Drawn(Option<Arc<TokenPicture>>, Option<f64>);

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.1 == other.1
            && match (&self.0, &other.0) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
}

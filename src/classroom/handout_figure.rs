//! The figure of a step on paper: its tokens in their disc. It answers no question.

use crate::prelude::*;

use crate::lessons::Step;
use crate::state::{PageState, Scene, WeightChoice};
use crate::strings;
use lipscope_core::experiment::TokenSource;
use lipscope_core::tokens::random_tokens;

/// More tokens get no figure: they would be a cloud that says nothing.
const MOST_DRAWN: usize = 512;
/// The disc's radius, and what is left around it.
const DISC: f64 = 100.0;
const ROOM: f64 = 8.0;
/// The radius of a dot.
const DOT: f64 = 2.2;

/// The tokens of a step as a picture; `None` where they are not in the plane, or the plot has no tokens.
pub fn figure(step: &'static Step) -> Option<AnyView> {
    let Scene { state, plot, labs, .. } = step.scene();
    let points = labs.has_tokens(*plot).then(|| points(state)).flatten()?;
    let furthest = points.iter().map(|(x, y)| x.hypot(*y)).fold(state.radius, f64::max);
    let place = |x: f64| format!("{:.2}", x / furthest * DISC);
    let dots = points.into_iter().map(|(x, y)| view! { <circle cx=place(x) cy=place(-y) r=DOT.to_string()></circle> });
    let side = DISC + ROOM;
    let words = strings::handout_tokens(state.n_tokens(), furthest);
    Some(
        view! {
            <figure class="handout-figure">
                <svg viewBox=format!("-{side} -{side} {0} {0}", 2.0 * side) role="img" aria-label=words.clone()>
                    <circle class="rim" r=DISC.to_string()></circle>
                    {dots.collect_view()}
                </svg>
                <figcaption>{words}</figcaption>
            </figure>
        }
        .into_any(),
    )
}

/// The places of tokens in the plane. Of adversarial tokens, all but one of which are equal, each place is given once.
fn points(state: &PageState) -> Option<Vec<(f64, f64)>> {
    match state.experiment().tokens {
        TokenSource::Random(random) if random.d == 2 && random.n <= MOST_DRAWN => {
            let tokens = random_tokens(&random);
            Some(tokens.column_iter().map(|token| (token[0], token[1])).collect())
        }
        TokenSource::Explicit(rows) if rows.n_columns() == 2 && rows.n_rows() <= MOST_DRAWN => {
            Some(rows.iter().map(|token| (token[0], token[1])).collect())
        }
        // One against all others, on the axis of A = -I.
        TokenSource::Adversarial { radius, .. } if state.weights == WeightChoice::IdentityMinus => {
            Some(vec![(-radius, 0.0), (radius, 0.0)])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::find;

    #[test]
    fn a_step_with_tokens_in_the_plane_has_their_places_within_its_disc() {
        let points_of = |id: &str, at: usize| points(&find(id).expect("a lesson").steps[at].scene().state);
        let all = points_of("lipschitz", 1).expect("places");
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|(x, y)| x.hypot(*y) <= 1.5 + 1e-9));
        assert_eq!(points_of("mask", 0), Some(vec![(-2.0, 0.0), (2.0, 0.0)]));
        // Sixteen dimensions have no picture.
        assert_eq!(points_of("layer-norm", 0), None);
    }
}

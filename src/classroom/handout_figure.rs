//! The figures of a step on paper: its tokens in their disc, and the axes on which a reader draws. They answer no
//! question.

use crate::prelude::*;

use crate::charts::on_white;
use crate::lessons::{Prediction, Step};
use crate::state::{PageState, Scene, WeightChoice};
use crate::strings;
use lipscope_core::experiment::TokenSource;
use lipscope_core::tokens::random_tokens;
use lipscope_plot::{Caption, Extent, Figure};

use super::draw::axes;
use super::guess::{HIGHEST, LOWEST};

/// More tokens get no figure: they would be a cloud that says nothing.
const MOST_DRAWN: usize = 512;
/// The disc's radius, and what is left around it.
const DISC: f64 = 100.0;
const ROOM: f64 = 18.0;
/// The radius of a dot.
const DOT: f64 = 2.2;
/// Up to this many tokens, every dot has its number; of more, those that the step names.
const MOST_NUMBERED: usize = 12;
/// The axes for a curve, in CSS pixels: as wide as the sheet.
const AXES: (f64, f64) = (680.0, 280.0);
/// The line for a mark: its length and its height.
const LINE: (f64, f64) = (680.0, 56.0);

/// The tokens of a step as a picture; `None` where they are not in the plane, or the plot has no tokens.
pub fn figure(step: &'static Step) -> Option<AnyView> {
    let Scene { state, plot, labs, .. } = step.scene();
    let points = labs.has_tokens(*plot).then(|| points(state)).flatten()?;
    let furthest = points.iter().map(|(x, y)| x.hypot(*y)).fold(state.radius, f64::max);
    let place = |x: f64| format!("{:.2}", x / furthest * DISC);
    let numbered = numbered(step, points.len());
    let names = numbered.iter().filter_map(|at| points.get(*at).map(|point| (*at, *point)));
    let name = |(at, (x, y)): (usize, (f64, f64))| {
        // Outwards from the middle, so that it stands clear of the crowd.
        let outwards = 1.0 + 10.0 / (x.hypot(y) / furthest * DISC).max(10.0);
        view! {
            <circle class="named" cx=place(x) cy=place(-y) r=(1.4 * DOT).to_string()></circle>
            <text x=place(x * outwards) y=place(-y * outwards) dy="4" text-anchor="middle">{at + 1}</text>
        }
    };
    let names = names.map(name).collect_view();
    let dots = points.iter().map(|(x, y)| view! { <circle cx=place(*x) cy=place(-*y) r=DOT.to_string()></circle> });
    let side = DISC + ROOM;
    let words = strings::handout_tokens(state.n_tokens(), furthest);
    // What a step shows besides its tokens needs the page's numbers.
    let is_more = step.visible.lines.is_some() || step.visible.pair;
    Some(
        view! {
            <figure class="handout-figure">
                <svg viewBox=format!("-{side} -{side} {0} {0}", 2.0 * side) role="img" aria-label=words.clone()>
                    <circle class="rim" r=DISC.to_string()></circle>
                    {dots.collect_view()}
                    {names}
                </svg>
                <figcaption>{words} {is_more.then(|| [strings::between_sentences(), strings::handout_more()].concat())}</figcaption>
            </figure>
        }
        .into_any(),
    )
}

/// The tokens whose dots have a number, from zero.
fn numbered(step: &'static Step, count: usize) -> Vec<usize> {
    // Adversarial tokens are drawn as two places of many tokens.
    let is_list = step.scene().state.n_tokens() == count as f64;
    match step.visible.token.filter(|_| is_list) {
        _ if is_list && count <= MOST_NUMBERED => (0..count).collect(),
        named => named.into_iter().collect(),
    }
}

/// What a reader draws on, where the step asks for a drawing.
pub fn drawing_place(step: &'static Step) -> Option<AnyView> {
    match step.prediction {
        Prediction::None | Prediction::Choice(_) => None,
        Prediction::Curve => {
            let chart = axes(Extent::new(2.0, step.scene().state.longest_length() as f64), Vec::new());
            let svg = chart.to_svg(AXES, strings::draw_label(), &Caption::default()).ok()?;
            Some(view! { <div class="handout-axes" inner_html=on_white(&svg)></div> }.into_any())
        }
        Prediction::Mark => Some(number_line().into_any()),
    }
}

/// A logarithmic line of L, on which a mark is placed.
fn number_line() -> impl IntoView {
    let (first, last) = (LOWEST.log10().round() as i32, HIGHEST.log10().round() as i32);
    let (left, right, height) = (12.0, LINE.0 - 40.0, 24.0);
    let at = move |log10: f64| left + (log10 - f64::from(first)) / f64::from(last - first) * (right - left);
    let tick = move |power: i32| {
        let x = at(f64::from(power));
        view! {
            <line x1=x y1=height - 8.0 x2=x y2=height + 8.0></line>
            <text x=x y=height + 24.0 text-anchor="middle">{strings::count(10f64.powi(power))}</text>
        }
    };
    let small = move |(power, digit): (i32, i32)| {
        let x = at(f64::from(power) + f64::from(digit).log10());
        view! { <line x1=x y1=height - 4.0 x2=x y2=height + 4.0></line> }
    };
    let between = (first..last).flat_map(|power| (2..10).map(move |digit| (power, digit)));
    view! {
        <div class="handout-axes number-line">
            <svg viewBox=format!("0 0 {} {}", LINE.0, LINE.1) role="img" aria-label=strings::place_label()>
                <line x1=left y1=height x2=right y2=height></line>
                {between.map(small).collect_view()}
                {(first..=last).map(tick).collect_view()}
                <text x=right + 12.0 y=height + 5.0>"L"</text>
            </svg>
        </div>
    }
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
    fn a_token_that_a_step_names_has_its_number_in_the_figure() {
        let numbers = |id: &str, at: usize| {
            let step = &find(id).expect("a lesson").steps[at];
            numbered(step, points(&step.scene().state).expect("places").len())
        };
        // Sixteen tokens, of which the step names the first; ten tokens, each of which can be named.
        assert_eq!(numbers("sink", 1), [0]);
        assert_eq!(numbers("lipschitz", 1), (0..10).collect::<Vec<_>>());
        // Two places of 64 tokens have no numbers.
        assert_eq!(numbers("sink", 2), [0usize; 0]);
    }

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

//! The way of the tokens to the worst known in their ball. Every step on it is measured, as a movement by hand is.

use std::cell::RefCell;
use std::rc::Rc;

use crate::prelude::*;

use crate::answers::{with_worst_known, worst_in_effect};
use crate::frame::{is_motion_reduced, now};
use crate::state::PageState;
use lipscope_core::experiment::Rows;
use lipscope_core::phrase;
use lipscope_core::picture::MOST_MOVABLE;

use super::context::{PLACE, Plane, WayBack};

/// How long the way takes, in milliseconds.
const DURATION: f64 = 600.0;

/// Answers every request for the worst tokens, also one from before this part was there.
pub(super) fn begin(plane: Plane) {
    effect(move |answered: Option<u32>| {
        let asked = plane.worst_asked.get();
        if answered.unwrap_or(0) != asked {
            untrack(|| find_worst(plane));
        }
        asked
    });
}

/// Moves the tokens to the worst known in their ball: at once with reduced motion, and where the two lists differ in length.
fn find_worst(plane: Plane) {
    let page = plane.page;
    let from = page.state.get_untracked();
    let to = page.with_worst(with_worst_known);
    let journey = untrack(|| Journey::new(plane, &from, &to)).filter(|_| !is_motion_reduced());
    plane.way_back.set(Some(WayBack { from, to: to.clone() }));
    match journey {
        Some(journey) => {
            plane.hold_plane();
            go_on(plane, Rc::new(journey), now());
        }
        None => {
            page.put("distribution", Ok(to));
        }
    }
}

/// Where each token begins and ends.
struct Journey {
    from: PageState,
    to: PageState,
    d: usize,
    /// The entries of all tokens.
    begin: Vec<f64>,
    end: Vec<f64>,
    /// The state that the last step has set: another change of the page ends the journey.
    shown: RefCell<PageState>,
}

impl Journey {
    fn new(plane: Plane, from: &PageState, to: &PageState) -> Option<Self> {
        let page = plane.page;
        let tokens = plane.with_tokens_in_hand(|rows, _| rows.clone()).ok()?;
        let facts = page.answers.ball.get().filter(|facts| facts.is_of(to))?;
        let worst = page.answers.known.with(|known| worst_in_effect(to, &facts.ball, known));
        let (places, has_order) = listed(&worst)?;
        let d = tokens.n_columns();
        let fits = places.len() == tokens.n_rows() && places.iter().all(|place| place.len() == d);
        let end = match has_order {
            true => places.concat(),
            false => nearest_places(&tokens, &places).concat(),
        };
        let shown = RefCell::new(from.clone());
        let begin = tokens.entries().to_vec();
        fits.then(|| Journey { from: from.clone(), to: to.clone(), d, begin, end, shown })
    }

    /// The state at a part of the way.
    fn at(&self, part: f64) -> Option<PageState> {
        let entries = self.begin.iter().zip(&self.end).map(|(begin, end)| begin + part * (end - begin)).collect();
        Rows::new(phrase!("tokens", "The tokens"), self.d, entries).ok().map(|rows| self.from.with_moved(rows))
    }
}

/// The tokens of a state one by one, and whether their order counts; `None` where they are not listed, or too many.
fn listed(state: &PageState) -> Option<(Vec<Vec<f64>>, bool)> {
    if let Some(own) = state.own_clusters.as_ref().filter(|own| own.total <= MOST_MOVABLE as f64) {
        let counts = own.log_multiplicities.iter().map(|ln| ln.exp().round() as usize);
        let places = own.positions.iter().zip(counts).flat_map(|(place, count)| vec![place.to_vec(); count]);
        return Some((places.collect(), false));
    }
    let rows = state.own_tokens.as_ref().filter(|rows| rows.n_rows() <= MOST_MOVABLE)?;
    Some((rows.iter().map(<[f64]>::to_vec).collect(), true))
}

/// For each token one of the places: every place in turn takes the nearest token that is left, the places of the fewest
/// first.
fn nearest_places(tokens: &Rows, places: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let distance = |token: &[f64], place: &[f64]| token.iter().zip(place).fold(0.0f64, |sum, (a, b)| sum.hypot(a - b));
    let count = |place: &Vec<f64>| places.iter().filter(|other| *other == place).count();
    let mut order: Vec<&Vec<f64>> = places.iter().collect();
    order.sort_by_key(|place| count(place));
    let mut left: Vec<(usize, &[f64])> = tokens.iter().enumerate().collect();
    let mut found = vec![Vec::new(); tokens.n_rows()];
    for place in order {
        let nearest =
            (0..left.len()).min_by(|a, b| distance(left[*a].1, place).total_cmp(&distance(left[*b].1, place)));
        if let Some(at) = nearest {
            found[left.swap_remove(at).0] = place.clone();
        }
    }
    found
}

/// Sets the state of this frame, and asks for the next one.
fn go_on(plane: Plane, journey: Rc<Journey>, began: f64) {
    let page = plane.page;
    let part = (now() - began) / DURATION;
    let is_meant = page.state.with_untracked(|state| *state == *journey.shown.borrow());
    let next = if part < 1.0 { journey.at(part * part * (3.0 - 2.0 * part)) } else { None };
    match next.filter(|_| is_meant) {
        Some(state) => {
            if page.pass(PLACE, Ok(state)) {
                plane.sync.wait();
            }
            *journey.shown.borrow_mut() = page.state.get_untracked();
            request_animation_frame(move || go_on(plane, journey, began));
        }
        None => {
            if is_meant {
                // All of the way is one step, back from its end to its beginning.
                page.begin_step();
                page.put(PLACE, Ok(journey.to.clone()));
            }
            plane.release_plane();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_a_place_and_the_lone_place_takes_the_nearest() {
        let tokens = Rows::new("tokens", 2, vec![0.0, 1.0, 1.4, 0.1, -1.0, 0.0, 0.2, 0.2]).expect("numbers");
        let (many, lone) = (vec![-1.5, 0.0], vec![1.5, 0.0]);
        let places = [many.clone(), many.clone(), many.clone(), lone.clone()];
        assert_eq!(nearest_places(&tokens, &places), [many.clone(), lone, many.clone(), many]);
    }
}

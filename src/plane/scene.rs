//! The picture of the plane: the tokens at present (see [`super::token_number_sync`] while one is moved), with arrows
//! and rows of the last measurement.

use crate::prelude::*;

use crate::answers::Measured;
use crate::frame::is_motion_reduced;
use crate::look::Lines;
use crate::state::TokenChoice;
use crate::strings;
use lipscope_core::experiment::Rows;
use lipscope_core::inverse::Places;
use lipscope_core::picture::{AttentionPicture, PlaneFrame, TokenPicture, TopPair, Unit};
use lipscope_plot::{Changes, DrawnChanges, Extent, PlaneAxes, PlaneShape, Sway, TokenPlane};

use super::context::{Held, Plane, Point, Size};
use super::crowds;

/// The most tokens whose points have names.
const MOST_NAMED: usize = 32;
/// The most tokens whose points show their words of a text. Words without room are left out.
const MOST_WORDS: usize = 80;
/// How many arrows the opening view draws at rest: all are drawn while a pointer is on the disc, or it has the focus.
const AT_REST: usize = 3;
/// How far the axes reach, as a multiple of the ball's radius: a token can be dragged out of the ball.
const ROOM: f64 = 1.25;
/// As [`ROOM`], in the opening view, where the disc fills its panel.
const ROOM_OF_DISC: f64 = 1.0;
/// The most that the longest arrow may measure, as a fraction of the largest norm.
const LONGEST_ARROW: f64 = 0.5;

/// How far each token may move, as a fraction of the largest norm, and where a search has moved the tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moves {
    /// The radius of the disc around each token, as a fraction of the largest norm.
    pub relative: f64,
    /// Where the tokens went, if that is known.
    pub found: Option<Places>,
}

/// The present picture of the plane, with the discs of `moved`; `None` before the first measurement. Tracks its
/// signals.
pub fn scene(hand: Plane, size: Size, moved: Option<Moves>) -> Option<TokenPlane> {
    let page = hand.page;
    let measured = page.answers.measured.get()?;
    let picture = &measured.tokens;
    let held = hand.held.get_value();
    let frame = hand.frame(Some(&measured))?;
    let (points, is_now) = hand.points(&measured);
    let own_clusters = hand.with_state_in_view(&measured, |state| {
        (state.tokens == TokenChoice::Clusters).then(|| state.own_clusters.clone()).flatten()
    });
    let mut plane = TokenPlane::new(points);
    let n = plane.points.len();
    plane.point_label = strings::token().into();
    plane.shape = if picture.d == 1 { PlaneShape::Line } else { PlaneShape::Plane };
    plane.ln_sizes = picture.ln_sizes.as_ref().map(|logs| logs.iter().take(n).copied().collect());
    if let Some(own) = own_clusters.filter(|_| is_now) {
        plane.ln_sizes = Some(own.log_multiplicities.clone());
    }
    if size == Size::Opening {
        plane.axes = PlaneAxes::Absent;
    }
    (plane.x_label, plane.y_label) = match &held {
        Some(_) => strings::held_plane_axes(picture),
        None => strings::plane_axes(picture),
    };
    if picture.variance_shares.is_none() {
        // Random tokens, worst tokens and tokens moved by hand are shown in the ball of the controls' R. All other
        // tokens, and tokens that leave this ball, are shown in the ball of the farthest token.
        let state = &measured.state;
        let (radius, label): (_, fn(f64) -> String) = match state.tokens {
            _ if state.has_fixed_n() || state.ball_radius() > state.radius => {
                (picture.largest_norm, strings::ball_of_farthest)
            }
            TokenChoice::Distribution(_) | TokenChoice::Own | TokenChoice::Clusters => {
                (state.shown_radius(), strings::ball)
            }
            _ => (picture.largest_norm, strings::ball),
        };
        plane.ball_radius = Some(radius);
        plane.ball_label = label(radius);
    }
    let wall = page.look.wall.get().filter(|_| picture.variance_shares.is_none());
    if let Some(radius) = wall {
        plane.ball_radius = Some(radius);
        plane.ball_label = strings::ball(radius);
    }
    if is_now {
        let times = if size == Size::Opening { ROOM_OF_DISC } else { ROOM };
        plane.shown = room(picture, &plane.points, times);
    }
    // Only the opening view says how many tokens lie at one place.
    let counts = match size {
        Size::Opening => crowds::crowds(&plane.points, plane.ln_sizes.as_deref()),
        Size::Small | Size::Large => Vec::new(),
    };
    if size == Size::Opening && plane.shape == PlaneShape::Plane {
        plane.piles = counts.clone();
    }
    plane.selected = page.look.token_of(n);
    let words = page.answers.words_of(&measured.state);
    plane.labels = match &plane.ln_sizes {
        // Each point is labelled with its number of tokens.
        Some(sizes) if size == Size::Opening && n <= MOST_NAMED => {
            crowds::labels(&counts, Some(sizes), strings::tokens_here)
        }
        None if size == Size::Opening && words.is_none() => {
            let here = crowds::labels(&counts, None, strings::tokens_here);
            let names = names(n, plane.selected, size, &[]);
            names.into_iter().zip(here).map(|(name, here)| if name.is_empty() { here } else { name }).collect()
        }
        _ => names(n, plane.selected, size, words.as_ref().map_or(&[], |words| &words[..])),
    };
    let lines = page.look.lines.get();
    if page.look.has_row.get()
        && let Some(token) = plane.selected
        && let Some(shares) = shares_of(&measured.attention, token, n, lines)
    {
        plane.shares = shares;
        plane.shares_label = match lines {
            Lines::Given => strings::attention_from(token),
            Lines::Received => strings::attention_to(token),
        };
    }
    if let Some(pair) = measured.pair.as_ref().filter(|pair| pair.inputs.n_rows() == n && hand.shows_pair(size)) {
        let stretch = held.as_ref().and_then(|held| held.stretch);
        let mut drawn = changes(pair, &frame, largest(picture, &plane.points), stretch);
        if size != Size::Small {
            let logs = plane.ln_sizes.as_deref();
            let of_images = crowds::crowds(&drawn.images, logs);
            drawn.labels = crowds::labels(&of_images, logs, strings::outputs_here);
            if size == Size::Opening && !hand.is_attended() {
                drawn.drawn = Some(DrawnChanges {
                    nudges: largest_changes(&drawn.nudges, &counts),
                    images: largest_changes(&drawn.responses, &of_images),
                });
            }
        }
        plane.changes = Some(drawn);
    }
    if let Some(changes) = &mut plane.changes
        && hand.swings(size)
    {
        changes.sway = match hand.swing.get() {
            _ if is_motion_reduced() => Sway::Ends,
            Some(part) => Sway::At(part),
            None => Sway::Arrows,
        };
    }
    if let Some(Moves { relative, found }) = moved.filter(|_| picture.d == 2) {
        plane.reach = Some(relative * largest(picture, &plane.points));
        if let Some(found) = found.filter(|found| found.len() == n) {
            plane.changes = Some(moves(&plane.points, &found));
        }
    }
    if page.held.get() {
        plane.held = held.as_ref().and_then(|held| held.axes[size as usize]);
    }
    Some(plane)
}

/// The same without the animation: tokens and outputs where they are, with their arrows.
pub fn scene_at_rest(hand: Plane, size: Size) -> Option<TokenPlane> {
    let mut plane = scene(hand, size, None)?;
    if let Some(changes) = &mut plane.changes {
        changes.sway = Sway::Arrows;
    }
    Some(plane)
}

/// Freezes `axes` and the stretch of the arrows while a token is moved, unless they are frozen already.
pub fn keep(hand: Plane, size: Size, plane: &TokenPlane, axes: Option<(Extent, Extent)>) {
    hand.held.update_value(|held| {
        if let Some(Held { stretch, axes: all, .. }) = held {
            *stretch = stretch.or(plane.changes.as_ref().map(|changes| changes.stretch));
            all[size as usize] = all[size as usize].or(axes);
        }
    });
}

/// A picture of tokens without arrows, attention rows or a selection. It has the first `most` of the points.
pub fn plane_of(picture: &TokenPicture, most: usize) -> TokenPlane {
    let points = picture.positions.iter().take(most).map(|(x, y)| (f64::from(*x), f64::from(*y))).collect();
    let mut plane = TokenPlane::new(points);
    plane.point_label = strings::token().into();
    plane.ln_sizes = picture.ln_sizes.as_ref().map(|logs| logs.iter().take(most).copied().collect());
    (plane.x_label, plane.y_label) = strings::plane_axes(picture);
    if picture.variance_shares.is_none() {
        plane.ball_radius = Some(picture.largest_norm);
        plane.ball_label = strings::ball(picture.largest_norm);
    }
    plane
}

fn places(rows: &Rows, frame: &PlaneFrame) -> Vec<Point> {
    rows.iter().map(|row| frame.place(row)).collect()
}

/// Names of the points: of all where there are few and much room, else of the selected one.
fn names(n: usize, selected: Option<usize>, size: Size, words: &[String]) -> Vec<String> {
    let most = if words.is_empty() { MOST_NAMED } else { MOST_WORDS };
    let has_all = size == Size::Large && n <= most;
    let word = |i: usize| words.get(i).filter(|word| !word.is_empty()).cloned();
    let name = |i: usize| word(i).unwrap_or_else(|| (i + 1).to_string());
    (0..n).map(|i| if has_all || Some(i) == selected { name(i) } else { String::new() }).collect()
}

/// The largest norm; on principal axes, the largest distance from the centre.
fn largest(picture: &TokenPicture, points: &[Point]) -> f64 {
    match picture.variance_shares {
        None => picture.largest_norm,
        Some(_) => points.iter().map(|point| point.0.hypot(point.1)).fold(0.0, f64::max),
    }
}

/// The first points of the places with the largest changes, as many as are drawn at rest. Several that change alike count
/// together, as they do in the norm.
fn largest_changes(changes: &[Point], counts: &[f64]) -> Vec<usize> {
    let together = |i: usize| changes[i].0.hypot(changes[i].1) * counts[i].sqrt();
    let mut first: Vec<usize> = (0..changes.len().min(counts.len())).filter(|i| counts[*i] > 0.0).collect();
    first.sort_by(|a, b| together(*b).total_cmp(&together(*a)));
    first.truncate(AT_REST);
    first
}

/// The ball and some room around it.
fn room(picture: &TokenPicture, points: &[Point], times: f64) -> Option<(Extent, Extent)> {
    let half = times * largest(picture, points);
    let extent = Extent::new(-half, half).filter(|_| half > 0.0)?;
    Some((extent, if picture.d == 1 { Extent::new(0.0, 0.0)? } else { extent }))
}

/// The attention that a token gives to each token, or gets from it, if the picture has a row for each token.
fn shares_of(attention: &AttentionPicture, token: usize, n: usize, lines: Lines) -> Option<Vec<f64>> {
    let is_whole = attention.side == attention.n && attention.n == n && attention.unit != Unit::Run;
    let weights = attention.weights.get(..n * n).filter(|_| is_whole && token < n)?;
    Some(match lines {
        Lines::Given => weights.iter().skip(token * n).take(n).map(|weight| f64::from(*weight)).collect(),
        Lines::Received => weights.iter().skip(token).step_by(n).map(|weight| f64::from(*weight)).collect(),
    })
}

fn changes(pair: &TopPair, frame: &PlaneFrame, largest: f64, held: Option<f64>) -> Changes {
    let along = |rows: &Rows, times: f64| -> Vec<Point> {
        rows.iter()
            .map(|row| {
                let (x, y) = frame.direction(row);
                (times * x, times * y)
            })
            .collect()
    };
    let nudges = along(&pair.inputs, 1.0);
    let (images, responses) = match &pair.outputs {
        Some(outputs) => (places(&outputs.images, frame), along(&outputs.directions, pair.sigma)),
        None => (Vec::new(), Vec::new()),
    };
    let longest = nudges.iter().chain(&responses).map(|by| by.0.hypot(by.1)).fold(0.0, f64::max);
    let stretch = held.unwrap_or_else(|| round_down(LONGEST_ARROW * largest / longest));
    let names = strings::CHANGE_NAMES.map(String::from);
    Changes { nudges, images, responses, stretch, names, ..Changes::default() }
}

/// How many times the longest arrow of the tokens is shorter than that of the outputs, where this is so much that the
/// tokens' arrows are too short to see.
pub fn faintness(measured: &Measured) -> Option<f64> {
    /// The longest arrow is half as long as the ball's radius at most, on a disc with a radius of about 150 pixels.
    const VISIBLE: f64 = 20.0;
    let pair = measured.pair.as_ref()?;
    let longest = |rows: &Rows, times: f64| {
        let lengths = rows.iter().map(|row| {
            let (x, y) = measured.tokens.frame.direction(row);
            times * x.hypot(y)
        });
        lengths.fold(0.0, f64::max)
    };
    let times = longest(&pair.outputs.as_ref()?.directions, pair.sigma) / longest(&pair.inputs, 1.0);
    Some(times).filter(|times| times.is_finite() && *times > VISIBLE)
}

/// Arrows from the points to other places.
fn moves(points: &[Point], to: &[(f32, f32)]) -> Changes {
    let nudges = points.iter().zip(to).map(|(p, to)| (f64::from(to.0) - p.0, f64::from(to.1) - p.1)).collect();
    let names = [strings::certify_moves().into(), String::new(), String::new()];
    Changes { nudges, stretch: 1.0, names, ..Changes::default() }
}

/// The greatest of 1, 2 and 5 times a power of ten that is not above a number.
fn round_down(wanted: f64) -> f64 {
    let power = 10f64.powf(wanted.log10().floor());
    let rung = [5.0, 2.0, 1.0].map(|m| m * power).into_iter().find(|rung| *rung <= wanted);
    rung.filter(|rung| rung.is_finite() && *rung > 0.0).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_rest_the_places_with_the_largest_changes_have_arrows() {
        let nudges = [(0.1, 0.0), (0.0, -3.0), (0.0, -3.0), (2.0, 0.0), (0.0, 1.0), (0.5, 0.5)];
        assert_eq!(largest_changes(&nudges, &[1.0, 2.0, 0.0, 1.0, 1.0, 1.0]), [1, 3, 4]);
        // 63 outputs that move alike are more than one that moves further.
        assert_eq!(largest_changes(&[(0.0, 1.0), (2.0, 0.0)], &[63.0, 1.0]), [0, 1]);
        assert_eq!(largest_changes(&[], &[]), Vec::<usize>::new());
    }

    #[test]
    fn lines_show_what_a_token_gives_or_what_it_gets() {
        let attention = AttentionPicture {
            head_idx: 0,
            unit: Unit::Token,
            n: 2,
            side: 2,
            weights: vec![0.25, 0.75, 0.5, 0.5],
            column_sums: vec![0.75, 1.25],
        };
        let shares = |token, n, lines| shares_of(&attention, token, n, lines);
        assert_eq!(shares(0, 2, Lines::Given), Some(vec![0.25, 0.75]));
        assert_eq!(shares(0, 2, Lines::Received), Some(vec![0.25, 0.5]));
        assert_eq!(shares(1, 2, Lines::Received), Some(vec![0.75, 0.5]));
        // The picture may belong to other tokens than the plane.
        assert_eq!(shares(2, 2, Lines::Received), None);
        assert_eq!(shares(0, 3, Lines::Given), None);
    }
}

//! The local constant over n: draws and their mean, the worst tokens known, the best bound, the published mean-field
//! bound, and the root of n for comparison.

use lipscope_core::bounds::{Bound, CASTIN_MEAN_FIELD, Norm, SHARP, TWO_CLUSTERS, best_lower, best_upper};
use lipscope_plot::{Band, Extent, Kind, LineChart, Role, Scale, Series, SeriesKind, ascending};

use crate::answers::{Curves, KnownTokens, Measured, Sweep};
use crate::charts::role_of;
use crate::over_n::{self, Faded, chart_over_n, draws, kind_of_curve, mean, presence};
use crate::state::{PageState, Trace};
use crate::{plans, strings};

use super::facts::{best_label, of};
use super::pins::is_pinned;

/// The range of a linear axis leaves out a best bound that is more than this many times the largest norm: it would
/// flatten everything else.
const TIMES_ABOVE: f64 = 4.0;
/// The opacity of the area between the worst tokens known and the best bound: fainter than that of the samples.
const UNKNOWN: f64 = 0.07;
/// The id of the area between the worst tokens known and the best bound.
const GAP: &str = "gap";

/// The ids of the series.
pub mod id {
    pub use crate::over_n::{CURRENT, DRAWS, MEAN};

    /// The root of n.
    pub const ROOT: &str = "root";
    /// The worst tokens known.
    pub const WORST: &str = "worst";
    /// The best bound.
    pub const BEST: &str = "best";
    /// The published mean-field bound.
    pub const MEAN_FIELD: &str = "mean-field";
}

/// Picks one bound from the bounds at an n.
type Pick = fn(&[Bound]) -> Option<Bound>;

/// The chart of a sweep and of the worst tokens known, with the present tokens marked.
pub fn explore_chart(
    sweep: &Sweep,
    curves: &Curves,
    known: &KnownTokens,
    current: Option<&Measured>,
    pinned: &[Series],
    state: &PageState,
) -> LineChart {
    let norm = Norm::Spectral;
    let are_curves_present = curves.are_on_ball(state);
    let plan = plans::sweep(state);
    let known = known.on(state, norm);
    let mut series = Vec::with_capacity(8);
    let curve = |pick: Pick| -> Vec<(f64, f64)> {
        curves.rows().iter().filter_map(|row| pick(&row.bounds).map(|bound| (row.n, bound.log10))).collect()
    };
    let best: Pick = |bounds| best_upper(bounds, Norm::Spectral).copied();
    let best_name = best_label(curves.rows().iter().filter_map(|row| best(&row.bounds)));
    let picks: [(&str, Role, Pick, &str); 3] = [
        (
            id::MEAN_FIELD,
            role_of(&CASTIN_MEAN_FIELD),
            |bounds| of(bounds, &CASTIN_MEAN_FIELD),
            strings::trace_label(Trace::MeanField),
        ),
        (id::BEST, role_of(&SHARP), best, best_name),
        (
            id::WORST,
            role_of(&TWO_CLUSTERS),
            |bounds| best_lower(bounds, Norm::Spectral).copied(),
            strings::trace_label(Trace::Worst),
        ),
    ];
    for (id, role, pick, name) in picks {
        let data = if id == id::WORST && are_curves_present {
            known.over_n(curves.lower(norm), curves.now(state))
        } else {
            curve(pick)
        };
        if !data.is_empty() {
            let claim = if id == id::WORST { Kind::LowerBound } else { Kind::UpperBound };
            let line = Series::new(id, name, role, kind_of_curve(&data), data).given_log10().claim(claim);
            series.push(Series { opacity: presence(are_curves_present), ..line });
        }
    }
    let last = last_n(sweep, curves, state);
    let root = root(sweep, curves, last);
    series.push(Series::new(id::ROOT, strings::trace_label(Trace::Root), Role::Reference, SeriesKind::Line, root));
    series.extend(draws(sweep, plan.as_ref(), norm, Faded::ALL));
    series.push(mean(sweep, plan.as_ref(), norm));
    series.extend_from_slice(pinned);
    series.extend(over_n::current(current, state, norm));
    chart_over_n(state, state.explore_axis(), (strings::explore_x(), strings::local_axis(state)), series)
}

/// The chart as it is drawn: the samples as the area from the smallest to the largest norm at each n, where there are
/// several, and between the worst tokens known and the best bound an area where nothing is known.
pub fn shaded(mut chart: LineChart) -> LineChart {
    let find = |chart: &LineChart, id: &str| chart.series.iter().position(|series| series.id == id);
    if let (Some(low), Some(high)) = (find(&chart, id::WORST), find(&chart, id::BEST)) {
        let (low, high) = (&chart.series[low], &chart.series[high]);
        let opacity = UNKNOWN * low.opacity.min(high.opacity);
        chart.bands.push(Band { opacity, ..Band::between(GAP, high.role, low, high) });
    }
    let are_several = |series: &Series| series.data.windows(2).any(|pair| pair[0].0 == pair[1].0);
    while let Some(at) = chart.series.iter().position(|series| over_n::is_of_draws(series) && are_several(series)) {
        let samples = chart.series.remove(at);
        // A dot lets more through than an area, so that dots on each other are seen.
        let opacity = Band::OPACITY * samples.opacity / over_n::DRAW;
        chart.bands.push(Band { opacity, ..Band::min_to_max(&samples) });
    }
    chart
}

/// The root of n at every n that has samples or bounds, so that all of them can be read at the same n.
fn root(sweep: &Sweep, curves: &Curves, last: f64) -> Vec<(f64, f64)> {
    let mut lengths: Vec<f64> = sweep.lengths().iter().map(|n| *n as f64).collect();
    lengths.extend(curves.rows().iter().map(|row| row.n));
    lengths.extend([2.0, last]);
    ascending(&mut lengths, |n| *n);
    lengths.dedup();
    lengths.into_iter().map(|n| (n, n.sqrt())).collect()
}

/// The n at which the plot ends: the n of its last samples, or of its last bounds where that is larger.
pub fn last_n(sweep: &Sweep, curves: &Curves, state: &PageState) -> f64 {
    let sampled = sweep.lengths().last().copied().unwrap_or(state.longest_length()) as f64;
    curves.rows().last().map_or(sampled, |row| row.n.max(sampled))
}

/// The curves that may be far above all others.
pub const HIGH: [&str; 2] = [id::BEST, id::MEAN_FIELD];

/// The range of y. On a log axis: all curves. On a linear axis: from zero to the largest norm or sqrt(n), or to the
/// best bound where that is near.
pub fn wanted_y(chart: &LineChart) -> Option<Extent> {
    let is_data = |series: &&Series| {
        let id = series.id.as_str();
        matches!(id, id::DRAWS | id::CURRENT | id::ROOT | id::WORST | id::MEAN) || is_pinned(id)
    };
    // The samples, where they are drawn as an area.
    let areas = || {
        let samples = chart.bands.iter().filter(|band| band.id != GAP);
        samples.flat_map(|band| &band.data).flat_map(|(_, low, high)| [low.log10(), high.log10()])
    };
    if chart.y.scale != Scale::Log {
        let largest = |series: &Series| series.logs().fold(f64::NEG_INFINITY, f64::max);
        let reached = chart.series.iter().filter(is_data).map(largest).chain(areas()).fold(f64::NEG_INFINITY, f64::max);
        let best = chart.series.iter().find(|series| series.id == id::BEST).map(largest);
        let top = best.filter(|best| *best <= reached + TIMES_ABOVE.log10()).map_or(reached, |best| best.max(reached));
        return Extent::new(0.0, 1.04 * 10f64.powf(top.min(300.0))).map(|extent| extent.nice(Scale::Linear));
    }
    let all = chart.series.iter().flat_map(Series::logs).chain(areas());
    let all = Extent::of(all.filter(|log10| log10.abs() < 300.0))?;
    Extent::new(10f64.powf(all.lo()), 10f64.powf(all.hi())).map(|extent| extent.nice(Scale::Log))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::over_n::{STALE, of_present};
    use crate::state::XAxis;
    use lipscope_core::experiment::Rows;
    use lipscope_core::growth::{Growth, GrowthRow};
    use lipscope_core::measure::Method;
    use lipscope_core::sweep::SweepPoint;

    use super::*;

    /// The sweep, the curves and the tokens known of a state. The lower bound is 2, the norm of every sample is 5, and
    /// the best upper bound is 9.
    fn known_of(state: &PageState) -> (Sweep, Curves, KnownTokens) {
        let state = PageState { sweep_max: 4, draws: 1, ..state.clone() };
        let of = plans::sweep(&state).expect("a sweep");
        let point = |n: &usize| SweepPoint {
            n: *n,
            draw: 0,
            spectral: 5.0,
            dense: None,
            radius: state.radius,
            method: Method::DenseSvd,
            iterations: 0,
            relative_residual: 0.0,
        };
        let bounds = [(&TWO_CLUSTERS, 2f64), (&SHARP, 9.0), (&CASTIN_MEAN_FIELD, 20.0)];
        let bounds = bounds.map(|(id, value)| Bound::of_ln(id, value.ln())).to_vec();
        let row = |n: f64| GrowthRow { n, radius: state.radius, bounds: bounds.clone() };
        let growth = Growth { rows: vec![row(2.0), row(64.0)], crossover: None };
        let curves = Curves { of: Some(plans::bounds(&state)), growth: Some(Arc::new(growth)), ..Curves::default() };
        let points: Vec<SweepPoint> = of.lengths.iter().map(point).collect();
        let mut known = KnownTokens::default();
        known.add_points(&state, &of, &points);
        (Sweep { points, of: Some(of), ..Sweep::default() }, curves, known)
    }

    fn chart_of((sweep, curves, known): &(Sweep, Curves, KnownTokens), state: &PageState) -> LineChart {
        explore_chart(sweep, curves, known, None, &[], &PageState { sweep_max: 4, draws: 1, ..state.clone() })
    }

    /// The opacity of a series, and its largest value.
    fn look(chart: &LineChart, id: &str) -> (f64, f64) {
        let series = chart.series.iter().find(|series| series.id == id).expect("it is there");
        (series.opacity, 10f64.powf(series.logs().fold(f64::NEG_INFINITY, f64::max)).round())
    }

    #[test]
    fn what_is_of_the_present_state_is_as_dark_as_ever_and_samples_raise_the_worst_known() {
        let state = PageState::default();
        // A sweep does not depend on n.
        for n in [64, 100] {
            let chart = chart_of(&known_of(&state), &PageState { n, ..state.clone() });
            let found = [id::BEST, id::MEAN_FIELD, id::WORST, id::MEAN, id::DRAWS].map(|id| look(&chart, id));
            assert_eq!(found, [(1.0, 9.0), (1.0, 20.0), (1.0, 5.0), (1.0, 5.0), (0.4, 5.0)], "n = {n}");
        }
    }

    #[test]
    fn a_bound_at_one_n_is_a_ring() {
        let state = PageState::default();
        let (sweep, mut curves, known) = known_of(&state);
        let kind = |chart: &LineChart| chart.series.iter().find(|series| series.id == id::BEST).map(|found| found.kind);
        assert_eq!(kind(&explore_chart(&sweep, &curves, &known, None, &[], &state)), Some(SeriesKind::Line));
        let rows = curves.growth.take().expect("curves").rows.iter().skip(1).cloned().collect();
        curves.growth = Some(Arc::new(Growth { rows, crossover: None }));
        assert_eq!(kind(&explore_chart(&sweep, &curves, &known, None, &[], &state)), Some(SeriesKind::Hollow));
    }

    #[test]
    fn what_is_of_another_state_is_faded_and_its_samples_raise_nothing() {
        let state = PageState::default();
        let moved = PageState { radius: 2.0 * state.radius, ..state.clone() };
        let chart = chart_of(&known_of(&state), &moved);
        let found = [id::BEST, id::MEAN_FIELD, id::WORST, id::MEAN].map(|id| look(&chart, id));
        assert_eq!(found, [(STALE, 9.0), (STALE, 20.0), (STALE, 2.0), (STALE, 5.0)]);
        assert!(look(&chart, id::DRAWS).0 < 0.4);
    }

    #[test]
    fn nothing_of_another_state_is_as_dark_as_what_is_of_this_one_and_no_table_has_it() {
        let state = PageState { n: 4, ..PageState::default() };
        let (sweep, curves, known) = known_of(&state);
        let measured = Measured::without_pictures(&state);
        let shown = PageState { sweep_max: 4, draws: 1, ..state };
        let chart = |state: &PageState| explore_chart(&sweep, &curves, &known, Some(&measured), &[], state);
        let [now, moved] = [chart(&shown), chart(&PageState { radius: 3.0, ..shown.clone() })];
        let ids = |chart: &LineChart| chart.series.iter().map(|series| series.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&now), ids(&moved));
        for (now, then) in now.series.iter().zip(&moved.series).filter(|(now, _)| now.id != id::ROOT) {
            assert_eq!(then.opacity, now.opacity * STALE, "{}", now.id);
        }
        assert_eq!(ids(&of_present(now.clone())), ids(&now));
        assert_eq!(ids(&of_present(moved)), [id::ROOT]);
    }

    #[test]
    fn samples_and_bounds_are_faded_each_by_what_they_are_of() {
        let state = PageState::default();
        // A new sample has the ball of the earlier one, whose samples stay known.
        let redrawn = PageState { token_seed: state.token_seed + 1, ..state.clone() };
        let chart = chart_of(&known_of(&state), &redrawn);
        assert_eq!([id::BEST, id::WORST, id::MEAN].map(|id| look(&chart, id)), [(1.0, 9.0), (1.0, 5.0), (STALE, 5.0)]);
        // The samples of a sweep may come before its bounds.
        let moved = PageState { radius: 2.0 * state.radius, ..state.clone() };
        let chart = chart_of(&(known_of(&moved).0, known_of(&state).1, known_of(&moved).2), &moved);
        assert_eq!(
            [id::BEST, id::WORST, id::MEAN].map(|id| look(&chart, id)),
            [(STALE, 9.0), (STALE, 2.0), (1.0, 5.0)]
        );
    }

    #[test]
    fn what_a_search_found_in_this_ball_raises_the_worst_known_at_its_n() {
        let state = PageState::default();
        let (sweep, curves, mut known) = known_of(&state);
        // Tokens of the ball, and tokens outside it.
        for (norm, radius) in [(8.0, state.radius), (8.5, 2.0 * state.radius)] {
            let rows = Rows::new("tokens", 2, [radius, 0.0].repeat(64)).expect("numbers");
            known.add_found(&plans::map(&state), &rows, norm);
        }
        let chart = chart_of(&(sweep, curves, known), &state);
        let worst = chart.series.iter().find(|series| series.id == id::WORST).expect("it is there");
        let values: Vec<f64> = worst.logs().map(|log10| 10f64.powf(log10).round()).collect();
        assert_eq!(values, [5.0, 8.0]);
    }

    #[test]
    fn samples_are_an_area_where_there_are_several_and_the_gap_another() {
        let state = PageState::default();
        let (mut sweep, curves, known) = known_of(&state);
        let dots = shaded(chart_of(&(sweep.clone(), curves.clone(), known.clone()), &state));
        assert!(dots.series.iter().any(|series| series.id == id::DRAWS));
        assert_eq!(dots.bands.iter().map(|band| &*band.id).collect::<Vec<_>>(), [GAP]);
        let second: Vec<SweepPoint> =
            sweep.points.iter().map(|point| SweepPoint { draw: 1, spectral: 3.0, ..*point }).collect();
        sweep.points.extend(second);
        sweep.points.sort_by_key(|point| point.n);
        let all = explore_chart(&sweep, &curves, &known, None, &[], &PageState { sweep_max: 4, draws: 2, ..state });
        let range = wanted_y(&all);
        let chart = shaded(all);
        assert!(chart.series.iter().all(|series| series.id != id::DRAWS));
        let samples = chart.bands.iter().find(|band| band.id == id::DRAWS).expect("an area");
        assert!(!samples.data.is_empty() && samples.data.iter().all(|(_, low, high)| (*low, *high) == (3.0, 5.0)));
        assert_eq!(wanted_y(&chart), range);
    }

    #[test]
    fn the_root_of_n_is_read_at_every_length_and_a_linear_axis_holds_the_best_bound() {
        let state = PageState { x_axis: Some(XAxis::N), ..PageState::default() };
        let chart = chart_of(&known_of(&state), &state);
        let root = chart.series.iter().find(|series| series.id == id::ROOT).expect("it is there");
        assert!(root.data.contains(&(64.0, 8.0)));
        // The best bound is 9, the mean-field bound 20: it would flatten everything else.
        let top = wanted_y(&chart).expect("a range").hi();
        assert!((9.0..20.0).contains(&top), "{top}");
    }
}

//! The value of a trace at an n.

use crate::prelude::*;

use lipscope_core::bounds::{Bound, Norm, SKEW};
use lipscope_core::extremum::maximum;
use lipscope_core::gap::WidestGap;
use lipscope_core::growth::GrowthRow;
use lipscope_plot::{Kind, Number};

use crate::answers::{Answers, Curves, KnownOfMap, SearchFound, Sweep, larger, written_reached};
use crate::page::Page;
use crate::plans::sweep_over_n;
use crate::state::{PageState, TokenChoice, Trace};
use crate::strings;

/// A norm that exceeds a bound by less than this, in powers of ten, is that of the tokens behind the bound.
const ROUNDING: f64 = 1e-9;

/// The value of a trace at an n.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Whether the value is exact, a lower bound or an upper bound.
    pub kind: Kind,
    /// The value, rounded to the side on which it holds.
    pub number: Number,
    /// Its logarithm to base ten: some values overflow f64.
    pub log10: f64,
}

impl Reading {
    fn of(value: f64, kind: Kind) -> Self {
        Reading { kind, number: Number::digits(value, kind), log10: value.log10() }
    }

    fn of_bound(bound: &Bound, norm: Norm) -> Self {
        let kind = claim_of(bound, norm);
        Reading { kind, number: Number::digits_from_log10(bound.log10, kind), log10: bound.log10 }
    }

    /// A norm that some tokens reach.
    fn of_reached(log10: f64, page: Page) -> Self {
        let norm = page.norm();
        let latest = page.answers.measured.with(|measured| measured.as_ref()?.norm(norm));
        let number = written_reached(log10, latest);
        Reading { kind: number.kind, number: number.kind(Kind::Plain), log10 }
    }
}

/// The kind of a bound's value.
pub fn claim_of(bound: &Bound, norm: Norm) -> Kind {
    // The value of the skew witness is the exact spectral norm for other weights A, and so a lower bound on the Frobenius
    // norm.
    if bound.id == &SKEW && norm == Norm::Spectral { Kind::Exact } else { strings::side_kind(bound.side) }
}

/// The bound on a norm that a trace shows at the n of a row: of several upper ones the smallest.
pub fn bound_in(row: &GrowthRow, trace: Trace, norm: Norm) -> Option<&Bound> {
    match trace {
        Trace::Worst => row.best_lower(norm),
        _ => {
            let of_trace = |bound: &&Bound| trace.bounds().contains(&bound.id) && bound.id.is_about(norm);
            row.bounds.iter().filter(of_trace).min_by(|a, b| a.log10.total_cmp(&b.log10))
        }
    }
}

/// log10 of the largest norm known at the n and R of a row: the best lower bound, or the norm at tokens that were
/// measured or found where that is larger, or where there is no bound. `known` is `None` where the row belongs to
/// another state than the known tokens.
pub fn worst_in(row: &GrowthRow, known: Option<&KnownOfMap<'_>>, norm: Norm) -> Option<f64> {
    let found = known.and_then(|known| known.worst(row.n, row.radius)).map(|found| found.log10);
    larger(row.best_lower(norm).map(|bound| bound.log10), found)
}

/// The curve of the largest norms known, as (n, log10): see [`KnownOfMap::over_n`].
pub fn worst_over(data: &Curves, known: Option<&KnownOfMap<'_>>, norm: Norm) -> Vec<(f64, f64)> {
    let rows = data.lower(norm);
    match known {
        Some(known) => known.over_n(rows, None),
        None => rows.filter_map(|(n, _, log10)| Some((n, log10?))).collect(),
    }
}

/// The band between the largest norm known and the best upper bound, as (n, lower, upper) in log10.
pub fn band_over(data: &Curves, known: Option<&KnownOfMap<'_>>, norm: Norm) -> Vec<(f64, f64, f64)> {
    let upper = |n: f64| data.row(n)?.best_upper(norm).map(|bound| bound.log10);
    worst_over(data, known, norm).into_iter().filter_map(|(n, lower)| Some((n, lower, upper(n)?))).collect()
}

/// The largest ratio of a band's upper edge to its lower one, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widest {
    /// log10 of the ratio.
    pub log10: f64,
    /// The number of tokens there.
    pub n: f64,
    /// The largest number of tokens of the band: its lower edge ends where no tokens are known.
    pub end: f64,
    /// Whether the lower edge there is a bound, and not only the norm at tokens that were measured or found.
    pub is_proved: bool,
}

/// The widest place of a band.
pub fn widest_of(band: &[(f64, f64, f64)], data: &Curves, norm: Norm) -> Option<Widest> {
    let gaps = band.iter().map(|(n, lower, upper)| ((*n, *lower), upper - lower));
    let WidestGap { log10, at: (n, lower) } = WidestGap::of(gaps)?;
    let is_proved =
        data.row(n).and_then(|row| row.best_lower(norm)).is_some_and(|bound| lower - bound.log10 <= ROUNDING);
    let end = band.last().map_or(n, |(n, ..)| *n);
    Some(Widest { log10, n, end, is_proved })
}

/// The widest place of the band of the view.
pub fn widest_now(page: Page) -> Option<Widest> {
    let answers = page.answers;
    answers.growth.with(|data| {
        answers.known.with(|all| {
            page.state.with(|state| {
                let known = data.are_of_view(state).then(|| all.on(state, state.norm));
                widest_of(&band_over(data, known.as_ref(), state.norm), data, state.norm)
            })
        })
    })
}

/// Whether a trace has anything to show: a bound at some n, or points of this norm.
pub fn has_values(data: &Curves, answers: &Answers, state: &PageState, trace: Trace) -> bool {
    match trace {
        Trace::Draws | Trace::Root => true,
        Trace::Found => answers.searched.read().iter().any(|found| is_about(found, data, state)),
        Trace::Exact => state.norm == Norm::Spectral && !data.family.is_empty(),
        Trace::Worst => {
            let all = answers.known.read();
            let known = data.are_of_view(state).then(|| all.on(state, state.norm));
            !worst_over(data, known.as_ref(), state.norm).is_empty()
        }
        _ => data.rows().iter().any(|row| bound_in(row, trace, state.norm).is_some()),
    }
}

/// The draws of the sweep, if they are those of the view over n.
pub fn draws_of(sweep: &Sweep, state: &PageState) -> Vec<(f64, f64)> {
    if sweep.has_plan(sweep_over_n(state).as_ref()) { sweep.values(state.norm) } else { Vec::new() }
}

/// Whether the result of a search is about the ball of the curves.
pub fn is_about(found: &SearchFound, data: &Curves, state: &PageState) -> bool {
    // R may grow with n: the nearest row has the R to compare with.
    let distance = |n: f64| (n / found.n).ln().abs();
    let rows = data.rows().iter();
    let row = rows.min_by(|a, b| distance(a.n).total_cmp(&distance(b.n)));
    row.is_some_and(|row| found.is_about(state, row.radius))
}

/// The value of a trace at exactly this n; `None` where it has none.
pub fn value_at(page: Page, trace: Trace, n: f64) -> Option<Reading> {
    let answers = page.answers;
    let of_norm = page.norm();
    let read = |bound: &Bound| match claim_of(bound, of_norm) {
        Kind::LowerBound => Reading::of_reached(bound.log10, page),
        _ => Reading::of_bound(bound, of_norm),
    };
    let of_bound = || answers.growth.with(|data| bound_in(data.row(n)?, trace, of_norm).map(read));
    let found = || {
        answers.searched.with(|found| {
            answers.growth.with(|data| {
                page.state.with(|state| {
                    let here = found.iter().filter(|found| found.n == n && is_about(found, data, state));
                    here.map(|found| found.norm).reduce(maximum).map(|norm| Reading::of(norm, Kind::LowerBound))
                })
            })
        })
    };
    match trace {
        Trace::Exact if of_norm != Norm::Spectral => None,
        Trace::Exact => answers.growth.with(|data| data.exact(n)).map(|norm| Reading::of(norm, Kind::Exact)),
        Trace::Root => Some(Reading::of(n.sqrt(), Kind::Exact)),
        Trace::Found => found(),
        Trace::Worst => answers.growth.with(|data| {
            let row = data.row(n)?;
            let log10 = answers.known.with(|all| {
                page.state.with(|state| {
                    let known = data.are_of_view(state).then(|| all.on(state, of_norm));
                    worst_in(row, known.as_ref(), of_norm)
                })
            })?;
            Some(Reading::of_reached(log10, page))
        }),
        Trace::Draws => {
            let of_current = answers.measured.with(|measured| {
                let measured = measured.as_ref().filter(|measured| page.state.with(|state| measured.answers(state)))?;
                measured.norm(of_norm).filter(|_| measured.measurement.n == n)
            });
            // At the present n the curve is that of the present tokens: where their norm is not known, others say nothing.
            let is_here = page.state.with(|state| state.n_tokens() == n && state.tokens == TokenChoice::Worst);
            let (norm, kind) = of_current.or_else(|| {
                if is_here {
                    return None;
                }
                let draws = answers.sweep.with(|sweep| page.state.with(|state| draws_of(sweep, state)));
                let largest = draws.iter().filter(|draw| draw.0 == n).map(|draw| draw.1).reduce(maximum);
                largest.map(|norm| (norm, Kind::LowerBound))
            })?;
            Some(Reading::of(norm, kind))
        }
        _ => of_bound(),
    }
}

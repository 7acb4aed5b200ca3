//! The values in the places of a lesson's text, read from the settings and from the workers' answers.

use crate::answers::{
    Curves, KnownTokens, Measured as LatestMeasured, Pair, Side as InverseSide, Sweep, TrainRun, written_reached,
};
use crate::field::{AnyField, Field};
use crate::state::{PageState, Settings};
use crate::strings;
use lipscope_core::bounds::{Bound, BoundId, Norm, SKEW, Side, best_lower, best_upper};
use lipscope_core::extremum::largest as largest_of;
use lipscope_core::growth::GrowthRow;
use lipscope_core::scaling::{ScalingPoint, slopes};
use lipscope_core::tightness::TightnessPoint;
use lipscope_plot::{Kind as Sign, Number};
use lipscope_protocol::train::{LayerRow, WindowRow};

use super::slot::{GrowthReading, Inverse, Kind, Measured, Scaled, Slot, TightnessReading, Trained};

/// The data that a text reads.
pub struct Facts<'a> {
    /// The state of the controls.
    pub state: &'a PageState,
    /// The settings of the labs.
    pub settings: &'a Settings,
    /// The last measurement.
    pub measured: Option<&'a LatestMeasured>,
    /// The draws over n.
    pub sweep: &'a Sweep,
    /// The curves over n.
    pub growth: &'a Curves,
    /// The tokens that were measured or found.
    pub known: &'a KnownTokens,
    /// The scaled tokens.
    pub scaling: &'a [ScalingPoint],
    /// The lab's searches, one at each n.
    pub tightness: &'a [TightnessPoint],
    /// The inverses of both attentions.
    pub inverse: &'a Pair,
    /// The runs of training.
    pub training: &'a [TrainRun],
    /// The number of the run whose details are shown.
    pub training_shown: Option<u64>,
    /// Which of these belong to the present settings.
    pub ages: Ages,
}

/// Whether answers belong to the configuration that is set now.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ages {
    /// The last measurement.
    pub measured: Age,
    /// The draws over n.
    pub sweep: Age,
    /// The scaled tokens.
    pub scaling: Age,
    /// The lab's searches.
    pub tightness: Age,
    /// The inverses of both attentions.
    pub inverse: Age,
}

/// Whether a value belongs to the configuration that is set now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Age {
    /// It belongs to the present configuration.
    #[default]
    Now,
    /// It belongs to an earlier configuration.
    Before,
    /// The work that gives it has not ended: half of a search or of a curve has no number.
    Unfinished,
}

/// The value of a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    /// =, ≥ or ≤; empty for a setting.
    pub sign: &'static str,
    /// The text on screen.
    pub text: String,
    /// All digits; past the range of f64, those of the logarithm to base ten.
    pub full: String,
    /// The number, infinite past the range of f64; `None` for words.
    pub value: Option<f64>,
    /// Whether it belongs to the present settings.
    pub age: Age,
}

impl Filled {
    fn written(value: f64, text: String) -> Self {
        Filled { text, full: value.to_string(), value: Some(value), ..Filled::default() }
    }

    fn chosen(value: f64) -> Self {
        Filled::written(value, strings::count(value))
    }

    fn of(value: f64, kind: Sign) -> Self {
        Filled { sign: kind.sign(), ..Filled::written(value, Number::digits(value, kind).to_string()) }
    }

    fn of_bound(bound: &Bound, latest: Option<&LatestMeasured>) -> Self {
        match (bound.id, bound.side) {
            (id, _) if id == &SKEW => Filled::of_log10(bound.log10, Sign::Exact),
            (_, Side::Lower) => Filled::of_reached(bound.log10, latest),
            (_, Side::Upper) => Filled::of_log10(bound.log10, strings::side_kind(bound.side)),
        }
    }

    /// A norm that some tokens of the ball reach.
    fn of_reached(log10: f64, latest: Option<&LatestMeasured>) -> Self {
        let number = written_reached(log10, latest.and_then(|latest| latest.norm(Norm::Spectral)));
        let filled = Filled::of_log10(log10, Sign::LowerBound);
        Filled { sign: number.kind.sign(), text: number.kind(Sign::Plain).to_string(), ..filled }
    }

    fn of_log10(log10: f64, kind: Sign) -> Self {
        let value = 10f64.powf(log10);
        let text = Number::digits_from_log10(log10, kind).to_string();
        let filled = Filled { sign: kind.sign(), ..Filled::written(value, text) };
        if value.is_finite() { filled } else { Filled { full: format!("10^{log10}"), ..filled } }
    }

    fn words(text: String) -> Self {
        Filled { full: text.clone(), text, ..Filled::default() }
    }

    fn aged(self, age: Age) -> Self {
        Filled { age, ..self }
    }

    /// The value with its age; `None` where the work that gives it has not ended.
    fn at(self, age: Age) -> Option<Self> {
        (age != Age::Unfinished).then(|| self.aged(age))
    }
}

impl Slot {
    /// The value of this place where it is a setting; `None` where the page computes it.
    #[must_use]
    pub fn setting(self, state: &PageState, settings: &Settings) -> Option<Filled> {
        match self {
            Slot::Chosen(field) => Some(Filled::chosen(chosen(field, state, settings))),
            _ => None,
        }
    }

    /// The value of this place; `None` while the page does not have it.
    #[must_use]
    pub fn fill(self, facts: &Facts<'_>) -> Option<Filled> {
        match self {
            Slot::Chosen(_) => self.setting(facts.state, facts.settings),
            Slot::Measured(what) => {
                let latest = facts.measured?;
                measured(what, latest, facts.known).map(|filled| filled.aged(facts.ages.measured))
            }
            Slot::Slope => {
                let fit = facts.sweep.slope(Norm::Spectral).filter(|_| facts.sweep.is_of(facts.state))?;
                Filled::written(fit.exponent, strings::lesson_slope(fit.exponent)).at(facts.ages.sweep)
            }
            Slot::Growth(what) => {
                let is_now = facts.growth.are_of_view(facts.state);
                there(what, facts).map(|filled| filled.aged(if is_now { Age::Now } else { Age::Before }))
            }
            Slot::Scaled(what) => scaled(what, facts)?.at(facts.ages.scaling),
            Slot::Tightness(what) => tight(what, facts)?.at(facts.ages.tightness),
            Slot::Inverse(kind, what) => {
                let pair = facts.inverse;
                inverse(what, if kind == Kind::L2 { &pair.l2 } else { &pair.dot })?.at(facts.ages.inverse)
            }
            Slot::TrainedShown => {
                let run = facts.training.iter().find(|run| Some(run.number) == facts.training_shown)?;
                let kind = run.plan.kind;
                Some(Filled { full: kind.id().into(), ..Filled::words(strings::train_kind(kind).into()) })
            }
            Slot::Trained(kind, what) => trained(what, facts.training.iter().find(|run| run.plan.kind == kind)?),
        }
    }
}

fn chosen(field: AnyField, state: &PageState, settings: &Settings) -> f64 {
    if field == AnyField::Controls(Field::RADIUS) {
        // A lesson speaks of the ball that was set, also where the tokens are the reader's own.
        return state.radius;
    }
    if field == AnyField::Controls(Field::SWEEP_MAX) {
        // A sweep of the reader's own tokens ends where their list ends.
        return state.longest_length() as f64;
    }
    field.used(state, settings)
}

fn measured(what: Measured, latest: &LatestMeasured, known: &KnownTokens) -> Option<Filled> {
    let m = &latest.measurement;
    let kind = strings::kind_of(m, Norm::Spectral);
    let bound = |id: BoundId| m.bounds.iter().find(|bound| bound.id == id);
    match what {
        Measured::Spectral => Some(Filled::of(m.spectral, kind)),
        Measured::Ratio => Some(Filled::of(m.spectral / m.n.sqrt(), kind)),
        Measured::Radius => Some(Filled::of(m.radius, Sign::Plain)),
        Measured::ColumnSum => m.largest_column_sum.map(|sum| Filled::of(sum, Sign::Exact)),
        Measured::Frobenius => m.dense.map(|norms| Filled::of(norms.frobenius, Sign::Exact)),
        Measured::Linf => m.dense.map(|norms| Filled::of(norms.linf, Sign::Exact)),
        Measured::L1 => m.dense.map(|norms| Filled::of(norms.l1, Sign::Exact)),
        Measured::LargeRadius => m.large_radius_limit.map(|limit| Filled::of(limit, Sign::Exact)),
        Measured::Steps => Some(Filled::chosen(m.iterations as f64)),
        Measured::Residual => Some(Filled::of(m.relative_residual, Sign::Plain)),
        Measured::BestBound => best_upper(&m.bounds, Norm::Spectral).map(|bound| Filled::of_bound(bound, Some(latest))),
        Measured::BestLower => {
            let known = known.on(&latest.state, Norm::Spectral);
            let lower = best_lower(&m.bounds, Norm::Spectral)?.log10;
            Some(Filled::of_reached(known.raise(lower, m.n, m.radius), Some(latest)))
        }
        Measured::Bound(id) => bound(id).map(|bound| Filled::of_bound(bound, Some(latest))),
        Measured::Times(id) => {
            let bound = bound(id).filter(|_| m.spectral > 0.0)?;
            let times = Filled::of_log10(bound.log10 - m.spectral.log10(), Sign::Plain);
            Some(Filled { text: strings::times(&times.text), ..times })
        }
        Measured::Losses(id) => {
            let slack = m.slacks.iter().find(|slack| slack.id == id)?;
            let losses = strings::slack(&slack.factors, bound(id)?, Some(m.spectral));
            (!losses.is_empty()).then(|| Filled::words(losses.join(strings::between_losses())))
        }
    }
}

/// log10 of the largest norm known at the n and R of a row. Tokens of another state raise no row of an earlier one.
fn worst_at(row: &GrowthRow, facts: &Facts<'_>) -> Option<f64> {
    let lower = row.best_lower(Norm::Spectral)?.log10;
    let known = facts.known.on(facts.state, Norm::Spectral);
    Some(if facts.growth.are_of_view(facts.state) { known.raise(lower, row.n, row.radius) } else { lower })
}

fn there(what: GrowthReading, facts: &Facts<'_>) -> Option<Filled> {
    let (data, at) = (facts.growth, facts.state.read_at());
    let of_bound = |bound: &Bound| Filled::of_bound(bound, facts.measured);
    match what {
        GrowthReading::Bound(id) => data.row(at)?.bounds.iter().find(|bound| bound.id == id).map(of_bound),
        GrowthReading::Best => data.row(at)?.best_upper(Norm::Spectral).map(of_bound),
        GrowthReading::Worst => Some(Filled::of_reached(worst_at(data.row(at)?, facts)?, facts.measured)),
        GrowthReading::Exact => data.exact(at).map(|norm| Filled::of(norm, Sign::Exact)),
        GrowthReading::Gap => {
            let row = data.row(at)?;
            let log10 = row.best_upper(Norm::Spectral)?.log10 - worst_at(row, facts)?;
            Some(Filled { text: strings::gap(log10), ..Filled::of_log10(log10, Sign::Plain) })
        }
        GrowthReading::Radius => data.row(at).map(|row| Filled::of(row.radius, Sign::Plain)),
        GrowthReading::Crossover => data
            .crossover(Norm::Spectral)
            .map(|found| Filled::of_log10(found.ln_n / std::f64::consts::LN_10, Sign::Plain)),
        GrowthReading::A => data.crossover(Norm::Spectral).map(|found| Filled::of(found.a, Sign::Plain)),
    }
}

fn scaled(what: Scaled, facts: &Facts<'_>) -> Option<Filled> {
    let points = facts.scaling;
    let fits = || slopes(points);
    let slope = |exponent: f64| Filled::written(exponent, strings::power(exponent));
    let last = || points.last();
    match what {
        Scaled::SlopeDot => fits().map(|fits| slope(fits.0.exponent)),
        Scaled::SlopeL2 => fits().map(|fits| slope(fits.1.exponent)),
        Scaled::Radius => last().map(|point| Filled::of(point.radius, Sign::Plain)),
        Scaled::Dot => last().map(|point| Filled::of(point.dot, Sign::Exact)),
        Scaled::L2 => last().map(|point| Filled::of(point.l2, Sign::Exact)),
    }
}

fn tight(what: TightnessReading, facts: &Facts<'_>) -> Option<Filled> {
    let last = facts.tightness.last()?;
    Some(match what {
        TightnessReading::N => Filled::chosen(last.n as f64),
        TightnessReading::Found => Filled::of(last.found, Sign::LowerBound),
        TightnessReading::Bound => Filled::of(last.bound, Sign::UpperBound),
        TightnessReading::Ratio => Filled::of(last.found / last.bound, Sign::LowerBound),
    })
}

fn inverse(what: Inverse, side: &InverseSide) -> Option<Filled> {
    let last = side.steps.last();
    match what {
        Inverse::Outcome => {
            let outcome = side.outcome?;
            let words = strings::ended(Some(outcome), side.steps.len());
            Some(Filled { full: outcome.id().into(), ..Filled::words(words) })
        }
        Inverse::Error => last.map(|step| Filled::of(step.error, Sign::Exact)),
        Inverse::Steps => side.outcome.map(|_| Filled::chosen(side.steps.len() as f64)),
        Inverse::Residual => last.map(|step| Filled::of(step.residual, Sign::Exact)),
        Inverse::Constant => side
            .constant
            .map(|(value, kind)| Filled::of(value, if kind.is_global() { Sign::UpperBound } else { Sign::Exact })),
    }
}

fn trained(what: Trained, run: &TrainRun) -> Option<Filled> {
    let (last, first) = (run.last()?, &run.measured.first()?.0);
    let largest = |layers: &[LayerRow]| layers.iter().copied().max_by(|a, b| a.norm.total_cmp(&b.norm));
    let windows = &run.backwards.windows;
    let count = |of: fn(&WindowRow) -> usize| {
        (!windows.is_empty()).then(|| Filled::chosen(windows.iter().map(of).sum::<usize>() as f64))
    };
    match what {
        Trained::Step => Some(Filled::chosen(last.step as f64)),
        Trained::Loss => Some(Filled::of(last.held_out, Sign::Exact)),
        Trained::Norm => largest(&last.layers).map(|row| Filled::of(row.norm, Sign::Exact)),
        Trained::FirstNorm => largest(&first.layers).map(|row| Filled::of(row.norm, Sign::Exact)),
        Trained::Bound => largest(&last.layers).map(|row| Filled::of(row.bound, Sign::UpperBound)),
        Trained::Sent => count(|row| row.characters),
        Trained::Back => count(|row| row.recovered),
        Trained::Error => {
            // The error of an iteration that diverged may overflow f64.
            let errors = windows.iter().map(|row| row.error.unwrap_or(f64::INFINITY));
            (!windows.is_empty()).then(|| Filled::of(largest_of(errors), Sign::Exact))
        }
    }
}

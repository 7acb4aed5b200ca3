//! Drawn experiments in two notations: the same numbers come of both.

use lipscope_core::bounds::{BoundId, Domain, LOCAL, Norm, Side};
use lipscope_core::experiment::{Experiment, InputError, Weighting};
use lipscope_core::measure::{Measurement, cost, measure_with};
use lipscope_testkit::notation::notations;
use lipscope_testkit::precise::precise_norm;
use lipscope_testkit::upper_numbers::By;
use serde_json::Value;

use super::experiment::READING;
use super::upper::{drawn, made};
use crate::door::{Door, Verdict, refused, within};

pub(super) const DOOR: Door = Door {
    name: "notation",
    about: "the same experiments written in another way: heads listed or grouped, the mask as a table, ALiBi as a bias, the entries \
            or the order of the tokens changed; the same numbers come of both",
    made,
    vary: drawn,
    feed,
};

/// A measurement and a half of these numbers are two sums of the same products in another order. Their difference is within what
/// a change of the stored numbers in their last digit makes, which a warning states where it is above its own least number.
const TOLERANCE: f64 = 1e-9;
/// Both sums may be off by that much, and each has more than one rounding.
const ROUNDINGS: f64 = 4.0;
/// An upper bound holds an allowance for rounding, which is mostly this many times the rounding itself and may differ with the
/// notation.
const PESSIMISM: f64 = 256.0;
/// Where terms cancel, as maps that are subtracted, the allowance under the root of a bound is a part of the bound.
const CANCELLED: f64 = 0.02;
/// At a map that is zero a bound is an allowance for rounding and nothing else.
const ALLOWANCE_ALONE: f64 = 0.5;
/// Below this size f64 loses digits.
const LEAST: f64 = 1e-290;
const MOST_OPERATIONS: u64 = 300_000;

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let experiment = match within("reading an experiment", READING.of(input), || Experiment::from_json(&text)) {
        Ok(experiment) => experiment,
        Err(problem) => return refused(&problem),
    };
    let Ok(file) = serde_json::from_str::<Value>(&text) else { return Verdict::Taken };
    if By::ALL.into_iter().any(|by| cost(&experiment, &by.options()).operations > MOST_OPERATIONS) {
        return Verdict::Taken;
    }
    // In f64 the sign of a score near 0 depends on the order of its sum, and with it the slope of a ReLU.
    let is_relu = matches!(experiment.weighting, Weighting::Relu { .. });
    if is_relu && !matches!(precise_norm(&experiment), Ok(Some(precise)) if precise.nearest_kink > 1e-12) {
        return Verdict::Taken;
    }
    for by in By::ALL {
        let first = match measure_with(&experiment, by.options()) {
            Ok(first) => first,
            Err(problem) => return refused(&problem),
        };
        for notation in notations(&file, &experiment) {
            let name = notation.name;
            let other = Experiment::from_value(notation.file.clone())
                .unwrap_or_else(|problem| panic!("{name}: {problem} in {}", notation.file));
            let other = match measure_with(&other, by.options()) {
                Ok(other) => other,
                // Whether a sum leaves the range of f64 depends on the order of its terms.
                Err(InputError::Overflow { .. }) if has_huge_number(&file) => continue,
                Err(problem) => panic!("{name}, {by:?}: refused, as another notation is not: {problem}"),
            };
            compare(&format!("{by:?}, {name}"), &first, &other);
        }
    }
    Verdict::Taken
}

/// Whether a product of three of the file's numbers may overflow.
fn has_huge_number(file: &Value) -> bool {
    match file {
        Value::Number(number) => number.as_f64().is_some_and(|x| x.abs() > 1e100),
        Value::Array(inner) => inner.iter().any(has_huge_number),
        Value::Object(inner) => inner.values().any(has_huge_number),
        _ => false,
    }
}

/// The numbers at the tokens: the norm, and the upper bounds there. Bounds on the ball may use what a notation says by name.
fn compare(what: &str, first: &Measurement, other: &Measurement) {
    let rounding = [first, other].map(|found| found.rounding().unwrap_or(0.0));
    let residual = first.relative_residual.max(other.relative_residual);
    let allowed = ROUNDINGS * (rounding[0].max(rounding[1]) + residual).max(TOLERANCE / ROUNDINGS);
    let check = |name: &str, a: f64, b: f64, change: f64| {
        let (less, more) = (a.min(b), a.max(b));
        let is_same = more < LEAST || more - less <= change;
        assert!(is_same, "{what}: {name} differs: {a:?} and {b:?}, {change:e} is allowed");
    };
    check("the norm", first.spectral, other.spectral, allowed * first.spectral.max(other.spectral));
    let at_tokens = |found: &Measurement| -> Vec<(BoundId, f64)> {
        let upper = found.bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm != Norm::Linf);
        let upper = upper.filter(|bound| bound.id.domain() == Domain::Tokens);
        upper.filter_map(|bound| Some((bound.id, bound.value?))).collect()
    };
    let others = at_tokens(other);
    let ours = at_tokens(first);
    let local = ours.iter().chain(&others).filter(|(id, _)| *id == &LOCAL).fold(0.0, |most: f64, (_, x)| most.max(*x));
    for (id, value) in ours {
        if let Some((_, same)) = others.iter().find(|(other, _)| *other == id) {
            let least = if first.spectral == 0.0 && other.spectral == 0.0 {
                ALLOWANCE_ALONE
            } else if rounding == [0.0; 2] {
                0.0
            } else {
                CANCELLED
            };
            check(id.id(), value, *same, (PESSIMISM * allowed).max(least) * local.max(value).max(*same));
        }
    }
}

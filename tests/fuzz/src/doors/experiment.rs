//! Experiment files.

use lipscope_core::experiment::{Experiment, Given, Memory};
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, cost, measure_with};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};

pub(super) const DOOR: Door = Door {
    name: "experiment",
    about: "experiment files (JSON); what is read is written and read again, and measured where that is quick",
    made: Vec::new,
    vary: |dice, inputs| vary(dice, inputs, Form::Json),
    feed,
};

/// As a JSON tree, a short list of short lists takes about a hundred bytes for each number.
pub(super) const READING: Allowance = Allowance { base: 1 << 20, each: 400 };

fn feed(input: &[u8]) -> Verdict {
    let read = within("reading an experiment", READING.of(input), || Given::read(Some("experiment.json"), input));
    match read {
        Ok(Given::Experiment(experiment)) => {
            go_on_with(&experiment);
            Verdict::Taken
        }
        Ok(Given::Tokens(_) | Given::Weights(_)) => Verdict::Taken,
        Err(problem) => refused(&problem),
    }
}

/// Writes and reads a valid experiment, asks for its cost, and measures it where that takes a moment.
pub(super) fn go_on_with(experiment: &Experiment) {
    /// About a tenth of a second of a build with debug assertions.
    const MOST_OPERATIONS: u64 = 3_000_000;
    let again = Experiment::from_json(&experiment.to_json());
    assert_eq!(again.as_ref(), Ok(experiment), "an experiment that was written is another one when it is read");
    let options = MeasureOptions {
        block_norms: BlockNorms::Included,
        memory: Memory::from_bytes(256 << 20),
        ..MeasureOptions::default()
    };
    let cost = cost(experiment, &options);
    if cost.operations > MOST_OPERATIONS {
        return;
    }
    match within("measuring", cost.bytes, || measure_with(experiment, options)) {
        Ok(measurement) => check(&measurement),
        Err(problem) => drop(refused(&problem)),
    }
}

/// No number is NaN, infinite or negative.
fn check(measurement: &Measurement) {
    let is_norm = |x: f64| x.is_finite() && x >= 0.0;
    assert!(is_norm(measurement.spectral), "the norm is {}", measurement.spectral);
    for bound in &measurement.bounds {
        assert!(bound.value.is_none_or(is_norm), "{:?} is {:?}", bound.id, bound.value);
    }
    assert!(measurement.singular_values.iter().flatten().all(|x| is_norm(*x)), "{:?}", measurement.singular_values);
    // As `lipscope measure` writes it.
    assert!(measurement.to_value().is_object(), "a measurement is one object");
}

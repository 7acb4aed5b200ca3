//! Drawn experiments at the edges of what attention computes: no upper number is below the norm.

use std::fs;
use std::path::PathBuf;

use lipscope_core::experiment::{Experiment, TokenSource};
use lipscope_core::measure::cost;
use lipscope_testkit::dice::Dice;
use lipscope_testkit::extreme::extreme;
use lipscope_testkit::in_repository;
use lipscope_testkit::precise::precise_norm;
use lipscope_testkit::upper_numbers::{By, Checked, check_upper_numbers, faults_against};

use super::experiment::READING;
use crate::door::{Door, Verdict, refused, within};
use crate::mutate::json;

pub(super) const DOOR: Door = Door {
    name: "upper",
    about: "drawn experiments of every variant, with offsets, huge and tiny tokens and weights that underflow: no upper number is \
            below the norm; every sixteenth is compared with a norm of 60 digits",
    made,
    vary: drawn,
    feed,
};

/// The most operations of a measurement, and the most entries of tokens that are compared with the reference.
const MOST_OPERATIONS: u64 = 300_000;
const MOST_ENTRIES: usize = 24;

/// The experiments whose upper numbers were once below the norm.
pub(super) fn made() -> Vec<Vec<u8>> {
    let files = fs::read_dir(in_repository("tests/data/cases/bounds")).unwrap_or_else(|problem| panic!("{problem}"));
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// A drawn experiment file; once in ten with something wrong in it, or one of the given ones with something else in it.
pub(super) fn drawn(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    let file = extreme(dice).to_string().into_bytes();
    match dice.below(20) {
        0 => json::vary(dice, &file),
        1 => {
            let given = dice.of(inputs).clone();
            json::vary(dice, &given)
        }
        _ => file,
    }
}

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let experiment = match within("reading an experiment", READING.of(input), || Experiment::from_json(&text)) {
        Ok(experiment) => experiment,
        Err(problem) => return refused(&problem),
    };
    if By::ALL.into_iter().any(|by| cost(&experiment, &by.options()).operations > MOST_OPERATIONS) {
        return Verdict::Taken;
    }
    // The input decides, so that it is the same in a repeated run.
    let is_compared = input.iter().map(|byte| usize::from(*byte)).sum::<usize>().is_multiple_of(16);
    let precise =
        (is_compared && is_small_list(&experiment)).then(|| precise_norm(&experiment).ok().flatten()).flatten();
    for by in By::ALL {
        let Checked { found, mut faults, .. } = match check_upper_numbers(&experiment, by) {
            Ok(checked) => checked,
            Err(problem) => return refused(&problem),
        };
        if let Some(precise) = precise.as_ref().filter(|precise| precise.nearest_kink > 1e-12) {
            faults.extend(faults_against(&found, by, precise));
        }
        if let Some(fault) = faults.first() {
            panic!("{fault}");
        }
    }
    Verdict::Taken
}

/// Whether the reference takes a moment only.
fn is_small_list(experiment: &Experiment) -> bool {
    matches!(&experiment.tokens, TokenSource::Explicit(rows) if rows.entries().len() <= MOST_ENTRIES)
}

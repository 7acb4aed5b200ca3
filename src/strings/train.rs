//! Models that are trained here.

use crate::words::train as words;
pub use crate::words::train::*;

use lipscope_core::extremum::largest;
use lipscope_core::inverse::Outcome;
use lipscope_plot::{Kind as Sign, Number};
use lipscope_protocol::train::{BranchKind, Kind, Norms, SOFTCAP};

use crate::answers::{Backwards, RunState, TrainRun};
use crate::phase::Phase;

use super::models::time_left;

/// The decimals of a loss: the held-out windows do not resolve more.
const DECIMALS: usize = 3;

pub fn train_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Dot => train_kind::dot(),
        Kind::L2 => train_kind::l2(),
        Kind::L2Tied => train_kind::l2_tied(),
        Kind::Contractive => train_kind::contractive(),
        Kind::Invertible => train_kind::invertible(),
        Kind::QkNorm => train_kind::qk_norm(),
        Kind::Softcap => train_kind::softcap(),
        Kind::Sigmoid => train_kind::sigmoid(),
        Kind::Rope => train_kind::rope(),
    }
}

/// What stands in place of the figures before anything is trained; `n` models are ticked.
pub fn train_empty(n: usize) -> String {
    match n {
        0 => train_empty::none().into(),
        1 => train_empty::one().into(),
        n => train_empty::several(n),
    }
}

/// The description of a kind, in a sentence.
pub fn train_kind_about(kind: Kind) -> String {
    let about = match kind {
        Kind::Dot => train_kind_about::dot(),
        Kind::L2 => train_kind_about::l2(),
        Kind::L2Tied => train_kind_about::l2_tied(),
        Kind::Contractive => train_kind_about::contractive(),
        Kind::Invertible => train_kind_about::invertible(),
        Kind::QkNorm => train_kind_about::qk_norm(),
        Kind::Softcap => return train_kind_about::softcap(SOFTCAP),
        Kind::Sigmoid => train_kind_about::sigmoid(),
        Kind::Rope => train_kind_about::rope(),
    };
    about.to_owned()
}

pub fn train_norms(norms: Norms) -> &'static str {
    match norms {
        Norms::Layer => train_norms::layer(),
        Norms::None => train_norms::none(),
    }
}

/// The progress of every run, and about how long the rest takes.
pub fn train_progress(phase: &Phase, runs: &[TrainRun]) -> String {
    let run = |run: &TrainRun| {
        let (kind, step, steps) = (train_kind(run.plan.kind), run.step(), run.plan.steps);
        match run.state {
            RunState::Training => match run.steps.last() {
                Some(last) => {
                    train_progress::loss { kind, loss: format_args!("{:.DECIMALS$}", last.loss), step, steps }.text()
                }
                None => train_progress::run { kind, step, steps }.text(),
            },
            RunState::Done => train_progress::done { kind, steps }.text(),
            RunState::Diverged => train_progress::diverged { kind, step }.text(),
            RunState::Failed => train_progress::failed { kind, step }.text(),
        }
    };
    let words = runs.iter().map(run).collect::<Vec<_>>().join(train_progress::between());
    match seconds_left(runs).filter(|_| *phase == Phase::Running) {
        Some(seconds) => train_progress::left { left: time_left(seconds), runs: words }.text(),
        None => words,
    }
}

/// The seconds left of all runs together, from the time of their steps so far. `None` while a run that is still
/// training has no estimate, or when no steps are left.
fn seconds_left(runs: &[TrainRun]) -> Option<f64> {
    let left = |run: &TrainRun| {
        if run.state != RunState::Training {
            return Some(0.0);
        }
        run.milliseconds_left().map(|left| left / 1000.0)
    };
    let all = runs.iter().map(left).sum::<Option<f64>>()?;
    (all > 0.0).then_some(all)
}

/// The phase, for readers who do not see the bar.
pub fn train_phase(phase: &Phase) -> &'static str {
    match phase {
        Phase::Waiting | Phase::Failed(_) => "",
        Phase::Running => train_phase::running(),
        Phase::Paused => train_phase::paused(),
        Phase::Stopped => train_phase::stopped(),
        Phase::Done => train_phase::done(),
    }
}

/// The value of a curve at the pointer.
pub fn train_value(label: &str, value: f64) -> String {
    train_value { label, value: Number::of(value) }.text()
}

pub fn train_reading(name: &str, x: f64, values: &[String]) -> String {
    train_reading { name, values: values.join(train_between()), x }.text()
}

/// The last held-out loss of every run.
pub fn train_loss_finding(runs: &[TrainRun]) -> String {
    let run = |run: &TrainRun| {
        let last = run.last()?;
        let loss = format!("{:.DECIMALS$}", last.held_out);
        Some(train_loss_finding::run { kind: train_kind(run.plan.kind), loss, step: last.step }.text())
    };
    let runs: Vec<String> = runs.iter().filter_map(run).collect();
    if runs.is_empty() {
        return train_loss_finding::none().into();
    }
    train_loss_finding::sentence(runs.join(train_between()))
}

/// A sentence about what holds for a contraction at all tokens; empty for other kinds.
pub fn train_linf(run: &TrainRun) -> String {
    if run.plan.kind.is_contraction() { words::train_linf(run.plan.c) } else { String::new() }
}

/// The constants after the last measurement.
pub fn train_constants_finding(run: &TrainRun) -> String {
    let Some(last) = run.last() else { return train_loss_finding::none().into() };
    let layers = last.layers.iter().map(|row| {
        train_constants_layer {
            bound: Number::digits(row.bound, Sign::UpperBound),
            layer: row.layer,
            norm: Number::of(row.norm),
        }
        .text()
    });
    train_constants_finding { layers: layers.collect::<Vec<_>>().join(train_between()), step: last.step }.text()
}

pub fn train_sample_at(kind: Kind, step: usize) -> String {
    train_sample_at { kind: train_kind(kind), step }.text()
}

/// What running a kind backwards means, and what is guaranteed.
pub fn train_backwards_about(kind: Kind) -> &'static str {
    match kind {
        Kind::Invertible => train_backwards_about::stack(),
        Kind::Contractive => train_backwards_about::contraction(),
        Kind::Dot | Kind::L2 | Kind::L2Tied | Kind::QkNorm | Kind::Softcap | Kind::Sigmoid | Kind::Rope => {
            train_backwards_about::others()
        }
    }
}

/// How many characters came back.
pub fn train_backwards_finding(backwards: &Backwards) -> String {
    let Backwards { step, windows, is_running } = backwards;
    if windows.is_empty() {
        return if *is_running { train_backwards_finding::running() } else { train_backwards_finding::none() }.into();
    }
    let recovered: usize = windows.iter().map(|window| window.recovered).sum();
    let characters: usize = windows.iter().map(|window| window.characters).sum();
    let errors: Option<Vec<f64>> = windows.iter().map(|window| window.error).collect();
    match errors {
        Some(errors) => {
            let error = Number::rough(largest(errors));
            train_backwards_finding::back { characters, error, recovered, step, windows: windows.len() }.text()
        }
        None => train_backwards_finding::lost { characters, recovered, step, windows: windows.len() }.text(),
    }
}

pub fn train_branch_columns() -> [&'static str; 6] {
    [
        train_branch_column(),
        train_branch_promised(),
        train_branch_rate(),
        train_branch_iterations(),
        train_branch_outcome(),
        train_branch_error(),
    ]
}

pub fn train_branch(branch: BranchKind, layer: usize) -> String {
    match branch {
        BranchKind::Attention => train_branch::attention(layer),
        BranchKind::Mlp => train_branch::mlp(layer),
    }
}

pub fn train_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Converged => train_outcome::converged(),
        Outcome::Diverged => train_outcome::diverged(),
        Outcome::Stalled => train_outcome::stalled(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_view_counts_the_models_that_are_ticked() {
        for n in 0..=Kind::ALL.len() {
            let text = train_empty(n);
            assert!(!text.contains("both"), "{text}");
            assert_eq!(text.contains(&format!("the {n} models")), n > 1, "{n}: {text}");
            assert_eq!(text.contains("the model ticked"), n == 1, "{n}: {text}");
        }
    }
}

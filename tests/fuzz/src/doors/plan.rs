//! Lists and ranges of numbers as they are typed: layers, heads and lengths of a run over a model.

use lipscope_core::experiment::Memory;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{Bounding, Estimators, ModelConfig, PlanText};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, vary};

pub(super) const DOOR: Door = Door {
    name: "plan",
    about: "typed lists and ranges of lengths, layers and heads, one a line; then the checks of the run",
    made: Vec::new,
    vary: |dice, inputs| vary(dice, inputs, Form::Text),
    feed,
};

/// A range of a million lengths is written in ten characters.
const READING: Allowance = Allowance { base: 40 << 20, each: 100 };

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.lines().map(str::to_owned);
    let mut line = || lines.next().unwrap_or_default();
    let plan = PlanText {
        lengths: line(),
        layers: line(),
        heads: line(),
        windows: line().parse().unwrap_or(3),
        mask: None,
        kind: None,
        estimators: Estimators::Both,
        tolerance: 1e-3,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    let config = ModelConfig::gpt2();
    let read = within("reading a plan", READING.of(input), || {
        let plan = plan.plan(&config)?;
        plan.check(10_000)?;
        plan.check_memory(&config, Memory::NATIVE)
    });
    match read {
        Ok(()) => Verdict::Taken,
        Err(problem) => refused(&problem),
    }
}

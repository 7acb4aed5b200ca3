//! Training: plans with their texts, and checkpoints of runs.

use lipscope_core::experiment::InputError;
use lipscope_train::{Corpus, Extent, Kind, Plan, PlanFields, Trainer, config, invert, safetensors, tokenizer};

use crate::door::{Allowance, Door, Verdict, refused, within};
use crate::mutate::{Form, json, vary};
use lipscope_testkit::dice::Dice;

pub(super) const DOOR: Door = Door {
    name: "train",
    about: "checkpoints of training, and plans (JSON) with texts; a small model does a step, is measured, writes text, is run \
            backwards, written as files, and goes on from its own checkpoint",
    made,
    vary: vary_run,
    feed,
};

/// serde reserves up to a mebibyte for each list whose length a checkpoint claims.
const READING: Allowance = Allowance { base: 8 << 20, each: 400 };
/// A small model, a step of it with its gradients, and its files.
const USING: u64 = 64 << 20;
/// The text that the checkpoints belong to.
const TEXT: &str = "to be, or not to be, that is the question: whether 'tis nobler in the mind to suffer";

/// Checkpoints of every kind after a step; the format belongs to the build.
fn made() -> Vec<Vec<u8>> {
    let small = |kind| PlanFields { width: 4, heads: 2, blocks: 1, context: 4, batch: 2, ..PlanFields::of_kind(kind) };
    let checkpoint = |kind: Kind| -> Result<Vec<u8>, InputError> {
        let mut trainer = Trainer::new(Plan::new(small(kind))?, Corpus::new(TEXT)?)?;
        trainer.step();
        Ok(trainer.checkpoint())
    };
    Kind::ALL.into_iter().filter_map(|kind| checkpoint(kind).ok()).collect()
}

/// Faults of a plan are in its numbers more often than in the text; those of a checkpoint, in a weight or a moment.
fn vary_run(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    const NUMBERS: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -1.0, 1e20];
    let mut input = dice.of(inputs).clone();
    let end_of_plan = input.iter().position(|byte| *byte == b'\n').filter(|_| input.starts_with(b"{"));
    match end_of_plan {
        Some(end) if !dice.once_in(4) => [&json::vary(dice, &input[..end]), &input[end..]].concat(),
        Some(_) => vary(dice, &[input], Form::Text),
        None if input.len() > 4 && dice.once_in(2) => {
            for _ in 0..1 + dice.below(4) {
                let at = dice.below(input.len() - 4);
                input[at..at + 4].copy_from_slice(&dice.of(&NUMBERS).to_le_bytes());
            }
            input
        }
        None => vary(dice, &[input], Form::Bytes),
    }
}

fn feed(input: &[u8]) -> Verdict {
    let given = std::str::from_utf8(input).ok().filter(|text| text.starts_with('{'));
    let trainer = match given {
        None => {
            within("reading a checkpoint", READING.of(input), || Trainer::resume(input, Corpus::new(TEXT)?)).map(Some)
        }
        Some(text) => {
            let (plan, text) = text.split_once('\n').unwrap_or((text, ""));
            let Ok(fields) = serde_json::from_str::<PlanFields>(plan) else { return Verdict::Refused };
            within("beginning a run", USING, || begin(fields, text))
        }
    };
    match trainer {
        Ok(Some(trainer)) => {
            within("using a model", USING, || go_on_with(trainer));
            Verdict::Taken
        }
        Ok(None) => Verdict::Taken,
        Err(problem) => refused(&problem),
    }
}

/// The initial weights of a run; `None` where they are so many that training would take long.
fn begin(fields: PlanFields, text: &str) -> Result<Option<Trainer>, InputError> {
    const MOST_NUMBERS: usize = 20_000;
    let plan = Plan::new(fields)?;
    let corpus = Corpus::new(text)?;
    let rows = plan.blocks * plan.width + corpus.vocabulary().len() + plan.context;
    if plan.width * rows > MOST_NUMBERS {
        return Ok(None);
    }
    Trainer::new(plan, corpus).map(Some)
}

/// Continues as `lipscope train` does; a saved run must be the same run when it is read.
fn go_on_with(mut trainer: Trainer) {
    /// Characters of a step.
    const MOST_CHARACTERS: usize = 256;
    let saved = trainer.checkpoint();
    let again = Trainer::resume(&saved, trainer.corpus().clone());
    assert_eq!(again.map(|again| again.checkpoint()), Ok(saved), "a run that was saved is another one when it is read");
    if trainer.plan().batch * trainer.plan().context <= MOST_CHARACTERS {
        let rate = trainer.step().learning_rate;
        assert!(rate.is_finite() && rate >= 0.0, "the learning rate is {rate}");
        let _ = trainer.held_out();
        match trainer.layers() {
            Ok(layers) => assert!(layers.iter().all(|layer| layer.norm.is_finite() && layer.norm >= 0.0), "{layers:?}"),
            Err(problem) => drop(refused(&problem)),
        }
        if let Err(problem) = trainer.sample(8, 0) {
            refused(&problem);
        }
        let (plan, corpus) = (trainer.plan(), trainer.corpus());
        let window = &corpus.held_out()[..plan.context];
        if let Err(problem) = invert(&trainer.stack(), window, Extent::of(plan.kind), 4) {
            refused(&problem);
        }
    }
    let (plan, corpus) = (trainer.plan(), trainer.corpus());
    assert!(config(plan, corpus).is_object() && tokenizer(corpus).is_object(), "a model's files are objects");
    assert!(safetensors(plan, trainer.weights()).is_ok(), "a model that fits into memory fits into a file");
}

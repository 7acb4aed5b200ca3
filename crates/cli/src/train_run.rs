//! One run of `lipscope train` and its folder.
//!
//! Every few steps the run writes its log, then its checkpoint, each to a temporary file that it then renames. If the
//! process ends at any moment, the next one begins at the last complete checkpoint, or at step 0 if there is none, and
//! drops later rows of the log. Since a run is a function of its plan and text, all numbers but the seconds are
//! those of an uninterrupted run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use super::files::{MOST_RESULTS, read_text_up_to, save, unreadable, unwritable};
use lipscope_core::experiment::InputError;
use lipscope_protocol::train::{LayerRow, LogEntry, RUN_LOG, log_header};
use lipscope_run::Row;
use lipscope_train::{Corpus, LayerConstant, Plan, Trainer, config, safetensors, tokenizer};

/// A run to be completed.
pub(super) struct Run {
    folder: PathBuf,
    name: String,
    trainer: Trainer,
    every: usize,
    /// Lines of the log, the header first.
    lines: Vec<String>,
    /// Seconds that earlier processes spent on this run.
    seconds_before: f64,
}

/// The report of a finished run.
pub(super) struct RunReport {
    pub(super) name: String,
    pub(super) steps: usize,
    /// The loss on the held-out text, in nats a character.
    pub(super) held_out: f64,
    /// The loss of guessing each character with the same probability.
    pub(super) uniform: f64,
    /// The layers at the end; none where the scores overflow.
    pub(super) layers: Vec<LayerConstant>,
}

const CHECKPOINT: &str = "checkpoint.bin";

impl Run {
    /// The run of a plan in its folder, continued from its last checkpoint.
    pub(super) fn open(out: &Path, plan: Plan, corpus: &Corpus, every: usize) -> Result<Run, InputError> {
        let name = plan.name();
        let folder = out.join(&name);
        let mut lines = vec![log_header(&plan, every).to_line()];
        let Some(trainer) = checkpoint_of(&folder, corpus)? else {
            let trainer = Trainer::new(plan, corpus.clone())?;
            fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
            return Ok(Run { folder, name, trainer, every, lines, seconds_before: 0.0 });
        };
        if *trainer.plan() != plan {
            return Err(InputError::Conflict {
                what: folder.display().to_string().into(),
                problem: "holds a run with other settings".into(),
                fix: "Give the settings of that run, which are in its config.json, or another folder with --out."
                    .into(),
            });
        }
        let (rows, seconds_before) = lines_until(&folder.join(RUN_LOG), trainer.steps_done())?;
        lines.extend(rows);
        Ok(Run { folder, name, trainer, every, lines, seconds_before })
    }

    /// Steps that are not done yet.
    pub(super) fn steps_left(&self) -> usize {
        self.trainer.plan().steps.saturating_sub(self.trainer.steps_done())
    }

    /// Blocks of the model.
    pub(super) fn blocks(&self) -> usize {
        self.trainer.plan().blocks
    }

    /// Trains to the plan's last step; `advance` receives of steps as they are done.
    pub(super) fn finish(mut self, advance: impl Fn(usize)) -> Result<RunReport, InputError> {
        let began = Instant::now();
        let seconds = |run: &Run| run.seconds_before + began.elapsed().as_secs_f64();
        if self.lines.len() == 1 {
            let config = config(self.trainer.plan(), self.trainer.corpus());
            self.write("config.json", format!("{config:#}\n").as_bytes())?;
            self.write("tokenizer.json", format!("{}\n", tokenizer(self.trainer.corpus())).as_bytes())?;
            let seconds = seconds(&self);
            self.note(None, seconds)?;
        }
        while !self.trainer.is_done() {
            // From one multiple of `every` to the next, so that lines do not depend on where the run was interrupted.
            let done = self.trainer.steps_done();
            let count = (self.every - done % self.every).min(self.steps_left());
            let reports: Vec<_> = (0..count)
                .map(|_| {
                    let report = self.trainer.step();
                    advance(1);
                    report
                })
                .collect();
            let loss = reports.iter().map(|report| report.loss).sum::<f64>() / count as f64;
            let rate = reports.last().map_or(0.0, |report| report.learning_rate);
            let seconds = seconds(&self);
            self.note(Some((loss, rate)), seconds)?;
        }
        self.write("model.safetensors", &safetensors(self.trainer.plan(), self.trainer.weights())?)?;
        Ok(RunReport {
            held_out: self.trainer.held_out(),
            uniform: (self.trainer.corpus().vocabulary().len() as f64).ln(),
            steps: self.trainer.steps_done(),
            layers: self.layers()?.unwrap_or_default(),
            name: self.name,
        })
    }

    /// The layers as they are now; `None` where the weights are so large that the scores overflow. The loss shows that such
    /// a run has diverged.
    fn layers(&self) -> Result<Option<Vec<LayerConstant>>, InputError> {
        match self.trainer.layers() {
            Ok(layers) => Ok(Some(layers)),
            Err(InputError::Overflow { .. }) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Adds the rows of an entry with the mean training loss since the last one and the learning rate, and saves the run.
    fn note(&mut self, training: Option<(f64, f64)>, seconds: f64) -> Result<(), InputError> {
        let layers: Vec<LayerRow> = self.layers()?.unwrap_or_default().into_iter().map(LayerRow::from).collect();
        let entry = LogEntry {
            step: self.trainer.steps_done(),
            loss: training.map(|(loss, _)| loss),
            learning_rate: training.map(|(_, rate)| rate),
            held_out: self.trainer.held_out(),
            seconds,
            layers: &layers,
        };
        self.lines.extend(entry.rows(self.blocks()).iter().map(Row::to_line));
        self.write(RUN_LOG, (self.lines.join("\n") + "\n").as_bytes())?;
        self.write(CHECKPOINT, &self.trainer.checkpoint())
    }

    /// Writes a file of the folder completely or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), InputError> {
        let path = self.folder.join(name);
        save(&path, bytes).map_err(|error| unwritable(&path, &error))
    }
}

/// The run of a folder, as of its last checkpoint; `None` without a checkpoint.
pub(super) fn checkpoint_of(folder: &Path, corpus: &Corpus) -> Result<Option<Trainer>, InputError> {
    let path = folder.join(CHECKPOINT);
    match fs::read(&path) {
        Ok(bytes) => Trainer::resume(&bytes, corpus.clone()).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&path, &error)),
    }
}

/// The lines of a log that belong to steps up to `done`, and the seconds of the last one.
fn lines_until(path: &Path, done: usize) -> Result<(Vec<String>, f64), InputError> {
    let text = read_text_up_to(path, MOST_RESULTS)?.text;
    let run = lipscope_run::Run::parse(&text).map_err(|error| error.in_file(path.display().to_string()))?;
    let rows = run.rows().iter().filter(|row| row.step <= done as u64);
    let seconds = rows.clone().next_back().and_then(|row| row.number("seconds"));
    Ok((rows.map(Row::to_line).collect(), seconds.unwrap_or(0.0)))
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunReport { name, steps, held_out, uniform, .. } = self;
        let bits = held_out / std::f64::consts::LN_2;
        write!(
            f,
            "{name}: held-out loss {held_out:.4} nats ({bits:.4} bits) a character after {steps} steps; guessing without a model has {uniform:.4}"
        )
    }
}

//! A run of training as the log of a monitored run (docs/monitor.md): `lipscope train` and the page write it.

use lipscope_models::fingerprint;
use lipscope_run::{Header, Kind, Row};
use lipscope_train::Plan;

use super::record::LayerRow;

/// The name of the log's file.
pub const RUN_LOG: &str = "run.jsonl";
/// The map that is measured, and the module of a block that computes it.
const MAP: &str = "attention";
const MODULE: &str = "attn";

/// The first line of the log of a run that is measured every so many steps.
#[must_use]
pub fn log_header(plan: &Plan, every: usize) -> Header {
    // Writes numbers to memory: this cannot fail.
    let bytes = postcard::to_allocvec(plan).unwrap_or_default();
    let linf = plan.kind.is_contraction().then_some("linf_bound");
    Header {
        model: plan.name(),
        fingerprint: format!("{:016x}", fingerprint(bytes)),
        maps: vec![MAP.into()],
        columns: std::iter::once("bound").chain(linf).map(str::to_owned).collect(),
        every: Some(every as u64),
    }
}

/// What is known after a step of training.
#[derive(Clone, Copy, Debug)]
pub struct LogEntry<'a> {
    /// Steps done so far.
    pub step: usize,
    /// The mean training loss since the last entry, in nats a character; `None` before the first step.
    pub loss: Option<f64>,
    /// The learning rate of the last step; `None` before the first step.
    pub learning_rate: Option<f64>,
    /// The loss over held-out windows, in nats a character.
    pub held_out: f64,
    /// The time that the run has taken.
    pub seconds: f64,
    /// The attention of every layer; empty where the scores overflow.
    pub layers: &'a [LayerRow],
}

impl LogEntry<'_> {
    /// The rows of the entry, one for each of so many blocks.
    #[must_use]
    pub fn rows(&self, blocks: usize) -> Vec<Row> {
        (0..blocks).map(|layer| self.row(layer)).collect()
    }

    fn row(&self, layer: usize) -> Row {
        let mut row = Row::new(self.step as u64, format!("h.{layer}"), MAP);
        row.part = Some(MODULE.into());
        match self.layers.get(layer) {
            Some(found) => take_layer(&mut row, found),
            None => row.problem = Some("the attention scores overflow".into()),
        }
        for (name, number) in [
            ("loss", self.loss),
            ("learning_rate", self.learning_rate),
            ("held_out", Some(self.held_out)),
            ("seconds", Some((self.seconds * 10.0).round() / 10.0)),
        ] {
            row.further.insert(name.into(), number);
        }
        row
    }
}

/// Writes the numbers of a layer into a row.
fn take_layer(row: &mut Row, found: &LayerRow) {
    let LayerRow { norm, residual, steps, bound, linf_bound, .. } = *found;
    (row.value, row.residual, row.steps) = (Some(norm), Some(residual), Some(steps as u64));
    row.kind = Kind::of_residual(residual);
    row.further.insert("bound".into(), Some(bound));
    if linf_bound.is_some() {
        row.further.insert("linf_bound".into(), linf_bound);
    }
}

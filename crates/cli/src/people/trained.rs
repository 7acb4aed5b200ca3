//! Finished runs of training for people: the loss of each, and the norms of its layers with their bounds.

use std::time::Duration;

use lipscope_core::spectral::LanczosOptions;
use lipscope_plot::{Kind, Number};
use lipscope_train::LayerConstant;

use super::duration::duration;
use super::ladder::Rung;
use super::look::{Ink, Look, unbroken};
use super::page::Page;
use crate::train_run::RunReport;

/// The text of runs whose folders lie in `out`, and that took this long.
pub(crate) fn trained(reports: &[RunReport], out: &str, took: Duration, look: Look) -> String {
    let headline = match reports {
        [] => "No run belongs to this shard.".to_owned(),
        [one] => format!("Held-out loss {} nats a character", loss(one.held_out)),
        several => format!("{} runs", several.len()),
    };
    let page = reports.iter().fold(Page::new(&headline, look), |page, report| {
        let text = format!(
            "{}: held-out loss {} nats a character after {} steps; guessing has {}.",
            report.name,
            unbroken(&loss(report.held_out)),
            report.steps,
            unbroken(&loss(report.uniform))
        );
        page.line(Ink::Strong, &text)
            .ladder("L of each layer’s attention, on a logarithmic scale:", &rungs(&report.layers))
    });
    page.line(
        Ink::Muted,
        &format!("In {}. {out} has the table, the model and the tokenizer of each run.", duration(took)),
    )
    .line(Ink::Muted, "`lipscope train --report FOLDER` compares the runs of a folder.")
    .text()
}

/// A run that has diverged has no loss.
fn loss(nats: f64) -> String {
    if nats.is_finite() { Number::of(nats).to_string() } else { "no value".to_owned() }
}

/// The norm and the bound of each layer; nothing where the scores overflow.
fn rungs(layers: &[LayerConstant]) -> Vec<Rung> {
    let of_layer = |found: &LayerConstant| {
        let LayerConstant { layer, norm, residual, bound, .. } = *found;
        let kind = if residual <= LanczosOptions::default().tolerance { Kind::Exact } else { Kind::LowerBound };
        [
            Rung::from_value(format!("layer {layer}, bound"), bound, Kind::UpperBound, Ink::Best),
            Rung::from_value(format!("layer {layer}"), norm, kind, Ink::Strong),
        ]
    };
    layers.iter().flat_map(of_layer).collect()
}

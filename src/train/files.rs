//! The exports of the chosen run: its model opened in Models, and its files in the format of `lipscope train`.

use std::fmt::Write;

use crate::prelude::*;

use super::session::TrainingSession;
use crate::answers::TrainRun;
use crate::files::{download, download_bytes};
use crate::page::use_page;
use crate::strings;
use crate::workers::TrainFile;

/// The buttons that export the chosen run.
#[component]
pub fn FileButtons(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let has_state = move || session.with_chosen(|run| run.saved.is_some()).unwrap_or_default();
    let on_table = move |_| {
        if let Some(text) = untrack(|| session.with_chosen(table)) {
            download("table.csv", "text/csv", &text);
        }
    };
    let on_state = move |_| {
        let bytes =
            untrack(|| session.with_chosen(|run| run.saved.as_ref().map(|saved| std::sync::Arc::clone(&saved.bytes))));
        if let Some(bytes) = bytes.flatten() {
            download_bytes("checkpoint.bin", &bytes);
        }
    };
    let phase = use_page().answers.model_phase;
    let has_step = move || session.with_chosen(|run| run.plan.kind.has_step()).unwrap_or_default();
    let is_busy = move || phase.get().is_at_work();
    view! {
        <div class="model-tools train-files" hidden=move || !has_state()>
            <button type="button" id="train-open-model" disabled=move || has_step() || is_busy() title=strings::train_open_model_hint() on:click=move |_| session.ask_file(TrainFile::All)>
                {strings::train_open_model()}
            </button>
            <span class="note" hidden=move || !has_step()>{strings::train_model_has_step()}</span>
            <span class="note" hidden=move || has_step() || !is_busy()>{strings::train_models_busy()}</span>
        </div>
        <div class="model-tools train-files" hidden=move || !has_state()>
            <span class="note">{strings::train_files()}</span>
            <button type="button" id="train-table-file" on:click=on_table>"table.csv"</button>
            <button type="button" id="train-config-file" on:click=move |_| session.ask_file(TrainFile::Config)>"config.json"</button>
            <button type="button" id="train-weights-file" on:click=move |_| session.ask_file(TrainFile::Weights)>"model.safetensors"</button>
            <button type="button" id="train-tokenizer-file" on:click=move |_| session.ask_file(TrainFile::Tokenizer)>"tokenizer.json"</button>
            <button type="button" id="train-state-file" on:click=on_state>"checkpoint.bin"</button>
        </div>
    }
}

/// The table of a run, with the columns of `lipscope train`.
fn table(run: &TrainRun) -> String {
    let mut text = "step,training_nats,training_bits,held_out_nats,held_out_bits,learning_rate".to_owned();
    for layer in 0..run.plan.blocks {
        let _ = write!(text, ",norm_{layer},residual_{layer},bound_{layer},linf_bound_{layer}");
    }
    text.push_str(",seconds\n");
    let bits = |nats: f64| nats / std::f64::consts::LN_2;
    let mut before = 0;
    for (measured, seconds) in &run.measured {
        // The mean of the losses since the previous line.
        let steps: Vec<_> = run.steps.iter().filter(|step| step.step > before && step.step <= measured.step).collect();
        before = measured.step;
        let held_out = measured.held_out;
        let _ = write!(text, "{}", measured.step);
        match steps.last() {
            Some(last) => {
                let loss = steps.iter().map(|step| step.loss).sum::<f64>() / steps.len() as f64;
                let _ = write!(
                    text,
                    ",{loss:?},{:?},{held_out:?},{:?},{:?}",
                    bits(loss),
                    bits(held_out),
                    last.learning_rate
                );
            }
            None => {
                let _ = write!(text, ",,,{held_out:?},{:?},", bits(held_out));
            }
        }
        for layer in 0..run.plan.blocks {
            let _ = match measured.layers.get(layer) {
                Some(row) => {
                    let linf = row.linf_bound.map_or_else(String::new, |bound| format!("{bound:?}"));
                    write!(text, ",{:?},{:?},{:?},{linf}", row.norm, row.residual, row.bound)
                }
                None => write!(text, ",,,,"),
            };
        }
        let _ = writeln!(text, ",{seconds:.1}");
    }
    text
}

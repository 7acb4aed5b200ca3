//! The exports of the chosen run: its model opened in Models, and its files in the format of `lipscope train`.

use crate::prelude::*;

use super::session::TrainingSession;
use crate::answers::TrainRun;
use crate::files::{download, download_bytes};
use crate::page::use_page;
use crate::strings;
use crate::workers::TrainFile;
use lipscope_protocol::train::{LogEntry, RUN_LOG, log_header};

/// The buttons that export the chosen run.
#[component]
pub fn FileButtons(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let has_state = move || session.with_chosen(|run| run.saved.is_some()).unwrap_or_default();
    let on_log = move |_| {
        if let Some(text) = untrack(|| session.with_chosen(log)) {
            download(RUN_LOG, "application/jsonl", &text);
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
            <button type="button" id="train-log-file" on:click=on_log>{RUN_LOG}</button>
            <button type="button" id="train-config-file" on:click=move |_| session.ask_file(TrainFile::Config)>"config.json"</button>
            <button type="button" id="train-weights-file" on:click=move |_| session.ask_file(TrainFile::Weights)>"model.safetensors"</button>
            <button type="button" id="train-tokenizer-file" on:click=move |_| session.ask_file(TrainFile::Tokenizer)>"tokenizer.json"</button>
            <button type="button" id="train-state-file" on:click=on_state>"checkpoint.bin"</button>
        </div>
    }
}

/// The log of a run, as `lipscope train` writes it.
fn log(run: &TrainRun) -> String {
    let mut text = log_header(&run.plan, run.every).to_line() + "\n";
    let mut before = 0;
    for (measured, seconds) in &run.measured {
        // The mean of the losses since the previous entry.
        let steps: Vec<_> = run.steps.iter().filter(|step| step.step > before && step.step <= measured.step).collect();
        before = measured.step;
        let entry = LogEntry {
            step: measured.step,
            loss: (!steps.is_empty()).then(|| steps.iter().map(|step| step.loss).sum::<f64>() / steps.len() as f64),
            learning_rate: steps.last().map(|step| step.learning_rate),
            held_out: measured.held_out,
            seconds: *seconds,
            layers: &measured.layers,
        };
        text.extend(entry.rows(run.plan.blocks).iter().map(|row| row.to_line() + "\n"));
    }
    text
}

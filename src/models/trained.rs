//! Opens a model that was trained on this page, without files of the reader.

use crate::prelude::*;
use js_sys::{Array, Uint8Array};
use web_sys::Blob;

use super::folder::Folder;
use super::session::ModelSession;
use super::settings::{PlanForm, SourceKind};
use crate::answers::TrainedModel;

/// Windows per length, or fewer where the text is too short.
const WINDOWS: usize = 2;
/// Number of lengths, evenly spread.
const LENGTHS: usize = 8;

impl ModelSession {
    /// Opens a trained model. The plan has all its layers, at windows up to the model's longest.
    pub(super) fn take_trained(self, model: TrainedModel) {
        let TrainedModel { plan, files, text } = model;
        let name = format!("{}-{}-seed{}", plan.kind.id(), plan.blocks, plan.seed);
        let context = plan.context;
        let files: [(&str, &[u8]); 3] = [
            ("config.json", files.config.as_bytes()),
            ("model.safetensors", &files.weights),
            ("tokenizer.json", files.tokenizer.as_bytes()),
        ];
        let blobs = files.into_iter().filter_map(|(name, bytes)| {
            let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes))).ok()?;
            Some((name.to_owned(), blob))
        });
        self.given.set(Some(Folder::new(name.clone(), blobs)));
        self.source.update(|source| source.kind = SourceKind::Files);
        let windows = (text.chars().count() / context).clamp(1, WINDOWS);
        self.take_text(name, text);
        let step = context.div_ceil(LENGTHS);
        let layers: Vec<String> = (0..plan.blocks).map(|layer| layer.to_string()).collect();
        self.plan.set(PlanForm {
            layers: layers.join(","),
            lengths: format!("{}:{context}:{step}", context - (context - 1) / step * step),
            windows: windows.to_string(),
            ..PlanForm::default()
        });
    }
}

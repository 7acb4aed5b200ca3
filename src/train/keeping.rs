//! Keeps the runs of the form between visits, and continues them.

use std::sync::Arc;

use crate::prelude::*;
use js_sys::{Array, Date, Reflect};
use wasm_bindgen::JsValue;

use super::keep::{Keeping, TEXT, address, entry, first_entry, ids, newest, open, put, remove};
use super::session::TrainingSession;

impl TrainingSession {
    /// Offers the kept runs, if there are some.
    pub(super) fn look_for_kept(self) {
        spawn_local(async move {
            // An error means that this browser keeps nothing. The page says so only when there is something to keep.
            if let Ok(Some(kept)) = newest().await
                && self.runs.try_with_untracked(Vec::is_empty) == Some(true)
            {
                self.kept.set(Some(Arc::new(kept)));
            }
        });
    }

    /// Begins to keep the runs with this text, and deletes the kept runs of other trainings.
    pub(super) fn begin_keeping(self, text: &Arc<str>) {
        let (id, text) = (Date::now() as u64, Arc::clone(text));
        let plans: Vec<Array> = self.runs.with_untracked(|runs| runs.iter().filter_map(entry).collect());
        self.keep_id.set_value(id);
        self.keep_places.set_value((0..plans.len()).collect());
        self.keeping.set(Keeping::Nothing);
        spawn_local(async move {
            let written = async {
                let cache = open().await?;
                remove(&cache, |other| other != id).await?;
                put(&cache, &address(id, TEXT), &Array::of1(&JsValue::from_str(&text))).await?;
                for (at, plan) in plans.iter().enumerate() {
                    put(&cache, &address(id, &first_entry(at)), plan).await?;
                }
                Ok(())
            };
            if let Err(problem) = written.await {
                self.emit_keeping(&problem);
            }
        });
    }

    /// Stores a run as it was last saved.
    pub(super) fn keep(self, number: u64) {
        if self.keeping.get_untracked() == Keeping::Replaced {
            return;
        }
        let id = self.keep_id.get_value();
        let entry = self.runs.with_untracked(|runs| {
            let at = runs.iter().position(|run| run.number == number)?;
            let parts = entry(&runs[at])?;
            let (step, place) =
                (runs[at].saved.as_ref()?.step, self.keep_places.with_value(|all| all.get(at).copied())?);
            let sizes = runs.iter().filter_map(|run| run.saved.as_ref()).map(|saved| saved.bytes.len());
            Some((place, parts, step, sizes.sum::<usize>() as f64))
        });
        let Some((place, parts, step, bytes)) = entry else { return };
        spawn_local(async move {
            let written = async {
                let cache = open().await?;
                put(&cache, &address(id, &place.to_string()), &parts).await?;
                if ids(&cache).await?.last().is_some_and(|newest| *newest > id) {
                    // Another tab has begun a later training, and has deleted the text of this one. Without its text
                    // this training could not continue, so the rest is deleted too.
                    remove(&cache, |other| other == id).await?;
                    return Ok(Keeping::Replaced);
                }
                Ok(Keeping::Kept { step, bytes })
            };
            match written.await {
                // Only if no other training has begun on this page meanwhile.
                Ok(keeping) if self.keep_id.try_get_value() == Some(id) => {
                    let _ = self.keeping.try_set(keeping);
                }
                Ok(_) => {}
                Err(problem) => self.emit_keeping(&problem),
            }
        });
    }

    /// Deletes all kept runs.
    pub(super) fn delete_kept(self) {
        self.kept.set(None);
        spawn_local(async move {
            let removed = async { remove(&open().await?, |_| true).await };
            match removed.await {
                Ok(()) => {
                    let _ = self.keeping.try_set(Keeping::Deleted);
                }
                Err(problem) => self.emit_keeping(&problem),
            }
        });
    }

    fn emit_keeping(self, problem: &JsValue) {
        let name = Reflect::get(problem, &JsValue::from_str("name")).ok().and_then(|name| name.as_string());
        let is_full = name.as_deref() == Some("QuotaExceededError");
        let _ = self.keeping.try_set(if is_full { Keeping::NoRoom } else { Keeping::Refused });
    }
}

//! The runs that the browser keeps between visits: text, states and histories, in a cache of their own.
//!
//! The cache has an entry for the text, one for each run as it was before its first step, and one for each run as it
//! was last saved. A saved run holds the length of its history (4 bytes, little-endian), the history, and the
//! checkpoint. An entry is replaced as a whole or not at all. Every training has an id, the time at which it began. The
//! page offers the latest training. Older ones are deleted when another begins, in any tab.

use std::sync::Arc;

use crate::prelude::*;
use js_sys::{Array, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Cache, Request, Response};

use crate::answers::{Backwards, RunState, TrainRun};
use lipscope_protocol::envelope::{decode, encode};
use lipscope_protocol::train::{Measured, Plan, RunFacts, Saved, StepRow};

/// The name of the cache. The service worker's caches have other names, and it leaves this one alone.
const CACHE: &str = "lipscope-training";
/// The URL of the entries, beside the page. The page never fetches anything from there.
const FOLDER: &str = "kept-training";
/// The name of the entry that holds the text.
pub(super) const TEXT: &str = "text";
/// Histories of another version are not read.
const VERSION: u32 = 2;

/// Whether the browser keeps the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Keeping {
    /// There is nothing to keep yet.
    #[default]
    Nothing,
    /// The browser keeps the runs.
    Kept {
        /// The step of the run that was saved last.
        step: usize,
        /// The size of all saved checkpoints together, in bytes.
        bytes: f64,
    },
    /// The reader deleted the runs.
    Deleted,
    /// Another tab of this page has begun a training, which is kept instead.
    Replaced,
    /// The browser has no room.
    NoRoom,
    /// The browser keeps nothing for this page.
    Refused,
}

/// A training that the browser kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The id of the training.
    pub id: u64,
    /// The text that its models learn.
    pub text: Arc<str>,
    /// Its runs, in their order.
    pub runs: Vec<KeptRun>,
}

/// A run that the browser kept.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// The number in the names of its entries. The numbers of a training's runs have gaps where runs with damaged
    /// entries were left out.
    pub(super) place: usize,
    history: History,
    /// The checkpoint; empty where the run had not begun.
    state: Arc<ByteBuf>,
}

/// The data that are kept of a run besides its checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct History {
    version: u32,
    plan: Plan,
    every: usize,
    step: usize,
    spent: f64,
    facts: Option<RunFacts>,
    steps: Vec<StepRow>,
    measured: Vec<(Measured, f64)>,
}

impl KeptRun {
    /// The run as it was last saved.
    pub fn run(&self, number: u64, text: &Arc<str>) -> TrainRun {
        let history = self.history.clone();
        TrainRun {
            number,
            plan: history.plan.clone(),
            text: Arc::clone(text),
            every: history.every,
            state: if self.step() >= history.plan.steps { RunState::Done } else { RunState::Training },
            is_in_worker: false,
            facts: history.facts,
            steps: history.steps,
            measured: history.measured,
            saved: (!self.state.is_empty()).then(|| Saved { step: history.step, bytes: Arc::clone(&self.state) }),
            spent: history.spent,
            timed_from: None,
            backwards: Backwards::default(),
        }
    }

    /// The plan of the run.
    pub fn plan(&self) -> &Plan {
        &self.history.plan
    }

    /// Number of steps done.
    pub fn step(&self) -> usize {
        self.history.step
    }
}

/// The latest training that is complete enough to continue.
pub(super) async fn newest() -> Result<Option<Kept>, JsValue> {
    let cache = open().await?;
    for id in ids(&cache).await?.into_iter().rev() {
        let Some(text) = get(&cache, &address(id, TEXT)).await?.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            continue;
        };
        let mut runs = Vec::new();
        for place in 0.. {
            let Some(first) = get(&cache, &address(id, &first_entry(place))).await? else { break };
            let last = get(&cache, &address(id, &place.to_string())).await?;
            runs.extend(read(place, &first, last.as_deref()));
        }
        if !runs.is_empty() {
            return Ok(Some(Kept { id, text: text.into(), runs }));
        }
    }
    Ok(None)
}

/// The content of a run's entry: the run as it was last saved, or as it was before its first step if it was never
/// saved.
pub(super) fn entry(run: &TrainRun) -> Option<Array> {
    let (step, state) = run.saved.as_ref().map_or((0, &[][..]), |saved| (saved.step, &saved.bytes[..]));
    let parts = Array::new();
    let (length, history) = head(run, step)?;
    for part in [&length[..], &history[..], state] {
        parts.push(&Uint8Array::from(part));
    }
    Some(parts)
}

/// The length in bytes of a run's history up to a step, then the encoded history.
fn head(run: &TrainRun, step: usize) -> Option<([u8; 4], Vec<u8>)> {
    let history = History {
        version: VERSION,
        plan: run.plan.clone(),
        every: run.every,
        step,
        spent: run.spent,
        facts: run.facts,
        steps: run.steps.iter().copied().filter(|done| done.step <= step).collect(),
        measured: run.measured.iter().filter(|(measured, _)| measured.step <= step).cloned().collect(),
    };
    let history = encode(&history).ok()?;
    Some(((history.len() as u32).to_le_bytes(), history))
}

/// The run as it was last saved. If `last` is missing or damaged, the run begins anew from its first entry; `None` if
/// that is damaged too.
fn read(place: usize, first: &[u8], last: Option<&[u8]>) -> Option<KeptRun> {
    last.and_then(|last| read_entry(place, last)).or_else(|| read_entry(place, first))
}

fn read_entry(place: usize, entry: &[u8]) -> Option<KeptRun> {
    let (length, rest) = entry.split_first_chunk::<4>()?;
    let (history, state) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let history: History = decode(history).ok().filter(|history: &History| history.version == VERSION)?;
    Some(KeptRun { place, history, state: Arc::new(ByteBuf::from(state)) })
}

pub(super) async fn open() -> Result<Cache, JsValue> {
    // A page that was not served over https has no caches, and web-sys assumes that it has.
    let caches = Reflect::get(&js_sys::global(), &JsValue::from_str("caches"))?;
    if caches.is_undefined() {
        return Err(JsValue::UNDEFINED);
    }
    JsFuture::from(window().caches()?.open(CACHE)).await.map(JsCast::unchecked_into)
}

pub(super) async fn put(cache: &Cache, address: &str, parts: &Array) -> Result<(), JsValue> {
    let blob = Blob::new_with_blob_sequence(parts)?;
    let response = Response::new_with_opt_blob(Some(&blob))?;
    JsFuture::from(cache.put_with_str(address, &response)).await.map(|_| ())
}

async fn get(cache: &Cache, address: &str) -> Result<Option<Vec<u8>>, JsValue> {
    let found = JsFuture::from(cache.match_with_str(address)).await?;
    let Ok(response) = found.dyn_into::<Response>() else { return Ok(None) };
    let buffer = JsFuture::from(response.array_buffer()?).await?;
    Ok(Some(Uint8Array::new(&buffer).to_vec()))
}

/// The ids of the kept trainings of this page, in order.
pub(super) async fn ids(cache: &Cache) -> Result<Vec<u64>, JsValue> {
    let keys: Array = JsFuture::from(cache.keys()).await?.unchecked_into();
    let mut ids: Vec<u64> = keys.iter().filter_map(|key| id_of(&key.unchecked_into::<Request>().url())).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Deletes the entries of the trainings whose ids `which` selects.
pub(super) async fn remove(cache: &Cache, which: impl Fn(u64) -> bool) -> Result<(), JsValue> {
    let keys: Array = JsFuture::from(cache.keys()).await?.unchecked_into();
    for key in keys.iter() {
        let request: Request = key.unchecked_into();
        if id_of(&request.url()).is_some_and(&which) {
            JsFuture::from(cache.delete_with_request(&request)).await?;
        }
    }
    Ok(())
}

/// The URL folder of this page's entries. A copy of the page under another path has its own.
fn folder() -> String {
    let page = document().base_uri().ok().flatten().unwrap_or_default();
    let page = page.split(['#', '?']).next().unwrap_or_default();
    let end = page.rfind('/').map_or(0, |at| at + 1);
    format!("{}{FOLDER}/", &page[..end])
}

pub(super) fn address(id: u64, entry: &str) -> String {
    format!("{}{id}/{entry}", folder())
}

/// The name of a run's entry before its first step.
pub(super) fn first_entry(place: usize) -> String {
    format!("plan-{place}")
}

/// The id of the training that an entry of this page belongs to.
fn id_of(url: &str) -> Option<u64> {
    url.strip_prefix(&folder())?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_protocol::train::{Kind, PlanFields};

    /// The bytes of a run's entry, as the cache returns them.
    fn written(run: &TrainRun) -> Vec<u8> {
        let (step, state) = run.saved.as_ref().map_or((0, &[][..]), |saved| (saved.step, &saved.bytes[..]));
        let (length, history) = head(run, step).expect("a history");
        [&length[..], &history[..], state].concat()
    }

    fn run_of_seed(seed: u64) -> TrainRun {
        let plan = Plan::new(PlanFields { seed, ..PlanFields::of_kind(Kind::Dot) }).expect("a plan that fits");
        TrainRun::new(seed, plan, "a text".into(), 10)
    }

    #[test]
    fn a_damaged_entry_moves_no_other_run_and_its_run_begins_anew() {
        let first = |seed| written(&run_of_seed(seed));
        let saved = |seed| {
            let saved = Some(Saved { step: 7, bytes: Arc::new(ByteBuf::from(vec![1, 2, 3])) });
            written(&TrainRun { saved, ..run_of_seed(seed) })
        };
        let damaged = [Vec::new(), vec![9, 0, 0], saved(1)[..20].to_vec(), {
            let mut other = saved(1);
            other[4..12].fill(0xff);
            other
        }];
        for damaged in &damaged {
            for (entries, expected) in [
                ([(first(0), Some(saved(0))), (first(1), Some(saved(1)))], vec![(0, 0, 7), (1, 1, 7)]),
                ([(first(0), Some(damaged.clone())), (first(1), Some(saved(1)))], vec![(0, 0, 0), (1, 1, 7)]),
                // Both entries of the first run are damaged: the second run keeps its place.
                ([(damaged.clone(), Some(damaged.clone())), (first(1), None)], vec![(1, 1, 0)]),
            ] {
                let read =
                    |(place, (first, last)): (usize, &(Vec<u8>, Option<Vec<u8>>))| read(place, first, last.as_deref());
                let runs: Vec<KeptRun> = entries.iter().enumerate().filter_map(read).collect();
                let found = runs.iter().map(|run| (run.place, run.plan().seed, run.step()));
                assert_eq!(found.collect::<Vec<_>>(), expected, "{damaged:?}");
                for run in runs {
                    let run_now = run.run(5, &"a text".into());
                    assert_eq!(run_now.saved.map(|saved| saved.step), (run.step() > 0).then_some(7));
                }
            }
        }
    }
}

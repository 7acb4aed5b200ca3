//! Opens a model, and splits a text into its tokens; downloads a model's files from an address, or asks the server
//! which files it has.

use std::ops::Range;

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_models::{
    ModelConfig, Part, Spans, SpecialTokens, SplitText, Splitter, TEXT_HEAD, TextEnd, TextExtent, Tokenizer,
};
use serde::{Deserialize, Serialize};

use super::context::MODEL_MEMORY;
use super::network::{DownloadPlan, Downloaded, Transfer, TransferState};
use super::{ModelContext, ModelOrigin};
use crate::task::{Poll, Report, Task};
use lipscope_core::phrase;

/// The most of a text, in bytes, that is split into tokens: the windows of a run are chosen after it.
const MOST_TEXT: usize = 4 * TEXT_HEAD;

/// A model and a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenPlan {
    /// Whether the model is drawn or read from files.
    pub origin: ModelOrigin,
    /// The text.
    pub text: String,
    /// Notes on how it was decoded.
    pub notes: Vec<Phrase>,
}

/// Facts about a model and its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// The model's name in tables.
    pub label: String,
    /// Its architecture.
    pub config: ModelConfig,
    /// Which half of a model of two halves it is.
    pub part: Option<Part>,
    /// Its family, its size and its special parts in one line.
    pub description: Phrase,
    /// The text's token ids.
    pub ids: Vec<u32>,
    /// The byte range of each token in the text: start, and end (exclusive); empty for pictures.
    pub spans: Vec<(usize, usize)>,
    /// The fingerprint of the ids, or of the pixels.
    pub text: String,
    /// For a model of pictures their names; each is a window.
    pub pictures: Vec<String>,
    /// The special tokens that can be put around every window; none where the model has none, or its files contradict
    /// each other about them.
    pub special: SpecialTokens,
    /// Notes on parts guessed, rounded or ignored while reading the model and its text.
    pub notes: Vec<Phrase>,
}

/// What a model is measured at, as it is opened.
struct Input {
    notes: Vec<Phrase>,
    text: String,
    ids: Vec<u32>,
    spans: Vec<Range<usize>>,
    pictures: Vec<String>,
    special: SpecialTokens,
}

/// Opens in one step.
#[derive(Debug)]
pub struct OpenTask(OpenPlan);

impl Task<ModelContext> for OpenTask {
    type Plan = OpenPlan;
    type Event = Box<ModelFacts>;

    fn start(plan: OpenPlan, _: &mut ModelContext) -> Result<Self, InputError> {
        Ok(OpenTask(plan))
    }

    fn step(
        &mut self,
        context: &mut ModelContext,
        report: &mut Report<'_, Box<ModelFacts>>,
    ) -> Result<Poll, InputError> {
        let OpenPlan { origin, text, notes: of_text } = &self.0;
        let mut opened = context.opened(origin)?;
        let input = match context.show_pictures(origin, &mut opened)? {
            Some(pictures) => Input {
                notes: pictures.notes.clone(),
                text: pictures.fingerprint(),
                ids: pictures.ids(),
                spans: Vec::new(),
                pictures: pictures.names().map(str::to_owned).collect(),
                special: SpecialTokens::default(),
            },
            None => {
                // A drawn model without a tokenizer uses words as tokens.
                let tokenizer = context.tokenizer(origin)?;
                let splitter = match &tokenizer {
                    Some(tokenizer) => Splitter::Tokenizer(tokenizer),
                    None => Splitter::Words(opened.config().vocabulary),
                };
                let extent = TextExtent { tokens: usize::MAX, bytes: MOST_TEXT, memory: MODEL_MEMORY };
                let split = splitter.split(&mut text.as_str(), extent, Spans::Included)?;
                let SplitText { ids, spans, fingerprint, notes, end } = split;
                let cut = (end == TextEnd::Beyond).then(|| {
                    phrase!(
                        "note_text_cut",
                        "of the text its first {count} MiB were split into tokens: windows lie there",
                        count = MOST_TEXT >> 20
                    )
                });
                let around = |of: Tokenizer| of.special_tokens(opened.first_token()).unwrap_or_default();
                Input {
                    notes: tokenizer.iter().flat_map(Tokenizer::notes).cloned().chain(notes).chain(cut).collect(),
                    text: fingerprint,
                    ids,
                    spans,
                    pictures: Vec::new(),
                    special: tokenizer.map(around).unwrap_or_default(),
                }
            }
        };
        report.event(Box::new(ModelFacts {
            label: opened.label().to_owned(),
            config: *opened.config(),
            part: opened.part(),
            description: opened.description(),
            notes: opened.notes().iter().chain(of_text).cloned().chain(input.notes).collect(),
            text: input.text,
            ids: input.ids,
            spans: input.spans.into_iter().map(|span| (span.start, span.end)).collect(),
            pictures: input.pictures,
            special: input.special,
        }));
        Ok(Poll::Done)
    }
}

/// A download under way.
pub struct DownloadTask {
    transfer: Box<dyn Transfer>,
    reported: u64,
}

impl Task<ModelContext> for DownloadTask {
    type Plan = DownloadPlan;
    type Event = Downloaded;

    fn start(plan: DownloadPlan, context: &mut ModelContext) -> Result<Self, InputError> {
        Ok(DownloadTask { transfer: context.network().begin(&plan), reported: 0 })
    }

    fn step(&mut self, _: &mut ModelContext, report: &mut Report<'_, Downloaded>) -> Result<Poll, InputError> {
        match self.transfer.poll()? {
            TransferState::Under(bytes) => {
                if bytes > self.reported && report.is_due() {
                    self.reported = bytes;
                    report.bytes(bytes);
                }
                Ok(Poll::Waiting)
            }
            TransferState::Complete(downloaded) => {
                report.event(downloaded);
                Ok(Poll::Done)
            }
        }
    }
}

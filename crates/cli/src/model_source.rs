//! The model, its text or images and its windows as options, for every command that measures a model.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::argument::by_name;
use super::console::emit;
use super::model_files::{self, Found, Input, SpecialName, WindowRequest};
use super::text_file::TextFile;
use lipscope_core::experiment::{InputError, Order};
use lipscope_models::{MapKind, Part, Resizing};

/// The group of options that name a model.
pub(super) const MODEL: &str = "model";
/// The heading of options on randomly initialised models.
pub(super) const RANDOM: &str = "Randomly initialised models";

/// Where a model's tokens come from, and which map of it is measured. The model itself is the command's `--weights`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Text, images and map of the model")]
pub(super) struct ModelSource {
    /// A text file, or - for standard input; by default a page about attention.
    ///
    /// It is read as far as the windows need, in UTF-8 or in UTF-16 with a byte order mark; \r\n and \r count as \n.
    #[arg(long, value_name = "FILE", requires = MODEL)]
    pub(super) text: Option<PathBuf>,
    /// An image, PNG or JPEG, for a model of images; may be given several times.
    ///
    /// Models of images are ViT, DeiT, DINOv2, CLIP and SigLIP. Each image is a window, whose length the model says.
    #[arg(long, value_name = "FILE", requires = MODEL, conflicts_with_all = ["text", "tokenizer", "special", "lengths", "windows"])]
    pub(super) image: Vec<PathBuf>,
    /// Bring images of another size to the model's.
    ///
    /// The shorter side is scaled, in the way (bilinear or bicubic) of the model's preprocessor, and the middle cut out. The
    /// preprocessor itself may squeeze or cut otherwise.
    #[arg(long, requires = "image", hide_short_help = true)]
    resize: bool,
    /// The half of a model of two halves (CLIP, SigLIP): that of texts or that of images.
    #[arg(long, requires = MODEL, value_parser = by_name(Part::ALL, |part| part.id()), hide_short_help = true)]
    part: Option<Part>,
    /// A tokenizer.json, if the folder has none or the model is randomly initialised.
    ///
    /// Without one such a model uses words as tokens.
    #[arg(long, value_name = "FILE", requires = MODEL, hide_short_help = true)]
    tokenizer: Option<PathBuf>,
    /// Which tokens a token attends to; by default the mask of the model's family.
    #[arg(long, requires = MODEL, value_enum, hide_short_help = true)]
    mask: Option<MaskName>,
    /// What is measured of a layer.
    ///
    /// By default it is what the attention module of its family returns: attention for BERT, with-output for GPT-2 and Llama.
    #[arg(long, requires = MODEL, value_parser = map_kind())]
    pub(super) map: Option<MapKind>,
    /// The special tokens around every window.
    #[arg(long, requires = MODEL, value_enum, default_value_t = SpecialName::None, hide_short_help = true)]
    special: SpecialName,
    /// Width of a randomly initialised model.
    #[arg(long, value_name = "D", requires = "weights", default_value_t = 768, help_heading = RANDOM, hide_short_help = true)]
    dim: usize,
    /// Layers of a randomly initialised model.
    #[arg(long, value_name = "N", requires = "weights", default_value_t = 12, help_heading = RANDOM, hide_short_help = true)]
    depth: usize,
    /// Heads of a randomly initialised model.
    #[arg(long, value_name = "N", requires = "weights", default_value_t = 12, help_heading = RANDOM, hide_short_help = true)]
    heads: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MaskName {
    None,
    Causal,
}

impl ModelSource {
    /// Opens the text of `--text`; `None` for the built-in one.
    pub(super) fn open_text(&self) -> Result<Option<TextFile>, InputError> {
        self.text.as_deref().map(TextFile::open).transpose()
    }

    /// Opens the model of `--weights`, and tells what it is.
    pub(super) fn open(&self, command: &str, weights: &str, seed: u64) -> Result<Found, InputError> {
        let size = (self.dim, self.depth, self.heads);
        let found = model_files::open(weights, self.part, size, seed)?;
        emit!("{command}: {}", found.model.description());
        Ok(found)
    }

    /// The token ids of the text, so far as the windows need them, or the images.
    pub(super) fn input(
        &self,
        found: &mut Found,
        text: Option<TextFile>,
        request: &WindowRequest<'_>,
    ) -> Result<Input, InputError> {
        let resizing = if self.resize { Resizing::Allowed } else { Resizing::Refused };
        match &self.image[..] {
            [] => {
                let how = (self.tokenizer.as_deref(), self.special);
                match text {
                    Some(mut file) => found.text(&mut file, how, request),
                    None => found.text(&mut include_str!("../../../assets/attention.txt"), how, request),
                }
            }
            images => found.images(images, resizing),
        }
    }

    /// The half of a model of two halves.
    pub(super) fn part(&self) -> Option<Part> {
        self.part
    }

    /// The mask of the whole model, where it is not the model's own.
    pub(super) fn order(&self) -> Option<Order> {
        self.mask.map(|mask| match mask {
            MaskName::None => Order::Free,
            MaskName::Causal => Order::Causal,
        })
    }
}

/// The parser of `--map`; the help lists the maps with these descriptions.
fn map_kind() -> impl TypedValueParser<Value = MapKind> {
    let help = |kind| match kind {
        MapKind::Attention => "The concatenated heads, before the output matrix",
        MapKind::WithOutput => "The heads after the output matrix",
        MapKind::AttentionResidual => "Attention with its residual connection and layer norm",
        MapKind::MlpResidual => "The MLP with its residual connection and layer norm",
        MapKind::Block => "The whole layer: attention, MLP, residual connections and layer norms",
        MapKind::Blocks => "All layers from 0 to this one, from the embeddings on",
    };
    let values = MapKind::ALL.map(|kind| PossibleValue::new(kind.id()).help(help(kind)));
    PossibleValuesParser::new(values).try_map(|id| MapKind::by_id(&id).ok_or("not the name of a map"))
}

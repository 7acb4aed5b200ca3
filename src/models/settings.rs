//! The values of the form's fields, as the reader types them.

use crate::state::MOST_SEED;
use crate::strings;
use lipscope_core::experiment::Order;
use lipscope_models::{
    Bounding, DrawnFamily, DrawnModel, Estimators, MODEL_TOLERANCE, MapKind, PlanText, Resizing, SpecialTokens, Subject,
};

/// Where a model comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceKind {
    /// A GPT-2 with random weights.
    #[default]
    Gpt2,
    /// A BERT with random weights.
    Bert,
    /// A Llama with random weights.
    Llama,
    /// The reader's own files.
    Files,
    /// The address of a folder.
    Address,
}

impl SourceKind {
    /// All, with their ids.
    pub const ALL: [(&'static str, SourceKind); 5] = [
        ("random-gpt2", SourceKind::Gpt2),
        ("random-bert", SourceKind::Bert),
        ("random-llama", SourceKind::Llama),
        ("files", SourceKind::Files),
        ("address", SourceKind::Address),
    ];

    /// The family, if its weights are random.
    pub fn family(self) -> Option<DrawnFamily> {
        match self {
            SourceKind::Gpt2 => Some(DrawnFamily::Gpt2),
            SourceKind::Bert => Some(DrawnFamily::Bert),
            SourceKind::Llama => Some(DrawnFamily::Llama),
            SourceKind::Files | SourceKind::Address => None,
        }
    }
}

/// The choice of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceForm {
    /// Where it comes from.
    pub kind: SourceKind,
    /// Width of a random model.
    pub d: String,
    /// Layers of a random model.
    pub depth: String,
    /// Heads of a random model.
    pub heads: String,
    /// Seed of a random model.
    pub seed: String,
    /// Whether pictures of another size than the model's are brought to it.
    pub resizing: Resizing,
}

impl Default for SourceForm {
    fn default() -> Self {
        let [d, depth, heads, seed] = ["768", "12", "12", "0"].map(String::from);
        SourceForm { kind: SourceKind::default(), d, depth, heads, seed, resizing: Resizing::default() }
    }
}

impl SourceForm {
    /// The random model of a family that the fields describe.
    ///
    /// # Errors
    /// A sentence about a field that has no usable number.
    pub fn drawn(&self, family: DrawnFamily) -> Result<DrawnModel, String> {
        let seed = self.seed.trim().parse::<u64>().ok().filter(|seed| *seed <= MOST_SEED);
        Ok(DrawnModel {
            family,
            d: whole(strings::model_width(), &self.d)?,
            layers: whole(strings::model_depth(), &self.depth)?,
            heads: whole(strings::model_n_heads(), &self.heads)?,
            seed: seed.ok_or_else(|| strings::not_a_seed(self.seed.trim(), MOST_SEED))?,
        })
    }
}

/// The plan of the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanForm {
    /// Layers, a list; `None` until the reader names one: the middle layer of the model is measured.
    pub layers: Option<String>,
    /// Lengths, a list or a range.
    pub lengths: String,
    /// Windows per length.
    pub windows: String,
    /// Heads: all together, each by itself, or a list.
    pub heads: String,
    /// The mask; `None` takes the model's.
    pub mask: Option<Order>,
    /// The map; `None` takes the model's.
    pub kind: Option<MapKind>,
    /// What the workers compute.
    pub estimators: Estimators,
    /// Whether bounds are computed too.
    pub bounds: Bounding,
    /// Whether the model's special tokens stand around every window.
    pub special: Special,
}

/// What stands around every window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Special {
    /// Nothing: windows are text alone.
    #[default]
    None,
    /// The model's special tokens.
    OfModel,
}

impl Default for PlanForm {
    fn default() -> Self {
        let [lengths, windows, heads] = ["2:98:8", "2", "all"].map(String::from);
        PlanForm {
            layers: None,
            lengths,
            windows,
            heads,
            mask: None,
            kind: None,
            estimators: Estimators::Both,
            bounds: Bounding::Skipped,
            special: Special::default(),
        }
    }
}

impl PlanForm {
    /// Masks, with their ids.
    pub const MASKS: [(&'static str, Option<Order>); 3] =
        [("usual", None), ("none", Some(Order::Free)), ("causal", Some(Order::Causal))];
    /// Estimators, with their ids.
    pub const ESTIMATORS: [(&'static str, Estimators); 3] =
        [("both", Estimators::Both), ("spectral", Estimators::Spectral), ("released", Estimators::Released)];

    /// Maps, with their ids.
    pub fn kinds() -> Vec<(&'static str, Option<MapKind>)> {
        std::iter::once(("usual", None)).chain(MapKind::ALL.map(|kind| (kind.id(), Some(kind)))).collect()
    }

    /// Sets the lengths and windows of the figures in section 5 of Castin et al.
    pub fn as_published(&mut self) {
        self.lengths = "2:98:2".into();
        self.windows = "10".into();
    }

    /// The plan as text, as the command line takes it. `middle` is the middle layer of the model, `special` its special
    /// tokens.
    ///
    /// # Errors
    /// A sentence about the number of windows.
    pub fn words(&self, middle: &str, special: &SpecialTokens) -> Result<PlanText, String> {
        Ok(PlanText {
            layers: self.layers.clone().unwrap_or_else(|| middle.to_owned()),
            heads: self.heads.clone(),
            lengths: self.lengths.clone(),
            windows: whole(strings::model_windows(), &self.windows)?,
            mask: self.mask,
            kind: self.kind,
            estimators: self.estimators,
            tolerance: MODEL_TOLERANCE,
            bounds: self.bounds,
            special: match self.special {
                Special::None => SpecialTokens::default(),
                Special::OfModel => special.clone(),
            },
        })
    }

    /// A plan text with what a table's subject says; its layers, heads and lengths are empty.
    pub fn of_subject(subject: &Subject) -> PlanText {
        let pick = |id: &str| PlanForm::MASKS.into_iter().find(|(word, _)| *word == id).and_then(|(_, mask)| mask);
        let estimators = PlanForm::ESTIMATORS.into_iter().find(|(word, _)| *word == subject.estimator);
        PlanText {
            layers: String::new(),
            heads: String::new(),
            lengths: String::new(),
            windows: 1,
            mask: pick(&subject.mask),
            kind: MapKind::by_id(&subject.map),
            estimators: estimators.map_or(Estimators::Both, |(_, estimators)| estimators),
            tolerance: MODEL_TOLERANCE,
            bounds: Bounding::Skipped,
            special: Default::default(),
        }
    }
}

fn whole(name: &str, text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| strings::model_not_whole(name, text.trim()))
}

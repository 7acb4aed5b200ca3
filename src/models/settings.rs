//! The values of the form's fields, as the reader types them.

use crate::fault::Fault;
use crate::state::{DrawnSize, MOST_SEED, ModelSettings};
use crate::strings;
use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::sweep::parse_lengths;
use lipscope_models::{
    Bounding, DrawnFamily, DrawnModel, Estimators, MODEL_TOLERANCE, MapKind, PlanText, Resizing, SpecialTokens, Subject,
};

pub use crate::state::SourceKind;

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
        SourceForm::of(&ModelSettings::default(), Resizing::default())
    }
}

impl SourceForm {
    /// The form of some settings.
    pub fn of(settings: &ModelSettings, resizing: Resizing) -> Self {
        let DrawnSize { d, layers, heads, seed } = settings.size;
        let [d, depth, heads] = [d, layers, heads].map(|number| number.to_string());
        SourceForm { kind: settings.kind, d, depth, heads, seed: seed.to_string(), resizing }
    }

    /// The random model of a family that the fields describe.
    ///
    /// # Errors
    /// [`Fault`] about a field that has no usable number.
    pub fn drawn(&self, family: DrawnFamily) -> Result<DrawnModel, Fault> {
        let seed = self.seed.trim().parse::<u64>().ok().filter(|seed| *seed <= MOST_SEED);
        Ok(DrawnModel {
            family,
            d: whole(strings::model_width(), &self.d)?,
            layers: whole(strings::model_depth(), &self.depth)?,
            heads: whole(strings::model_n_heads(), &self.heads)?,
            seed: seed.ok_or_else(|| Fault::NotASeed { text: self.seed.trim().to_owned(), most: MOST_SEED })?,
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
    /// Whether an upper number is found for every map.
    pub upper: UpperNumber,
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
        PlanForm::of(&ModelSettings::default())
    }
}

/// The settings of the form's values; `None` while one of them is no number or no list.
pub fn settings_of(source: &SourceForm, plan: &PlanForm) -> Option<ModelSettings> {
    let DrawnModel { d, layers, heads, seed, .. } = source.drawn(DrawnFamily::Gpt2).ok()?;
    let of_layers = match &plan.layers {
        Some(layers) => Some(ModelSettings::list(layers)?),
        None => None,
    };
    Some(ModelSettings {
        kind: source.kind,
        size: DrawnSize { d, layers, heads, seed },
        layers: of_layers,
        lengths: ModelSettings::list(&plan.lengths)?,
        windows: plan.windows.trim().parse().ok()?,
        heads: ModelSettings::list(&plan.heads)?,
        mask: plan.mask,
        map: plan.kind,
        estimators: plan.estimators,
        bounds: plan.bounds,
        upper: plan.upper,
    })
}

impl PlanForm {
    /// The plan of some settings.
    pub fn of(settings: &ModelSettings) -> Self {
        let ModelSettings { layers, lengths, windows, heads, mask, map, estimators, bounds, upper, .. } =
            settings.clone();
        let (windows, special) = (windows.to_string(), Special::default());
        PlanForm { layers, lengths, windows, heads, mask, kind: map, estimators, bounds, upper, special }
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
    /// [`Fault`] about the number of windows.
    pub fn words(&self, middle: &str, special: &SpecialTokens) -> Result<PlanText, Fault> {
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
            upper: self.upper,
            statistics: Vec::new(),
            special: match self.special {
                Special::None => SpecialTokens::default(),
                Special::OfModel => special.clone(),
            },
        })
    }

    /// A plan text with what a table's subject says; its layers, heads and lengths are empty.
    pub fn of_subject(subject: &Subject) -> PlanText {
        let pick = |id: &str| ModelSettings::MASKS.into_iter().find(|(word, _)| *word == id).and_then(|(_, mask)| mask);
        let estimators = ModelSettings::ESTIMATORS.into_iter().find(|(word, _)| *word == subject.estimator);
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
            upper: UpperNumber::Skipped,
            statistics: Vec::new(),
            special: Default::default(),
        }
    }
}

fn whole(name: &'static str, text: &str) -> Result<usize, Fault> {
    text.trim().parse().map_err(|_| Fault::NotACount { name, text: text.trim().to_owned() })
}

/// The lengths for a model with that many positions, in place of `lengths`, where these are the default ones and reach
/// further; `None` where they stay.
pub fn default_lengths_within(lengths: &str, positions: usize) -> Option<String> {
    /// About how many lengths there are.
    const COUNT: usize = 12;
    let default = ModelSettings::default().lengths;
    let is_too_long = || parse_lengths(&default).is_ok_and(|lengths| lengths.iter().any(|n| *n > positions));
    (lengths == default && is_too_long()).then(|| format!("2:{positions}:{}", positions.div_ceil(COUNT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_lengths_end_with_the_positions_of_the_model_and_others_stay() {
        let default = ModelSettings::default().lengths;
        assert_eq!(default_lengths_within(&default, 16).as_deref(), Some("2:16:2"));
        for positions in 2..=98 {
            let lengths = default_lengths_within(&default, positions).map(|lengths| parse_lengths(&lengths));
            match lengths {
                Some(Ok(lengths)) => assert!(!lengths.is_empty() && lengths.iter().all(|n| *n <= positions)),
                other => assert!(positions == 98 && other.is_none(), "{positions}: {other:?}"),
            }
        }
        assert_eq!(default_lengths_within("2:98:2", 16), None);
        assert_eq!(default_lengths_within(&default, 512), None);
    }

    #[test]
    fn a_form_and_its_settings_say_the_same_and_what_is_half_typed_has_none() {
        let settings = ModelSettings {
            kind: SourceKind::Llama,
            size: DrawnSize { d: 64, layers: 4, heads: 2, seed: 7 },
            layers: Some("0,3".into()),
            lengths: "2:98:x8".into(),
            map: Some(MapKind::Blocks),
            bounds: Bounding::AtTokens,
            upper: UpperNumber::Included,
            ..ModelSettings::default()
        };
        let (source, plan) = (SourceForm::of(&settings, Resizing::default()), PlanForm::of(&settings));
        assert_eq!(settings_of(&source, &plan), Some(settings));
        assert_eq!(settings_of(&SourceForm::default(), &PlanForm::default()), Some(ModelSettings::default()));
        let half = SourceForm { d: String::new(), ..source.clone() };
        assert_eq!(settings_of(&half, &plan), None);
        assert_eq!(settings_of(&source, &PlanForm { lengths: "2;3".into(), ..plan }), None);
    }
}

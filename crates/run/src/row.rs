//! One row of a log: what was measured of one map of one layer at one step.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::RowProblem;
use super::members::Members;

/// What is known of a row's norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The norm, to the accuracy of its residual.
    Exact,
    /// Not above the norm.
    #[serde(rename = "lower bound")]
    LowerBound,
    /// In the model's own precision: near the norm, on either side.
    Estimate,
    /// No norm was found.
    None,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Exact, Kind::LowerBound, Kind::Estimate, Kind::None];

    /// That of a value from products in f64, with the relative residual of its vectors.
    #[must_use]
    pub fn of_residual(residual: f64) -> Self {
        /// An iteration with at most this residual has found the norm.
        const EXACT: f64 = 1e-9;
        if residual <= EXACT { Kind::Exact } else { Kind::LowerBound }
    }

    /// Its word in a log.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::LowerBound => "lower bound",
            Kind::Estimate => "estimate",
            Kind::None => "none",
        }
    }
}

/// Numbers of single heads by column; `None` where a head has no number.
pub type Heads = BTreeMap<String, Vec<Option<f64>>>;

/// One row of a log. Null, NaN, infinity and an absent key are `None`.
///
/// ```
/// use lipscope_run::{Kind, Row};
///
/// let mut row = Row::new(100, "blocks.0", "attention");
/// row.value = Some(2.5);
/// row.residual = Some(0.02);
/// row.kind = Kind::LowerBound;
/// row.further.insert("loss".into(), Some(3.25));
/// let line = r#"{"step":100,"layer":"blocks.0","map":"attention","value":2.5,"residual":0.02,"kind":"lower bound","loss":3.25}"#;
/// assert_eq!(row.to_line(), line);
/// assert_eq!(Row::from_line(line), Ok(row));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Members")]
pub struct Row {
    /// The steps of training that were done.
    pub step: u64,
    /// The name of the layer in its model.
    pub layer: String,
    /// The number of the probe's item, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    /// The number of the call, if the model calls the layer several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The measured map, such as "block" or "attention".
    pub map: String,
    /// L, the norm of the map's Jacobian.
    pub value: Option<f64>,
    /// The relative residual of the iteration.
    pub residual: Option<f64>,
    /// What is known of the norm.
    pub kind: Kind,
    /// The steps of the iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// L times the length of the tokens, divided by the length of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<f64>,
    /// The length of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// The part of the layer measured as its attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The largest attention score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_logit: Option<f64>,
    /// The mean entropy of the rows of attention, relative to its maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy_mean: Option<f64>,
    /// The least entropy of a row of attention, relative to its maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy_min: Option<f64>,
    /// The largest column sum of attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sink: Option<f64>,
    /// The norm of the matrix A of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_norm: Option<f64>,
    /// The norm of a head's values through the output matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vo_norm: Option<f64>,
    /// The numbers of single heads.
    #[serde(skip_serializing_if = "Heads::is_empty")]
    pub heads: Heads,
    /// Why there is no norm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Further columns, such as the loss.
    #[serde(flatten)]
    pub further: BTreeMap<String, Option<f64>>,
}

impl TryFrom<Members> for Row {
    type Error = RowProblem;

    fn try_from(mut members: Members) -> Result<Self, RowProblem> {
        Ok(Row {
            step: members.needed_count("step")?,
            layer: members.needed_text("layer")?,
            item: members.count("item")?,
            call: members.count("call")?,
            map: members.needed_text("map")?,
            value: members.needed_size("value")?,
            residual: members.needed_size("residual")?,
            kind: members.choice("kind", &Kind::ALL.map(|kind| (kind.id(), kind)))?,
            steps: members.count("steps")?,
            condition: members.size("condition")?,
            output: members.size("output")?,
            part: members.text("part")?,
            max_logit: members.number("max_logit")?,
            entropy_mean: members.number("entropy_mean")?,
            entropy_min: members.number("entropy_min")?,
            sink: members.size("sink")?,
            a_norm: members.size("a_norm")?,
            vo_norm: members.size("vo_norm")?,
            heads: members.lists("heads")?,
            problem: members.text("problem")?,
            further: members.finish()?.into_iter().collect(),
        })
    }
}

impl Row {
    /// The columns of numbers that the format names, in order.
    pub const COLUMNS: [&str; 10] = [
        "value",
        "residual",
        "condition",
        "output",
        "max_logit",
        "entropy_mean",
        "entropy_min",
        "sink",
        "a_norm",
        "vo_norm",
    ];

    /// A row without numbers.
    #[must_use]
    pub fn new(step: u64, layer: impl Into<String>, map: impl Into<String>) -> Self {
        Row {
            step,
            layer: layer.into(),
            item: None,
            call: None,
            map: map.into(),
            value: None,
            residual: None,
            kind: Kind::None,
            steps: None,
            condition: None,
            output: None,
            part: None,
            max_logit: None,
            entropy_mean: None,
            entropy_min: None,
            sink: None,
            a_norm: None,
            vo_norm: None,
            heads: Heads::new(),
            problem: None,
            further: BTreeMap::new(),
        }
    }

    /// Reads a line of a log.
    ///
    /// # Errors
    /// [`RowProblem`] that names the field.
    pub fn from_line(line: &str) -> Result<Self, RowProblem> {
        Members::of_line(line)?.try_into()
    }

    /// The line of a log, without a line break. NaN and infinity become null.
    #[must_use]
    pub fn to_line(&self) -> String {
        // A struct of texts, lists and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The number in a column; `None` if the row has none there.
    #[must_use]
    pub fn number(&self, column: &str) -> Option<f64> {
        match column {
            "value" => self.value,
            "residual" => self.residual,
            "condition" => self.condition,
            "output" => self.output,
            "max_logit" => self.max_logit,
            "entropy_mean" => self.entropy_mean,
            "entropy_min" => self.entropy_min,
            "sink" => self.sink,
            "a_norm" => self.a_norm,
            "vo_norm" => self.vo_norm,
            other => self.further.get(other).copied().flatten(),
        }
    }

    /// The layer of the row, with the call and the item that were measured.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { layer: self.layer.clone(), call: self.call, item: self.item }
    }
}

/// A layer, one call of it, at one item of the probe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The name of the layer.
    pub layer: String,
    /// The number of the call, if there are several.
    pub call: Option<u64>,
    /// The number of the item, if there are several.
    pub item: Option<u64>,
}

impl fmt::Display for Place {
    /// The name of the layer, then the keys of the row that tell it from others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.layer)?;
        self.call.map_or(Ok(()), |call| write!(f, " call={call}"))?;
        self.item.map_or(Ok(()), |item| write!(f, " item={item}"))
    }
}

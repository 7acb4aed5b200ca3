//! The first line of a log: which model was measured, and how.

use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

use super::error::RowProblem;
use super::members::Members;

/// The format of a log.
pub const FORMAT: &str = "lipscope-run";
/// Its version.
pub const VERSION: u64 = 1;

/// The first line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Written")]
pub struct Header {
    /// The class or the name of the model.
    pub model: String,
    /// What tells the model from others.
    pub fingerprint: String,
    /// The measured maps.
    pub maps: Vec<String>,
    /// The columns of a row beside its norm.
    pub columns: Vec<String>,
    /// The steps between measurements; `None` if they are not regular.
    pub every: Option<u64>,
}

/// A header as it is written.
#[derive(Serialize)]
struct Written {
    format: &'static str,
    version: u64,
    model: String,
    fingerprint: String,
    maps: Vec<String>,
    columns: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<u64>,
}

impl From<Header> for Written {
    fn from(Header { model, fingerprint, maps, columns, every }: Header) -> Self {
        Written { format: FORMAT, version: VERSION, model, fingerprint, maps, columns, every }
    }
}

impl TryFrom<Members> for Header {
    type Error = RowProblem;

    /// Keys that a later program adds are ignored.
    fn try_from(mut members: Members) -> Result<Self, RowProblem> {
        members.choice("format", &[(FORMAT, ())])?;
        let version = members.needed_count("version")?;
        if version != VERSION {
            return Err(RowProblem::wrong("version", &version.into(), phrase!("only_version", "1, the only version")));
        }
        Ok(Header {
            model: members.needed_text("model")?,
            fingerprint: members.needed_text("fingerprint")?,
            maps: members.names("maps")?,
            columns: members.names("columns")?,
            every: members.count("every")?,
        })
    }
}

impl Header {
    /// Whether a line is meant as a header.
    pub(crate) fn is_meant(members: &Members) -> bool {
        members.has("format")
    }

    /// The line of a log, without a line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        // A struct of texts, lists and whole numbers can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

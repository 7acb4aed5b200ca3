//! What page and models' workers say to each other. Files travel beside a message, as what the browser calls blobs.
//!
//! A worker answers every request with one reply of the same run id; a download also tells how far it is, and a table that
//! is read comes in batches ([`parsed`]), so that the page is never long at one.
//!
//! | module | concept |
//! | --- | --- |
//! | `batches` | a table in messages of a thousand rows |

mod batches;

use serde::{Deserialize, Serialize};

use crate::message::RunId;
use lipscope_models::{
    Batch, Cell, DrawnModel, Estimate, Estimators, ModelConfig, PlanText, Table, USUAL_TOLERANCE, WindowExperiment,
};

pub use batches::{Arriving, MOST_ROWS, TableBatch, parsed};

/// The files of a model's folder that are looked at.
pub const MODEL_FILES: [&str; 6] =
    ["config.json", "model.safetensors", "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"];

/// Where a model's weights come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelOrigin {
    /// Drawn.
    Drawn(DrawnModel),
    /// The files beside the message.
    Files {
        /// The folder's name.
        name: String,
    },
}

/// From the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelRequest {
    /// What a model is, and the tokens of a text.
    Open {
        /// The run.
        run_id: RunId,
        /// Which model.
        origin: ModelOrigin,
        /// The text.
        text: String,
    },
    /// Read or draw as much of a model as a plan needs; without effect where it is there.
    Prepare {
        /// The run.
        run_id: RunId,
        /// Which model.
        origin: ModelOrigin,
        /// What is to be measured.
        plan: PlanText,
        /// The text's token ids, as far as the plan's windows go.
        ids: Vec<u32>,
    },
    /// Measure windows of what is prepared.
    Measure {
        /// The run.
        run_id: RunId,
        /// Which windows.
        batch: Batch,
        /// Which places of theirs.
        wanted: Vec<Cell>,
    },
    /// A window of what is prepared as an experiment.
    Window {
        /// The run.
        run_id: RunId,
        /// Which.
        cell: Cell,
    },
    /// Heads at the adversarial tokens of their own.
    Adversarial {
        /// The run.
        run_id: RunId,
        /// Which model.
        origin: ModelOrigin,
        /// Layers, heads one by one, lengths, mask, map.
        plan: PlanText,
        /// R.
        radius: f64,
    },
    /// Read a table that was written before.
    Parse {
        /// The run.
        run_id: RunId,
        /// Its file's name.
        name: String,
        /// What is in it; as a whole, for it may be long.
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Write a table.
    Write {
        /// The run.
        run_id: RunId,
        /// Which.
        table: Table,
        /// How.
        form: TableForm,
    },
}

/// The form of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableForm {
    /// One window a line, with a header.
    Csv,
    /// One object with the windows and the fitted slopes.
    Json,
}

/// Of a folder on some server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FetchRequest {
    /// Which of a model's files there are, and how large.
    List {
        /// The run.
        run_id: RunId,
        /// The folder's address.
        address: String,
    },
    /// Fetch files.
    Fetch {
        /// The run.
        run_id: RunId,
        /// The folder's address.
        address: String,
        /// Their names.
        names: Vec<String>,
    },
}

/// All that a worker is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelWork {
    /// Of models and tables.
    Run(ModelRequest),
    /// Of addresses.
    Fetch(FetchRequest),
}

/// A model and its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// What tables call it.
    pub label: String,
    /// Its shape.
    pub config: ModelConfig,
    /// The text's token ids.
    pub ids: Vec<u32>,
    /// Where each token stands in the text: its first byte, and the one after its last.
    pub spans: Vec<(usize, usize)>,
    /// The fingerprint of the ids.
    pub text: String,
}

/// A file on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    /// Its name.
    pub name: String,
    /// Its bytes, where the server says.
    pub size: Option<u64>,
}

/// From the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ModelReply {
    /// The worker listens. Its first word.
    Ready,
    /// See [`ModelRequest::Open`].
    Opened {
        /// The run.
        run_id: RunId,
        /// What it is.
        facts: Box<ModelFacts>,
    },
    /// See [`ModelRequest::Prepare`].
    Prepared {
        /// The run.
        run_id: RunId,
    },
    /// See [`ModelRequest::Measure`].
    Rows {
        /// The run.
        run_id: RunId,
        /// What was wanted.
        rows: Vec<(Cell, Estimate)>,
        /// Milliseconds in the worker.
        milliseconds: f64,
    },
    /// See [`ModelRequest::Window`].
    Window {
        /// The run.
        run_id: RunId,
        /// Tokens and weights.
        window: Box<WindowExperiment>,
    },
    /// See [`ModelRequest::Adversarial`].
    Adversarial {
        /// The run.
        run_id: RunId,
        /// What was measured.
        table: Table,
    },
    /// See [`ModelRequest::Parse`].
    Parsed {
        /// The run.
        run_id: RunId,
        /// The next rows; `None` where the file holds no row.
        batch: Option<TableBatch>,
    },
    /// See [`ModelRequest::Write`].
    Written {
        /// The run.
        run_id: RunId,
        /// The file's text.
        text: String,
    },
    /// See [`FetchRequest::List`].
    Listed {
        /// The run.
        run_id: RunId,
        /// Those that there are.
        files: Vec<RemoteFile>,
    },
    /// How far a download is.
    Fetching {
        /// The run.
        run_id: RunId,
        /// Bytes that are here.
        done: u64,
    },
    /// See [`FetchRequest::Fetch`]; the files are beside the message.
    Fetched {
        /// The run.
        run_id: RunId,
    },
    /// It cannot be done; the text names what is wrong and the fix.
    Failed {
        /// The run.
        run_id: RunId,
        /// As a sentence.
        problem: String,
    },
}

impl ModelReply {
    /// The run that it is about.
    #[must_use]
    pub fn run_id(&self) -> Option<RunId> {
        match self {
            ModelReply::Ready => None,
            ModelReply::Opened { run_id, .. }
            | ModelReply::Prepared { run_id }
            | ModelReply::Rows { run_id, .. }
            | ModelReply::Window { run_id, .. }
            | ModelReply::Adversarial { run_id, .. }
            | ModelReply::Parsed { run_id, .. }
            | ModelReply::Written { run_id, .. }
            | ModelReply::Listed { run_id, .. }
            | ModelReply::Fetching { run_id, .. }
            | ModelReply::Fetched { run_id }
            | ModelReply::Failed { run_id, .. } => Some(*run_id),
        }
    }
}

impl TableForm {
    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            TableForm::Csv => "csv",
            TableForm::Json => "json",
        }
    }
}

/// The line of `lipscope model` that measures the same. A text that is not the command line's own is a file `text`; a
/// model's files are in a folder of that name.
#[must_use]
pub fn command_line(origin: &ModelOrigin, text: Option<&str>, plan: &PlanText) -> String {
    let mut line = vec!["lipscope model".to_owned()];
    let mut add = |flag: &str, value: &str| line.push(format!("{flag} {}", quoted(value)));
    match origin {
        ModelOrigin::Files { name } => add("--weights", name),
        ModelOrigin::Drawn(DrawnModel { family, d, layers, heads, seed }) => {
            add("--weights", family.id());
            for (flag, value, usual) in [("--dim", d, 768), ("--depth", layers, 12), ("--heads", heads, 12)] {
                if *value != usual {
                    add(flag, &value.to_string());
                }
            }
            if *seed != 0 {
                add("--seed", &seed.to_string());
            }
        }
    }
    if let Some(text) = text {
        add("--text", text);
    }
    add("--layers", &without_blanks(&plan.layers));
    add("--lengths", &without_blanks(&plan.lengths));
    add("--windows", &plan.windows.to_string());
    if plan.heads.trim() != "all" {
        add("--head", &without_blanks(&plan.heads));
    }
    if let Some(mask) = plan.mask {
        add("--mask", mask.id());
    }
    if let Some(kind) = plan.kind {
        add("--map", kind.id());
    }
    if plan.estimators != Estimators::Both {
        add("--estimator", plan.estimators.id());
    }
    if plan.tolerance != USUAL_TOLERANCE {
        add("--tolerance", &format!("{:e}", plan.tolerance));
    }
    line.join(" ")
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_models::DrawnFamily;

    fn plan() -> PlanText {
        PlanText {
            layers: "0, 2".into(),
            heads: "all".into(),
            lengths: "2:8:2".into(),
            windows: 3,
            mask: None,
            kind: None,
            estimators: Estimators::Both,
            tolerance: USUAL_TOLERANCE,
        }
    }

    #[test]
    fn the_line_names_what_is_not_usual() {
        let usual = DrawnModel { family: DrawnFamily::Gpt2, d: 768, layers: 12, heads: 12, seed: 0 };
        assert_eq!(
            command_line(&ModelOrigin::Drawn(usual), None, &plan()),
            "lipscope model --weights random:gpt2 --layers 0,2 --lengths 2:8:2 --windows 3"
        );
        let small = DrawnModel { d: 32, seed: 7, ..usual };
        let line = command_line(&ModelOrigin::Drawn(small), Some("my text.txt"), &plan());
        assert!(line.contains("--dim 32 --seed 7 --text 'my text.txt'"), "{line}");
        let files = ModelOrigin::Files { name: "it's".into() };
        assert!(command_line(&files, None, &plan()).contains("--weights 'it'\\''s'"));
    }

    #[test]
    fn messages_survive_the_journey() {
        let sent = ModelWork::Run(ModelRequest::Prepare {
            run_id: 3,
            origin: ModelOrigin::Files { name: "gpt2".into() },
            plan: plan(),
            ids: vec![1, 2],
        });
        let bytes = crate::message::encode(&sent).expect("serialisable");
        assert_eq!(crate::message::decode::<ModelWork>(&bytes).expect("readable"), sent);
    }
}

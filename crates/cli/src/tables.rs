//! Tokens and weights of one's own, from a file each, in place of an experiment.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;

use super::read::named;
use lipscope_core::experiment::table::Table;
use lipscope_core::experiment::{Experiment, InputError, TableSource, TokenSource, WeightSource, WeightTables};

/// The files of tokens and weights.
#[derive(Debug, Args)]
pub(super) struct TableArguments {
    /// Tokens in place of an experiment, one a row: CSV, JSON, .npy, or what NumPy or PyTorch print. Dot-product attention
    /// without mask and normaliser; an experiment file says more.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    tokens: Option<PathBuf>,
    /// With --tokens: A = I or A = -I, and V = I.
    #[arg(long, value_name = "1|-1", allow_hyphen_values = true, value_parser = sign, requires = "tokens")]
    identity: Option<f64>,
    /// With --tokens: Q, k x d, in the same formats.
    #[arg(long, value_name = "FILE", requires_all = ["tokens", "k"], conflicts_with = "identity")]
    q: Option<PathBuf>,
    /// K, k x d.
    #[arg(long, value_name = "FILE", requires = "q")]
    k: Option<PathBuf>,
    /// V, any number of rows of d numbers; the identity if left out.
    #[arg(long, value_name = "FILE", requires = "q")]
    v: Option<PathBuf>,
    /// The output matrix, any number of rows; none if left out.
    #[arg(long, value_name = "FILE", requires = "q")]
    output: Option<PathBuf>,
}

impl TableArguments {
    /// The experiment of the tables; `None` where none are named.
    pub(super) fn experiment(&self) -> io::Result<Option<Result<Experiment, InputError>>> {
        if self.tokens.is_none() {
            return Ok(None);
        }
        let tokens = source(self.tokens.as_deref())?;
        if self.identity.is_none() && self.q.is_none() {
            return Err(io::Error::other("--tokens needs weights: add --identity 1, --identity -1, or --q and --k"));
        }
        let [q, k, v, output] = [&self.q, &self.k, &self.v, &self.output].map(|path| source(path.as_deref()));
        let tables = WeightTables { q: q?, k: k?, v: v?, output: output? };
        Ok(Some(Table::Tokens.read(tokens.file.as_deref(), &tokens.bytes).and_then(|rows| {
            let weights = match self.identity {
                Some(sign) => WeightSource::Identity { sign },
                None => tables.read(Some(rows.n_columns()))?,
            };
            Ok(Experiment::of(TokenSource::Explicit(rows), weights))
        })))
    }
}

/// The bytes of a file; empty for none.
fn source(path: Option<&Path>) -> io::Result<TableSource> {
    let Some(path) = path else { return Ok(TableSource::default()) };
    let bytes = fs::read(path).map_err(|error| named(path, &error))?;
    Ok(TableSource { file: Some(path.display().to_string()), bytes })
}

fn sign(text: &str) -> Result<f64, String> {
    match text.trim() {
        "1" => Ok(1.0),
        "-1" => Ok(-1.0),
        _ => Err("must be 1 or -1".into()),
    }
}

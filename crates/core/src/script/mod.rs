//! Writes an experiment as a NumPy or PyTorch script with the same tokens and weights, which computes ||J||_2
//! independently.
//!
//! The scripts form all of J, so they work up to [`MOST_ROWS`] rows or columns. Without a mask, equal tokens are
//! grouped into clusters, so that n itself is not limited.

mod data;

use std::fmt::Write as _;

use nalgebra::DMatrix;

use crate::cost::{self, BASE, Cost, Shape, gathered, largest, parts, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Mask, Memory};
use crate::measure::{Groups, clusters};
use crate::weights::{self, Inputs, Weights, inputs};
use serde::{Deserialize, Serialize};

use crate::phrase;
use data::table;

/// The most rows or columns of J in a script: 128 MiB.
pub const MOST_ROWS: usize = 4096;
/// Up to this many rows or columns equal tokens are not grouped.
const GATHER_ABOVE: usize = 512;
/// The line of the template that is replaced by the experiment.
const PLACE: &str = "# <experiment>\n";

/// The library that a script uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dialect {
    /// NumPy: J from its formula.
    NumPy,
    /// PyTorch: J by automatic differentiation.
    PyTorch,
}

impl Dialect {
    /// Both dialects.
    pub const ALL: [Dialect; 2] = [Dialect::NumPy, Dialect::PyTorch];

    /// Its name in options, attributes and file names.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Dialect::NumPy => "numpy",
            Dialect::PyTorch => "pytorch",
        }
    }

    fn program(self) -> &'static str {
        match self {
            Dialect::NumPy => include_str!("numpy.py"),
            Dialect::PyTorch => include_str!("torch.py"),
        }
    }
}

/// The script of an experiment; run with Python, it prints ||J||_2 to twelve digits.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured, or J is over [`MOST_ROWS`].
pub fn script(experiment: &Experiment, dialect: Dialect) -> Result<String, InputError> {
    script_within(experiment, dialect, Memory::default())
}

/// As [`script`], within a given memory.
///
/// # Errors
/// As [`script`]; [`InputError::TooCostly`] before anything is drawn.
pub fn script_within(experiment: &Experiment, dialect: Dialect, memory: Memory) -> Result<String, InputError> {
    experiment.require_plain()?;
    weights::check_sizes(experiment)?;
    cost::check(phrase!("script", "The script"), &shape_of(experiment), memory, script_cost)?;
    let Inputs { tokens, weights, ln_multiplicities } = inputs(experiment)?;
    let size_of_token = tokens.nrows().max(weights.d_out());
    let (tokens, ln_counts) = match ln_multiplicities {
        Some(ln_counts) => (tokens, ln_counts),
        None => distinct(&experiment.mask, size_of_token, tokens),
    };
    let rows = tokens.ncols() * size_of_token;
    if rows > MOST_ROWS {
        return Err(InputError::TooLarge {
            what: phrase!("number_rows_j_all", "The number of rows of J, all of which a script stores,"),
            found: rows.to_string().into(),
            limit: MOST_ROWS.to_string().into(),
            fix: phrase!(
                "use_fewer_tokens_dimensions_lipscope",
                "Use fewer tokens or dimensions, or lipscope measure."
            ),
        });
    }
    let constants = constants(experiment, &tokens, &ln_counts, &weights);
    Ok(dialect.program().replacen(PLACE, &constants, 1))
}

/// Cost: the inputs, grouped tokens beside them, and the text, in which a number takes up to 32 bytes.
fn script_cost(shape: &Shape) -> Cost {
    let inputs = parts::inputs(shape);
    let besides = largest([inputs.besides, gathered::grouping(shape).besides, product([4, inputs.kept])]);
    Cost::of_numbers(sum([BASE, inputs.kept, shape.listed(), besides]), inputs.operations)
}

/// The distinct tokens with ln of their multiplicities, if grouping is allowed and worth it; otherwise all tokens.
fn distinct(mask: &Mask, size_of_token: usize, tokens: DMatrix<f64>) -> (DMatrix<f64>, Vec<f64>) {
    if *mask == Mask::None
        && tokens.ncols() * size_of_token > GATHER_ABOVE
        && let Some(Groups { positions, sizes, .. }) = clusters(&tokens)
    {
        return (positions, sizes.iter().map(|size| (*size as f64).ln()).collect());
    }
    let zeros = vec![0.0; tokens.ncols()];
    (tokens, zeros)
}

fn constants(experiment: &Experiment, tokens: &DMatrix<f64>, ln_counts: &[f64], weights: &Weights) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {value}");
    };
    line("ATTENTION", &format!("{:?}", experiment.attention.id()));
    line("MASK", &format!("{:?}", experiment.mask.id()));
    line("NORMALIZATION", &format!("{:?}", experiment.normalization.id()));
    line("NORMALIZATION_SCOPE", &format!("{:?}", experiment.scope().id()));
    line("EPS", &format!("{:?}", experiment.eps));
    line(
        "# The tokens, one a row, and the logarithm of how many tokens each stands for\nX",
        &table(&tokens.transpose()),
    );
    let counts = DMatrix::from_row_slice(1, ln_counts.len(), ln_counts);
    line("LOG_COUNTS", &format!("{}[0]", table(&counts)));
    let head = |at: &weights::HeadWeights| format!("    ({}, {}, {}),\n", table(&at.q), table(&at.k), table(&at.v));
    let heads: String = weights.heads.iter().map(head).collect();
    line("# Q, K and V of each head\nHEADS", &format!("[\n{heads}]"));
    line("OUTPUT", &weights.output.as_ref().map_or_else(|| "None".into(), table));
    text
}

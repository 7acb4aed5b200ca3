//! Writes an experiment as a NumPy or PyTorch script with the same tokens and weights, which computes ||J||_2
//! independently.
//!
//! The scripts form all of J, so they work up to [`MOST_ROWS`] rows or columns. In plain attention without a mask equal
//! tokens are grouped into clusters, so that n itself is not limited. Attention with steps has a program of its own, which
//! reads the steps from a dictionary; plain attention keeps the shorter one.

mod data;
mod steps;

use std::fmt::Write as _;

use nalgebra::DMatrix;

use crate::cost::{self, BASE, Cost, Shape, gathered, largest, parts, product, shape_of, sum};
use crate::experiment::{Experiment, InputError, Mask, Memory, TokenSource};
use crate::measure::{Groups, clusters};
use crate::weights::{self, Inputs, Weights, inputs};
use serde::{Deserialize, Serialize};

use crate::phrase;
use data::table;

/// The most rows or columns of J in a script: 128 MiB.
pub const MOST_ROWS: usize = 4096;
/// Up to this many rows or columns equal tokens are not grouped.
const GATHER_ABOVE: usize = 512;
/// The line of a program that is replaced by what plain attention and attention with steps have in common.
const GIVEN: &str = "# <given>\n";
/// The line in that part that is replaced by the experiment.
const PLACE: &str = "# <experiment>\n";

/// The library that a script uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        self.into()
    }

    /// The program with the constants of an experiment.
    fn program(self, is_plain: bool, constants: &str) -> String {
        let (given, plain, steps) = match self {
            Dialect::NumPy => {
                (include_str!("numpy/given.py"), include_str!("numpy/plain.py"), include_str!("numpy/steps.py"))
            }
            Dialect::PyTorch => {
                (include_str!("torch/given.py"), include_str!("torch/plain.py"), include_str!("torch/steps.py"))
            }
        };
        let program = (if is_plain { plain } else { steps }).replacen(GIVEN, given, 1);
        program.replacen(PLACE, constants, 1)
    }
}

/// The script of an experiment; run with Python, it prints ||J||_2 to twelve digits.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured, J is over [`MOST_ROWS`], or a token measure has steps.
pub fn script(experiment: &Experiment, dialect: Dialect) -> Result<String, InputError> {
    script_within(experiment, dialect, Memory::default())
}

/// As [`script`], within a given memory.
///
/// # Errors
/// As [`script`]; [`InputError::TooCostly`] before anything is drawn.
pub fn script_within(experiment: &Experiment, dialect: Dialect, memory: Memory) -> Result<String, InputError> {
    let is_plain = experiment.is_plain();
    if !is_plain && matches!(experiment.tokens, TokenSource::Clusters { .. }) {
        return Err(InputError::Conflict {
            what: "`tokens.source` = \"clusters\"".into(),
            problem: phrase!(
                "script_lists_tokens_with_steps",
                "stands for tokens that are not listed, and a script of attention with steps lists every token"
            ),
            fix: phrase!("list_tokens_or_measure", "List the tokens, or use lipscope measure."),
        });
    }
    weights::check_sizes(experiment)?;
    cost::check(phrase!("script", "The script"), &shape_of(experiment), memory, script_cost)?;
    let Inputs { tokens, weights, ln_multiplicities } = inputs(experiment)?;
    let size_of_token = tokens.nrows().max(weights.d_out());
    let (tokens, ln_counts) = match ln_multiplicities {
        Some(ln_counts) => (tokens, ln_counts),
        None => distinct(experiment, size_of_token, tokens),
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
    Ok(dialect.program(is_plain, &constants))
}

/// Cost: the inputs, grouped tokens beside them, and the text, in which a number takes up to 32 bytes, also one in a
/// table of the steps.
fn script_cost(shape: &Shape) -> Cost {
    let inputs = parts::inputs(shape);
    let besides = largest([
        inputs.besides,
        gathered::grouping(shape).besides,
        product([4, sum([inputs.kept, shape.of_steps()])]),
    ]);
    Cost::of_numbers(sum([BASE, inputs.kept, shape.listed(), besides]), inputs.operations)
}

/// The distinct tokens with ln of their multiplicities, if grouping is allowed and worth it; otherwise all tokens.
fn distinct(experiment: &Experiment, size_of_token: usize, tokens: DMatrix<f64>) -> (DMatrix<f64>, Vec<f64>) {
    if experiment.is_plain()
        && experiment.mask == Mask::None
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
    let is_plain = experiment.is_plain();
    line("ATTENTION", &format!("{:?}", experiment.attention.id()));
    if is_plain {
        line("MASK", &format!("{:?}", experiment.mask.id()));
    }
    line("NORMALIZATION", &format!("{:?}", experiment.normalization.id()));
    line("NORMALIZATION_SCOPE", &format!("{:?}", experiment.scope().id()));
    line("EPS", &format!("{:?}", experiment.eps));
    let tokens_in_rows = table(&tokens.transpose());
    if is_plain {
        let name = "# The tokens, one a row, and the logarithm of how many tokens each stands for\nX";
        line(name, &tokens_in_rows);
        let counts = DMatrix::from_row_slice(1, ln_counts.len(), ln_counts);
        line("LOG_COUNTS", &format!("{}[0]", table(&counts)));
        let head = |at: &weights::HeadWeights| format!("    ({}, {}, {}),\n", table(&at.q), table(&at.k), table(&at.v));
        let heads: String = weights.heads.iter().map(head).collect();
        line("# Q, K and V of each head\nHEADS", &format!("[\n{heads}]"));
    } else {
        line("# The tokens, one a row\nX", &tokens_in_rows);
        let steps = steps::steps(experiment, tokens.ncols(), weights.heads.len());
        line("# What each head does to queries and keys, to scores and to weights; None does nothing\nSTEPS", &steps);
        let (key_values, heads) = steps::heads(weights);
        line("# K, V and the K of a second map, of each group of heads\nKEY_VALUES", &key_values);
        line("# Of each head its group, its Q, and of a second map lambda and Q\nHEADS", &heads);
    }
    line("OUTPUT", &weights.output.as_ref().map_or_else(|| "None".into(), table));
    text
}

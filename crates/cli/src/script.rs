//! `lipscope script`: writes an experiment as a NumPy or PyTorch program.

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::exit::{Exit, Failure};
use super::files::read_text;
use super::output::stdout;
use super::steps::StepArguments;
use super::work::MemoryArguments;
use lipscope_core::script::{Dialect, script_within};

/// Arguments of `lipscope script`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("dialect").required(true).args(["numpy", "pytorch"])))]
pub(super) struct ScriptArguments {
    /// An experiment file; - reads standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// For NumPy: J from its formula.
    #[arg(long)]
    numpy: bool,
    /// For PyTorch: J by automatic differentiation.
    #[arg(long)]
    pytorch: bool,
    #[command(flatten)]
    attention: StepArguments,
    #[command(flatten)]
    memory: MemoryArguments,
}

pub(super) fn run(arguments: &ScriptArguments) -> Result<Exit, Failure> {
    let dialect = if arguments.numpy { Dialect::NumPy } else { Dialect::PyTorch };
    let text = read_text(&arguments.file)?;
    let script = script_within(&arguments.attention.read(&text)?, dialect, arguments.memory.memory)?;
    stdout()?.write_all(script.as_bytes())?;
    Ok(Exit::Done)
}

//! `lipscope generate`: the man pages and the completions of shells, which the archives of a release contain.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;

use super::exit::{Exit, Failure};
use super::files::named;

/// Arguments of `lipscope generate`.
#[derive(Debug, Args)]
pub(super) struct GenerateArguments {
    /// The folder for `man` and `completions`.
    folder: PathBuf,
}

pub(super) fn run(arguments: &GenerateArguments, mut command: Command) -> Result<Exit, Failure> {
    let [man, completions] = ["man", "completions"].map(|name| arguments.folder.join(name));
    for folder in [&man, &completions] {
        fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    }
    // Before the completions, which give the command a subcommand `help` with a page for each of its subcommands.
    clap_mangen::generate_to(command.clone().disable_help_subcommand(true), &man)
        .map_err(|error| named(&man, &error))?;
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut command, "lipscope", &completions)
            .map_err(|error| named(&completions, &error))?;
    }
    Ok(Exit::Done)
}

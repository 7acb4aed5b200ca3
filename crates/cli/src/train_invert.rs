//! `lipscope train --invert`: a trained stack run backwards over held-out windows, branch by branch.

use std::io;
use std::path::Path;

use clap::ValueEnum;

use super::console::emit_lines;
use super::exit::Failure;
use super::people;
use super::sheet::{Cell, Form, FormArguments, Sheet};
use super::terminal::{self, Reader};
use super::train_run::checkpoint_of;
use lipscope_core::experiment::InputError;
use lipscope_core::extremum::largest;
use lipscope_train::{Corpus, Extent, Inversion, invert};

/// How much is run backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExtentName {
    /// From the last block's output to the embeddings.
    Stack,
    /// Each attention branch from its own output.
    Attention,
}

impl ExtentName {
    pub(super) fn extent(self) -> Extent {
        match self {
            ExtentName::Stack => Extent::Stack,
            ExtentName::Attention => Extent::AttentionBranches,
        }
    }
}

/// Writes a row for every iteration of every branch and window, and a summary on standard error; or the summary as a text
/// for people.
pub(super) fn run(
    folder: &Path,
    corpus: Corpus,
    (windows, iterations): (usize, usize),
    extent: Option<Extent>,
    form: FormArguments,
) -> Result<(), Failure> {
    let trainer = checkpoint_of(folder, &corpus)?.ok_or_else(|| InputError::File {
        file: folder.display().to_string().into(),
        problem: "it has no checkpoint.bin".into(),
        fix: "Name a folder that `lipscope train` has written, such as runs/dot-2-seed0.".into(),
    })?;
    let plan = trainer.plan();
    let extent = extent.unwrap_or(Extent::of(plan.kind));
    let stack = trainer.stack();
    let starts = corpus.held_out_windows(plan.context, windows);
    let inversions = starts
        .iter()
        .map(|start| invert(&stack, &corpus.held_out()[*start..start + plan.context], extent, iterations))
        .collect::<Result<Vec<_>, _>>()?;
    match Reader::for_stdout(form.chosen()) {
        Reader::People(look) => terminal::write(&people::inverted(&summary(&inversions), look))?,
        Reader::Program => {
            write(&inversions, form.form())?;
            emit_lines(&summary(&inversions));
        }
    }
    Ok(())
}

fn write(inversions: &[Inversion], form: Form) -> io::Result<()> {
    let columns = ["window", "layer", "branch", "c", "iteration", "error", "residual", "outcome"];
    let mut sheet = Sheet::on_stdout(form, columns)?;
    for (window, inversion) in inversions.iter().enumerate() {
        for branch in &inversion.branches {
            let (layer, c) = (branch.layer.into(), branch.contraction.map_or(Cell::Absent, Cell::Plain));
            let (kind, outcome) = (branch.branch.to_string(), Cell::Text(branch.outcome.id()));
            for step in &branch.steps {
                let (error, residual) = (step.error.into(), step.residual.into());
                let kind = kind.as_str().into();
                sheet.row(&[window.into(), layer, kind, c, step.iteration.into(), error, residual, outcome])?;
            }
        }
    }
    sheet.end()
}

/// For each branch how many windows converged, the most iterations and the largest rate; then how many characters came
/// back.
fn summary(inversions: &[Inversion]) -> String {
    let mut text = String::new();
    let longest = inversions.iter().max_by_key(|inversion| inversion.branches.len());
    for branch in longest.iter().flat_map(|inversion| &inversion.branches) {
        let same: Vec<_> = inversions
            .iter()
            .flat_map(|inversion| &inversion.branches)
            .filter(|other| (other.layer, other.branch) == (branch.layer, branch.branch))
            .collect();
        let converged = same.iter().filter(|branch| branch.outcome.id() == "converged").count();
        let most = same.iter().map(|branch| branch.steps.len()).max().unwrap_or_default();
        let rate = largest(same.iter().filter_map(|branch| branch.rate()));
        let promised = match branch.contraction {
            Some(c) => format!("at most {c} promised"),
            None => "nothing promised".to_owned(),
        };
        text += &format!(
            "layer {} {}: {converged} of {} windows converged, at most {most} iterations, largest rate {rate:.4} ({promised})\n",
            branch.layer,
            branch.branch,
            same.len()
        );
    }
    let characters: usize = inversions.iter().map(|inversion| inversion.characters.len()).sum();
    let recovered: usize = inversions.iter().map(Inversion::n_recovered).sum();
    let error = inversions.iter().map(|inversion| inversion.error).collect::<Option<Vec<_>>>();
    text += &format!("{recovered} of {characters} characters recovered; ");
    text += &match error {
        Some(errors) => format!("largest error of an embedding {:.1e}\n", largest(errors)),
        None => "some windows did not come back\n".to_owned(),
    };
    text
}

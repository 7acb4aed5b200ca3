//! A table of `lipscope model` for people: both estimators over n as a chart, and their fitted slopes as lines of text.

use std::io;

use super::console::emit;
use super::figure::FigureArguments;
use lipscope_core::fit::PowerLaw;
use lipscope_models::charts::{ModelWords, Released, adversarial_chart, norms_chart, sqrt_law, sqrt_law_text};
use lipscope_models::{Group, MapKind, PUBLISHED, Published, Quantity, Table};
use lipscope_plot::Scatter;

/// Writes the files of the chart that are asked for.
pub(super) fn write(files: &FigureArguments, table: &Table) -> io::Result<()> {
    if files.is_drawn() { files.write(&chart(table), &title(table)) } else { Ok(()) }
}

/// The fitted slopes, one per line.
pub(super) fn summary(table: &Table) -> String {
    let line = |cell: &str, name: &str, fit: Option<PowerLaw>| {
        fit.map_or_else(String::new, |fit| {
            let PowerLaw { exponent, half_width, factor, n_points, .. } = fit;
            let [low, high] = fit.factor_interval();
            format!(
                "{cell}: {name} = {factor:.3} n^{exponent:.3}, exponent ± {half_width:.3}, factor in [{low:.3}, {high:.3}] \
                 ({n_points} windows)\n"
            )
        })
    };
    let of_group = |group: &Group| {
        let cell = cell_name(table, group);
        let fits = [
            ("spectral norm", Quantity::Spectral, group.spectral),
            ("released-script estimator", Quantity::Released, group.released),
        ];
        let lines = fits.map(|(name, quantity, fit)| {
            let root = sqrt_law(group, quantity).filter(|_| table.subject.adversarial_radius().is_some());
            line(&cell, name, fit) + &root.map_or_else(String::new, |root| root_line(&cell, name, &root))
        });
        lines.concat()
    };
    table.groups().iter().map(of_group).collect()
}

/// The name of a layer and a head of a table, or of the first blocks together.
pub(super) fn cell_name(table: &Table, group: &Group) -> String {
    match MapKind::by_id(&table.subject.map) {
        Some(MapKind::Blocks) if group.layer > 0 => format!("layers 0 to {}", group.layer),
        _ => format!("layer {}, head {}", group.layer, group.heads.id()),
    }
}

/// Writes the notes of a table to standard error, one per line: what was guessed, rounded or ignored.
pub(super) fn emit_notes(command: &str, table: &Table) {
    for note in &table.notes {
        emit!("{command}: note: {note}");
    }
}

fn title(table: &Table) -> String {
    let subject = &table.subject;
    let tokens = match subject.adversarial_radius() {
        Some(radius) => format!("at n adversarial tokens of R = {radius}"),
        None => "over windows of n tokens".into(),
    };
    let what = match MapKind::by_id(&subject.map) {
        Some(MapKind::AttentionResidual) => "Attention with its residual connection in",
        Some(MapKind::MlpResidual) => "MLP with its residual connection in",
        Some(MapKind::Block) => "Block of",
        Some(MapKind::Blocks) => "First blocks together of",
        Some(MapKind::Attention | MapKind::WithOutput) | None => "Self-attention of",
    };
    format!("{what} {} (map {}, mask {}) {tokens}", subject.model, subject.map, subject.mask)
}

/// For adversarial tokens the chart of one head with C sqrt(n), without published curves, which are of all heads
/// together; otherwise all layers and heads with the published curves that match them.
fn chart(table: &Table) -> Scatter {
    let (groups, words) = (table.groups(), ModelWords::english());
    let is_about = |curve: &Published, group: &Group| curve.is_about(&table.subject, group.layer, group.heads);
    let published: Vec<Published> =
        PUBLISHED.into_iter().filter(|curve| groups.iter().all(|group| is_about(curve, group))).collect();
    match groups.as_slice() {
        [group] if table.subject.adversarial_radius().is_some() => adversarial_chart(group, &[], &words),
        groups => norms_chart(&groups.iter().collect::<Vec<_>>(), Released::Shown, &published, &words),
    }
}

/// C sqrt(n) as a line of text.
fn root_line(cell: &str, name: &str, root: &PowerLaw) -> String {
    let [low, high] = root.factor_interval();
    format!("{cell}: {name} = {}, factor in [{low:.3}, {high:.3}]\n", sqrt_law_text(root))
}

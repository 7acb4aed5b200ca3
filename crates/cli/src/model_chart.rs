//! Draws a table of `lipscope model`: both estimators over n, with their slopes.

use std::io;
use std::path::Path;

use super::files::named;
use super::files::{self, save};
use lipscope_models::charts::{ModelWords, Released, adversarial_chart, norms_chart};
use lipscope_models::{Group, MapKind, PUBLISHED, Published, Table};
use lipscope_plot::{Caption, Figure, Scatter};

/// Writes the chart as an SVG file.
pub(super) fn write(path: &Path, table: &Table) -> io::Result<()> {
    let svg = chart(table).to_svg((760.0, 460.0), &title(table), &Caption::default()).map_err(io::Error::other)?;
    save(path, &svg).map_err(|error| named(path, &error))
}

/// Tests whether the file can be written, before the hours that the table takes.
pub(super) fn probe(path: &Path) -> io::Result<()> {
    files::probe(path).map_err(|error| named(path, &error))
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

/// For adversarial tokens the chart of one head with C sqrt(n); otherwise all layers and heads with the published
/// curves that match them.
fn chart(table: &Table) -> Scatter {
    let (groups, words) = (table.groups(), ModelWords::english());
    let is_about = |curve: &Published, group: &Group| curve.is_about(&table.subject, group.layer, group.heads);
    let published: Vec<Published> =
        PUBLISHED.into_iter().filter(|curve| groups.iter().all(|group| is_about(curve, group))).collect();
    match groups.as_slice() {
        [group] if table.subject.adversarial_radius().is_some() => adversarial_chart(group, &published, &words),
        groups => norms_chart(&groups.iter().collect::<Vec<_>>(), Released::Shown, &published, &words),
    }
}

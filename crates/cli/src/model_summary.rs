//! The fitted slopes of a table, as lines of text.

use super::console::tell;
use lipscope_core::fit::PowerLaw;
use lipscope_models::charts::{sqrt_law, sqrt_law_text};
use lipscope_models::{Group, MapKind, Quantity, Table};

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
        let cell = match MapKind::by_id(&table.subject.map) {
            Some(MapKind::Blocks) if group.layer > 0 => format!("layers 0 to {}", group.layer),
            _ => format!("layer {}, head {}", group.layer, group.heads.id()),
        };
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

/// Notes on parts guessed, rounded or ignored on the way to a table, one per line.
pub(super) fn tell_notes(command: &str, table: &Table) {
    for note in &table.notes {
        tell!("{command}: note: {note}");
    }
}

/// C sqrt(n) as a line of text.
fn root_line(cell: &str, name: &str, root: &PowerLaw) -> String {
    let [low, high] = root.factor_interval();
    format!("{cell}: {name} = {}, factor in [{low:.3}, {high:.3}]\n", sqrt_law_text(root))
}

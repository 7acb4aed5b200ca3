//! Rows of a monitored run from measured maps.

use lipscope_core::experiment::InputError;
use lipscope_models::{HeadStatistics, MapKind, Plan, ProbedMap, Statistic};
use lipscope_run::{Heads, Kind, Row};

/// Where a map was measured.
pub(super) struct RowPlace {
    pub(super) step: u64,
    /// The name of the layer's module.
    pub(super) layer: String,
    /// The number of the module's call, where it has several.
    pub(super) call: Option<usize>,
    /// The number of the window, where there are several.
    pub(super) item: Option<usize>,
    pub(super) kind: MapKind,
}

impl RowPlace {
    fn row(self) -> Row {
        let mut row = Row::new(self.step, self.layer, self.kind.id());
        (row.call, row.item) = (self.call.map(|call| call as u64), self.item.map(|item| item as u64));
        // What `lipscope.torch.Monitor` calls the heads before the output matrix.
        row.part = (self.kind == MapKind::Attention).then(|| "heads".to_owned());
        row
    }
}

/// The row of a map with its numbers.
pub(super) fn map_row(place: RowPlace, plan: &Plan, found: &ProbedMap) -> Row {
    let mut row = place.row();
    if let Some(norm) = found.estimate.spectral {
        (row.value, row.residual) = (Some(norm.value), Some(norm.relative_residual));
        (row.kind, row.steps) = (Kind::of_residual(norm.relative_residual), Some(norm.iterations as u64));
    }
    row.output = Some(found.output);
    for statistic in &plan.statistics.wanted {
        set(&mut row, *statistic, found.estimate.statistics.get(*statistic));
    }
    if plan.kind.is_attention_alone() {
        row.sink = found.estimate.sink.map(|sink| sink.mass);
        row.heads = heads(&plan.statistics.wanted, &found.heads);
    }
    row
}

/// The row of a map that could not be measured.
pub(super) fn row_of_problem(place: RowPlace, problem: &InputError) -> Row {
    Row { problem: Some(problem.to_string()), ..place.row() }
}

fn set(row: &mut Row, statistic: Statistic, number: Option<f64>) {
    match statistic {
        Statistic::Condition => row.condition = number,
        Statistic::MaxLogit => row.max_logit = number,
        Statistic::EntropyMean => row.entropy_mean = number,
        Statistic::EntropyMin => row.entropy_min = number,
        Statistic::ANorm => row.a_norm = number,
        Statistic::VoNorm => row.vo_norm = number,
    }
}

/// The numbers of single heads by column, of those columns that have any.
fn heads(wanted: &[Statistic], found: &[HeadStatistics]) -> Heads {
    let of_wanted = wanted.iter().map(|statistic| {
        (statistic.id().to_owned(), found.iter().map(|head| head.numbers.get(*statistic)).collect::<Vec<_>>())
    });
    let sink = ("sink".to_owned(), found.iter().map(|head| Some(head.sink)).collect());
    of_wanted.chain([sink]).filter(|(_, numbers)| numbers.iter().any(Option::is_some)).collect()
}

//! `lipscope model --checkpoints`: the checkpoints of a run that is over, as the log of a monitored run (docs/monitor.md).

use std::path::Path;

use rayon::prelude::*;

use super::checkpoints::{Checkpoint, checkpoints};
use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::model_files::{Found, Input, WindowRequest, open_checkpoint};
use super::model_source::ModelSource;
use super::run_log::RunLog;
use super::run_rows::{RowPlace, map_row, row_of_problem};
use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::measure::UpperNumber;
use lipscope_core::parallel::one_of;
use lipscope_models::{
    Bounding, Estimators, LayerModule, MapKind, ModelConfig, Needs, Plan, PlanText, Probe, ProbedMap, Shard, Statistic,
    fingerprint,
};
use lipscope_run::{Header, Row};

/// The default length of the probe.
const LENGTH: usize = 64;

/// What is measured of every checkpoint.
pub(super) struct CheckpointRun<'a> {
    pub(super) folder: &'a Path,
    pub(super) source: &'a ModelSource,
    /// The layers; all without a list.
    pub(super) layers: Option<&'a str>,
    /// One length.
    pub(super) lengths: Option<&'a str>,
    pub(super) windows: usize,
    /// The further columns; all of them without a list.
    pub(super) columns: Option<Vec<Statistic>>,
    pub(super) tolerance: f64,
    /// The log; standard output without a file.
    pub(super) out: Option<&'a Path>,
    pub(super) memory: Memory,
}

/// What all checkpoints have in common.
struct Common {
    config: ModelConfig,
    input: Input,
    /// A plan for each map.
    plans: Vec<Plan>,
}

impl CheckpointRun<'_> {
    /// Measures the checkpoints whose rows the log lacks.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let all = checkpoints(self.folder)?;
        let Some(first) = all.first() else { return Ok(Exit::Done) };
        let mut found = self.open(first)?;
        emit!("lipscope model: {}; {} checkpoints", found.model.description(), all.len());
        let common = self.common(&mut found)?;
        let mut log = RunLog::open(self.out, self.header(&found, &common))?;
        for note in found.model.notes().iter().chain(&common.input.notes) {
            emit!("lipscope model: note: {note}");
        }
        let missing: Vec<&Checkpoint> = all.iter().filter(|checkpoint| !log.has_step(checkpoint.step)).collect();
        let bar = progress_bar(missing.len(), "checkpoints");
        let mut problems = Vec::new();
        for checkpoint in missing {
            let (rows, problem) = self.rows(checkpoint, &common);
            if let Some(problem) = problem {
                bar.suspend(|| emit!("lipscope model: step {}: {problem}", checkpoint.step));
                problems.push(problem);
            }
            log.add(rows)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Exit::of_all(&problems))
    }

    fn open(&self, checkpoint: &Checkpoint) -> Result<Found, InputError> {
        open_checkpoint(&checkpoint.path, self.source.part())
    }

    /// The probe and the plans, from the first checkpoint.
    fn common(&self, found: &mut Found) -> Result<Common, InputError> {
        let text = self.source.open_text()?;
        let config = *found.model.config();
        let lengths = self.lengths.map_or_else(|| LENGTH.min(config.positions).to_string(), str::to_owned);
        let request = WindowRequest { lengths: Some(&lengths), windows: self.windows, memory: self.memory };
        let input = self.source.input(found, text, &request)?;
        let kinds = self.source.map.map_or(vec![MapKind::Attention, MapKind::Block], |kind| vec![kind]);
        let plan = |kind: MapKind| self.plan(kind, &config, &input);
        let plans = kinds.into_iter().map(plan).collect::<Result<_, InputError>>()?;
        Ok(Common { config, input, plans })
    }

    fn plan(&self, kind: MapKind, config: &ModelConfig, input: &Input) -> Result<Plan, InputError> {
        let all = || (0..config.layers).map(|layer| layer.to_string()).collect::<Vec<_>>().join(",");
        let plan = PlanText {
            layers: self.layers.map_or_else(all, str::to_owned),
            heads: "all".into(),
            lengths: input.lengths.clone(),
            windows: input.windows,
            mask: self.source.order(),
            kind: Some(kind),
            estimators: Estimators::Spectral,
            tolerance: self.tolerance,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: self.statistics(kind),
            special: input.special.clone(),
        }
        .plan(config)?;
        if plan.lengths.len() > 1 {
            return Err(InputError::bad_value(
                "lengths",
                &input.lengths,
                "one length: a probe is the same at every step",
            ));
        }
        plan.check(input.ids.len())?;
        plan.check_memory(config, self.memory)?;
        Ok(plan)
    }

    /// The further numbers of a map: those of attention are in the rows of attention alone.
    fn statistics(&self, kind: MapKind) -> Vec<Statistic> {
        let is_chosen = |one: &Statistic| self.columns.as_ref().is_none_or(|columns| columns.contains(one));
        let is_of_map = |one: &Statistic| kind.is_attention_alone() || *one == Statistic::Condition;
        Statistic::ALL.into_iter().filter(|one| is_chosen(one) && is_of_map(one)).collect()
    }

    fn header(&self, found: &Found, common: &Common) -> Header {
        let wanted = |one: &Statistic| common.plans.iter().any(|plan| plan.statistics.wanted.contains(one));
        let columns = Statistic::ALL.into_iter().filter(wanted).map(|one| one.id().to_owned());
        // What the rows depend on beside the weights.
        let identity = format!("{} {}", found.model.description(), common.input.fingerprint);
        Header {
            model: common.config.family.name().into(),
            fingerprint: format!("{:016x}", fingerprint(identity.into_bytes())),
            maps: common.plans.iter().map(|plan| plan.kind.id().into()).collect(),
            columns: columns.chain(["output".to_owned()]).collect(),
            every: None,
        }
    }

    /// The rows of a checkpoint. One that cannot be measured has rows without norms, with the problem.
    fn rows(&self, checkpoint: &Checkpoint, common: &Common) -> (Vec<Row>, Option<InputError>) {
        let opened = self.open(checkpoint).and_then(|found| common.check(checkpoint, found));
        let mut found = match opened {
            Ok(found) => found,
            Err(problem) => return (Vec::new(), Some(problem)),
        };
        match common.measured(&mut found, checkpoint.step) {
            Ok(rows) => (rows, None),
            Err(problem) => (common.without_norms(&found, checkpoint.step, &problem), Some(problem)),
        }
    }
}

impl Common {
    /// Refuses a checkpoint of another model.
    fn check(&self, checkpoint: &Checkpoint, found: Found) -> Result<Found, InputError> {
        if *found.model.config() == self.config {
            return Ok(found);
        }
        Err(InputError::Conflict {
            what: checkpoint.path.display().to_string().into(),
            problem: "has another config than the first checkpoint".into(),
            fix: "Leave the checkpoints of one run in the folder.".into(),
        })
    }

    fn measured(&self, found: &mut Found, step: u64) -> Result<Vec<Row>, InputError> {
        let model = found.model.model(&self.needs())?;
        let mut rows = Vec::new();
        for plan in &self.plans {
            let probe = Probe::new(&model, plan, &self.input.ids)?;
            let places = probe.places();
            let count = places.len();
            let measure = |place: &(usize, usize)| one_of(count, || probe.measure(*place));
            let maps: Vec<ProbedMap> = places.par_iter().map(measure).collect::<Result<_, InputError>>()?;
            rows.extend(
                self.places(found, plan, step).into_iter().zip(maps).map(|(place, map)| map_row(place, plan, &map)),
            );
        }
        Ok(in_order(rows))
    }

    /// The rows of a step at which nothing was found.
    fn without_norms(&self, found: &Found, step: u64, problem: &InputError) -> Vec<Row> {
        let rows = self.plans.iter().flat_map(|plan| self.places(found, plan, step));
        in_order(rows.map(|place| row_of_problem(place, problem)).collect())
    }

    /// Where the maps of a plan are, window by window.
    fn places(&self, found: &Found, plan: &Plan, step: u64) -> Vec<RowPlace> {
        let of_window = |window: usize| {
            plan.layers.iter().map(move |layer| {
                let LayerModule { name, call } = found.model.layer_module(*layer);
                let item = (plan.windows > 1).then_some(window);
                RowPlace { step, layer: name, call, item, kind: plan.kind }
            })
        };
        (0..plan.windows).flat_map(of_window).collect()
    }

    /// What all plans need of a model.
    fn needs(&self) -> Needs {
        let of_plan = |plan: &Plan| plan.needs(&self.input.ids, &plan.batches(Shard { index: 0, count: 1 }));
        let needs = self.plans.iter().map(of_plan).reduce(|one, other| Needs { mlps: one.mlps.max(other.mlps), ..one });
        needs.unwrap_or(Needs { layers: 0, mlps: 0, ids: Default::default(), positions: 0 })
    }
}

/// The rows item by item, and the maps of a layer one after the other. The sort keeps the order of layers.
fn in_order(rows: Vec<Row>) -> Vec<Row> {
    let mut places: Vec<_> = Vec::new();
    for row in &rows {
        if !places.contains(&row.place()) {
            places.push(row.place());
        }
    }
    let mut rows = rows;
    rows.sort_by_key(|row| places.iter().position(|place| *place == row.place()));
    rows
}

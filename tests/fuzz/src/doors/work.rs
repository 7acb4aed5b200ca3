//! Experiments given to the worker's tasks other than the plain measurement.

use lipscope_core::bounds::Norm;
use lipscope_core::certify::CertifyPlan;
use lipscope_core::compare::{Along, ComparisonPlan, SearchEffort};
use lipscope_core::estimators::EstimatorPlan;
use lipscope_core::experiment::{Experiment, Memory, Preset};
use lipscope_core::gap::GapPlan;
use lipscope_core::growth::GrowthPlan;
use lipscope_core::inverse::InversePlan;
use lipscope_core::measure::{MeasureOptions, cost};
use lipscope_core::picture::BlockPlan;
use lipscope_core::scaling::{ScaledTokens, ScalingPlan};
use lipscope_core::script::Dialect;
use lipscope_core::search::{NearbyEffort, Region, SearchPlan};
use lipscope_core::spectrum::{SpectrumMap, SpectrumPlan};
use lipscope_core::sweep::Spacing;
use lipscope_protocol::envelope::encode;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{
    BallPlan, EnginePlan, EngineTasks, GrowthRequest, ScriptPlan, SearchRequest, SweepRequest, WorstFrom, WorstRequest,
};

use super::experiment::READING;
use crate::corpus;
use crate::door::{Door, Verdict, refused, within};
use crate::mutate::json;

pub(super) const DOOR: Door = Door {
    name: "work",
    about: "experiment files, each given to one kind of the worker's work: draws, curves over n, the ball, the gap of the bounds, \
            scaled tokens, the inverse, certified bounds, the search, the spectrum, norms of blocks, estimators, programs",
    made: || corpus::entries("experiment").into_iter().flatten().map(|entry| entry.bytes).collect(),
    // One fault, and not up to four, leaves more experiments that can be measured.
    vary: |dice, inputs| {
        let input = dice.of(inputs).clone();
        json::vary(dice, &input)
    },
    feed,
};

const MEMORY: u64 = 256 << 20;

fn feed(input: &[u8]) -> Verdict {
    /// The most operations of one measurement; some of the work is a hundred measurements.
    const MOST_OPERATIONS: u64 = 300_000;
    let text = String::from_utf8_lossy(input);
    let experiment = match within("reading an experiment", READING.of(input), || Experiment::from_json(&text)) {
        Ok(experiment) => experiment,
        Err(problem) => return refused(&problem),
    };
    if cost(&experiment, &MeasureOptions::default()).operations > MOST_OPERATIONS {
        return Verdict::Taken;
    }
    // The input selects the task, so that it is the same in a repeated run.
    let kind: usize = input.iter().map(|byte| usize::from(*byte)).sum();
    let plans = plans(experiment);
    let plan = &plans[kind % plans.len()];
    let memory = Memory::from_bytes(MEMORY);
    match within("the worker's work", MEMORY, || Runner::<EngineTasks>::new(memory).complete(plan.clone(), || 0.0)) {
        Ok(events) => {
            for event in &events {
                assert!(encode(event).is_ok(), "an event cannot be written");
                let text = format!("{event:?}");
                assert!(!text.contains("NaN"), "a number is none: {text:.1500}");
            }
            Verdict::Taken
        }
        Err(problem) => refused(&problem),
    }
}

/// Every kind of work, of a small size.
pub(super) fn plans(experiment: Experiment) -> Vec<EnginePlan> {
    let of = || experiment.clone();
    let spectrum = |map| EnginePlan::Spectrum(SpectrumPlan { experiment: of(), count: 3, map });
    let growth = || GrowthPlan { lengths: vec![2.0, 10.0, 1e6, 1e300], spacing: Spacing::Fixed };
    let search = SearchPlan { experiment: of(), region: Region::Ball, dim: None, restarts: 2, iterations: 3, seed: 1 };
    vec![
        EnginePlan::Sweep(SweepRequest {
            experiment: of(),
            lengths: vec![2, 3],
            draws: 2,
            spacing: Spacing::Fixed,
            norm: Norm::Spectral,
            points: None,
        }),
        EnginePlan::Sweep(SweepRequest {
            experiment: of(),
            lengths: vec![2, 3],
            draws: 1,
            spacing: Spacing::Fixed,
            norm: Norm::Linf,
            points: None,
        }),
        EnginePlan::Growth(GrowthRequest::of_curves(of(), growth())),
        EnginePlan::Ball(BallPlan { experiment: of(), n: 50.0 }),
        EnginePlan::Worst(WorstRequest {
            experiment: of(),
            lengths: vec![2, 5, 40],
            spacing: Spacing::Fixed,
            from: WorstFrom::Ball,
            units: None,
        }),
        EnginePlan::Worst(WorstRequest {
            experiment: of(),
            lengths: vec![2, 40],
            spacing: Spacing::Fixed,
            from: WorstFrom::Tokens(vec![vec![of().tokens], Vec::new()]),
            units: None,
        }),
        EnginePlan::Growth(GrowthRequest {
            experiment: of(),
            sketch: growth(),
            plan: growth(),
            family_plan: growth(),
            units: None,
        }),
        EnginePlan::Gap(GapPlan { experiment: of(), radii: vec![1e-3, 1e3], lengths: vec![2.0, 1e9] }),
        EnginePlan::Scaling(ScalingPlan {
            experiment: of(),
            tokens: ScaledTokens::OneAtZero,
            radii: vec![1e-3, 1.0, 1e3],
            norm: Norm::Spectral,
        }),
        EnginePlan::Compare(ComparisonPlan {
            experiment: of(),
            kinds: [Preset::Plain, Preset::GptOss, Preset::Linear].map(Preset::attention).to_vec(),
            along: Along::Radius(vec![0.1, 1.0]),
            search: Some(SearchEffort { restarts: 1, iterations: 2, most_entries: 64 }),
        }),
        EnginePlan::Inverse(InversePlan { experiment: of(), fraction: 0.5, max_iterations: 5 }),
        EnginePlan::Certify(CertifyPlan {
            experiment: of(),
            relative: vec![0.0, 0.1],
            effort: NearbyEffort { restarts: 1, iterations: 2, seed: 1 },
        }),
        EnginePlan::Search(SearchRequest { plan: search, checkpoint: None, starts: None }),
        spectrum(SpectrumMap::Attention),
        spectrum(SpectrumMap::AttentionResidual),
        EnginePlan::Blocks(BlockPlan { experiment: of(), map: SpectrumMap::Attention }),
        EnginePlan::Blocks(BlockPlan { experiment: of(), map: SpectrumMap::AttentionResidual }),
        EnginePlan::Estimators(EstimatorPlan { experiment: of(), tolerance: 1e-2 }),
        EnginePlan::Script(ScriptPlan { experiment: of(), dialect: Dialect::NumPy }),
        EnginePlan::Script(ScriptPlan { experiment: of(), dialect: Dialect::PyTorch }),
    ]
}

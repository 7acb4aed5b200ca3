//! The memory that tasks hold at a time, counted by a global allocator, against the cost model's figure before they
//! begin.

use lipscope_core::bounds::Norm;
use lipscope_core::cost::Cost;
use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan};
use lipscope_core::experiment::{Experiment, Memory, TokenSource};
use lipscope_core::growth::{Family, GrowthPlan, growth};
use lipscope_core::inverse::{InversePlan, Inverting};
use lipscope_core::measure::{Grouping, MeasureOptions, Measuring, Step, cost, cost_of_pictures};
use lipscope_core::picture::{BlockNorming, BlockPlan};
use lipscope_core::scaling::{ScaledTokens, Scaling, ScalingPlan};
use lipscope_core::search::{self, Region, Search, SearchPlan};
use lipscope_core::spectrum::{self, Finding, SpectrumMap, SpectrumPlan};
use lipscope_core::sweep::{Spacing, SweepPlan, Sweeping};
use lipscope_testkit::peak::{Counting, peak};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn random(n: usize, d: usize, weights: &str, rest: &str) -> Experiment {
    read(&format!(r#"{{"tokens":{{"source":"random","n":{n},"d":{d},"radius":2}},"weights":{{{weights}}}{rest}}}"#))
}

fn read(text: &str) -> Experiment {
    Experiment::from_json(text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

fn heads(heads: usize, head_dim: usize, output: bool) -> String {
    format!(r#""source":"random","heads":{heads},"head_dim":{head_dim},"output":{output}"#)
}

/// A measured peak and the model's figure.
struct Row {
    name: String,
    measured: u64,
    modelled: Cost,
    basis: Basis,
}

/// How much of the room for its basis an iteration used.
#[derive(Clone, Copy, PartialEq)]
enum Basis {
    /// Most of it; or the task has no iteration.
    Filled,
    /// It converged in a few steps.
    Few,
}

fn measure(name: &str, experiment: &Experiment, options: MeasureOptions) -> Row {
    let mut basis = Basis::Filled;
    let measured = peak(|| {
        let mut measuring = Measuring::start(experiment, options).expect("it fits");
        let measurement = loop {
            if let Step::Done(measurement) = measuring.step().expect("it is measured") {
                break measurement;
            }
        };
        if (1..12).contains(&measurement.iterations) {
            basis = Basis::Few;
        }
    });
    Row { name: name.into(), measured, modelled: cost(experiment, &options), basis }
}

/// A measurement with the pair and the images that the page pictures.
fn pictured(name: &str, experiment: &Experiment) -> Row {
    let options = MeasureOptions::default();
    let measured = peak(|| {
        let mut measuring = Measuring::start(experiment, options).expect("it fits");
        while let Step::Going { .. } = measuring.step().expect("it is measured") {}
        let pair = measuring.singular_pair();
        drop((measuring.images(), pair));
    });
    let modelled = cost(experiment, &options).then(cost_of_pictures(experiment, &options));
    Row { name: name.into(), measured, modelled, basis: Basis::Filled }
}

/// Runs any other task, and measures its peak.
fn task(name: &str, modelled: Cost, run: impl FnOnce()) -> Row {
    Row { name: name.into(), measured: peak(run), modelled, basis: Basis::Filled }
}

fn spectrum(name: &str, experiment: &Experiment) -> Row {
    let plan = SpectrumPlan { experiment: experiment.clone(), count: 20, map: SpectrumMap::Attention };
    task(name, spectrum::cost(&plan), || {
        let mut finding = Finding::start(&plan).expect("it fits");
        while let spectrum::Step::Going { .. } = finding.step().expect("it is found") {}
    })
}

fn blocks(name: &str, experiment: &Experiment) -> Row {
    let plan = BlockPlan { experiment: experiment.clone(), map: SpectrumMap::Attention };
    task(name, plan.cost(), || {
        let mut norming = BlockNorming::start_within(&plan, Memory::default()).expect("it fits");
        while norming.step().expect("it goes on").is_none() {}
    })
}

fn search(name: &str, experiment: &Experiment) -> Row {
    let plan = SearchPlan {
        experiment: experiment.clone(),
        region: Region::Ball,
        dim: None,
        restarts: 2,
        iterations: 3,
        seed: 0,
    };
    task(name, search::cost(&plan), || {
        let mut search = Search::start(&plan).expect("it fits");
        while search.step().expect("it goes on").is_some() {}
    })
}

fn invert(name: &str, experiment: &Experiment) -> Row {
    let plan = InversePlan { experiment: experiment.clone(), fraction: 0.5, max_iterations: 4 };
    task(name, plan.cost(), || {
        let mut inverting = Inverting::start(&plan).expect("it fits");
        while inverting.step().expect("it goes on").is_some() {}
    })
}

fn scale(name: &str, experiment: &Experiment, norm: Norm) -> Row {
    let plan =
        ScalingPlan { experiment: experiment.clone(), tokens: ScaledTokens::AsTheyAre, radii: vec![1.0, 2.0], norm };
    task(name, plan.cost(), || {
        let mut scaling = Scaling::new(&plan).expect("it fits");
        while scaling.step().expect("it goes on").is_some() {}
    })
}

fn sweep(name: &str, experiment: &Experiment, lengths: &[usize]) -> Row {
    let (plan, options) = (SweepPlan::new(experiment, lengths, 1).expect("a sweep"), MeasureOptions::for_sweep());
    let modelled = plan.cost(&options);
    task(name, modelled, || {
        let mut sweeping = Sweeping::new(plan, options);
        while sweeping.step().expect("it goes on").is_some() {}
    })
}

fn others() -> Vec<Row> {
    let drawn = |n, d, weights: &str, rest: &str| random(n, d, weights, rest);
    let (small, middle) = (drawn(60, 8, &heads(1, 8, false), ""), drawn(500, 8, &heads(2, 4, true), ""));
    let listed = SweepPlan::new(&middle, &[500], 1).and_then(|plan| plan.experiment_at(0)).expect("an experiment");
    let list = Experiment {
        tokens: TokenSource::Explicit(
            lipscope_core::experiment::Rows::new("rows", 8, (0..4000).map(|i| f64::from(i).sin()).collect())
                .expect("rows"),
        ),
        ..listed
    };
    let comparison = EstimatorPlan { experiment: small.clone(), tolerance: 1e-4 };
    let lengths = GrowthPlan::new(2.0, 1e12, 300, Spacing::Fixed).expect("lengths");
    vec![
        pictured("pictures, dense", &drawn(16, 8, &heads(2, 8, false), "")),
        pictured("pictures, lanczos", &middle),
        spectrum("spectrum, dense", &small),
        spectrum("spectrum, leading", &middle),
        spectrum("spectrum, composed", &drawn(300, 8, &heads(1, 8, false), COMPOSED)),
        spectrum("spectrum, wide outputs", &drawn(400, 4, &heads(4, 16, false), "")),
        blocks("blocks", &middle),
        blocks("blocks, composed", &drawn(300, 8, &heads(1, 8, false), COMPOSED)),
        blocks("blocks, causal", &drawn(2000, 8, &heads(1, 8, false), r#","mask":"causal""#)),
        blocks("blocks, wide outputs", &drawn(60, 4, &heads(4, 16, false), "")),
        task("estimators", comparison.cost(), || {
            let mut estimators = EstimatorComparison::new(&comparison).expect("it fits");
            while estimators.step(|| 0.0).expect("it goes on").is_some() {}
        }),
        search("search", &drawn(200, 8, &heads(2, 4, true), "")),
        search("search, long", &drawn(700, 2, IDENTITY, "")),
        invert("inverse, local constant", &middle),
        invert("inverse, L2-MHA", &drawn(300, 16, r#""source":"kim","heads":4"#, r#","attention":"l2""#)),
        scale("scaling", &middle, Norm::Spectral),
        scale("scaling, l_inf", &drawn(100, 8, &heads(1, 8, false), ""), Norm::Linf),
        sweep("sweep", &middle, &[10, 100, 600]),
        sweep("sweep of a list", &list, &[10, 100, 400]),
        task("growth", lengths.cost(&middle), || {
            drop(growth(&middle, &lengths).expect("it fits"));
            let mut family = Family::new(&middle, &lengths).expect("it fits").expect("it applies");
            while family.step().is_some() {}
        }),
    ]
}

const COMPOSED: &str = r#","normalization":"layer","normalization_scope":"composed""#;
const IDENTITY: &str = r#""source":"identity","sign":-1"#;

fn measurements() -> Vec<Row> {
    let default = MeasureOptions::default();
    let dense = |svd_limit: usize| MeasureOptions { svd_limit, ..default };
    let sweep = MeasureOptions::for_sweep();
    let never = MeasureOptions { grouping: Grouping::Never, ..default };
    let quick = |tolerance: f64| {
        let mut options = default;
        options.lanczos.tolerance = tolerance;
        options
    };
    let drawn =
        |name: &str, n, d, weights: &str, rest: &str, options| measure(name, &random(n, d, weights, rest), options);
    let mut rows = vec![
        drawn("first visit", 64, 2, IDENTITY, "", default),
        drawn("tiny", 2, 1, IDENTITY, "", default),
        drawn("dense svd", 16, 8, &heads(1, 8, false), "", default),
        drawn("dense svd 512", 64, 8, &heads(1, 8, false), "", dense(512)),
        drawn("dense svd, composed", 64, 8, &heads(2, 4, true), COMPOSED, dense(512)),
        drawn("dense svd, wide outputs", 32, 4, &heads(4, 8, false), "", dense(1024)),
        drawn("lanczos with dense norms", 256, 4, &heads(1, 4, false), "", default),
        drawn("lanczos with dense norms, composed", 128, 8, &heads(1, 8, true), COMPOSED, default),
        drawn("lanczos", 512, 8, &heads(1, 8, false), "", default),
        drawn("lanczos for a sweep", 512, 8, &heads(1, 8, false), "", sweep),
        drawn("causal", 700, 8, &heads(1, 8, false), r#","mask":"causal""#, default),
        drawn("l2", 400, 8, &heads(1, 8, false), r#","attention":"l2""#, default),
        drawn(
            "l2, causal, composed",
            300,
            16,
            &heads(2, 8, true),
            r#","attention":"l2","mask":"causal","normalization":"rms","normalization_scope":"composed""#,
            default,
        ),
        drawn("L2-MHA", 200, 32, r#""source":"kim","heads":4"#, r#","attention":"l2""#, default),
        drawn("L2-MHA, wide", 16, 512, r#""source":"kim","heads":8"#, r#","attention":"l2""#, default),
        drawn("several heads", 400, 32, &heads(8, 8, false), "", sweep),
        drawn("several heads with output", 400, 32, &heads(8, 8, true), "", default),
        drawn("heads wider than tokens", 512, 8, &heads(4, 64, false), "", sweep),
        drawn("many heads", 128, 4, &heads(64, 4, false), r#","attention":"l2""#, default),
        drawn("many heads with output", 64, 8, &heads(256, 2, true), r#","normalization":"rms""#, default),
        drawn("wide head", 32, 8, &heads(1, 512, false), "", default),
        drawn("wide tokens", 32, 256, &heads(4, 64, true), "", sweep),
        drawn("wide tokens, all bounds", 32, 256, &heads(4, 64, true), "", default),
        drawn("identity, wide", 8, 300, IDENTITY, "", default),
        drawn("layer norm", 300, 32, &heads(1, 32, false), r#","normalization":"layer""#, sweep),
        drawn("composed", 600, 16, &heads(1, 16, false), COMPOSED, sweep),
        drawn("kept attention", 1500, 2, &heads(4, 1, false), "", quick(1e-3)),
        drawn(
            "recomputed attention",
            2600,
            2,
            &heads(4, 1, false),
            "",
            MeasureOptions { lanczos: quick(1e-2).lanczos, ..sweep },
        ),
        drawn(
            "recomputed, l2, output",
            2600,
            2,
            &heads(4, 1, true),
            r#","attention":"l2","mask":"causal""#,
            MeasureOptions { lanczos: quick(1e-2).lanczos, ..sweep },
        ),
        drawn("large field", 512, 400, &heads(1, 16, true), "", sweep),
    ];
    let adversarial = |n: usize, rest: &str, weights: &str| {
        read(&format!(r#"{{"tokens":{{"source":"adversarial","n":{n},"radius":2}},"weights":{{{weights}}}{rest}}}"#))
    };
    let clusters = |m: usize, d: usize, weights: &str, rest: &str| {
        let row = |a: usize| (0..d).map(|c| ((7 * a + 3 * c) as f64).sin()).collect::<Vec<f64>>();
        let positions: Vec<Vec<f64>> = (0..m).map(row).collect();
        let logs = vec![5.0; m];
        read(&format!(
            r#"{{"tokens":{{"source":"clusters","positions":{positions:?},"log_multiplicities":{logs:?}}},"weights":{{{weights}}}{rest}}}"#
        ))
    };
    let listed = |n: usize, m: usize, rest: &str| {
        let tokens: Vec<[f64; 2]> = (0..n).map(|i| [(i * m / n) as f64 * 0.01, 0.5]).collect();
        read(&format!(
            r#"{{"tokens":{{"source":"explicit","rows":{tokens:?}}},"weights":{{"source":"random","heads":2,"head_dim":4}}{rest}}}"#
        ))
    };
    rows.extend([
        measure("adversarial, gathered", &adversarial(100_000, "", IDENTITY), default),
        measure("adversarial, ungathered", &adversarial(600, "", IDENTITY), never),
        measure("adversarial, drawn weights", &adversarial(3000, "", &heads(2, 16, false)), default),
        measure("a million causal tokens", &adversarial(1_000_000, r#","mask":"causal""#, IDENTITY), quick(1e-3)),
        measure("clusters, dense", &clusters(40, 4, &heads(2, 4, true), ""), default),
        measure("clusters, composed", &clusters(60, 6, &heads(1, 6, false), COMPOSED), default),
        measure("clusters, lanczos", &clusters(200, 4, &heads(1, 4, false), ""), default),
        measure("listed, distinct", &listed(900, 900, ""), default),
        measure("listed, clusters", &listed(4000, 50, ""), default),
        measure("listed, runs", &listed(8000, 400, r#","mask":"causal""#), quick(1e-3)),
        measure(
            "listed, many runs, composed",
            &listed(4000, 450, r#","mask":"causal","normalization":"rms","normalization_scope":"composed""#),
            quick(1e-2),
        ),
    ]);
    rows
}

/// Measured peaks stay within this factor of the model's figure.
const MOST_OVER: f64 = 1.2;
/// If a measured peak has more bytes than this, the model's figure is at most `MOST_UNDER` times the peak. It is at
/// most `MOST_UNDER_WITH_FEW_STEPS` times the peak if an iteration converges long before its basis is full, because the
/// model cannot know how soon it converges.
const LARGE: u64 = 16 << 20;
const MOST_UNDER: f64 = 3.0;
const MOST_UNDER_WITH_FEW_STEPS: f64 = 6.0;

#[test]
fn measured_peaks_are_those_of_the_model() {
    // Each thread has buffers of its own, so the figures depend on how many there are.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let rows: Vec<Row> = pool.install(|| measurements().into_iter().chain(others()).collect());
    println!("{:<36} {:>12} {:>12} {:>7}", "task", "measured", "modelled", "ratio");
    let mut wrong = Vec::new();
    for Row { name, measured, modelled, basis } in &rows {
        let ratio = *measured as f64 / modelled.bytes as f64;
        println!("{name:<36} {measured:>12} {:>12} {ratio:>7.3}", modelled.bytes);
        let most_under = if *basis == Basis::Few { MOST_UNDER_WITH_FEW_STEPS } else { MOST_UNDER };
        if ratio > MOST_OVER || (*measured > LARGE && ratio * most_under < 1.0) {
            wrong.push(format!("{name}: measured {measured}, modelled {}", modelled.bytes));
        }
    }
    assert!(rows.len() >= 30 && wrong.is_empty(), "{}", wrong.join("\n"));
}

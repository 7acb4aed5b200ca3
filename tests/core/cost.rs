//! Tasks that are too large are refused before they begin, through every interface, in one sentence that names the
//! size to lower.

use lipscope_core::bounds::Norm;
use lipscope_core::estimators::{EstimatorComparison, EstimatorPlan};
use lipscope_core::experiment::{Experiment, InputError, Memory, Size};
use lipscope_core::gap::{Gap, GapPlan};
use lipscope_core::growth::{Family, GrowthPlan, growth_within, hypotheses_of_ball_within};
use lipscope_core::inverse::{InversePlan, Inverting};
use lipscope_core::measure::{MeasureOptions, Measuring, cost, cost_of_pictures, measure, measure_with};
use lipscope_core::parallel::on_one_thread;
use lipscope_core::phrase;
use lipscope_core::picture::{BlockNorming, BlockPlan, check_with_pair};
use lipscope_core::scaling::{ScaledTokens, Scaling, ScalingPlan};
use lipscope_core::script::{Dialect, script_within};
use lipscope_core::search::{Region, Search, SearchPlan};
use lipscope_core::spectrum::{Finding, SpectrumMap, SpectrumPlan};
use lipscope_core::sweep::{Spacing, SweepPlan, Sweeping};
use lipscope_testkit::cost::{
    SLIDERS, WIDE_HEADS, check_products_do_not_wrap, check_the_browser_refuses_what_its_sliders_reach, read,
};

fn drawn(n: usize, d: usize, heads: usize, head_dim: usize) -> Experiment {
    read(&format!(
        r#"{{"tokens":{{"source":"random","n":{n},"d":{d}}},
        "weights":{{"source":"random","heads":{heads},"head_dim":{head_dim}}}}}"#
    ))
}

fn with_memory(memory: Memory) -> MeasureOptions {
    MeasureOptions { memory, ..MeasureOptions::default() }
}

#[test]
fn products_past_32_bits_do_not_wrap() {
    check_products_do_not_wrap();
}

#[test]
fn what_the_sliders_reach_is_refused_in_a_browser() {
    check_the_browser_refuses_what_its_sliders_reach();
    let bytes = cost(&read(SLIDERS), &MeasureOptions::default()).bytes;
    assert!(bytes > Memory::NATIVE.bytes(), "{bytes}");
}

#[test]
fn the_sentence_says_what_it_would_take_and_what_to_lower() {
    // Each thread has buffers of its own.
    let said = on_one_thread(|| measure(&read(WIDE_HEADS))).expect_err("too large").to_string();
    assert_eq!(said, "The measurement would take 56 TiB of memory, over the limit of 2 GiB: lower the head dimension.");
    let in_a_browser = || measure_with(&read(SLIDERS), with_memory(Memory::BROWSER));
    let said = on_one_thread(in_a_browser).expect_err("too large").to_string();
    let start =
        "The measurement would take 3.52 GiB of memory, over the limit of 1 GiB: lower the number of tokens n to at";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn the_value_that_is_named_fits_and_the_next_one_does_not() {
    let memory = Memory::from_bytes(64 << 20);
    type At = fn(usize) -> Experiment;
    let cases: [(Size, Experiment, At); 4] = [
        (Size::Tokens, drawn(3000, 8, 1, 8), |n| drawn(n, 8, 1, 8)),
        (Size::Dimension, drawn(100, 1950, 1, 8), |d| drawn(100, d, 1, 8)),
        (Size::Heads, drawn(64, 8, 400, 8), |heads| drawn(64, 8, heads, 8)),
        (Size::HeadDimension, drawn(100, 8, 1, 2000), |head_dim| drawn(100, 8, 1, head_dim)),
    ];
    for (size, experiment, at) in cases {
        let refused = Measuring::start(&experiment, with_memory(memory)).map(|_| ()).expect_err("too large");
        let InputError::TooCostly { lower, at_most: Some(value), .. } = refused else { panic!("{refused}") };
        assert_eq!(lower, size, "{refused}");
        let bytes = |value: u64| cost(&at(value as usize), &with_memory(memory)).bytes;
        assert!(bytes(value) <= memory.bytes() && bytes(value + 1) > memory.bytes(), "{size:?} {value}");
        assert!(Measuring::start(&at(value as usize), with_memory(memory)).is_ok());
    }
}

#[test]
fn equal_tokens_cost_what_gathering_them_leaves() {
    let adversarial = |mask: &str| {
        read(&format!(
            r#"{{"mask":"{mask}","tokens":{{"source":"adversarial","n":1000000,"radius":2}},
            "weights":{{"source":"identity","sign":-1}}}}"#
        ))
    };
    for mask in ["none", "causal"] {
        let bytes = cost(&adversarial(mask), &MeasureOptions::default()).bytes;
        assert!(bytes < Memory::BROWSER.bytes(), "{mask}: {bytes}");
    }
    let rows = |n: usize, distinct: usize| {
        let rows: Vec<[f64; 1]> = (0..n).map(|i| [(i * distinct / n) as f64]).collect();
        read(&format!(
            r#"{{"mask":"causal","tokens":{{"source":"explicit","rows":{rows:?}}},"weights":{{"source":"identity","sign":1}}}}"#
        ))
    };
    let bytes = |distinct| cost(&rows(16_000, distinct), &MeasureOptions::default()).bytes;
    assert!(bytes(10) < bytes(1900), "runs of equal tokens are counted");
}

#[test]
fn every_door_refuses_before_anything_is_drawn() {
    let (experiment, memory) = (drawn(60, 8, 1, 8), Memory::from_bytes(1 << 20));
    let costly = |what: &str, found: Option<InputError>| match found {
        Some(InputError::TooCostly { what: task, limit, .. }) => {
            assert_eq!((task.to_string().as_str(), limit), (what, 1 << 20))
        }
        other => panic!("{what}: {other:?}"),
    };
    let options = with_memory(memory);
    costly("The measurement", Measuring::start(&experiment, options).err());
    costly("The measurement", measure_with(&experiment, options).err());
    costly("The measurement", check_with_pair(&experiment, &options).err());
    let what = phrase!("growth_curves", "The growth curves");
    costly("The growth curves", hypotheses_of_ball_within(&experiment, what, memory).err());
    costly("The script", script_within(&experiment, Dialect::NumPy, memory).err());
    let plan = SpectrumPlan { experiment: experiment.clone(), count: 20, map: SpectrumMap::Attention };
    costly("The spectrum", Finding::start_within(&plan, memory).err());
    let plan = BlockPlan { experiment: experiment.clone(), map: SpectrumMap::Attention };
    costly("The norms of the blocks", BlockNorming::start_within(&plan, memory).err());
    let plan = EstimatorPlan { experiment: experiment.clone(), tolerance: 1e-4 };
    costly("The comparison of estimators", EstimatorComparison::new_within(&plan, memory).err());
    let (region, dim) = (Region::Ball, None);
    let plan = SearchPlan { experiment: experiment.clone(), region, dim, restarts: 1, iterations: 1, seed: 0 };
    costly("The search", Search::start_within(&plan, memory).err());
    let plan = InversePlan { experiment: experiment.clone(), fraction: 0.5, max_iterations: 9 };
    costly("The inverse", Inverting::start_within(&plan, memory).err());
    let (tokens, radii, norm) = (ScaledTokens::AsTheyAre, vec![1.0], Norm::Spectral);
    let plan = ScalingPlan { experiment: experiment.clone(), tokens, radii, norm };
    costly("The scaling", Scaling::new_within(&plan, memory).err());
    let plan = GrowthPlan::new(2.0, 1e9, 5, Spacing::Fixed).expect("lengths");
    costly("The growth curves", growth_within(&experiment, &plan, memory).err());
    costly("The growth curves", Family::new_within(&experiment, &plan, memory).err());
    let plan = GapPlan { experiment: experiment.clone(), radii: vec![1.0], lengths: vec![2.0] };
    costly("The gap between the bounds", Gap::new_within(&plan, memory).err());
    let plan = SweepPlan::new(&experiment, &[2, 60], 3).expect("a sweep");
    let options = MeasureOptions { memory, ..MeasureOptions::for_sweep() };
    costly("The sweep", plan.check(&options).err());
    costly("The sweep", Sweeping::new(plan, options).step().err());
}

#[test]
fn a_measurement_is_refused_where_its_pair_does_not_fit() {
    let options = MeasureOptions::default();
    // The pair of 16 tokens takes a dense SVD with its vectors; that of 257 tokens is not drawn.
    for (n, is_drawn) in [(16, true), (256, true), (257, false)] {
        let experiment = drawn(n, 8, 1, 8);
        let (alone, pair) = (cost(&experiment, &options), cost_of_pictures(&experiment, &options));
        let bytes = if is_drawn { alone.then(pair).bytes } else { alone.bytes };
        let refused = |bytes| check_with_pair(&experiment, &with_memory(Memory::from_bytes(bytes)));
        assert_eq!(refused(bytes), Ok(()), "n = {n}");
        match refused(bytes - 1) {
            Err(InputError::TooCostly { what, bytes: said, .. }) => {
                assert_eq!((what.to_string().as_str(), said), ("The measurement", bytes), "n = {n}");
            }
            other => panic!("n = {n}: {other:?}"),
        }
    }
}

#[test]
fn a_sweep_costs_its_largest_point_and_all_operations() {
    let options = MeasureOptions::for_sweep();
    let plan = |lengths: &[usize], draws| SweepPlan::new(&drawn(8, 4, 1, 4), lengths, draws).expect("a sweep");
    let (short, long) = (plan(&[20], 1).cost(&options), plan(&[900], 1).cost(&options));
    let both = plan(&[20, 900], 3).cost(&options);
    assert_eq!(both.bytes, long.bytes.max(short.bytes));
    assert_eq!(both.operations, 3 * (short.operations + long.operations));
}

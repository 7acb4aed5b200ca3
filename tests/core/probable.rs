//! The upper bound of an iteration fails as rarely as it says, over the seeds (docs/numerics.md, "An upper number for
//! every map"), and `measure` gives the smallest of all upper bounds.

use lipscope_core::experiment::{
    Distribution, Experiment, InputError, Mask, Output, RandomTokens, RandomWeights, TokenSource, WeightSource,
};
use lipscope_core::jacobian::LinearOperator;
use lipscope_core::measure::{Grouping, MeasureOptions, Measurement, Method, UpperBy, UpperNumber, measure_with};
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{Assurance, Failure, Lanczos, LanczosOptions, Status};

/// A diagonal matrix.
struct Diagonal(Vec<f64>);

impl LinearOperator<f64> for Diagonal {
    fn n_inputs(&self) -> usize {
        self.0.len()
    }

    fn n_outputs(&self) -> usize {
        self.0.len()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(v).zip(&self.0).for_each(|((out, v), s)| *out = v * s);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.apply(u, out);
    }
}

/// Dimensions of each spectrum, and starts from each.
const N: usize = 1000;
const STARTS: u64 = 400;
/// Steps after which the bound is read.
const STEPS: [usize; 4] = [5, 10, 20, 40];

/// Seven spectra with the largest value 1, by their names.
fn spectra() -> [(&'static str, Vec<f64>); 7] {
    let of = |value: &dyn Fn(f64) -> f64| (0..N).map(|at| value(at as f64 / (N - 1) as f64)).collect::<Vec<f64>>();
    let beside = |mut values: Vec<f64>| {
        values[0] = 1.0;
        values
    };
    [
        ("even", of(&|x| 1.0 - x)),
        ("isolated", beside(of(&|x| 0.5 - 0.5 * x))),
        ("near", beside(of(&|x| 0.99 - 0.99 * x))),
        ("cluster", of(&|x| if x < 0.02 { 1.0 - 1e-3 * x } else { 0.8 - 0.8 * x })),
        ("powers", of(&|x| (1.0 + x * (N - 1) as f64).powf(-0.5))),
        ("edge", of(&|x| (0.5 + 0.5 * (std::f64::consts::PI * x).cos()).sqrt())),
        ("exponential", of(&|x| (-6.0 * x).exp())),
    ]
}

#[test]
fn the_bound_fails_no_more_often_than_it_says() {
    // The probability, and four standard deviations above the number of failures that it allows.
    let cases = [(0.1, 64), (0.01, 12), (1e-9, 0)];
    let failures = cases.map(|(probability, _)| Failure::new(probability).expect("a probability"));
    let mut lines = Vec::new();
    for (name, values) in spectra() {
        let mut operator = Diagonal(values);
        let mut failed = [[0; STEPS.len()]; 3];
        let mut excess = [const { Vec::new() }; 3];
        for seed in 0..STARTS {
            let options = LanczosOptions { tolerance: 0.0, max_iterations: STEPS[3], max_basis: STEPS[3] + 1, seed };
            let mut lanczos = Lanczos::new(N, options).assured(Some(Assurance::default()));
            loop {
                let is_going = matches!(lanczos.step(&mut operator), Status::Going { .. });
                let at = STEPS.iter().position(|k| if is_going { *k == lanczos.iterations() } else { *k == STEPS[3] });
                for (case, failure) in failures.iter().enumerate() {
                    let Some(at) = at else { break };
                    let upper = lanczos.upper(*failure).expect("a start that was drawn").value;
                    failed[case][at] += u32::from(upper < 1.0);
                    if at == 3 {
                        excess[case].push(upper - 1.0);
                    }
                }
                if !is_going {
                    break;
                }
            }
        }
        for ((failed, excess), (probability, most)) in failed.iter().zip(&mut excess).zip(cases) {
            excess.sort_by(f64::total_cmp);
            let median = excess[excess.len() / 2];
            lines.push(format!("{name:12} {probability:.0e} {failed:?} {median:.1e}"));
            assert!(failed.iter().all(|count| *count <= most) && median < 0.2, "{}", lines.join("\n"));
        }
    }
    println!("spectrum, failure, failures of {STARTS} at k = {STEPS:?}, median of the bound less 1 at the last");
    println!("{}", lines.join("\n"));
}

fn measured(experiment: &Experiment, svd_limit: usize) -> Result<Measurement, InputError> {
    measure_with(experiment, MeasureOptions { svd_limit, upper: UpperNumber::Included, ..MeasureOptions::default() })
}

fn gaussian(n: usize, d: usize, seed: u64) -> Experiment {
    let tokens = RandomTokens { distribution: Distribution::Ball, n, d, radius: 3.0, seed };
    let weights = RandomWeights {
        heads: 2,
        kv_heads: 2,
        differential: None,
        head_dim: d,
        scale: 1.0,
        seed,
        output: Output::Absent,
    };
    Experiment::of(TokenSource::Random(tokens), WeightSource::Random(weights))
}

#[test]
fn the_upper_number_of_a_measurement_is_at_least_the_norm_and_near_it() -> Result<(), InputError> {
    let mut worst = 0.0f64;
    for seed in 0..40 {
        let mut random = Random::new(seed, Stream::Tokens);
        let (n, d) = (8 + (random.uniform() * 24.0) as usize, 2 + (random.uniform() * 6.0) as usize);
        let experiment = gaussian(n, d, seed);
        let (exact, iterated) = (measured(&experiment, 4096)?, measured(&experiment, 0)?);
        let upper = exact.upper.expect("an exact norm");
        assert_eq!((upper.by, upper.failure), (UpperBy::Exact, 0.0));
        assert!((exact.spectral..exact.spectral * (1.0 + 1e-10)).contains(&upper.value));
        let upper = iterated.upper.expect("an iteration");
        assert!(upper.value >= exact.spectral * (1.0 - 1e-14), "{seed}: {upper:?} {}", exact.spectral);
        worst = worst.max(upper.value / exact.spectral);
        let [rare, occasional] = iterated.probable[..] else { panic!("two probabilities: {iterated:?}") };
        assert!(occasional.value <= rare.value && rare.failure < occasional.failure);
        // The norm itself is the same to rounding, asked for or not.
        let plain = measure_with(&experiment, MeasureOptions { svd_limit: 0, ..MeasureOptions::default() })?;
        assert!((plain.spectral - iterated.spectral).abs() <= 1e-12 * plain.spectral);
        assert_eq!((plain.upper, plain.probable.len()), (None, 0));
    }
    println!("the largest ratio of upper number to norm: {worst}");
    assert!(worst <= 1.02, "{worst}");
    Ok(())
}

#[test]
fn runs_clusters_and_loose_tolerances_have_an_upper_number_too() -> Result<(), InputError> {
    let plain = Experiment::of(TokenSource::Adversarial { n: 400, radius: 2.0 }, WeightSource::Identity { sign: -1.0 });
    let causal = Experiment { mask: Mask::Causal, ..plain };
    let found = measured(&causal, 0)?;
    assert_eq!(found.method, Method::CausalRuns);
    let one_by_one = MeasureOptions { svd_limit: 4096, grouping: Grouping::Never, ..MeasureOptions::default() };
    let exact = measure_with(&causal, one_by_one)?.spectral;
    let upper = found.upper.expect("an iteration").value;
    assert!((exact * (1.0 - 1e-13)..exact * 1.02).contains(&upper), "{upper} {exact}");
    // A loose tolerance takes products in f32 where no upper number is asked for.
    let loose = LanczosOptions { tolerance: 1e-3, ..LanczosOptions::default() };
    let experiment = gaussian(60, 8, 5);
    let options =
        MeasureOptions { lanczos: loose, svd_limit: 0, upper: UpperNumber::Included, ..MeasureOptions::default() };
    let (found, exact) = (measure_with(&experiment, options)?, measured(&experiment, 4096)?.spectral);
    let upper = found.upper.expect("an iteration").value;
    assert!((exact * (1.0 - 1e-13)..exact * 1.05).contains(&upper), "{upper} {exact}");
    Ok(())
}

/// What was measured without an upper number is measured with it: it is left out where only it would not fit.
#[test]
fn an_upper_number_is_left_out_where_the_memory_is_for_the_norm_alone() -> Result<(), InputError> {
    // Few tokens of many numbers: the iteration holds more than the bounds at the tokens.
    let experiment = gaussian(40, 100, 1);
    let plain = MeasureOptions { svd_limit: 0, ..MeasureOptions::default() };
    let asked = MeasureOptions { upper: UpperNumber::Included, ..plain };
    let bytes = |options: &MeasureOptions| lipscope_core::measure::cost(&experiment, options).bytes;
    assert!(bytes(&plain) < bytes(&asked));
    for (memory, has_upper) in [(bytes(&plain), false), (bytes(&asked), true)] {
        let options = MeasureOptions { memory: lipscope_core::experiment::Memory::from_bytes(memory), ..asked };
        let found = measure_with(&experiment, options)?;
        assert_eq!((found.upper.is_some(), found.is_converged()), (has_upper, true));
    }
    Ok(())
}

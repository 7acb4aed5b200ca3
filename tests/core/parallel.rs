//! Results have the same digits on any number of threads.

use lipscope_core::experiment::Experiment;
use lipscope_core::measure::{Detail, MeasureOptions, Measurement, measure_with};
use lipscope_core::parallel::{on_one_thread, threads};
use lipscope_core::spectral::LanczosOptions;

const THREADS: [usize; 4] = [1, 2, 3, 5];

/// Large enough that work is split: over groups of rows of one head, over heads, over both, with rows of P that are
/// recomputed, and by the dense decomposition.
const EXPERIMENTS: [(&str, &str); 5] = [
    (r#""n":520,"d":16"#, r#""heads":1,"head_dim":16"#),
    (r#""n":150,"d":96"#, r#""heads":6,"head_dim":16,"output":true"#),
    (r#""n":400,"d":24"#, r#""heads":2,"head_dim":12"#),
    (r#""n":2600,"d":4"#, r#""heads":4,"head_dim":1"#),
    (r#""n":30,"d":4"#, r#""heads":1,"head_dim":4"#),
];

const SETTINGS: [&str; 3] = [
    "",
    r#","mask":"causal","normalization":"layer","normalization_scope":"composed""#,
    r#","attention":"l2","mask":"causal""#,
];

fn experiment((tokens, weights): (&str, &str), setting: &str) -> Experiment {
    let text = format!(
        r#"{{"tokens":{{"source":"random","distribution":"gaussian",{tokens},"radius":2,"seed":3}},
        "weights":{{"source":"random",{weights},"seed":4}}{setting}}}"#
    );
    Experiment::from_json(&text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// Options with all bounds. The experiment whose rows are recomputed would take most of the time, so it gets a few
/// steps and no bounds.
fn options(sizes: (&str, &str)) -> MeasureOptions {
    let options = MeasureOptions::default();
    match sizes == EXPERIMENTS[3] {
        true => MeasureOptions {
            lanczos: LanczosOptions { max_iterations: 2, ..options.lanczos },
            detail: Detail::NormOnly,
            ..options
        },
        false => options,
    }
}

fn with_threads<R: Send>(count: usize, job: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a few threads");
    pool.install(job)
}

fn measure(experiment: &Experiment, options: MeasureOptions) -> Measurement {
    measure_with(experiment, options).expect("a measurement")
}

#[test]
fn measurements_have_the_same_digits_on_any_number_of_threads() {
    for sizes in EXPERIMENTS {
        for setting in SETTINGS {
            let experiment = experiment(sizes, setting);
            let options = options(sizes);
            let alone = on_one_thread(|| measure(&experiment, options));
            for count in THREADS {
                let found = with_threads(count, || measure(&experiment, options));
                assert_eq!(found.to_value(), alone.to_value(), "{sizes:?} {setting} on {count} threads");
            }
        }
    }
}

#[test]
fn the_number_of_threads_is_that_of_the_pool_unless_a_job_is_on_one() {
    for count in THREADS {
        assert_eq!(with_threads(count, threads), count);
        assert_eq!(with_threads(count, || on_one_thread(threads)), 1);
    }
}

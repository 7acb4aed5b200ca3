//! Times the norm of attention as today's models run it, natively on one thread: the presets named in
//! benches/settings.json, at the tokens and sizes of two of benches/inputs, with as many key heads as stand there.
//!
//! With LIPSCOPE_BENCH_DATA set to a folder, the inputs are also written there for benches/variants.py.

mod data;

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::Criterion;
use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Experiment, Preset, TokenSource, WeightSource};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::measure::{Detail, MeasureOptions, measure_with};
use lipscope_core::spectral::{Lanczos, LanczosOptions};
use lipscope_core::weights::inputs;
use serde_json::{Value, json};

struct Settings {
    /// As in measure.rs.
    loose_tolerance: f64,
    kinds: Vec<String>,
    /// The number of key heads of each input.
    inputs: BTreeMap<String, usize>,
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let settings = settings();
    let data_folder = std::env::var_os("LIPSCOPE_BENCH_DATA").map(PathBuf::from);
    for (input, kv_heads) in &settings.inputs {
        for kind in &settings.kinds {
            let experiment = experiment(input, *kv_heads, kind);
            let name = format!("{kind}-{input}");
            let folder = data_folder.as_ref().map(|folder| folder.join(&name));
            if let Some(folder) = folder {
                write_data(&folder, &experiment, *kv_heads, settings.loose_tolerance)
                    .expect("a folder that can be written");
            }
            bench(&mut criterion, &name, &experiment, settings.loose_tolerance);
        }
    }
    criterion.final_summary();
}

fn settings() -> Settings {
    let value: Value = serde_json::from_str(include_str!("settings.json")).expect("JSON");
    let of = |key: &str| value["variants"][key].clone();
    Settings {
        loose_tolerance: value["loose_tolerance"].as_f64().expect("a number"),
        kinds: serde_json::from_value(of("kinds")).expect("names"),
        inputs: serde_json::from_value(of("inputs")).expect("numbers"),
    }
}

/// The preset at the tokens and weights of an input.
fn experiment(input: &str, kv_heads: usize, kind: &str) -> Experiment {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs").join(format!("{input}.json"));
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).expect("benches/inputs")).expect("JSON");
    if kv_heads < value["weights"]["heads"].as_u64().expect("a number") as usize {
        value["weights"]["kv_heads"] = json!(kv_heads);
    }
    let preset = Preset::ALL.into_iter().find(|preset| preset.id() == kind).expect("a preset");
    let (attention, steps) = preset.attention();
    let base = Experiment::from_value(value).expect("a valid experiment");
    // Listed, so that drawing the numbers is not timed.
    data::listed(&Experiment { attention, ..base }.with_steps(steps), kv_heads)
}

fn options(tolerance: f64) -> MeasureOptions {
    let options = MeasureOptions::default();
    MeasureOptions { detail: Detail::NormOnly, lanczos: LanczosOptions { tolerance, ..options.lanczos }, ..options }
}

fn operator(experiment: &Experiment) -> JacobianOperator<f64> {
    let inputs = inputs(experiment).expect("inputs that fit");
    JacobianOperator::new(Forward::new(experiment, &inputs).expect("finite scores"))
}

fn bench(criterion: &mut Criterion, name: &str, experiment: &Experiment, loose_tolerance: f64) {
    let mut operator = operator(experiment);
    let mut v: Vec<f64> = (0..operator.n_inputs()).map(|i| (i as f64).sin()).collect();
    let mut u = vec![0.0; operator.n_outputs()];
    let mut group = criterion.benchmark_group(format!("variant-{name}"));
    group.bench_function("apply", |bencher| bencher.iter(|| operator.apply(black_box(&v), &mut u)));
    group.bench_function("apply_transpose", |bencher| {
        bencher.iter(|| operator.apply_transpose(black_box(&u), &mut v));
    });
    let options = options(loose_tolerance);
    group.bench_function("norm", |bencher| {
        bencher.iter(|| measure_with(black_box(experiment), options).expect("a measurement"));
    });
    group.finish();
}

/// Writes tokens and weights, the experiment's fields, the norm that a long iteration finds, and the error of the one that
/// is timed.
fn write_data(
    folder: &Path,
    experiment: &Experiment,
    kv_heads: usize,
    loose_tolerance: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    data::write(folder, &inputs(experiment)?, kv_heads)?;
    let plain = TokenSource::Adversarial { n: 2, radius: 1.0 };
    let fields =
        Experiment { tokens: plain, weights: Some(WeightSource::Identity { sign: 1.0 }), ..experiment.clone() };
    fs::write(folder.join("fields.json"), fields.to_json())?;
    let mut operator = operator(experiment);
    let long = LanczosOptions { tolerance: 1e-13, ..LanczosOptions::default() };
    let reference = Lanczos::new(operator.n_inputs(), long).run(&mut operator).value;
    let found = measure_with(experiment, options(loose_tolerance))?;
    let report = json!({
        "spectral": reference, "iterations": found.iterations,
        "relative_error": (found.spectral / reference - 1.0).abs(),
    });
    fs::write(folder.join("reference.json"), report.to_string())?;
    Ok(())
}

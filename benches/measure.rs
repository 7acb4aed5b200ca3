//! Times J v, J^T u and a whole measurement, natively on one thread, for the experiments of benches/inputs.
//!
//! With LIPSCOPE_BENCH_DATA set to a folder, the inputs are also written there for the other runners: PyTorch does not
//! have this crate's random streams and needs the numbers themselves.

mod data;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::Criterion;
use lipscope_benches::Window;
use lipscope_core::attention::{Accumulate, Forward, View, ViewMut, multiply};
use lipscope_core::experiment::Experiment;
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::measure::{MeasureOptions, measure_with};
use lipscope_core::spectral::{Lanczos, LanczosOptions};
use lipscope_core::weights::{Inputs, inputs};
use nalgebra::DMatrix;
use serde_json::{Value, json};

/// What the runners agree upon: benches/settings.json.
struct Settings {
    /// The relative residual at which the value is known to `value_error`, since its error is of the order of the
    /// residual's square.
    loose_tolerance: f64,
    /// (rows, columns, inner) of a product in J v, and whether the left factor is transposed.
    products: Vec<(usize, usize, usize, bool)>,
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let settings = settings();
    let data_folder = std::env::var_os("LIPSCOPE_BENCH_DATA").map(PathBuf::from);
    for (name, experiment) in experiments() {
        if let Some(folder) = &data_folder {
            write_data(&folder.join(&name), &experiment, settings.loose_tolerance)
                .expect("a folder that can be written");
        }
        bench_experiment(&mut criterion, &name, &experiment, settings.loose_tolerance);
    }
    bench_products(&mut criterion, &settings.products);
    criterion.final_summary();
}

fn settings() -> Settings {
    let value: Value = serde_json::from_str(include_str!("settings.json")).expect("JSON");
    let tolerance = value["tolerance"].as_f64().expect("a number");
    assert_eq!(
        tolerance,
        MeasureOptions::default().lanczos.tolerance,
        "the engine's own tolerance is what is measured"
    );
    Settings {
        loose_tolerance: value["loose_tolerance"].as_f64().expect("a number"),
        products: serde_json::from_value(value["products"].clone()).expect("shapes"),
    }
}

fn experiments() -> Vec<(String, Experiment)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("benches/inputs").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file that can be read");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, Experiment::from_json(&text).expect("a valid experiment"))
    };
    files.into_iter().map(read).collect()
}

fn bench_experiment(criterion: &mut Criterion, name: &str, experiment: &Experiment, loose_tolerance: f64) {
    let mut operator = operator(experiment, &inputs(experiment).expect("inputs that fit"));
    let mut v: Vec<f64> = (0..operator.n_inputs()).map(|i| (i as f64).sin()).collect();
    let mut u = vec![0.0; operator.n_outputs()];
    let mut group = criterion.benchmark_group(name);
    group.bench_function("apply", |bencher| bencher.iter(|| operator.apply(black_box(&v), &mut u)));
    group.bench_function("apply_transpose", |bencher| {
        bencher.iter(|| operator.apply_transpose(black_box(&u), &mut v));
    });
    group.bench_function("inputs", |bencher| bencher.iter(|| inputs(black_box(experiment))));
    let options = MeasureOptions::default();
    group.bench_function("measure", |bencher| {
        bencher.iter(|| measure_with(black_box(experiment), options).expect("a measurement"));
    });
    let loose = loose(options, loose_tolerance);
    group.bench_function("measure_loose", |bencher| {
        bencher.iter(|| measure_with(black_box(experiment), loose).expect("a measurement"));
    });
    let heads = inputs(experiment).expect("inputs that fit").weights.heads.len();
    let text = data::listed(experiment, heads).to_json();
    group.bench_function("read", |bencher| bencher.iter(|| Experiment::from_json(black_box(&text)).expect("valid")));
    for (id, options) in [("file", options), ("file_loose", loose)] {
        group.bench_function(id, |bencher| {
            bencher.iter(|| {
                let read = Experiment::from_json(black_box(&text)).expect("valid");
                measure_with(&read, options).expect("a measurement")
            });
        });
    }
    let window = Window::new(&inputs(experiment).expect("inputs that fit"));
    for (id, tolerance) in [("window", options.lanczos.tolerance), ("window_loose", loose_tolerance)] {
        group.bench_function(id, |bencher| bencher.iter(|| black_box(&window).norm(tolerance)));
    }
    group.finish();
}

/// The engine's product against nalgebra's.
fn bench_products(criterion: &mut Criterion, products: &[(usize, usize, usize, bool)]) {
    for (m, n, k, transposed) in products.iter().copied() {
        let a = DMatrix::from_fn(if transposed { k } else { m }, if transposed { m } else { k }, |r, c| {
            ((3 * r + 7 * c) % 11) as f64 - 5.0
        });
        let b = DMatrix::from_fn(k, n, |r, c| ((5 * r + 2 * c) % 13) as f64 - 6.0);
        let mut out = DMatrix::zeros(m, n);
        let mut group = criterion.benchmark_group(format!("product-{m}x{n}x{k}"));
        group.bench_function("engine", |bencher| {
            bencher.iter(|| {
                let stored = View::new(a.as_slice(), a.nrows(), a.ncols());
                multiply(
                    ViewMut::new(out.as_mut_slice(), m, n),
                    Accumulate::Replace,
                    if transposed { stored.transpose() } else { stored },
                    View::new(b.as_slice(), k, n),
                    black_box(1.0),
                );
            });
        });
        group.bench_function("nalgebra", |bencher| {
            bencher.iter(|| match transposed {
                true => out.gemm_tr(black_box(1.0), &a, &b, 0.0),
                false => out.gemm(black_box(1.0), &a, &b, 0.0),
            });
        });
        group.finish();
    }
}

fn operator(experiment: &Experiment, inputs: &Inputs) -> JacobianOperator<f64> {
    JacobianOperator::new(Forward::new(experiment, inputs).expect("finite scores"))
}

fn loose(options: MeasureOptions, tolerance: f64) -> MeasureOptions {
    MeasureOptions { lanczos: LanczosOptions { tolerance, ..options.lanczos }, ..options }
}

/// Writes tokens and weights as .npy. Also writes the spectral norm that a long iteration finds, and the errors of two
/// measurements: with the default tolerance, and with `loose_tolerance`.
fn write_data(folder: &Path, experiment: &Experiment, loose_tolerance: f64) -> Result<(), Box<dyn std::error::Error>> {
    let inputs = inputs(experiment)?;
    data::write(folder, &inputs, inputs.weights.heads.len())?;
    let mut operator = operator(experiment, &inputs);
    let long = LanczosOptions { tolerance: 1e-13, ..LanczosOptions::default() };
    let reference = Lanczos::new(operator.n_inputs(), long).run(&mut operator).value;
    let summary = |options| -> Result<_, Box<dyn std::error::Error>> {
        let result = measure_with(experiment, options)?;
        Ok(json!({
            "method": result.method.id(), "iterations": result.iterations,
            "relative_residual": result.relative_residual, "relative_error": (result.spectral / reference - 1.0).abs(),
        }))
    };
    let options = MeasureOptions::default();
    let report = json!({
        "spectral": reference, "measure": summary(options)?, "measure_loose": summary(loose(options, loose_tolerance))?,
        "loose_tolerance": loose_tolerance,
    });
    fs::write(folder.join("reference.json"), report.to_string())?;
    Ok(())
}

//! The numbers behind the pictures of the page's gallery (assets/gallery.json) are what the engine finds.
//! `LIPSCOPE_WRITE_GALLERY=1 cargo test -p lipscope-core --test core gallery` writes them anew, and after it
//! `LIPSCOPE_WRITE_GALLERY=1 cargo test -p lipscope --lib gallery` packs them for the page.

use std::path::Path;

use lipscope_core::bounds::Norm;
use lipscope_core::certify::{Certificate, Certified, CertifyPlan};
use lipscope_core::compare::{Along, Comparison, ComparisonPlan};
use lipscope_core::estimators::{
    ESTIMATOR_TOLERANCE, Estimator, EstimatorComparison, EstimatorPlan, EstimatorPoint, Preset,
};
use lipscope_core::experiment::{Attention, Experiment, Mask, Memory, Order, Score, Sink, Steps, Weighting};
use lipscope_core::gap::{Gap, GapPlan};
use lipscope_core::inverse::{InversePlan, InverseStep, Inverting};
use lipscope_core::scaling::{ScaledTokens, Scaling, ScalingPlan};
use lipscope_core::search::NearbyEffort;
use lipscope_core::tightness::Tightness;
use serde_json::{Value, json};

/// Iterations of each inverse that are pictured.
const ITERATIONS: usize = 48;

fn experiment(value: Value) -> Experiment {
    Experiment::from_value(value).expect("a valid experiment")
}

fn certified() -> Value {
    let experiment = experiment(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 64, "d": 2, "radius": 1.5, "seed": 0},
        "weights": {"source": "identity", "sign": -1},
    }));
    let relative = [1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0].to_vec();
    let plan = CertifyPlan { experiment, relative, effort: NearbyEffort { restarts: 1, iterations: 20, seed: 0 } };
    let mut certificate = Certificate::start_within(&plan, Memory::default()).expect("it applies");
    while certificate.step().expect("finite") {}
    json!(Certified { places: Vec::new(), ..certificate.so_far().clone() })
}

fn compared() -> Value {
    let experiment = experiment(json!({
        "tokens": {"source": "adversarial", "n": 64, "radius": 1.5},
        "weights": {"source": "identity", "sign": -1},
    }));
    let plain = Steps::plain;
    let scored = Steps { score: Score { softcap: Some(2.0), ..Score::default() }, ..plain() };
    let masked = Steps { mask: Mask::Window { width: 16, order: Order::Causal }, ..plain() };
    let weighted = Steps { weighting: Weighting::Softmax { sink: Some(Sink::All(8.0)) }, ..plain() };
    let kinds = [plain(), scored, masked, weighted].map(|steps| (Attention::Dot, steps)).to_vec();
    let along = Along::Tokens(vec![2, 4, 8, 16, 32, 64, 128, 256]);
    let plan = ComparisonPlan { experiment, kinds, along, search: None };
    let mut comparison = Comparison::new_within(&plan, Memory::default()).expect("valid");
    let steps = std::iter::from_fn(|| comparison.step().expect("finite"));
    json!(steps.flatten().collect::<Vec<_>>())
}

fn scaling() -> Value {
    let experiment = experiment(json!({
        "attention": "l2",
        "tokens": {"source": "random", "distribution": "ball", "n": 16, "d": 8, "radius": 1, "seed": 0},
        "weights": {"source": "kim", "heads": 1, "scale": 1, "seed": 0},
    }));
    // Both kernels are taken in turn.
    let experiment = Experiment { attention: Attention::Dot, ..experiment };
    let radii = (0..=16).map(|at| 10f64.powf(f64::from(at) / 4.0)).collect();
    let plan = ScalingPlan { experiment, tokens: ScaledTokens::OneAtZero, radii, norm: Norm::Spectral };
    let mut scaling = Scaling::new(&plan).expect("valid");
    let points: Vec<_> = std::iter::from_fn(|| scaling.step().expect("finite")).collect();
    json!(points)
}

fn gap() -> Value {
    let experiment = experiment(json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 64, "d": 2, "radius": 1.5, "seed": 0},
        "weights": {"source": "identity", "sign": -1},
    }));
    let radii = vec![0.3, 0.42, 0.6, 0.85, 1.2, 1.7, 2.4, 3.4];
    let lengths = vec![2.0, 5.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    let mut gap = Gap::new_within(&GapPlan { experiment, radii, lengths }, Memory::default()).expect("valid");
    json!(std::iter::from_fn(|| gap.step()).collect::<Vec<_>>())
}

fn tightness() -> Value {
    let mut search = Tightness::new(&[2, 5, 10, 20, 50, 100, 200, 500, 1000], 12, 0).expect("valid");
    json!(std::iter::from_fn(|| search.step()).collect::<Vec<_>>())
}

/// The steps of an inverse at the page's preset where that of dot-product attention fails.
fn inverse(attention: &str) -> Value {
    let weights = match attention {
        "l2" => json!({"source": "kim", "heads": 1, "scale": 1, "seed": 0}),
        _ => json!({"source": "identity", "sign": 1}),
    };
    let experiment = experiment(json!({
        "attention": attention,
        "tokens": {"source": "random", "distribution": "ball", "n": 4, "d": 4, "radius": 21.7, "seed": 28},
        "weights": weights,
    }));
    let plan = InversePlan { experiment, fraction: 0.9, max_iterations: ITERATIONS };
    let mut inverting = Inverting::start(&plan).expect("valid");
    let steps = std::iter::from_fn(|| inverting.step().expect("finite"));
    json!(steps.map(|step| InverseStep { positions: Vec::new(), ..step }).collect::<Vec<_>>())
}

fn estimators() -> Value {
    let plan = EstimatorPlan { experiment: Preset::SmallGap.experiment(), tolerance: ESTIMATOR_TOLERANCE };
    let mut comparison = EstimatorComparison::new_within(&plan, Memory::default()).expect("valid");
    let points = std::iter::from_fn(|| comparison.step(|| 0.0).expect("finite"));
    // On a logarithmic axis a few of the later iterations are enough.
    let is_shown = |point: &EstimatorPoint| {
        let at = point.iteration;
        point.estimator != Estimator::Power || at < 10 || (at < 100 && at.is_multiple_of(10)) || at.is_multiple_of(100)
    };
    json!(points.filter(|point| is_shown(point) || !point.stops.is_empty()).collect::<Vec<_>>())
}

/// Numbers with five significant digits, so that the file is small.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!(format!("{:.4e}", number.as_f64().expect("a float")).parse::<f64>().expect("a number"))
        }
        Value::Array(all) => all.into_iter().map(rounded).collect(),
        Value::Object(all) => all.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

/// Errors of rounding differ between machines; all else agrees to the digits of the file.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            (a - b).abs() <= 1e-3 * a.abs().max(b.abs()) + 1e-9
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| agree(a, b)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn the_pictures_of_the_gallery_show_what_the_engine_finds() {
    let found = rounded(json!({
        "certify": certified(),
        "compare": compared(),
        "scaling": scaling(),
        "tightness": tightness(),
        "gap": gap(),
        "inverse_l2": inverse("l2"),
        "inverse_dot": inverse("dot"),
        "estimators": estimators(),
    }));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/gallery.json");
    if std::env::var_os("LIPSCOPE_WRITE_GALLERY").is_some() {
        std::fs::write(&path, format!("{found}\n")).expect("written");
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("the file")).expect("JSON");
    for (lab, value) in found.as_object().expect("an object") {
        assert!(agree(value, &kept[lab]), "{lab}: {value}");
    }
}

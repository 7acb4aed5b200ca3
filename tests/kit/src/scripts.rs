//! Experiments as Python programs, run with Python, against the engine.

use std::path::Path;
use std::process::{Command, Output};

use lipscope_core::experiment::Experiment;
use lipscope_core::measure::measure;
use lipscope_core::script::{Dialect, script};

use crate::{kernels, steps};

/// One of each kernel, mask, normaliser, scope, output matrix, and way to give tokens.
pub const CASES: [&str; 14] = [
    r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"adversarial","n":64,"radius":3},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"adversarial","n":100000,"radius":3},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"skew","n":400,"radius":2}}"#,
    r#"{"mask":"causal","tokens":{"source":"random","distribution":"ball","n":40,"d":3,"radius":2,"seed":1},"weights":{"source":"random","heads":2,"head_dim":3,"seed":4}}"#,
    r#"{"tokens":{"source":"random","n":24,"d":8,"radius":3},"weights":{"source":"random","heads":2,"head_dim":4,"output":true}}"#,
    r#"{"attention":"l2","tokens":{"source":"random","n":24,"d":4,"radius":2},"weights":{"source":"kim","heads":2,"scale":1.5,"seed":3}}"#,
    r#"{"attention":"l2","mask":"causal","tokens":{"source":"random","n":30,"d":3,"radius":2},"weights":{"source":"random","heads":3,"head_dim":2,"seed":9}}"#,
    r#"{"normalization":"layer","tokens":{"source":"random","n":20,"d":6,"radius":2},"weights":{"source":"random","heads":2,"head_dim":3}}"#,
    r#"{"normalization":"layer","normalization_scope":"composed","mask":"causal","tokens":{"source":"random","n":20,"d":6,"radius":2},"weights":{"source":"random","heads":2,"head_dim":3,"output":true}}"#,
    r#"{"attention":"l2","normalization":"rms","normalization_scope":"composed","eps":0.01,"tokens":{"source":"random","n":20,"d":5,"radius":2},"weights":{"source":"random","head_dim":3}}"#,
    r#"{"tokens":{"source":"clusters","positions":[[3],[-1.8]],"log_multiplicities":[0,8.3]},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"attention":"l2","normalization":"rms","normalization_scope":"composed","tokens":{"source":"clusters","positions":[[1,0.5],[-0.3,1],[0.2,-2]],"log_multiplicities":[30,0,25.5]},"weights":{"source":"random","heads":2,"head_dim":2,"output":true}}"#,
    r#"{"mask":"causal","tokens":{"source":"explicit","rows":[[1,2],[0.1,-0.7],[0.3,1]]},"weights":{"source":"explicit","heads":[{"q":[[1,0.5]],"k":[[0.25,-1]],"v":[[1,0],[0,1],[1,1]]}],"output":[[1,0,2]]}}"#,
];

/// Steps that [`steps::ALONE`] lacks, at five tokens and two heads.
const MORE_STEPS: [&str; 8] = [
    r#"{"score":{"bias":[[0,1,-1,2,0.5],[1,0,0.25,-2,1],[0,0,3,1,-1],[-0.5,1,0,0,1],[2,1,0,-1,0]]}}"#,
    r#"{"score":{"alibi":{"slopes":[0.7,0]}},"mask":"causal"}"#,
    r#"{"score":{"rope":{"base":10.0,"fraction":0.5,"layout":"half"}}}"#,
    r#"{"score":{"rope":{"base":10.0,"layout":"interleaved"},"qk_norm":{"kind":"rms","eps":0.01,"q_gain":[1,2,0.5,-1],"k_gain":[0.3,1,1,2]}}}"#,
    r#"{"mask":{"kind":"padding","keys":[1,0,1,1,0],"causal":false}}"#,
    r#"{"mask":{"kind":"padding","keys":[0,0,1,1,1],"causal":true}}"#,
    r#"{"mask":{"kind":"allowed","rows":[[1,0,1,0,1],[0,0,0,0,0],[1,1,1,0,0],[0,1,0,1,1],[0,0,0,0,1]]},"weighting":{"kind":"softmax","sink":[0.5,-2]}}"#,
    r#"{"weights":{"kv_heads":1,"differential":0.6},"normalization":"layer","normalization_scope":"composed"}"#,
];

/// Experiments whose attention has steps: each alone, those of the reference file, and random combinations.
#[must_use]
pub fn step_cases() -> Vec<(String, Experiment)> {
    let alone = steps::ALONE.iter().chain(&MORE_STEPS).map(|step| ((*step).to_owned(), steps::alone(step, 5, 3)));
    let listed = kernels::kernel_cases().into_iter().map(|case| (case.name, case.experiment));
    let combined = (0..120).map(|seed| (format!("combination {seed}"), steps::combined(seed)));
    alone.chain(listed).chain(combined).collect()
}

/// The Python named by a variable, or else the system's.
///
/// # Panics
/// Where it lacks a module; `part` of scripts/setup.sh installs one that has it.
#[must_use]
pub fn python_with(variable: &str, module: &str, part: &str) -> String {
    let python = std::env::var(variable).ok().filter(|path| !path.is_empty()).unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    assert!(
        found.is_ok_and(|output| output.status.success()),
        "{python} cannot import {module}. Run `scripts/setup.sh {part}`, then set {variable} to the Python that it \
         installs, as the scripts do."
    );
    python
}

/// Runs the program of every case: it finds the engine's norm and prints twelve digits of it.
pub fn check_scripts(dialect: Dialect, python: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for (at, case) in CASES.iter().enumerate() {
        let experiment = Experiment::from_json(case).expect("valid");
        let file = folder.path().join(format!("case_{at}.py"));
        std::fs::write(&file, script(&experiment, dialect).expect("small enough")).expect("written");
        let Output { stdout, stderr, status } = run(python, &file);
        assert!(status.success(), "{case}: {}", String::from_utf8_lossy(&stderr));
        assert!(stderr.is_empty(), "{case}: {}", String::from_utf8_lossy(&stderr));
        let text = String::from_utf8_lossy(&stdout).trim().to_owned();
        assert_eq!(text.split('e').next().map(|digits| digits.len()), Some(13), "twelve digits: {text}");
        let found: f64 = text.parse().expect("a number");
        let expected = measure(&experiment).expect("measurable").spectral;
        assert!((found / expected - 1.0).abs() < 1e-9, "{case}: {found} against {expected}");
    }
}

/// Runs the programs of all [`step_cases`], one after another in one Python: each finds the engine's norm.
pub fn check_step_scripts(dialect: Dialect, python: &str) {
    let (cases, folder) = (step_cases(), tempfile::tempdir().expect("a folder"));
    let mut files = Vec::new();
    for (at, (name, experiment)) in cases.iter().enumerate() {
        let file = folder.path().join(format!("case_{at}.py"));
        let text = script(experiment, dialect).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        std::fs::write(&file, text).expect("written");
        files.push(file);
    }
    let all = "import runpy, sys; [runpy.run_path(file, run_name='__main__') for file in sys.argv[1:]]";
    let Output { stdout, stderr, status } =
        Command::new(python).args(["-W", "error", "-c", all]).args(&files).output().expect("Python runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    let found: Vec<f64> = stdout.lines().map(|line| line.parse().expect("a number")).collect();
    let next = cases.get(found.len()).map(|(name, _)| name);
    assert!(status.success() && stderr.is_empty() && found.len() == cases.len(), "{next:?}: {stderr}");
    let wrong: Vec<String> = cases
        .iter()
        .zip(found)
        .filter_map(|((name, experiment), found)| {
            let expected = measure(experiment).expect("measurable").spectral;
            let agrees = (found - expected).abs() <= 1e-9 * expected.max(1e-6);
            (!agrees).then(|| format!("{name}: {found} against {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(python: &str, file: &Path) -> Output {
    Command::new(python).arg(file).output().expect("Python runs")
}

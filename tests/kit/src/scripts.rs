//! Experiments as Python programs, run with Python, against the engine.

use std::path::Path;
use std::process::{Command, Output};

use lipscope_core::experiment::Experiment;
use lipscope_core::measure::measure;
use lipscope_core::script::{Dialect, script};

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

fn run(python: &str, file: &Path) -> Output {
    Command::new(python).arg(file).output().expect("Python runs")
}

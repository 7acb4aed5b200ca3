//! Runs the NumPy and PyTorch scripts, if Python is available, and compares them with the engine.

use std::path::Path;
use std::process::{Command, Output};

use lipscope_core::experiment::Experiment;
use lipscope_core::measure::measure;
use lipscope_core::script::{Dialect, script};

/// One of each kernel, mask, normaliser, scope, output matrix, and token source.
const CASES: [&str; 14] = [
    r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"adversarial","n":64,"radius":3},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"adversarial","n":100000,"radius":3},"weights":{"source":"identity","sign":-1}}"#,
    r#"{"tokens":{"source":"skew","n":400,"radius":2}}"#,
    r#"{"mask":"causal","tokens":{"source":"random","law":"ball","n":40,"d":3,"radius":2,"seed":1},"weights":{"source":"random","heads":2,"head_dim":3,"seed":4}}"#,
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

/// The Python named by a variable, which must have the modules, or else the system's if it has them.
fn python_with(variable: &str, modules: &str) -> Option<String> {
    let named = std::env::var(variable).ok().filter(|path| !path.is_empty());
    let python = named.clone().unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", &format!("import {modules}")]).output();
    let has = found.is_ok_and(|output| output.status.success());
    assert!(has || named.is_none(), "{variable} names {python}, which cannot import {modules}");
    if !has {
        eprintln!("skipped: no Python with {modules}; scripts/setup.sh installs it");
    }
    has.then_some(python)
}

fn run(python: &str, file: &Path) -> Output {
    Command::new(python).arg(file).output().expect("Python runs")
}

fn check(dialect: Dialect, python: &str) {
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

#[test]
fn numpy_finds_the_same_norms() {
    if let Some(python) = python_with("LIPSCOPE_NUMPY", "numpy") {
        check(Dialect::NumPy, &python);
    }
}

#[test]
fn pytorch_finds_the_same_norms() {
    if let Some(python) = python_with("LIPSCOPE_PYTHON", "torch") {
        check(Dialect::PyTorch, &python);
    }
}

#[test]
fn both_scripts_are_valid_python() {
    let Some(python) = python_with("LIPSCOPE_NUMPY", "ast") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    for dialect in Dialect::ALL {
        let experiment = Experiment::from_json(CASES[9]).expect("valid");
        let file = folder.path().join("script.py");
        std::fs::write(&file, script(&experiment, dialect).expect("small enough")).expect("written");
        let read = format!("import ast; ast.parse(open({file:?}).read())");
        let Output { stderr, status, .. } = Command::new(&python).args(["-c", &read]).output().expect("Python runs");
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    }
}

#[test]
fn numbers_keep_their_digits_and_large_tables_are_bytes() {
    let small = script(&Experiment::from_json(CASES[4]).expect("valid"), Dialect::NumPy).expect("small enough");
    let longest = small.split([',', '[', ']']).map(|text| text.trim().len()).filter(|length| *length < 30).max();
    assert!(small.contains("X = table([[") && longest > Some(18), "{longest:?}");
    let many = r#"{"mask":"causal","tokens":{"source":"random","n":200,"d":8},"weights":{"source":"identity"}}"#;
    let many = script(&Experiment::from_json(many).expect("valid"), Dialect::PyTorch).expect("small enough");
    assert!(many.contains("X = block(200, 8, ("));
}

#[test]
fn a_jacobian_too_large_for_a_script_gives_an_error_with_an_alternative() {
    let large = r#"{"mask":"causal","tokens":{"source":"random","n":2000,"d":8},"weights":{"source":"identity"}}"#;
    let problem = script(&Experiment::from_json(large).expect("valid"), Dialect::NumPy).expect_err("too large");
    assert!(problem.to_string().contains("16000") && problem.to_string().contains("lipscope measure"), "{problem}");
}

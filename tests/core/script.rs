//! Experiments as NumPy and PyTorch programs. The NumPy programs run here. PyTorch is large, so its programs are only
//! parsed here, and run by tests/core/pytorch.rs.

use std::process::{Command, Output};

use lipscope_core::experiment::Experiment;
use lipscope_core::script::{Dialect, script};
use lipscope_testkit::scripts::{CASES, check_scripts, check_step_scripts, python_with, step_cases};
use lipscope_testkit::steps;

fn numpy() -> String {
    python_with("LIPSCOPE_NUMPY", "numpy", "numpy")
}

#[test]
fn numpy_finds_the_same_norms() {
    check_scripts(Dialect::NumPy, &numpy());
}

#[test]
fn numpy_finds_the_same_norms_with_steps() {
    check_step_scripts(Dialect::NumPy, &numpy());
}

#[test]
fn every_program_is_python() {
    let (python, folder) = (numpy(), tempfile::tempdir().expect("a folder"));
    let mut files = Vec::new();
    let plain = CASES.iter().map(|case| Experiment::from_json(case).expect("valid"));
    let experiments: Vec<Experiment> =
        plain.chain(step_cases().into_iter().map(|(_, experiment)| experiment)).collect();
    for (at, experiment) in experiments.iter().enumerate() {
        for dialect in Dialect::ALL {
            let file = folder.path().join(format!("{}_{at}.py", dialect.id()));
            std::fs::write(&file, script(experiment, dialect).expect("small enough")).expect("written");
            files.push(file);
        }
    }
    assert_eq!(files.len(), 2 * experiments.len());
    let read = "import sys; [compile(open(file).read(), file, 'exec') for file in sys.argv[1:]]";
    let command = |files: &[std::path::PathBuf]| Command::new(&python).args(["-c", read]).args(files).output();
    let Output { stderr, status, .. } = command(&files).expect("Python runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    // A broken program is detected.
    std::fs::write(&files[0], "import numpy as np\nprint(").expect("written");
    assert!(!command(&files).expect("Python runs").status.success());
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
fn steps_are_listed_with_the_values_that_they_have() {
    let step = r#"{"score":{"rope":{},"alibi":{}},"weighting":{"kind":"sigmoid"},"mask":{"kind":"window","width":3}}"#;
    let text = script(&steps::alone(step, 5, 0), Dialect::NumPy).expect("small enough");
    for line in [
        r#""rope": {"base": 10000.0, "fraction": 1.0, "layout": "half"},"#,
        r#""softcap": None,"#,
        r#""alibi": [0.0625, 0.00390625],"#,
        r#""weighting": {"kind": "sigmoid", "bias": -1.6094379124341003},"#,
        r#""mask": {"kind": "window", "width": 3, "causal": True},"#,
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let shared = script(&steps::alone(r#"{"weights":{"kv_heads":1}}"#, 5, 0), Dialect::NumPy).expect("small enough");
    assert_eq!(shared.matches("\n    (0, table(").count(), 2, "both heads read one group: {shared}");
    let plain = script(&Experiment::from_json(CASES[0]).expect("valid"), Dialect::NumPy).expect("small enough");
    assert!(!plain.contains("STEPS"), "plain attention has the short program");
}

#[test]
fn a_token_measure_with_steps_gives_an_error_with_an_alternative() {
    let measure = r#"{"score":{"softcap":2},"tokens":{"source":"clusters","positions":[[3],[-1.8]],"log_multiplicities":[0,8.3]},"weights":{"source":"identity","sign":-1}}"#;
    let problem = script(&Experiment::from_json(measure).expect("valid"), Dialect::NumPy).expect_err("not listed");
    assert!(problem.to_string().starts_with("`tokens.source` = \"clusters\" stands for tokens"), "{problem}");
    assert!(problem.to_string().contains("lipscope measure"), "{problem}");
}

#[test]
fn a_jacobian_too_large_for_a_script_gives_an_error_with_an_alternative() {
    let large = r#"{"mask":"causal","tokens":{"source":"random","n":2000,"d":8},"weights":{"source":"identity"}}"#;
    let problem = script(&Experiment::from_json(large).expect("valid"), Dialect::NumPy).expect_err("too large");
    assert!(problem.to_string().contains("16000") && problem.to_string().contains("lipscope measure"), "{problem}");
}

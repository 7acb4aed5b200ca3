//! Experiments as NumPy and PyTorch programs. The NumPy programs run here. PyTorch is large, so its programs are only
//! parsed here, and run by tests/core/pytorch.rs.

use std::process::{Command, Output};

use lipscope_core::experiment::Experiment;
use lipscope_core::script::{Dialect, script};
use lipscope_testkit::scripts::{CASES, check_scripts, python_with};

fn numpy() -> String {
    python_with("LIPSCOPE_NUMPY", "numpy", "numpy")
}

#[test]
fn numpy_finds_the_same_norms() {
    check_scripts(Dialect::NumPy, &numpy());
}

#[test]
fn every_program_is_python() {
    let (python, folder) = (numpy(), tempfile::tempdir().expect("a folder"));
    let mut files = Vec::new();
    for (at, case) in CASES.iter().enumerate() {
        for dialect in Dialect::ALL {
            let experiment = Experiment::from_json(case).expect("valid");
            let file = folder.path().join(format!("{}_{at}.py", dialect.id()));
            std::fs::write(&file, script(&experiment, dialect).expect("small enough")).expect("written");
            files.push(file);
        }
    }
    assert_eq!(files.len(), 2 * CASES.len());
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
fn a_jacobian_too_large_for_a_script_gives_an_error_with_an_alternative() {
    let large = r#"{"mask":"causal","tokens":{"source":"random","n":2000,"d":8},"weights":{"source":"identity"}}"#;
    let problem = script(&Experiment::from_json(large).expect("valid"), Dialect::NumPy).expect_err("too large");
    assert!(problem.to_string().contains("16000") && problem.to_string().contains("lipscope measure"), "{problem}");
}

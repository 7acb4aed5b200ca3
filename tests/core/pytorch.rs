//! Programs for PyTorch, run. PyTorch takes gigabytes: this test is built and run by scripts/bench.sh and
//! scripts/test-models.sh alone, which install it.

use lipscope_core::script::Dialect;
use lipscope_testkit::scripts::{check_scripts, check_step_scripts, python_with};

#[test]
fn pytorch_finds_the_same_norms() {
    check_scripts(Dialect::PyTorch, &python_with("LIPSCOPE_PYTHON", "torch", "python"));
}

#[test]
fn pytorch_finds_the_same_norms_with_steps() {
    check_step_scripts(Dialect::PyTorch, &python_with("LIPSCOPE_PYTHON", "torch", "python"));
}

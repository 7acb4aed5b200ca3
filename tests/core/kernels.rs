//! Attention with steps against reference values that were computed outside this crate.

use lipscope_testkit::kernels;

#[test]
fn every_reference_case_agrees_in_output_norms_and_singular_values() {
    let n_cases = kernels::check_kernel_norms();
    assert!(n_cases >= 40, "{n_cases} cases");
}

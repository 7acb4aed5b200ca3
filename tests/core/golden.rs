//! Compares, natively, with reference values that were computed outside this crate.

use lipscope_testkit::reference;

#[test]
fn every_reference_case_agrees_in_output_norms_and_singular_values() {
    let n_cases = reference::check_golden_cases();
    assert!(n_cases >= 36, "{n_cases} cases");
}

#[test]
fn adversarial_tokens_have_the_tabulated_norms() {
    // R = 1 and R = 2, n = 100, without a mask and causal, tabulated outside this crate.
    for (radius, mask, expected) in
        [(1.0, "none", 2.0504), (1.0, "causal", 5.3135), (2.0, "none", 12.1275), (2.0, "causal", 11.1338)]
    {
        let mut tokens = vec![radius; 100];
        tokens[0] = -radius;
        let found =
            lipscope_core::measure::measure(&reference::line_experiment(&tokens, -1.0, mask)).expect("measured");
        reference::assert_close(&format!("R={radius} {mask}"), found.spectral, expected, 5e-5, 1.0);
    }
}

//! The numbers of the native tests in Chromium, in a dedicated worker, where the page computes them.

use lipscope_testkit::{kernels, portable, reference, tables, two_sided};

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::Memory;
use lipscope_core::sweep::Spacing;
use lipscope_protocol::envelope::{Command, Content, Reply, Request};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Poll;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks, SweepRequest};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn every_reference_case_agrees() {
    assert!(reference::check_golden_cases() >= 36);
    assert_eq!(kernels::check_kernel_norms(), 40);
}

#[wasm_bindgen_test]
fn every_reference_case_of_a_token_measure_agrees_and_the_tables_are_reproduced() {
    assert!(reference::check_golden_clusters() >= 5);
    reference::check_cluster_tables();
}

#[wasm_bindgen_test]
fn the_sharp_bounds_and_the_witnesses_are_those_of_the_tables() {
    tables::check_sharp_bounds();
    tables::check_witnesses();
}

#[wasm_bindgen_test]
fn the_best_upper_bound_is_near_the_best_lower_one_at_every_length() {
    two_sided::check_numbers();
    two_sided::check_best_bounds_at_every_length();
}

#[wasm_bindgen_test]
fn a_million_tokens_in_two_runs_are_measured() {
    let found = lipscope_core::measure::measure(&reference::million_in_two_runs()).expect("measured");
    assert_eq!((found.method.id(), found.n), ("causal_runs", 1e6));
    reference::assert_close("the norm natively", found.spectral, 299.531704008529, 1e-10, 299.5);
}

#[wasm_bindgen_test]
fn products_of_sizes_do_not_wrap_in_32_bits() {
    lipscope_testkit::cost::check_products_do_not_wrap();
}

#[wasm_bindgen_test]
fn what_the_sliders_reach_is_refused_where_it_does_not_fit() {
    lipscope_testkit::cost::check_the_browser_refuses_what_its_sliders_reach();
}

#[wasm_bindgen_test]
fn draws_are_the_same_to_the_last_bit() {
    portable::check_draws_to_the_bit();
}

#[wasm_bindgen_test]
fn norms_are_the_same_to_twelve_digits() {
    portable::check_norms_to_twelve_digits();
}

#[wasm_bindgen_test]
fn a_search_goes_the_same_way() {
    portable::check_a_search_to_nine_digits();
}

#[wasm_bindgen_test]
fn the_adversarial_tokens_have_the_tabled_norms() {
    for (mask, expected) in [("none", 2.0504), ("causal", 5.3135)] {
        let mut tokens = vec![1.0; 100];
        tokens[0] = -1.0;
        let found =
            lipscope_core::measure::measure(&reference::line_experiment(&tokens, -1.0, mask)).expect("measured");
        reference::assert_close(mask, found.spectral, expected, 5e-5, 1.0);
    }
}

#[wasm_bindgen_test]
fn a_run_is_answered_in_slices() {
    let mut runner = Runner::<EngineTasks>::new(Memory::default());
    let mut replies = Vec::new();
    let experiment = reference::line_experiment(&[-1.0, 1.0, 0.5, 0.2], -1.0, "none");
    let plan = EnginePlan::Sweep(SweepRequest {
        experiment,
        lengths: vec![2, 3, 4],
        draws: 2,
        spacing: Spacing::Fixed,
        norm: Norm::Spectral,
        points: None,
    });
    runner.begin(Command::Run(Request { run_id: 3, plan }), 0.0, |reply| replies.push(reply));
    let mut slices = 0;
    // A clock past the end of the slice: every slice does one step.
    while runner.slice(0.0, || 1.0, |reply| replies.push(reply)) == Poll::More {
        slices += 1;
    }
    assert!(slices >= 6);
    let n_points: usize = replies
        .iter()
        .map(|reply| if let Content::Event(EngineEvent::Sweep(points)) = &reply.content { points.len() } else { 0 })
        .sum();
    assert_eq!(n_points, 6);
    assert_eq!(replies.last(), Some(&Reply { run_id: 3, content: Content::Finished }));
}

//! J v and J^T u do not allocate, as counted by a global allocator on the computing thread.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use lipscope_core::attention::{Dual, Forward, Scalar};
use lipscope_core::experiment::Experiment;
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::parallel::on_one_thread;
use lipscope_core::weights::inputs;
use lipscope_testkit::settings::SETTINGS;

struct Counting;

thread_local! {
    static N_ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count_one();
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// (n, d, heads, k) of the benches.
const SHAPES: [(usize, usize, usize, usize); 5] =
    [(16, 8, 1, 8), (64, 8, 1, 8), (256, 16, 1, 16), (1024, 64, 1, 64), (100, 768, 12, 64)];

/// Just above the size up to which attention matrices are stored.
const RECOMPUTED: (usize, usize, usize, usize) = (2600, 4, 4, 1);

fn experiment((n, d, heads, k): (usize, usize, usize, usize), setting: &str, output: bool) -> Experiment {
    Experiment::from_json(&format!(
        r#"{{"tokens":{{"source":"random","distribution":"gaussian","n":{n},"d":{d},"radius":2,"seed":0}},
        "weights":{{"source":"random","heads":{heads},"head_dim":{k},"seed":0,"output":{output}}}{setting}}}"#
    ))
    .expect("a valid experiment")
}

/// Counts the allocations of a second round of products.
fn count<T: Scalar>(experiment: &Experiment) -> usize {
    let inputs = inputs(experiment).expect("inputs that fit");
    let mut operator = JacobianOperator::<T>::new(Forward::new(experiment, &inputs).expect("finite scores"));
    let v: Vec<T> = (0..operator.n_inputs()).map(|i| T::constant((i as f64).sin())).collect();
    let mut u = vec![T::constant(0.0); operator.n_outputs()];
    let mut back = v.clone();
    let mut round = || {
        let before = N_ALLOCATIONS.get();
        operator.apply(&v, &mut u);
        operator.apply_transpose(&u, &mut back);
        N_ALLOCATIONS.get() - before
    };
    // On one thread: another one would allocate where it is not counted.
    on_one_thread(|| {
        round();
        round()
    })
}

#[test]
fn products_with_the_jacobian_and_its_transpose_allocate_nothing() {
    for shape in SHAPES {
        for setting in SETTINGS {
            for output in [false, true] {
                let experiment = experiment(shape, setting, output);
                assert_eq!(count::<f64>(&experiment), 0, "f64, {shape:?}, {setting}");
                // Dual numbers use the packed product; the large shapes would only take longer.
                if shape.0 * shape.1 <= 4096 {
                    assert_eq!(count::<f32>(&experiment), 0, "f32, {shape:?}, {setting}");
                    assert_eq!(count::<Dual>(&experiment), 0, "dual, {shape:?}, {setting}");
                }
            }
        }
    }
    let experiment = experiment(RECOMPUTED, SETTINGS[4], true);
    assert_eq!(count::<f64>(&experiment), 0, "f64, {RECOMPUTED:?}");
    let steps = r#","score":{"qk_norm":{"kind":"rms","eps":0.01},"rope":{},"softcap":5,"alibi":{},"value_norm":{"eps":0.1}},
        "mask":{"kind":"window","width":9,"causal":true},"weighting":{"kind":"softmax","sink":0}"#;
    for shape in [SHAPES[1], SHAPES[4], RECOMPUTED] {
        assert_eq!(count::<f64>(&self::experiment(shape, steps, true)), 0, "f64, {shape:?}, steps");
    }
    assert_eq!(count::<Dual>(&self::experiment(SHAPES[1], steps, true)), 0, "dual, steps");
}

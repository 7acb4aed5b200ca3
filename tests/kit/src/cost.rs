//! The cost model where products of sizes pass 32 bits, on any target.

use lipscope_core::cost::shape_of;
use lipscope_core::experiment::{Experiment, InputError, Memory, Size};
use lipscope_core::measure::{MeasureOptions, Measuring, cost};

/// 512 heads of dimension 16384: the weights are within their limit, and the projections take 3 TiB.
pub const WIDE_HEADS: &str =
    r#"{"tokens":{"source":"random","n":16384,"d":1},"weights":{"source":"random","heads":512,"head_dim":16384}}"#;

/// The largest experiment that the page's sliders reach: 3.5 GiB on one thread, most of it the left basis of
/// 4096 x 2048 numbers a vector.
pub const SLIDERS: &str =
    r#"{"tokens":{"source":"random","n":4096,"d":8},"weights":{"source":"random","heads":16,"head_dim":128}}"#;

/// An experiment of a text.
///
/// # Panics
/// If the text is no experiment.
#[must_use]
pub fn read(text: &str) -> Experiment {
    Experiment::from_json(text).unwrap_or_else(|problem| panic!("{text}: {problem}"))
}

/// Products of sizes that would be 0 or small in 32 bits have their true value.
///
/// # Panics
/// If a product wraps.
pub fn check_products_do_not_wrap() {
    // 4 x 1024 heads x 16384 x 64 weights are exactly 2^32, of which a 32-bit product sees 0; the others alike.
    let weights = |heads: u64, head_dim: u64, d: u64| {
        let text = format!(
            r#"{{"tokens":{{"source":"random","n":2,"d":{d}}},"weights":{{"source":"random","heads":{heads},"head_dim":{head_dim}}}}}"#
        );
        Measuring::start(&read(&text), MeasureOptions::default()).map(|_| ()).expect_err("too large")
    };
    for (heads, head_dim, d) in [(1024, 16384, 64), (64, 16384, 1024), (1024, 1024, 1024), (1024, 16384, 16384)] {
        let entries = 4 * heads * head_dim * d;
        match weights(heads, head_dim, d) {
            InputError::TooLarge { found, .. } => assert_eq!(found.to_string(), entries.to_string()),
            other => panic!("{heads} heads of {head_dim}, d = {d}: {other}"),
        }
    }
    // p n = 3 x 512 x 16384 x 16384 = 3 x 2^37, of which a 32-bit product sees 0.
    let experiment = read(WIDE_HEADS);
    let shape = shape_of(&experiment);
    assert_eq!((shape.projections(), shape.outputs()), (3 << 23, 1 << 37));
    assert_eq!(shape.entries(), 1 << 51);
    let bytes = cost(&experiment, &MeasureOptions::default()).bytes;
    assert!(bytes > 2 * 8 * shape.projections() * shape.n, "{bytes}");
    let refused = Measuring::start(&experiment, MeasureOptions::default()).map(|_| ()).expect_err("too large");
    assert!(matches!(refused, InputError::TooCostly { bytes: said, .. } if said == bytes), "{refused}");
    // 16384 x 256 inputs times 16384 x 2^24 outputs.
    let all = read(
        r#"{"tokens":{"source":"random","n":16384,"d":256},"weights":{"source":"random","heads":1024,"head_dim":16384}}"#,
    );
    assert_eq!(shape_of(&all).entries(), 1 << 60);
    assert!(cost(&all, &MeasureOptions::default()).bytes > 1 << 44);
}

/// The largest experiment of the sliders is refused in a browser, with its bytes.
///
/// # Panics
/// If it is not refused.
pub fn check_the_browser_refuses_what_its_sliders_reach() {
    let options = MeasureOptions { memory: Memory::BROWSER, ..MeasureOptions::default() };
    match Measuring::start(&read(SLIDERS), options).map(|_| ()).expect_err("too large") {
        InputError::TooCostly { bytes, limit, lower, at_most, .. } => {
            assert_eq!((limit, lower), (1 << 30, Size::Tokens));
            assert!(bytes > 5 << 29 && bytes < 15 << 28, "{bytes}");
            assert!(at_most.is_some_and(|n| (512..2048).contains(&n)), "{at_most:?}");
        }
        other => panic!("{other}"),
    }
}

//! A token that may attend to no token: its output is zero, and so is its row of the Jacobian (docs/experiment.md).

use lipscope_core::experiment::Experiment;
use lipscope_core::measure::{MeasureOptions, measure_with};

fn norm(mask: &str, svd_limit: usize) -> f64 {
    let text = format!(
        r#"{{"mask":{mask},"tokens":{{"source":"explicit","rows":[[0.7],[-1.3]]}},"weights":{{"source":"identity","sign":1}}}}"#
    );
    let experiment = Experiment::from_json(&text).expect(mask);
    measure_with(&experiment, MeasureOptions { svd_limit, ..MeasureOptions::default() }).expect(mask).spectral
}

#[test]
fn a_row_without_a_key_is_zero_dense_and_iterated() {
    // The second token sees both: f = sum_j w_j x_j with w = softmax(x_2 x_j).
    let (x, y) = (0.7f64, -1.3f64);
    let (to_x, to_y) = ((y * x).exp(), (y * y).exp());
    let (v, w) = (to_x / (to_x + to_y), to_y / (to_x + to_y));
    let f = v * x + w * y;
    let by_x = v + v * (x - f) * y;
    let by_y = w + w * (y - f) * y + v * (x - f) * x + w * (y - f) * y;
    for svd_limit in [64, 1] {
        let found = norm(r#"{"kind":"allowed","rows":[[0,0],[1,1]]}"#, svd_limit);
        assert!((found - by_x.hypot(by_y)).abs() < 1e-12, "{found} {}", by_x.hypot(by_y));
        assert_eq!(norm(r#"{"kind":"allowed","rows":[[0,0],[0,0]]}"#, svd_limit), 0.0);
    }
}

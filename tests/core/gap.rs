//! The gap between the best bounds, over n and R.

use lipscope_core::bounds::{Absence, Norm, Side};
use lipscope_core::experiment::{Experiment, Memory};
use lipscope_core::gap::{DEFAULT_LENGTHS, DEFAULT_RADII, Gap, GapCell, GapPlan, MOST_CELLS, WidestGap};
use lipscope_core::growth::{GrowthPlan, growth};
use lipscope_core::sweep::Spacing;
use serde_json::{Value, json};

fn experiment(radius: f64, more: &Value) -> Experiment {
    let mut value = json!({
        "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": radius},
        "weights": {"source": "identity", "sign": -1},
    });
    value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    Experiment::from_value(value).expect("valid")
}

fn cells(experiment: Experiment, radii: &[f64], lengths: &[f64]) -> Vec<GapCell> {
    let plan = GapPlan { experiment, radii: radii.to_vec(), lengths: lengths.to_vec() };
    let mut gap = Gap::new_within(&plan, Memory::default()).expect("a grid");
    let cells: Vec<GapCell> = std::iter::from_fn(|| gap.step()).collect();
    assert_eq!(gap.progress(), (cells.len(), radii.len() * lengths.len()));
    cells
}

/// A = +I; a quarter turn, which has no real eigenvalue; A = -I under the causal mask; A = -I.
fn others() -> [Value; 4] {
    let eye = json!([[1, 0], [0, 1]]);
    [
        json!({"weights": {"source": "identity", "sign": 1}}),
        json!({"weights": {"source": "explicit", "heads": [{"q": eye, "k": [[0, -1], [1, 0]], "v": eye}]}}),
        json!({"mask": "causal"}),
        json!({}),
    ]
}

#[test]
fn on_the_usual_grid_no_lower_bound_passes_an_upper_one() {
    for more in others() {
        let found = cells(experiment(1.0, &more), &DEFAULT_RADII, &DEFAULT_LENGTHS);
        for cell in &found {
            let (log10, ratio) = (cell.log10().expect("both bounds"), cell.ratio().expect("both bounds"));
            assert!(log10 > -1e-9, "{more}: {cell:?}");
            assert!((ratio.log10() - log10).abs() < 1e-9, "{more}: {ratio} and 10^{log10}");
        }
        let widest = WidestGap::of(found.iter().filter_map(|cell| Some((cell, cell.log10()?)))).expect("a ratio");
        assert!(found.iter().all(|cell| cell.log10() <= Some(widest.log10)));
    }
}

#[test]
fn a_cell_holds_the_best_bounds_of_the_view_over_n() {
    for more in others() {
        for radius in [0.7, 2.4] {
            let lengths = [2.0, 50.0, 1e4, 1e9];
            // R of the experiment does not count.
            let found = cells(experiment(9.0, &more), &[radius], &lengths);
            let plan = GrowthPlan { lengths: lengths.to_vec(), spacing: Spacing::Fixed };
            let rows = growth(&experiment(radius, &more), &plan).expect("curves").rows;
            for (cell, row) in found.iter().zip(&rows) {
                let gap = row.gap_log10(Norm::Spectral).expect("both bounds");
                let own = cell.log10().expect("both bounds");
                assert!((own - gap).abs() < 1e-6, "{more}, R = {radius}, n = {}: {own} and {gap}", cell.n);
            }
        }
    }
}

#[test]
fn the_digits_of_a_cell_do_not_depend_on_the_grid() {
    for more in others() {
        let all = cells(experiment(1.0, &more), &[0.3, 1.5, 4.0], &[2.0, 20.0, 1e9]);
        for cell in all {
            assert_eq!(cells(experiment(2.0, &more), &[cell.radius], &[cell.n]), [cell]);
        }
    }
}

#[test]
fn a_cell_without_a_bound_says_which_and_why() {
    let of = |more: &Value| {
        let found = cells(experiment(1.0, more), &[1.5], &[2.0, 1e6]);
        assert!(found.iter().all(|cell| cell.ratio().is_none() && cell.log10().is_none()), "{found:?}");
        found.last().and_then(|cell| cell.absent)
    };
    assert_eq!(of(&json!({"attention": "l2"})), Some((Side::Lower, Absence::L2Attention)));
    assert_eq!(of(&json!({"normalization": "rms"})), Some((Side::Lower, Absence::Normalizer)));
    // A capped score has a lower bound from three tokens on.
    let capped = cells(experiment(1.0, &json!({"score": {"softcap": 1}})), &[1.5], &[2.0, 1e6]);
    assert_eq!(capped[0].absent, Some((Side::Lower, Absence::FewTokens)));
    assert!(capped[1].ratio().is_some_and(|ratio| ratio > 1.0), "{capped:?}");
}

#[test]
fn a_grid_that_is_empty_or_too_large_or_out_of_range_is_refused() {
    let refused = |radii: &[f64], lengths: &[f64]| {
        let plan =
            GapPlan { experiment: experiment(1.0, &json!({})), radii: radii.to_vec(), lengths: lengths.to_vec() };
        Gap::new_within(&plan, Memory::default()).expect_err("no grid").to_string()
    };
    let many = vec![1.0; MOST_CELLS + 1];
    for radii in [&[][..], &[0.0], &[-1.0], &[f64::NAN], &[f64::INFINITY], &many] {
        assert!(refused(radii, &[2.0]).contains("list of radii"), "{radii:.80?}");
    }
    for lengths in [&[][..], &[1.0], &[f64::NAN], &[f64::INFINITY]] {
        assert!(refused(&[1.0], lengths).contains("list of lengths"), "{lengths:?}");
    }
}

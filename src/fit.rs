//! The slope of log L on log n, with its 95% interval.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// L = c n^alpha fitted by least squares on logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerLaw {
    /// alpha.
    pub exponent: f64,
    /// Half the width of alpha's 95% interval (Student's t on the residuals).
    pub half_width: f64,
    /// c.
    pub factor: f64,
    /// Points used: those with n and L above zero.
    pub n_points: usize,
}

impl PowerLaw {
    /// The fit as files have it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "exponent": self.exponent, "half_width_95": self.half_width, "factor": self.factor,
            "points": self.n_points,
        })
    }
}

/// Fits c n^alpha; `None` with fewer than three usable points or only one n.
#[must_use]
pub fn fit_power_law(points: &[(f64, f64)]) -> Option<PowerLaw> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(n, l)| *n > 0.0 && *l > 0.0 && l.is_finite()).map(|(n, l)| (n.ln(), l.ln())).collect();
    let count = logs.len() as f64;
    if logs.len() < 3 {
        return None;
    }
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread <= 1e-12 {
        return None;
    }
    let exponent = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let squares: f64 = logs.iter().map(|(x, y)| (y - mean_y - exponent * (x - mean_x)).powi(2)).sum();
    let freedom = count - 2.0;
    let quantile = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975);
    Some(PowerLaw {
        exponent,
        half_width: quantile * (squares / freedom / spread).sqrt(),
        factor: (mean_y - exponent * mean_x).exp(),
        n_points: logs.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_power_law_is_recovered() {
        let points: Vec<(f64, f64)> = (1..20).map(|n| (n as f64, 0.7 * (n as f64).powf(0.5))).collect();
        let fit = fit_power_law(&points).expect("enough points");
        assert!((fit.exponent - 0.5).abs() < 1e-12 && (fit.factor - 0.7).abs() < 1e-12, "{fit:?}");
        assert!(fit.half_width < 1e-7, "{fit:?}");
    }

    #[test]
    fn the_interval_is_students() {
        // y = x + (0, 1, -1, 0) on x = 0, 1, 2, 3 in logarithms; worked by hand: slope 0.8, s^2 = 0.9, t(2) = 4.3027.
        let points: Vec<(f64, f64)> =
            [(0.0f64, 0.0f64), (1.0, 2.0), (2.0, 1.0), (3.0, 3.0)].iter().map(|(x, y)| (x.exp(), y.exp())).collect();
        let fit = fit_power_law(&points).expect("enough points");
        assert!((fit.exponent - 0.8).abs() < 1e-12, "{fit:?}");
        assert!((fit.half_width - 4.302_652_7 * (0.9f64 / 5.0).sqrt()).abs() < 1e-5, "{fit:?}");
    }

    #[test]
    fn too_few_points_or_one_n_give_nothing() {
        assert_eq!(fit_power_law(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(fit_power_law(&[(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]), None);
        assert_eq!(fit_power_law(&[(1.0, 0.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 1.0)]), None);
    }
}

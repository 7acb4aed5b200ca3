//! Fits L = c n^alpha as the line of log L against log n, with 95% intervals for both parameters.
//!
//! The intervals are those of Student's t on the residuals: alpha ± t s / sqrt(S), log c ± t s sqrt(1/N + m^2/S), with
//! N points, m the mean of log n, S the sum of (log n - m)^2 and s^2 the residuals' sum of squares over N - 2. Where
//! alpha is fixed, the interval of log c is log c ± t s/sqrt(N), and s^2 is the sum of squares over N - 1. The
//! half-width of the interval is a term for log c, and so a factor for c.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// L = c n^alpha fitted by least squares on logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerLaw {
    /// alpha.
    pub exponent: f64,
    /// Half the width of alpha's 95% interval (Student's t on the residuals); 0 if alpha was fixed.
    pub half_width: f64,
    /// c.
    pub factor: f64,
    /// c's 95% interval is [c / `factor_ratio`, c `factor_ratio`]; at least 1.
    pub factor_ratio: f64,
    /// Number of points used: those with n and L above zero.
    pub n_points: usize,
}

impl PowerLaw {
    /// The fit as JSON, in the form of the exported files.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "exponent": self.exponent, "half_width_95": self.half_width, "factor": self.factor,
            "factor_95": self.factor_interval(), "points": self.n_points,
        })
    }

    /// The ends of c's 95% interval.
    #[must_use]
    pub fn factor_interval(&self) -> [f64; 2] {
        [self.factor / self.factor_ratio, self.factor * self.factor_ratio]
    }

    /// c n^alpha.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        self.factor * n.powf(self.exponent)
    }
}

/// Fits c n^alpha; `None` with fewer than three usable points or only one n.
#[must_use]
pub fn fit_power_law(points: &[(f64, f64)]) -> Option<PowerLaw> {
    let logs = logarithms(points);
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
    let scaled = quantile(freedom)? * (squares / freedom).sqrt();
    Some(PowerLaw {
        exponent,
        half_width: scaled / spread.sqrt(),
        factor: (mean_y - exponent * mean_x).exp(),
        factor_ratio: (scaled * (1.0 / count + mean_x * mean_x / spread).sqrt()).exp(),
        n_points: logs.len(),
    })
}

/// Fits c for a given alpha: log c is the mean of log L - alpha log n. `None` with fewer than two usable points.
#[must_use]
pub fn fit_factor(points: &[(f64, f64)], exponent: f64) -> Option<PowerLaw> {
    let logs = logarithms(points);
    let count = logs.len() as f64;
    if logs.len() < 2 {
        return None;
    }
    let rest = |(x, y): &(f64, f64)| y - exponent * x;
    let mean = logs.iter().map(rest).sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|point| (rest(point) - mean).powi(2)).sum();
    let freedom = count - 1.0;
    Some(PowerLaw {
        exponent,
        half_width: 0.0,
        factor: mean.exp(),
        factor_ratio: (quantile(freedom)? * (squares / freedom / count).sqrt()).exp(),
        n_points: logs.len(),
    })
}

/// Logarithms of the points whose coordinates are both positive, with a finite L.
fn logarithms(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().filter(|(n, l)| *n > 0.0 && *l > 0.0 && l.is_finite()).map(|(n, l)| (n.ln(), l.ln())).collect()
}

/// The two-sided 95% quantile of Student's t with `freedom` degrees of freedom.
fn quantile(freedom: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.975))
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
    fn the_interval_is_that_of_students_t() {
        // y = x + (0, 1, -1, 0) on x = 0, 1, 2, 3 in logarithms; computed by hand: slope 0.8, s^2 = 0.9, t(2) = 4.3027.
        let points: Vec<(f64, f64)> =
            [(0.0f64, 0.0f64), (1.0, 2.0), (2.0, 1.0), (3.0, 3.0)].iter().map(|(x, y)| (x.exp(), y.exp())).collect();
        let fit = fit_power_law(&points).expect("enough points");
        assert!((fit.exponent - 0.8).abs() < 1e-12, "{fit:?}");
        assert!((fit.half_width - 4.302_652_7 * (0.9f64 / 5.0).sqrt()).abs() < 1e-5, "{fit:?}");
        // Intercept 0.3, its variance s^2 (1/4 + 1.5^2/5) = 0.63.
        assert!((fit.factor.ln() - 0.3).abs() < 1e-12, "{fit:?}");
        assert!((fit.factor_ratio.ln() - 4.302_652_7 * 0.63f64.sqrt()).abs() < 1e-5, "{fit:?}");
        let [low, high] = fit.factor_interval();
        assert!((low.ln() - (0.3 - 3.415_124)).abs() < 1e-5 && (high.ln() - (0.3 + 3.415_124)).abs() < 1e-5, "{fit:?}");
    }

    #[test]
    fn a_factor_alone_has_the_interval_of_a_mean() {
        // log L - log n / 2 = 1, 2, 3: mean 2, deviation 1, t(2) = 4.3027 over sqrt 3.
        let points: Vec<(f64, f64)> =
            [(2.0f64, 1.0f64), (5.0, 2.0), (9.0, 3.0)].iter().map(|(n, y)| (*n, n.sqrt() * y.exp())).collect();
        let fit = fit_factor(&points, 0.5).expect("enough points");
        assert!((fit.factor.ln() - 2.0).abs() < 1e-12 && fit.half_width == 0.0 && fit.exponent == 0.5, "{fit:?}");
        assert!((fit.factor_ratio.ln() - 4.302_652_7 / 3f64.sqrt()).abs() < 1e-5, "{fit:?}");
        assert_eq!(fit_factor(&[(2.0, 1.0)], 0.5), None);
    }

    #[test]
    fn too_few_points_or_one_n_give_nothing() {
        assert_eq!(fit_power_law(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(fit_power_law(&[(2.0, 1.0), (2.0, 2.0), (2.0, 3.0)]), None);
        assert_eq!(fit_power_law(&[(1.0, 0.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 1.0)]), None);
    }
}

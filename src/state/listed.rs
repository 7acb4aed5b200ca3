//! The values that the controls show for the reader's own list of tokens.

use lipscope_core::experiment::Rows;

use super::{PageState, TokenChoice};

impl PageState {
    /// The dimension of listed tokens, which weights must fit. Random tokens take the dimension of the weights.
    #[must_use]
    pub fn listed_dim(&self) -> Option<usize> {
        matches!(self.tokens, TokenChoice::Own | TokenChoice::Clusters).then(|| self.dim())
    }
    /// The radius to show in the box: that of the controls, or the largest norm of listed tokens to four digits.
    #[must_use]
    pub fn radius_used(&self) -> f64 {
        let largest = |rows: &Rows| four_digits(rows.iter().map(norm).fold(0.0, f64::max));
        match (self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Own, Some(rows), _) => largest(&rows.0),
            (TokenChoice::Clusters, _, Some(own)) => largest(&own.positions),
            _ => self.radius,
        }
    }
}

fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn norm(token: &[f64]) -> f64 {
    token.iter().map(|x| x * x).sum::<f64>().sqrt()
}

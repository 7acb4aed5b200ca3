//! What the bounds of Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021, Theorem 3.2, for their
//! L2 multi-head attention on the whole space have in common with ours: phi(x) = x e^(x+1) and its inverse phi^-1(y) =
//! W_0(y/e), W_0 the Lambert function.
//!
//! Their two bounds hold under the causal mask too: row i is a row without a mask on i tokens, and phi^-1 grows.

use super::super::logarithms::ln_minus_one;

/// phi^-1(n - 1) = W_0((n - 1)/e).
pub(crate) fn inverse_phi(ln_n: f64) -> f64 {
    lambert_w::lambert_w0((ln_minus_one(ln_n) - 1.0).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_phi_inverts_phi_at_every_length() {
        for n in [2.0f64, 3.0, 1e3, 1e9, 1e18, 1e300] {
            let x = inverse_phi(n.ln());
            let ln_phi = x.ln() + x + 1.0;
            assert!((ln_phi - (n - 1.0).ln()).abs() < 1e-12 * n.ln().max(1.0), "n = {n}: {x}");
        }
    }
}

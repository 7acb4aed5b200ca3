//! Which tokens a token may attend to.

use serde::{Deserialize, Serialize};

use super::Rows;

/// N_i, the tokens that token i may attend to. Positions start at 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Mask {
    /// All tokens.
    None,
    /// Itself and the tokens before it.
    Causal,
    /// The tokens less than `width` positions away: |i - j| < width.
    Window {
        /// W, at least 1.
        width: usize,
        /// Whether the tokens after it are among them.
        order: Order,
    },
    /// The first tokens, and all up to itself: j <= i or j < length.
    Prefix {
        /// The number of first tokens.
        length: usize,
    },
    /// The real tokens: those that are no padding.
    Padding {
        /// For each token whether it is real.
        keys: Vec<bool>,
        /// Whether the tokens after it are among them.
        order: Order,
    },
    /// A table of n x n numbers 0 and 1: row i, column j says whether i may attend to j.
    Allowed(Rows),
}

/// A mask without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MaskKind {
    /// [`Mask::None`].
    None,
    /// [`Mask::Causal`].
    Causal,
    /// Any other mask.
    Other,
}

/// Whether a token may attend to the tokens after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// It may.
    Free,
    /// It may not.
    Causal,
}

impl Mask {
    /// Whether a row sees no token at all. So a table that says what another mask does is treated as that mask is.
    pub(crate) fn has_empty_rows(&self) -> bool {
        match self {
            // A token sees itself.
            Mask::None | Mask::Causal | Mask::Window { .. } | Mask::Prefix { .. } => false,
            Mask::Padding { keys, order: Order::Free } => !keys.contains(&true),
            Mask::Padding { keys, order: Order::Causal } => keys.first() != Some(&true),
            Mask::Allowed(rows) => {
                rows.entries().chunks(rows.n_columns().max(1)).any(|row| row.iter().all(|x| *x == 0.0))
            }
        }
    }

    /// Whether token i may attend to token j.
    #[must_use]
    pub fn allows(&self, i: usize, j: usize) -> bool {
        match self {
            Mask::None => true,
            Mask::Causal => j <= i,
            Mask::Window { width, order } => order.allows(i, j) && i.abs_diff(j) < *width,
            Mask::Prefix { length } => j <= i || j < *length,
            Mask::Padding { keys, order } => order.allows(i, j) && keys.get(j).copied().unwrap_or(false),
            Mask::Allowed(rows) => rows.entries().get(i * rows.n_columns() + j).is_some_and(|entry| *entry != 0.0),
        }
    }

    /// The number of leading tokens, out of n, that hold all that token i may attend to.
    #[must_use]
    #[doc(hidden)]
    pub fn reach(&self, i: usize, n: usize) -> usize {
        match self {
            Mask::None | Mask::Padding { order: Order::Free, .. } | Mask::Allowed(_) => n,
            Mask::Causal | Mask::Window { order: Order::Causal, .. } | Mask::Padding { order: Order::Causal, .. } => {
                (i + 1).min(n)
            }
            Mask::Window { width, order: Order::Free } => i.saturating_add(*width).min(n),
            Mask::Prefix { length } => (i + 1).max(*length).min(n),
        }
    }

    /// Whether every token before the reach of a row may be attended to, so that the reach alone is the mask.
    #[must_use]
    #[doc(hidden)]
    pub fn is_reach(&self) -> bool {
        matches!(self, Mask::None | Mask::Causal | Mask::Prefix { .. })
    }

    /// The mask without its numbers.
    #[must_use]
    pub fn kind(&self) -> MaskKind {
        match self {
            Mask::None => MaskKind::None,
            Mask::Causal => MaskKind::Causal,
            Mask::Window { .. } | Mask::Prefix { .. } | Mask::Padding { .. } | Mask::Allowed(_) => MaskKind::Other,
        }
    }
}

impl Order {
    /// Its name as a mask: "none" or "causal".
    #[must_use]
    pub fn id(self) -> &'static str {
        self.mask().id()
    }

    /// The mask that says no more than this.
    #[must_use]
    pub fn mask(self) -> Mask {
        match self {
            Order::Free => Mask::None,
            Order::Causal => Mask::Causal,
        }
    }

    fn allows(self, i: usize, j: usize) -> bool {
        match self {
            Order::Free => true,
            Order::Causal => j <= i,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_allows_what_its_definition_says_and_nothing_beyond_its_reach() -> Result<(), crate::experiment::InputError>
    {
        let n = 6;
        let table: Vec<f64> = (0..n * n).map(|at| f64::from(u8::from(at % 5 < 2))).collect();
        let keys = vec![true, false, true, true, false, true];
        type Rule = fn(usize, usize) -> bool;
        let masks: [(Mask, Rule); 8] = [
            (Mask::None, |_, _| true),
            (Mask::Causal, |i, j| j <= i),
            (Mask::Window { width: 2, order: Order::Causal }, |i, j| i < j + 2 && j <= i),
            (Mask::Window { width: 3, order: Order::Free }, |i, j| i < j + 3 && j < i + 3),
            (Mask::Prefix { length: 3 }, |i, j| j <= i || j < 3),
            (Mask::Padding { keys: keys.clone(), order: Order::Free }, |_, j| j != 1 && j != 4),
            (Mask::Padding { keys, order: Order::Causal }, |i, j| j != 1 && j != 4 && j <= i),
            (Mask::Allowed(Rows::new("table", n, table)?), |i, j| (i * 6 + j) % 5 < 2),
        ];
        for (mask, rule) in &masks {
            for i in 0..n {
                assert!((0..n).all(|j| mask.allows(i, j) == rule(i, j)), "{mask:?}, row {i}");
                assert!((mask.reach(i, n)..n).all(|j| !rule(i, j)), "{mask:?}, row {i}");
                assert!(!mask.is_reach() || (0..mask.reach(i, n)).all(|j| rule(i, j)), "{mask:?}, row {i}");
            }
        }
        Ok(())
    }
}

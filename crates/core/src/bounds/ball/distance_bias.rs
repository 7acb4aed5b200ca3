//! Sums over a mask where scores have the bias -h |i - j| of ALiBi (ours, docs/theory.md, "Sums over the mask").
//!
//! Under the causal mask column 1 has the largest sum of the bounds on its weights,
//! S = sum_(i>=0) 1/(1 + e^-range sum_(m=1..i) e^(h m) + e^(ln_sink + h i)) <= 2 + (1 + range)/h without a sink.
//! Every term is 1/(alpha + beta e^(h i)), so that the sum is closed up to terms that are added one by one.

use super::row_mass::{KeySlopes, ln_any_length, ln_long, ln_long_at_least};
use crate::bounds::logarithms::{ln_add, softplus};
use crate::experiment::{Mask, Order};

/// ln of an upper bound on every column sum of P over e^ln_n tokens, for a mask that is no table: the largest sum of the
/// bounds on single weights where no later token is seen, and at most twice as large as that elsewhere. `range` is 2 kappa
/// and `ln_sink` is c0 - s+.
pub(crate) fn ln_column_sum(mask: &Mask, ln_n: f64, h: f64, (range, ln_sink): (f64, f64)) -> f64 {
    let n = ln_n.exp();
    let one_sided = |count: f64| falling_sum(count.round(), h, range, ln_sink);
    // The rows after token j, and those before it, are each at most those of column 1 under the causal mask, since they
    // have as many neighbours at least. The row of token j itself counts once.
    let own = (-softplus(ln_sink)).exp();
    let (after, before) = match mask {
        Mask::Window { width, order: Order::Causal } => (n.min(*width as f64), 1.0),
        Mask::Window { width, order: Order::Free } => (n.min(*width as f64), n.min(*width as f64)),
        Mask::Prefix { length } => (n, n.min(*length as f64).max(1.0)),
        Mask::None => (n, n),
        Mask::Causal | Mask::Padding { .. } | Mask::Allowed(_) => (n, 1.0),
    };
    let before = if before > 1.0 { one_sided(before) - own } else { 0.0 };
    (one_sided(after) + before).ln()
}

/// ln of an upper bound on max_j sum_(i: j in N_i) min(G, F(a, H_i)/|N_i|), where ln H_i is `range` and the range of the
/// bias in row i. `enough` is ln of a number above which the sum is of no use: the search may end there, with any larger
/// number.
pub(crate) fn ln_rows(mask: &Mask, ln_n: f64, h: f64, (slopes, a, range): (KeySlopes, f64, f64), enough: f64) -> f64 {
    let (n, ln_short) = (ln_n.exp().round(), ln_any_length(slopes, a));
    let short = ln_short.exp();
    let row = |length: f64, of_bias: f64| {
        let ln_ratio = range + h * (of_bias - 1.0);
        let at_most = ln_short + length.ln();
        // The search in F is left out where G is smaller in any case.
        if ln_long_at_least(slopes, a, ln_ratio) >= at_most {
            return short;
        }
        (ln_long(slopes, a, ln_ratio).min(at_most) - length.ln()).exp()
    };
    let longest = match mask {
        Mask::Causal => n,
        Mask::Window { width, order: Order::Causal } => n.min(*width as f64),
        Mask::Window { width, order: Order::Free } => return ln_short + ln_n.min((2.0 * *width as f64 - 1.0).ln()),
        _ => return ln_short + ln_n,
    };
    // Column 1 meets one row of each length. Column j of a window meets rows of length W in place of its first j - 1.
    let full = row(longest, longest);
    let windowed = if longest < n { n - longest } else { 0.0 };
    let (mut sum, mut gain, mut most_gain, mut from) = (0.0, 0.0f64, 0.0f64, 1.0);
    while from <= longest {
        // Later rows are taken many at a time: the shortest length and the largest range stand for all.
        let block = if from <= EXACT { 1.0 } else { (from / PARTS).floor() };
        let to = (from + block - 1.0).min(longest);
        let (count, each) = (to - from + 1.0, row(from, to));
        sum += count * each;
        if from <= windowed {
            gain += count.min(windowed - from + 1.0) * (full - each);
            most_gain = most_gain.max(gain);
        }
        if (sum + most_gain).ln() > enough {
            return f64::INFINITY;
        }
        from = to + 1.0;
    }
    (sum + most_gain).ln()
}

/// Rows that are taken one by one, and the number of blocks in which a number of rows is taken after them.
const EXACT: f64 = 256.0;
const PARTS: f64 = 64.0;

/// sum_(l=1..n) e^(-h |i - l|) at its largest over the rows i of a mask that is no table, as a logarithm.
pub(crate) fn ln_largest_row(mask: &Mask, ln_n: f64, h: f64) -> f64 {
    let n = ln_n.exp();
    // sum_(t=1..m) e^(-h t).
    let side = |m: f64| if m <= 0.0 { 0.0 } else { -(-h * m).exp_m1() / h.exp_m1() };
    let (back, ahead) = match mask {
        Mask::Causal => (n - 1.0, 0.0),
        Mask::Window { width, order: Order::Causal } => (n.min(*width as f64) - 1.0, 0.0),
        Mask::Window { width, order: Order::Free } => {
            let most = (2.0 * *width as f64 - 2.0).min(n - 1.0);
            ((0.5 * most).floor(), most - (0.5 * most).floor())
        }
        _ => ((0.5 * (n - 1.0)).floor(), n - 1.0 - (0.5 * (n - 1.0)).floor()),
    };
    (1.0 + side(back) + side(ahead)).ln()
}

/// sum_(i=0..n-1) 1/(1 + e^-range sum_(m=1..i) e^(h m) + e^(ln_sink + h i)) for h > 0.
fn falling_sum(n: f64, h: f64, range: f64, ln_sink: f64) -> f64 {
    // sum_(m=1..i) e^(h m) = (e^(h i) - 1)/(1 - e^-h), so that the term is 1/(alpha + beta e^(h i)).
    let ln_rate = -range - (-(-h).exp_m1()).ln();
    let alpha = 1.0 - ln_rate.exp();
    let ln_beta = ln_add(ln_rate, ln_sink);
    let term = |i: f64| {
        let ln_growing = -range + h + ln_growth(h, i);
        // Without a sink its term is 0 at every distance, also at an infinite one.
        let of_sink = if ln_sink == f64::NEG_INFINITY { 0.0 } else { (ln_sink + h * i).exp() };
        1.0 / (1.0 + ln_growing.exp() + of_sink)
    };
    let head = n.min(HEAD);
    let mut sum: f64 = (0..head as u64).map(|i| term(i as f64)).sum();
    if n <= HEAD {
        return sum;
    }
    if h > STEEP {
        // While beta e^(h i) is nothing beside alpha, which is near one then, terms are equal. Behind that they fall to
        // nothing within 80/h rows.
        let level = if alpha > 0.0 { ((alpha.ln() - ln_beta - NOTHING) / h).floor().clamp(HEAD, n) } else { HEAD };
        sum += (level - HEAD) / alpha.max(f64::MIN_POSITIVE) * f64::from(u8::from(level > HEAD));
        let last = n.min(level + (2.0 * NOTHING / h).ceil());
        let mut at = level;
        while at < last {
            sum += term(at);
            at += 1.0;
        }
        return sum;
    }
    // Euler-Maclaurin over i = HEAD .. n - 1, with the integral in closed form.
    let slope = |i: f64| {
        let f = term(i);
        if f == 0.0 { 0.0 } else { -h * (ln_beta + h * i + 2.0 * f.ln()).exp() }
    };
    // alpha + beta e^(h HEAD), from the term: for small h both are large and nearly cancel.
    let start = 1.0 / term(HEAD);
    sum + integral((alpha, ln_beta + h * HEAD, start), h, n - HEAD)
        + 0.5 * (term(HEAD) - term(n))
        + (slope(n) - slope(HEAD)) / 12.0
}

/// ln of (e^(h i) - 1)/(e^h - 1).
fn ln_growth(h: f64, i: f64) -> f64 {
    let x = h * i;
    (if x > NOTHING { x } else { x.exp_m1().ln() }) - h.exp_m1().ln()
}

/// The integral of 1/(alpha + beta e^(h x)) for x from 0 to `length`, from alpha, ln beta and alpha + beta.
fn integral((alpha, ln_beta, start): (f64, f64, f64), h: f64, length: f64) -> f64 {
    // With z = e^(-h length) it is -ln(1 - alpha g)/(alpha h) for g = (1 - z)/(alpha + beta).
    let g = -(-h * length).exp_m1() / start;
    let y = alpha * g;
    if y.abs() < 1e-8 {
        return g / h * (1.0 + 0.5 * y);
    }
    let ln_rest = if y < 0.5 {
        (-y).ln_1p()
    } else {
        // 1 - alpha g = (alpha z + beta)/(alpha + beta), a sum of two positive numbers.
        ln_add(alpha.ln() - h * length, ln_beta) - start.ln()
    };
    -ln_rest / (alpha * h)
}

/// Terms that are added one by one in any case.
const HEAD: f64 = 1024.0;
/// Above this h terms are added one by one, below it the formula of Euler and Maclaurin has all digits.
const STEEP: f64 = 0.01;
/// e^-40 is nothing beside one.
const NOTHING: f64 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_sum(n: u64, h: f64, range: f64, ln_sink: f64) -> f64 {
        let (mut sum, mut others) = (0.0, 0.0);
        for i in 0..n {
            if i > 0 {
                others += (h * i as f64 - range).exp();
            }
            sum += 1.0 / (1.0 + others + (ln_sink + h * i as f64).exp());
        }
        sum
    }

    #[test]
    fn the_closed_sum_equals_its_terms() {
        for h in [3.0, 0.7, 0.05, 0.011, 0.009, 1.0 / 256.0, 1e-4, 1e-9] {
            for range in [0.0, 1e-3, 1.0, 8.0, 30.0, 300.0] {
                for ln_sink in [f64::NEG_INFINITY, -20.0, 0.0, 3.0] {
                    for n in [1u64, 7, 1024, 1025, 3000, 60_000] {
                        let found = falling_sum(n as f64, h, range, ln_sink);
                        let expected = plain_sum(n, h, range, ln_sink);
                        let difference = (found / expected - 1.0).abs();
                        assert!(difference < 1e-11, "h={h} range={range} sink={ln_sink} n={n}: {found} for {expected}");
                    }
                }
            }
        }
    }

    /// Values tabulated outside this crate: kappa = 4, no sink.
    #[test]
    fn the_limit_for_many_tokens_equals_tabulated_values() {
        for (h, expected) in [(1.0, 8.045373), (0.25, 26.504703), (1.0 / 256.0, 687.553123)] {
            for n in [1e6, 1e18, f64::INFINITY] {
                let found = ln_column_sum(&Mask::Causal, f64::ln(n), h, (8.0, f64::NEG_INFINITY)).exp();
                assert!((found - expected).abs() < 6e-7, "h={h} n={n}: {found}");
            }
        }
    }

    #[test]
    fn the_sum_is_at_most_its_simple_bound_and_never_overflows() {
        for h in [1e-12, 1e-3, 0.02, 1.0, 30.0] {
            for range in [0.0, 1.0, 40.0, 2e6] {
                for n in [1.0, 1e3, 1e9, 1e18] {
                    let found = falling_sum(n, h, range, f64::NEG_INFINITY);
                    let most = n.min(2.0 + (1.0 + range) / h);
                    assert!(found > 0.0 && found <= most * (1.0 + 1e-12), "h={h} range={range} n={n}: {found}");
                }
            }
        }
    }
}

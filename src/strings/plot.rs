//! The plot of measured draws.

use crate::state::XAxis;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_core::fit::PowerLaw;
use lipscope_plot::{HoverValue, Number};

use super::bounds::{bound_label, side_kind};
use super::norms::norm_title;
use super::t;

words! {
    plot_heading: "The norm of the Jacobian over the number of tokens", "雅可比矩阵的范数随词元数的变化";
    axis: "n spaced by", "n 的间距";
    measured: "measured", "测得";
    measuring_text: "measuring …", "测量中……";
    readout_hint: "Point at the plot, or focus it and use ← →, to read values; click or Enter takes that n.", "指向图，或聚焦后用 ← → 读数；点击或 Enter 取该 n。";
    slope_hint: "Least squares of log L on log n over all draws, with its 95% interval. Growth like √n has slope 0.5.", "所有抽样上 log L 对 log n 的最小二乘，附 95% 区间。如 √n 增长则斜率为 0.5。";
}

pub fn axis_choice(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "√n",
        XAxis::N => "n",
        XAxis::LogLog => t("log n, log L", "log n，log L"),
    }
}

pub fn x_axis_title(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => t("number of tokens n, spaced by √n", "词元数 n，按 √n 排布"),
        XAxis::N => t("number of tokens n", "词元数 n"),
        XAxis::LogLog => t("number of tokens n, logarithmic", "词元数 n（对数）"),
    }
}

/// The interval is of chance: it is there where tokens are drawn, and at more than two lengths.
pub fn slope(fit: Option<PowerLaw>, draws: usize, lengths: &[usize]) -> String {
    let ends = lengths.first().zip(lengths.last());
    match (fit, ends) {
        (Some(fit), Some((first, last))) if draws < 2 || lengths.len() < 3 => {
            say!(
                "log–log slope {} over n = {first} to {last}",
                "双对数斜率 {}，n = {first} 至 {last}",
                signed(fit.exponent)
            )
        }
        (Some(fit), _) => {
            say!("log–log slope {} ± {:.3} (95%)", "双对数斜率 {} ± {:.3}（95%）", signed(fit.exponent), fit.half_width)
        }
        (None, _) => t("log–log slope –", "双对数斜率 –").into(),
    }
}

pub fn mean_label(draws: usize) -> String {
    if draws > 1 { say!("measured, mean of {draws}", "测得，{draws} 次平均") } else { measured().into() }
}

pub fn n_equals(n: f64) -> String {
    format!("n = {}", count(n))
}

/// A number of tokens: all digits while people write them so.
pub fn count(n: f64) -> String {
    let is_round = n >= 1e6 && n % 1e4 == 0.0;
    if n < 1e7 && !is_round { n.to_string() } else { Number::short(n).to_string() }
}

pub fn readout(n: f64, values: &[HoverValue]) -> String {
    let word_measured = measured();
    let mut parts = vec![n_equals(n)];
    let of = |id: &str| values.iter().find(|value| value.id == id);
    if let Some(draws) = of("draws").filter(|value| value.x == n) {
        let mean = Number::of(draws.y);
        parts.push(match draws.count {
            1 => format!("{word_measured} {mean}"),
            count => say!(
                "{word_measured} {mean} (least {}, greatest {}, {count} draws)",
                "{word_measured} {mean}（最小 {}，最大 {}，{count} 次抽样）",
                Number::of(draws.low),
                Number::of(draws.high)
            ),
        });
    } else if let Some(current) = of("current").filter(|value| value.x == n) {
        parts.push(format!("{word_measured} {}", current.number));
    }
    for bound in BoundId::ALL {
        if let Some(value) = of(bound.id()) {
            parts.push(format!("{} {}", bound_label(bound), value.number.clone().kind(side_kind(bound.side()))));
        }
    }
    parts.join("  ·  ")
}

/// Three decimals, with a minus sign as wide as a digit.
fn signed(x: f64) -> String {
    format!("{x:.3}").replace('-', "\u{2212}")
}

pub fn plot_finding(norm: Norm, ends: Option<((f64, f64), (f64, f64))>, fit: Option<PowerLaw>) -> String {
    match (ends, fit) {
        (Some(((n, first), (m, last))), Some(fit)) => say!(
            "{} over the number of tokens: {} at n = {n}, {} at n = {m}; it grows like n to the {:.2} plus or minus {:.2}. Left and right arrows read values.",
            "{}随词元数的变化：{}（n = {n}），{}（n = {m}）；增长如 n 的 {:.2} ± {:.2} 次方。左右箭头读数。",
            norm_title(norm),
            Number::of(first),
            Number::of(last),
            fit.exponent,
            fit.half_width
        ),
        _ => say!("{} over the number of tokens; being measured.", "{}随词元数的变化；测量中。", norm_title(norm)),
    }
}

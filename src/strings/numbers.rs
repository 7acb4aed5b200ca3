//! The numbers of a configuration.

use crate::live::MeasureProgress;
use lipscope_core::bounds::Norm;
use lipscope_core::measure::{Measurement, Method, Warning};
use lipscope_plot::{Kind, Number};

use super::norms::needs_dense;
use super::t;

words! {
    numbers_heading: "This configuration", "当前配置";
    ratio: "over √n", "除以 √n";
    ratio_hint: "The number above divided by √n", "上面的数除以 √n";
    radius: "R of the bounds", "界所用的 R";
    radius_hint: "The largest token norm, or √d under a normaliser", "最大词元范数；有归一化时为 √d";
    largest_column_sum: "largest column sum", "最大列和";
    largest_column_sum_hint: "How much attention one token draws: n where all attend to it alone", "一个词元吸引多少注意力：全部只关注它时为 n";
    large_radius: "as R → ∞", "R → ∞ 时";
    large_radius_hint: "Where the norm goes as all tokens are scaled up together and softmax becomes a choice", "所有词元一同放大、softmax 变为选择时范数的极限";
    mean_field: "as n → ∞", "n → ∞ 时";
    mean_field_hint: "For clusters: the norm of the mean-field operator, at fixed shares", "对簇：份额固定时平均场算子的范数";
    method_text: "method", "方法";
    iterations: "steps", "步数";
    residual: "relative residual", "相对残差";
    residual_hint: "|Jᵀu − s v| / s, of the singular vectors found", "|Jᵀu − s v| / s，针对找到的奇异向量";
    time: "time in the worker", "工作线程用时";
}
pub const SMALL_N: &str = "n";
pub const SMALL_D: &str = "d";
pub const NONE_YET: &str = "–";
words! {
    stale: "These are the last good numbers.", "这是最近一次有效的数。";
}

pub fn how(measurement: &Measurement, norm: Norm) -> String {
    match norm {
        Norm::Spectral => how_spectral(measurement),
        _ if measurement.norm(norm).is_none() => needs_dense().into(),
        Norm::MaxToken => t("an upper bound, from the norm of every block", "上界，由每个块的范数得出").into(),
        Norm::Linf | Norm::L1 | Norm::Frobenius => {
            t("exact, from every entry of J", "精确，由 J 的每个元素得出").into()
        }
    }
}

fn how_spectral(measurement: &Measurement) -> String {
    let unconverged =
        measurement.warnings.first().map(|Warning::Unconverged { relative_residual, .. }| *relative_residual);
    match (measurement.method, unconverged) {
        (Method::DenseSvd, _) => t("exact, by dense SVD", "精确，稠密 SVD").into(),
        (Method::Clusters, None) if measurement.iterations == 0 => {
            t("exact, by distinct tokens", "精确，按不同词元").into()
        }
        (Method::CausalRuns, None) => {
            say!("to 1e-10 (Lanczos on runs, {} steps)", "精确到 1e-10（段上 Lanczos，{} 步）", measurement.iterations)
        }
        (_, None) => say!("to 1e-10 (Lanczos, {} steps)", "精确到 1e-10（Lanczos，{} 步）", measurement.iterations),
        (_, Some(residual)) => {
            say!("a lower bound: Lanczos stopped at residual {residual:.0e}", "下界：Lanczos 停在残差 {residual:.0e}")
        }
    }
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::DenseSvd => t("dense SVD", "稠密 SVD"),
        Method::Lanczos => "Lanczos",
        Method::Clusters => t("distinct tokens", "不同词元"),
        Method::CausalRuns => t("Lanczos on runs", "段上 Lanczos"),
    }
}

pub fn measuring(progress: MeasureProgress) -> String {
    match progress.relative_residual {
        Some(residual) => say!(
            "measuring: step {}, residual {residual:.0e}",
            "测量中：第 {} 步，残差 {residual:.0e}",
            progress.iterations
        ),
        None => say!("measuring: step {}", "测量中：第 {} 步", progress.iterations),
    }
}

pub fn milliseconds(ms: f64) -> Number {
    if ms < 1000.0 { Number::rough(ms).unit("ms") } else { Number::rough(ms / 1000.0).unit("s") }
}

/// Whether a norm is known, or bounded from below or above.
pub fn kind_of(measurement: &Measurement, norm: Norm) -> Kind {
    match norm {
        Norm::MaxToken => Kind::UpperBound,
        Norm::Spectral if !measurement.warnings.is_empty() => Kind::LowerBound,
        Norm::Spectral | Norm::Linf | Norm::L1 | Norm::Frobenius => Kind::Exact,
    }
}

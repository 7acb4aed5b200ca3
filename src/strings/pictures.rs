//! Tables and files, the attention matrix, the token plane.

use lipscope_core::measure::Measurement;
use lipscope_core::picture::{AttentionPicture, TokenPicture, Unit};
use lipscope_plot::Number;

use super::plot::count;
use super::t;

// Tables and files.
words! {
    table: "Table", "表格";
    copy_csv: "Copy CSV", "复制 CSV";
    download_csv: "Save CSV", "保存 CSV";
    copied: "Copied.", "已复制。";
    not_copied: "The browser does not allow copying here; save the file instead.", "浏览器不允许在此复制；请改为保存文件。";
    token: "token", "词元";
    column_sum: "column sum", "列和";
}
pub fn sweep_columns() -> [&'static str; 4] {
    ["n", t("least", "最小"), t("mean", "平均"), t("greatest", "最大")]
}
words! {
    from_to: "from \\ to", "从 \\ 到";
}

// The attention matrix.
words! {
    attention_heading: "Attention matrix", "注意力矩阵";
    head_text: "Head", "头";
    column_sums: "column sums,", "列和，";
}

pub fn head(head: usize) -> String {
    (head + 1).to_string()
}

/// What one row or column of the attention matrix stands for.
pub fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Token => token(),
        Unit::Cluster => t("cluster", "簇"),
        Unit::Run => t("run", "段"),
    }
}

pub fn unit_axes(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Token => (t("from token", "从词元"), t("to token", "到词元")),
        Unit::Cluster => (t("from cluster", "从簇"), t("to cluster", "到簇")),
        Unit::Run => (t("from run", "从段"), t("to run", "到段")),
    }
}

pub fn attention_finding(picture: &AttentionPicture, measurement: &Measurement) -> String {
    let sums = || picture.column_sums.iter().copied();
    let largest = sums().fold(0.0, f64::max);
    let at = sums().position(|sum| sum == largest).map_or(0, |place| place + 1);
    let to = match picture.unit {
        Unit::Token => say!("token {at}", "词元 {at}"),
        Unit::Cluster => say!("each token of cluster {at}", "簇 {at} 的每个词元"),
        Unit::Run => say!("the first token of run {at}", "段 {at} 的第一个词元"),
    };
    let averaged = if picture.side < picture.n { t(" Cells are averages.", "每格为平均值。") } else { "" };
    say!(
        "Most attention goes to {to}: its column sums to c = {} of n = {}. With c near n, an attention sink, L is of the size of √n = {}; here √c = {}.{averaged}",
        "最多的注意力流向{to}：其列和为 c = {}，n = {}。c 接近 n 即注意力汇聚时，L 约为 √n = {}；这里 √c = {}。{averaged}",
        Number::of(largest),
        count(measurement.n),
        Number::of(measurement.n.sqrt()),
        Number::of(largest.sqrt())
    )
}

// The token plane.
words! {
    tokens_heading: "Tokens", "词元";
    plane_heading: "Tokens, to be moved", "可移动的词元";
}

/// The titles of the axes while a token is moved: principal axes hold still, and have no shares of their own.
pub fn held_plane_axes(picture: &TokenPicture) -> (String, String) {
    match picture.variance_shares {
        Some(_) => {
            (t("1st axis, held still", "第一轴，保持不动").into(), t("2nd axis, held still", "第二轴，保持不动").into())
        }
        None => plane_axes(picture),
    }
}

/// The titles of the axes.
pub fn plane_axes(picture: &TokenPicture) -> (String, String) {
    let share = |share: f64| say!("{:.0}% of the variance", "占方差的 {:.0}%", 100.0 * share);
    match (picture.variance_shares, picture.d) {
        (Some((first, second)), _) => {
            (say!("1st axis, {}", "第一轴，{}", share(first)), say!("2nd axis, {}", "第二轴，{}", share(second)))
        }
        (None, 1) => (t("token", "词元").into(), String::new()),
        (None, _) => (t("1st number", "第一个数").into(), t("2nd number", "第二个数").into()),
    }
}

pub fn tokens_finding(picture: &TokenPicture) -> String {
    let n = picture.positions.len();
    let largest = Number::of(picture.largest_norm);
    if picture.ln_sizes.is_some() {
        return say!(
            "{n} positions, each standing for many tokens: the larger, the more. The largest norm is {largest}.",
            "{n} 个位置，每个代表许多词元：越大越多。最大范数为 {largest}。"
        );
    }
    match (picture.d, picture.variance_shares) {
        (1, _) => say!(
            "{n} tokens of one number; those that coincide are stacked. The largest norm is {largest}.",
            "{n} 个一维词元；重合的堆叠显示。最大范数为 {largest}。"
        ),
        (_, None) => say!(
            "{n} tokens of two numbers, as they are. The largest norm is {largest}.",
            "{n} 个二维词元，原样。最大范数为 {largest}。"
        ),
        (d, Some((first, second))) => say!(
            "{n} tokens of {d} numbers on their first two principal axes, which hold {:.0}% of the variance. The largest norm is {largest}.",
            "{n} 个 {d} 维词元画在前两个主轴上，主轴含方差的 {:.0}%。最大范数为 {largest}。",
            100.0 * (first + second)
        ),
    }
}

pub fn ball(radius: f64) -> String {
    format!("R = {}", Number::short(radius))
}

pub fn drawn_of(drawn: usize, n: usize) -> String {
    say!("The first {drawn} of {n} are drawn.", "画出 {n} 个中的前 {drawn} 个。")
}

/// The name of a picture: what it is of, and what it shows once there is something.
pub fn label(heading: &str, finding: &str) -> String {
    if finding.is_empty() { heading.to_owned() } else { say!("{heading}. {finding}", "{heading}。{finding}") }
}

//! The search for the worst tokens.

use crate::labs::{Phase, SearchRun};
use lipscope_core::experiment::{Attention, Mask};
use lipscope_core::search::{Region, SearchDomain, SearchStep, StartKind};
use lipscope_plot::Number;

use super::bounds::bound_label;
use super::plot::count;
use super::t;

words! {
    plot_search: "Hunt", "搜寻";
    plot_search_hint: "Tokens in the ball at which the constant is large, found by ascent", "用上升法找到的、球内使常数很大的词元";
    search_heading: "The hunt for the worst tokens in the ball", "搜寻球内最坏的词元";
    search_about_text: "Moves the tokens uphill on ‖J‖₂ inside the ball, from many starts. What is found is reached, so the constant of the ball is at least that.", "在球内从许多起点沿 ‖J‖₂ 上升移动词元。找到的值确实达到，因此球的常数至少如此。";
    search_changed: "The controls have changed since; Start anew hunts there.", "控件此后已改动；“重新开始”会在新设置下搜寻。";
    search_start_text: "Start", "开始";
    search_anew: "Start anew", "重新开始";
    search_start_hint: "Hunt with the weights, mask, kernel, n and R of the controls", "用控制栏的权重、掩码、核、n 与 R 搜寻";
    search_region_text: "Tokens", "词元";
    search_restarts_hint: "Starts in all: the tokens of the controls, adversarial ones, two clusters, crossed and opposed ones, then random ones", "起点总数：控制栏的词元、对抗词元、双簇、交叉与对置词元，然后是随机词元";
    search_seed_hint: "Seed of random starts and of kicks off plateaus", "随机起点与离开平台的扰动所用的种子";
    search_dim_hint: "The dimension in which the adversarial tokens of A = ±I move; else d is that of the controls", "A = ±I 的对抗词元移动所在的维数；其余情况 d 取自控制栏";
    search_note: "Start begins the climb.", "点“开始”即开始上升。";
    search_x: "iteration, all restarts", "迭代（所有重启）";
}
pub const SEARCH_Y: &str = "‖J‖₂";
words! {
    search_best: "best found", "找到的最佳";
    search_best_short: "best", "最佳";
    search_found: "lower bound found", "找到的下界";
    search_over_upper: "found / upper", "找到 / 上界";
    search_no_upper: "upper bound", "上界";
    search_no_lower: "known lower bound", "已知下界";
    search_from: "from", "起点";
    search_now: "now", "当前";
    search_iteration: "iteration", "迭代";
    search_plane_now: "The tokens now", "当前词元";
    search_plane_best: "The best tokens", "最佳词元";
    search_load: "Load into the page", "载入页面";
    search_load_hint: "Take the best tokens as your own: the numbers and all other views are of them then", "把最佳词元作为您自己的词元：此后数值和所有其他视图都针对它们";
    search_send: "Send to the plots", "送到图中";
    search_send_hint: "Show what was found at its n in Regime and in Draws", "在区域图和实测抽样图的相应 n 处显示找到的值";
    search_point: "hunt", "搜寻";
    search_point_column: "hunt (lower bound)", "搜寻（下界）";
}
pub fn search_columns() -> [&'static str; 7] {
    [
        t("iteration", "迭代"),
        t("restart", "重启"),
        t("from", "起点"),
        t("its iteration", "其迭代"),
        t("‖J‖₂ now", "当前 ‖J‖₂"),
        t("best found (lower bound)", "找到的最佳（下界）"),
        t("relative residual", "相对残差"),
    ]
}
words! {
    search_skew: "The skew witness brings another A for each n and R. Choose other tokens.", "斜对称见证对每个 n 和 R 有不同的 A。请换词元。";
    search_clusters: "Clusters are no list of tokens that could move. Choose a law of tokens, or paste your own.", "簇不是可移动的词元列表。请选择一种分布，或粘贴您自己的词元。";
    search_normalized: "A normaliser undoes what moves in and out. Set Normaliser to none.", "归一化会抵消向内向外的移动。请把归一化设为无。";
}

pub fn search_region(region: Region) -> &'static str {
    match region {
        Region::Ball => t("in the ball", "球内"),
        Region::Sphere => t("on the sphere", "球面上"),
    }
}

pub fn search_start(kind: StartKind) -> &'static str {
    match kind {
        StartKind::Own => t("the tokens of the controls", "控制栏的词元"),
        StartKind::Adversarial => t("adversarial tokens", "对抗词元"),
        StartKind::TwoClusters => t("two clusters", "双簇"),
        StartKind::Crossed => t("crossed tokens", "交叉词元"),
        StartKind::Skew => t("opposed tokens", "对置词元"),
        StartKind::Random => t("random tokens", "随机词元"),
        StartKind::RandomClusters => t("random clusters", "随机簇"),
    }
}

/// What a search is in, in a sentence.
pub fn search_about(setting: &SearchDomain) -> String {
    let sign = match setting.region {
        Region::Ball => "≤",
        Region::Sphere => "=",
    };
    let kernel = match setting.experiment.attention {
        Attention::Dot => t("dot product", "点积"),
        Attention::L2 => "L2",
    };
    let mask = match setting.experiment.mask {
        Mask::None => t("no mask", "无掩码"),
        Mask::Causal => t("causal", "因果"),
    };
    let radius = Number::of(setting.radius);
    say!(
        "n = {} tokens, d = {}, |xᵢ| {sign} {radius}, {kernel}, {mask}.",
        "n = {} 个词元，d = {}，|xᵢ| {sign} {radius}，{kernel}，{mask}。",
        setting.n,
        setting.d
    )
}

pub fn search_progress(phase: &Phase, (done, total): (usize, usize), start: Option<StartKind>) -> String {
    let restart = (done + 1).min(total.max(1));
    let from = start.map_or_else(String::new, |start| say!(", from {}", "，起点：{}", search_start(start)));
    match phase {
        Phase::Waiting => String::new(),
        Phase::Running => say!("restart {restart} of {total}{from}", "第 {restart} 次重启，共 {total} 次{from}"),
        Phase::Paused => {
            say!("Paused in restart {restart} of {total}.", "已暂停：第 {restart} 次重启，共 {total} 次。")
        }
        Phase::Stopped => t("Stopped; what was found stays.", "已停止；已找到的保留。").into(),
        Phase::Done => say!("All {total} restarts are done; more can be added.", "{total} 次重启全部完成；可以再加。"),
        Phase::Failed(problem) => problem.clone(),
    }
}

pub fn search_finding(run: &SearchRun) -> String {
    let Some(mark) = &run.mark else {
        return t(
            "The best and the current norm against the iteration; not begun.",
            "最佳与当前范数随迭代的变化；尚未开始。",
        )
        .into();
    };
    let upper = run.bounds()[0].map(|bound| {
        say!(", and at most {} by {}", "，按{1}至多 {0}", Number::from_log10(bound.log10), bound_label(bound.id))
    });
    say!(
        "The constant of the ball is at least {}, found from {}{}. Left and right arrows read values.",
        "球的常数至少为 {}，起点为{}{}。左右箭头读数。",
        Number::of(mark.best_norm()),
        search_start(mark.best_start()),
        upper.unwrap_or_default()
    )
}

pub fn search_readout(step: Option<SearchStep>) -> String {
    match step {
        Some(step) => say!(
            "iteration {}  ·  restart {}, from {}  ·  now {}  ·  best ≥ {}",
            "迭代 {}  ·  重启 {}，起点：{}  ·  当前 {}  ·  最佳 ≥ {}",
            step.at,
            step.restart + 1,
            search_start(step.start),
            Number::of(step.norm),
            Number::of(step.best)
        ),
        None => {
            t("Point at the plot, or focus it and use ← →, to read values.", "指向图，或聚焦后用 ← → 读数。").into()
        }
    }
}

/// How many tokens stand at one place.
pub fn alike(count: usize) -> String {
    format!("{count} ×")
}

pub fn search_sent(n: f64, norm: f64) -> String {
    say!("In the plots: n = {}, ≥ {}.", "已在图中：n = {}，≥ {}。", count(n), Number::of(norm))
}

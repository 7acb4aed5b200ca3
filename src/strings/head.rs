//! The head of the page: its name, its question, the papers.

use crate::state::ThemeChoice;
use lipscope_core::bounds::Norm;
use lipscope_plot::Number;

use super::norms::norm_symbol;
use super::plot::count;
use super::t;

pub const TITLE: &str = "Lipscope";
words! {
    lead: "How much can self-attention magnify a small change of its tokens?", "自注意力能把词元的微小变化放大多少？";
    skip: "Skip to the plot", "跳到图";
}
pub fn paper_castin() -> (&'static str, &'static str, &'static str) {
    (
        t("[C] Castin et al. 2024", "[C] Castin 等 2024"),
        "https://arxiv.org/abs/2312.14820",
        "Castin, Ablin, Peyré: How Smooth Is Attention? ICML 2024",
    )
}
pub fn paper_kim() -> (&'static str, &'static str, &'static str) {
    (
        t("[K] Kim et al. 2021", "[K] Kim 等 2021"),
        "https://arxiv.org/abs/2006.04710",
        "Kim, Papamakarios, Mnih: The Lipschitz Constant of Self-Attention. ICML 2021",
    )
}
words! {
    theme: "Theme", "主题";
    open_whole: "Open in Lipscope", "在 Lipscope 中打开";
    languages: "Language", "语言（Language）";
    controls: "Controls", "控件";
    new_build: "A newer Lipscope is here.", "Lipscope 有新版本。";
    take_new_build: "Load it", "载入";
    close_other_pages: "Close its other pages first.", "请先关闭其他 Lipscope 页面。";
    close: "Close", "关闭";
}

pub fn theme_choice(choice: ThemeChoice) -> &'static str {
    match choice {
        ThemeChoice::System => t("Auto", "自动"),
        ThemeChoice::Light => t("Light", "浅色"),
        ThemeChoice::Dark => t("Dark", "深色"),
    }
}

/// The number of an embedded page.
pub fn embed_line(norm: Norm, value: &str, n: f64, radius: f64) -> String {
    format!("{} {value} at n = {}, R = {}", norm_symbol(norm), count(n), Number::of(radius))
}

//! The head of the page: its name, its question, the papers.

use crate::app::state::ThemeChoice;
use crate::bounds::Norm;
use crate::plot::Number;

use super::norms::norm_symbol;
use super::plot::count;

pub const TITLE: &str = "Lipscope";
pub const LEAD: &str = "How much can self-attention magnify a small change of its tokens?";
pub const SKIP: &str = "Skip to the plot";
pub const PAPERS: &str = "Papers";
pub const PAPER_CASTIN: (&str, &str, &str) = (
    "Castin et al. 2024",
    "https://arxiv.org/abs/2312.14820",
    "Castin, Ablin, Peyré: How Smooth Is Attention? ICML 2024",
);
pub const PAPER_KIM: (&str, &str, &str) = (
    "Kim et al. 2021",
    "https://arxiv.org/abs/2006.04710",
    "Kim, Papamakarios, Mnih: The Lipschitz Constant of Self-Attention. ICML 2021",
);
pub const THEME: &str = "Theme";
pub const OPEN_WHOLE: &str = "Open in Lipscope";
pub const CONTROLS: &str = "Controls";
pub const CLOSE: &str = "Close";

pub fn theme_choice(choice: ThemeChoice) -> &'static str {
    match choice {
        ThemeChoice::System => "Auto",
        ThemeChoice::Light => "Light",
        ThemeChoice::Dark => "Dark",
    }
}

/// The number of an embedded page.
pub fn embed_line(norm: Norm, value: &str, n: f64, radius: f64) -> String {
    format!("{} {value} at n = {}, R = {}", norm_symbol(norm), count(n), Number::of(radius))
}

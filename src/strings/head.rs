//! The head of the page: its name, its question, the papers.

use crate::words::head as words;
pub use crate::words::head::*;

use crate::state::ThemeChoice;

pub const TITLE: &str = "Lipscope";
pub fn paper_castin() -> (&'static str, &'static str, &'static str) {
    (
        words::paper_castin(),
        "https://arxiv.org/abs/2312.14820",
        "Castin, Ablin, Peyré: How Smooth Is Attention? ICML 2024",
    )
}
pub fn paper_kim() -> (&'static str, &'static str, &'static str) {
    (
        words::paper_kim(),
        "https://arxiv.org/abs/2006.04710",
        "Kim, Papamakarios, Mnih: The Lipschitz Constant of Self-Attention. ICML 2021",
    )
}

pub fn theme_choice(choice: ThemeChoice) -> &'static str {
    match choice {
        ThemeChoice::System => theme_choice::system(),
        ThemeChoice::Light => theme_choice::light(),
        ThemeChoice::Dark => theme_choice::dark(),
    }
}

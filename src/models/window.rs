//! A window of text becomes the reader's own experiment.

use std::sync::Arc;

use crate::prelude::*;

use super::session::ModelSession;
use crate::answers::TokenWords;
use crate::page::PlotChoice;
use crate::strings;
use lipscope_models::{Cell, WindowExperiment, window_span};

impl ModelSession {
    /// Opens a window's tokens and weights in the explorer.
    pub(super) fn take_window(self, cell: Cell, window: WindowExperiment) {
        let page = self.page;
        let WindowExperiment { experiment, left_out } = window;
        if page.take_experiment(experiment) {
            let tokens = page.state.with_untracked(|state| state.own_tokens.clone());
            page.answers.words.set(tokens.map(|tokens| TokenWords { tokens, words: words(self, cell) }));
            page.plot.set(PlotChoice::Tokens);
            page.engine.status.set(Some(strings::model_window_opened(left_out).into()));
        } else if let Some(problem) = page.answers.problem.get_untracked() {
            self.complain(problem.text);
        }
    }
}

/// The text of each token of a window, on one line.
fn words(session: ModelSession, cell: Cell) -> Arc<[String]> {
    let text = session.whole_text();
    let word = |span: &(usize, usize)| {
        let word = text.get(span.0..span.1).unwrap_or_default();
        word.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    session.facts.with_untracked(|facts| {
        let spans = facts.as_ref().and_then(|facts| facts.spans.get(window_span(cell.n, cell.window)));
        spans.unwrap_or_default().iter().map(word).collect()
    })
}

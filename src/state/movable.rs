//! Tokens that the reader moves become the reader's own. Clusters stay clusters, with other positions.

use lipscope_core::experiment::{InputError, Rows, TokenSource};
use lipscope_core::picture::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES, PlaneFrame, TokenEdit};

use super::{PageState, TokenChoice};

/// Why tokens cannot be moved by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotMovable {
    /// The skew witness: its weights belong to its tokens.
    Skew,
    /// There are too many tokens.
    Many,
    /// The tokens are not known yet.
    Waiting,
}

impl PageState {
    /// The tokens, or positions of clusters, that the reader can move. `drawn` are random tokens, as the worker drew
    /// them.
    ///
    /// # Errors
    /// Why the tokens cannot be moved.
    pub fn in_hand<'a>(&'a self, drawn: Option<&'a Rows>) -> Result<&'a Rows, NotMovable> {
        let rows = match (self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Skew, ..) => return Err(NotMovable::Skew),
            (TokenChoice::Own, Some(rows), _) => rows,
            (TokenChoice::Clusters, _, Some(own)) => &own.positions,
            _ if self.n_listed() > MOST_MOVABLE || self.n_listed() * self.dim() > MOST_MOVABLE_ENTRIES => {
                return Err(NotMovable::Many);
            }
            _ => drawn.ok_or(NotMovable::Waiting)?,
        };
        let is_short = rows.n_rows() <= MOST_MOVABLE && rows.entries().len() <= MOST_MOVABLE_ENTRIES;
        is_short.then_some(rows).ok_or(NotMovable::Many)
    }

    /// This state after an edit by hand; unchanged where the tokens cannot be moved.
    ///
    /// # Errors
    /// [`InputError`] where a token leaves the range of numbers.
    pub fn with_edit(
        &self,
        drawn: Option<&Rows>,
        frame: &PlaneFrame,
        edit: &TokenEdit,
    ) -> Result<PageState, InputError> {
        let Ok(rows) = self.in_hand(drawn) else { return Ok(self.clone()) };
        let edited = edit.apply(rows, frame)?;
        let (TokenChoice::Clusters, Some(own)) = (self.tokens, &self.own_clusters) else {
            return Ok(self.with_moved(edited));
        };
        let mut log_multiplicities = own.log_multiplicities.clone();
        if let TokenEdit::Remove { token } = edit
            && edited.n_rows() < own.positions.n_rows()
        {
            log_multiplicities.remove(*token);
        }
        // A new position is one token.
        log_multiplicities.resize(edited.n_rows(), 0.0);
        let clusters = TokenSource::Clusters { positions: edited, log_multiplicities };
        let moved = self.with_clusters(&clusters);
        let own_tokens = moved.own_tokens.clone().filter(|_| self.own_from.is_none());
        Ok(PageState { own_from: self.own_from, own_tokens, ..moved })
    }

    /// This state with a list in place of its tokens, as if the reader had moved them one by one.
    #[must_use]
    pub fn with_moved(&self, tokens: Rows) -> PageState {
        let own_from = match self.tokens {
            TokenChoice::Own | TokenChoice::Clusters => self.own_from,
            from => Some(from),
        };
        let moved = self.with_own_tokens(tokens);
        // `own_from` is about one list only: where it is set for these tokens, the clusters are dropped.
        let own_clusters = moved.own_clusters.clone().filter(|_| own_from.is_none());
        PageState { own_from, own_clusters, ..moved }
    }

    /// Whether another state describes the same experiment. Tokens that were drawn for one of the two are then the
    /// tokens of both.
    #[must_use]
    pub fn draws_like(&self, other: &PageState) -> bool {
        self.experiment() == other.experiment()
    }
}

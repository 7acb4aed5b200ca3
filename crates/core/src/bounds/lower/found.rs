//! Tokens behind a lower bound.

use serde::{Deserialize, Serialize};

use super::two_cluster_curve::TwoClusters;
use super::witness::ClusterWitness;
use crate::experiment::{InputError, TokenSource};

/// Tokens behind a lower bound: some places, with many tokens at each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Witness {
    /// Two clusters on a line.
    OnLine(TwoClusters),
    /// A few clusters, listed in their order where a mask makes it count.
    Clusters(ClusterWitness),
}

impl Witness {
    /// A lower bound on ||J|| at these tokens, and so on the Lipschitz constant on the ball.
    #[must_use]
    pub fn norm(&self) -> f64 {
        match self {
            Witness::OnLine(found) => found.norm,
            Witness::Clusters(found) => found.norm,
        }
    }

    /// The clusters, unless they are two on a line.
    #[must_use]
    pub fn clusters(&self) -> Option<&ClusterWitness> {
        match self {
            Witness::OnLine(_) => None,
            Witness::Clusters(found) => Some(found),
        }
    }

    /// These clusters as the token measure of an experiment.
    ///
    /// # Errors
    /// [`InputError`] if a position is not finite.
    pub fn token_source(&self) -> Result<TokenSource, InputError> {
        match self {
            Witness::OnLine(found) => found.token_source(),
            Witness::Clusters(found) => found.token_source(),
        }
    }
}

/// Tokens, and ln of the bound that they prove.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) ln: f64,
    pub(crate) witness: Witness,
}

impl Found {
    /// Two clusters, whose norm is the bound.
    pub(crate) fn from_line(found: TwoClusters) -> Self {
        Found { ln: found.norm.ln(), witness: Witness::OnLine(found) }
    }

    /// Clusters whose norm is the bound.
    pub(crate) fn from_norm(found: ClusterWitness) -> Self {
        Found { ln: found.norm.ln(), witness: Witness::Clusters(found) }
    }

    /// Clusters with a closed form, which may be past the range of f64 where its logarithm is not.
    pub(crate) fn from_closed_form(found: ClusterWitness) -> Self {
        Found { ln: found.ln_closed, witness: Witness::Clusters(found) }
    }
}

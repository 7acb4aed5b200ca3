//! The upper bounds that stand at a cell of a table, and why one of them is absent.

use serde::{Deserialize, Serialize};

use crate::config::map_kind::MapKind;
use lipscope_core::bounds::{BoundId, LOCAL, LOCAL_BLOCKS, LOCAL_TOKEN};
use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

/// Upper bounds on ||J|| at the tokens of a cell; each is `None` where it does not apply ([`LocalBounds::absence`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LocalBounds {
    /// `local`: at least ||J||_2.
    pub local: Option<f64>,
    /// `local_blocks`: at least ||J||_2.
    pub blocks: Option<f64>,
    /// `local_token`: at least the norm of J where inputs and outputs are measured by their largest token.
    pub token: Option<f64>,
}

impl LocalBounds {
    /// The bounds, in the order of tables.
    pub const ALL: [BoundId; 3] = [&LOCAL, &LOCAL_BLOCKS, &LOCAL_TOKEN];

    /// One of [`LocalBounds::ALL`].
    #[must_use]
    pub fn get(&self, bound: BoundId) -> Option<f64> {
        let all = [self.local, self.blocks, self.token];
        Self::ALL.iter().position(|known| *known == bound).and_then(|at| all[at])
    }

    /// The smaller of the bounds on ||J||_2.
    #[must_use]
    pub fn best(&self) -> Option<f64> {
        self.local.into_iter().chain(self.blocks).reduce(f64::min)
    }

    /// Why one of the bounds is absent at a cell of a map; `None` if it is there.
    #[must_use]
    pub fn absence(&self, kind: MapKind, bound: BoundId) -> Option<Phrase> {
        kind.no_local_bounds().or_else(|| match (self.get(bound), bound, self.local) {
            (Some(_), ..) => None,
            (None, _, Some(_)) if bound == &LOCAL_BLOCKS => {
                Some(phrase!("too_many_blocks", "too many pairs of tokens over all heads for a matrix of their norms"))
            }
            _ => Some(phrase!(
                "bound_not_proved_or_past_numbers",
                "none is proved where a norm takes the queries of all heads together, or it is larger than the largest number"
            )),
        })
    }
}

impl MapKind {
    /// Why no local bound applies to the map; `None` for attention alone, where all do.
    #[must_use]
    pub fn no_local_bounds(self) -> Option<Phrase> {
        match self {
            MapKind::Attention | MapKind::WithOutput => None,
            MapKind::AttentionResidual | MapKind::MlpResidual | MapKind::Block | MapKind::Blocks => Some(phrase!(
                "bounds_of_attention_alone",
                "proved for attention alone, not for a map with a residual connection and norms"
            )),
        }
    }
}

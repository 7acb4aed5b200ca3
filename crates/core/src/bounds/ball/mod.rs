//! Upper bounds that hold for all tokens of a ball.
//!
//! | file | concept |
//! | --- | --- |
//! | `castin` | the bounds of Castin, Ablin and Peyré |
//! | `unified` | ours, from column sums of attention |
//! | `sharp` | ours, sharper, from the mass that rows of attention can have |
//! | `row_mass` | how much attention rows can give to one token |
//! | `kim` | the bounds of Kim, Papamakarios and Mnih on L2 attention |

pub(super) mod castin;
pub(super) mod kim;
pub(super) mod row_mass;
pub(super) mod sharp;
pub(super) mod unified;

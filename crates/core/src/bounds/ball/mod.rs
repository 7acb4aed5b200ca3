//! Upper bounds that hold for all tokens of a ball.
//!
//! | file | concept |
//! | --- | --- |
//! | `castin` | the bounds of Castin, Ablin and Peyré |
//! | `unified` | ours, from column sums of attention |
//! | `sharp` | ours, sharper, from bounds on single rows of the mixed part |
//! | `row_mass` | the constants G and F of `sharp`: bounds on one row |
//! | `kim` | the bounds of Kim, Papamakarios and Mnih on L2 attention |

pub(super) mod castin;
pub(super) mod kim;
pub(super) mod row_mass;
pub(super) mod sharp;
pub(super) mod unified;

//! Tokens that can be touched: moved, added, removed and snapped on the token plane, by pointer and by keys; the leading
//! singular pair over them, and the attention row of one.
//!
//! | file | concept |
//! | --- | --- |
//! | `context` | what the plane holds, and editing tokens by hand |
//! | `scene` | what the plane shows: tokens as they are now, arrows and rows as they were measured last |
//! | `canvas` | the canvas with its pointer and its keys |
//! | `token_number_sync` | a token that is moved is shown in one frame with its numbers |
//! | `token_view` | the plane among the small views |
//! | `stage` | the large plane with its tools and its legend |
//! | `swing` | the swing of X + e v |

mod canvas;
mod context;
mod scene;
mod stage;
mod swing;
mod token_number_sync;
mod token_view;

pub use canvas::PlaneCanvas;
pub use context::{MOST_DRAWN, Plane, Size, use_plane};
pub use scene::{Moves, plane_of};
pub use stage::{PlaneTable, TokenStage, plane_words};
pub use token_view::TokenView;

/// Starts what runs by itself: the swing of the pair, and how tokens and numbers keep pace.
pub fn begin(plane: Plane) {
    swing::begin(plane);
    plane.begin_pace();
}

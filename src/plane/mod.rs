//! The token plane. The reader moves, adds, removes and snaps tokens on it, by pointer and by keys. It shows the
//! leading singular pair, and the attention row of one token.
//!
//! | file | concept |
//! | --- | --- |
//! | `context` | the plane's state, and editing tokens by hand |
//! | `scene` | the plane's picture: tokens at present, arrows and rows of the last measurement |
//! | `canvas` | the canvas with its pointer and its keys |
//! | `token_number_sync` | shows a moved token in the same frame as its numbers |
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

/// Starts the swing of the pair, and the wait of moved tokens for their numbers.
pub fn begin(plane: Plane) {
    swing::begin(plane);
    plane.begin_pace();
}

//! What the page draws of one configuration besides its norm: the attention matrix of a head, the token plane and what a
//! hand does on it, and the leading singular pair. Small enough to send between threads, whatever n.

mod attention;
mod frame;
mod moves;
mod pair;
mod tokens;

pub use attention::{AttentionPicture, Unit, attention_picture};
pub use frame::PlaneFrame;
pub use moves::{FEWEST_TOKENS, MOST_MOVABLE, MOST_MOVABLE_ENTRIES, Snap, TokenEdit};
pub use pair::{PairOutputs, PairWanted, TopPair, top_pair};
pub use tokens::{TokenPicture, token_picture};

//! Data for the page's pictures of one experiment: the attention matrix of a head, the token plane with edits of tokens
//! on it, and the leading singular pair. All are small enough to send between threads, whatever n.

mod attention;
mod frame;
mod moves;
mod pair;
mod tokens;

pub use attention::{AttentionPicture, Unit, attention_picture};
pub use frame::PlaneFrame;
pub use moves::{FEWEST_TOKENS, MOST_MOVABLE, MOST_MOVABLE_ENTRIES, Snap, TokenEdit};
pub use pair::{PairOutputs, PairRequest, TopPair, check_with_pair, top_pair};
pub use tokens::{TokenPicture, token_picture};

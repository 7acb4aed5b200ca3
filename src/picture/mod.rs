//! What the page draws of one configuration besides its norm: the attention matrix of a head and the token plane.
//! Small enough to send between threads, whatever n.

mod attention;
mod tokens;

pub use attention::{AttentionPicture, Unit, attention_picture};
pub use tokens::{TokenPicture, token_picture};

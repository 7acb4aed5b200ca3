//! Pictures as the input of a model: read from a file, cut to the model's size, ready to become tokens.
//!
//! Nothing here knows weights: what a patch becomes is decided in `parts`.

mod picture;
mod pixels;
mod shown;

pub use picture::{Picture, is_picture};
pub use pixels::{PREPROCESSORS, PixelRule, Resampling};
pub use shown::{Pictures, Resizing, needs_pictures, takes_no_pictures};

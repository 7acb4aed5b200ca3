//! Pictures as the input of a model: read from a file, cut to the model's size, turned into tokens.

mod picture;
mod pixels;
mod shown;

pub use picture::{Picture, is_picture};
pub use pixels::{PREPROCESSORS, PixelRule, Resampling};
pub use shown::{Pictures, Resizing, needs_pictures, takes_no_pictures};

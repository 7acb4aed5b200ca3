//! What the native bench and the browser's share.

mod window;

pub use window::Window;

//! Code that the native benchmark and the one in the browser share.

mod window;

pub use window::Window;

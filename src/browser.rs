//! Whether this is the page's program in a browser.

/// Whether this is the page's program. Natively the page is tested, and written as a document (`opening`): no window is
/// there to ask, and nothing changes.
#[must_use]
pub fn is_browser() -> bool {
    std::env::consts::ARCH == "wasm32"
}

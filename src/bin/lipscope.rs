//! The command line.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    lipscope::cli::run()
}

/// There is no command line in a browser; the target only has to exist.
#[cfg(target_arch = "wasm32")]
fn main() {}

//! Standard output, which may be closed.

use std::io::{self, StdoutLock};

/// Standard output, to be written to.
///
/// # Errors
/// [`io::ErrorKind::BrokenPipe`] if the process was started without one, as by `lipscope .. >&-`. Rust's runtime puts
/// /dev/null in its place, so that writing to it would succeed.
pub(super) fn stdout() -> io::Result<StdoutLock<'static>> {
    if at_start::is_closed() {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    Ok(io::stdout().lock())
}

/// Whether standard output was open before the runtime began.
#[cfg(target_os = "linux")]
mod at_start {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// The C library calls the functions of this section before `main`, and so before Rust's runtime opens /dev/null in
    /// place of a standard stream that is closed.
    #[used]
    #[allow(unsafe_code)]
    // SAFETY: the section holds pointers to functions of this type.
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    #[allow(unsafe_code)]
    extern "C" fn look() {
        unsafe extern "C" {
            fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
        }
        const STDOUT: c_int = 1;
        const F_GETFD: c_int = 1;
        // SAFETY: F_GETFD takes no further argument, and reads nothing but a flag of the descriptor.
        let flags = unsafe { fcntl(STDOUT, F_GETFD) };
        IS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    pub(super) fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(target_os = "linux"))]
mod at_start {
    /// Not known on this system.
    pub(super) fn is_closed() -> bool {
        false
    }
}

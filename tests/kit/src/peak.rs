//! The most memory that some work holds, counted by a global allocator: a test declares [`Counting`] as its own.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, with a count of the bytes held.
pub struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn take(size: usize) {
    remember(HELD.fetch_add(size, Ordering::Relaxed) + size);
}

fn remember(held: usize) {
    // Most allocations are no peak, and reading costs less than an exchange.
    if held > MOST.load(Ordering::Relaxed) {
        MOST.fetch_max(held, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may be held at once.
        let growth = new_size.wrapping_sub(layout.size());
        remember(HELD.fetch_add(growth, Ordering::Relaxed) + new_size);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// The most bytes that some work holds, in addition to those held before it.
pub fn peak(work: impl FnOnce()) -> u64 {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work();
    (MOST.load(Ordering::Relaxed) - before) as u64
}

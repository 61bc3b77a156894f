//! Memory that the allocator keeps.

/// Gives back to the system what was freed; nothing where the allocator cannot be asked to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator of the system is asked through its C interface")]
pub(crate) fn give_back() {
    // SAFETY: it takes a number, no memory of ours, and may be called by any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives back to the system what was freed; nothing where the allocator cannot be asked to.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

//! Counts the memory of one run of code, and ends runs that take too much.
//!
//! The engine's own limit makes an allocation fail wherever the limit happens to be reached, and
//! not every such place inside the engine survives that: the process crashes. Here allocations
//! succeed a little beyond the limit, and the engine is asked to stop the code at its next safe
//! point. Only large blocks, whose failing is well-trodden, are refused before.

use std::{cell::Cell, fmt, ptr, rc::Rc};

use rquickjs::allocator::{Allocator, RustAllocator};

/// Blocks from this size are refused once the code has to stop.
///
/// The engine looks whether to stop after ten thousand steps: smaller blocks cannot add up to more
/// than some 40 MB until then.
const LARGE: usize = 4 * 1024;

/// How much more than twice the limit is given before small blocks are refused too.
const RESERVE: usize = 64 * 1024 * 1024;

/// How much is given after a refusal, so that the error itself can be made.
const FOR_ERRORS: usize = 1024 * 1024;

/// How often, counted in small blocks, it is asked whether the code should stop.
const ASK_EVERY: u32 = 256;

/// Counts memory and knows whether the code has to stop.
pub(super) struct Meter {
    used: Cell<usize>,
    limit: Cell<usize>,
    last: Cell<usize>,
    allocations: Cell<u32>,
    is_exceeded: Cell<bool>,
    is_stopped: Cell<bool>,
    should_stop: Box<dyn Fn() -> bool>,
}

impl Meter {
    /// Makes a meter that refuses nothing until a limit is set.
    pub(super) fn new(should_stop: impl Fn() -> bool + 'static) -> Rc<Self> {
        Rc::new(Self {
            used: Cell::new(0),
            limit: Cell::new(usize::MAX),
            last: Cell::new(usize::MAX),
            allocations: Cell::new(0),
            is_exceeded: Cell::new(false),
            is_stopped: Cell::new(false),
            should_stop: Box::new(should_stop),
        })
    }

    /// Limits what is used from here on.
    pub(super) fn limit(&self, more: usize) {
        let limit = self.used.get().saturating_add(more);
        self.limit.set(limit);
        self.last.set(limit.saturating_add(more).saturating_add(RESERVE));
    }

    /// Tells whether the code has used more than it may.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded.get()
    }

    /// Tells whether the code has to stop, for want of memory, time or anybody who waits.
    pub(super) fn is_over(&self) -> bool {
        if !self.is_exceeded.get() && !self.is_stopped.get() && (self.should_stop)() {
            self.is_stopped.set(true);
        }
        self.is_exceeded.get() || self.is_stopped.get()
    }

    /// Decides whether a block of a size may be had, by which the memory grows by some bytes.
    fn admits(&self, size: usize, growth: usize) -> bool {
        let Some(after) = self.used.get().checked_add(growth) else { return false };
        // The engine cannot be put together, nor can it compile, with a block missing.
        if self.limit.get() == usize::MAX {
            return true;
        }
        if after > self.limit.get() {
            self.is_exceeded.set(true);
        }
        self.allocations.set(self.allocations.get().wrapping_add(1));
        let is_large = size >= LARGE;
        // Loops that make large blocks take few steps, and few looks at the clock, in a long time.
        if (is_large || self.allocations.get().is_multiple_of(ASK_EVERY)) && !self.is_over() {
            return true;
        }
        if is_large {
            return false;
        }
        if after > self.last.get() {
            self.last.set(after.saturating_add(FOR_ERRORS));
            return false;
        }
        true
    }

    fn grow(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_add(bytes));
    }

    fn shrink(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("used", &self.used.get()).finish_non_exhaustive()
    }
}

/// The allocator that the engine gets: Rust's, with a meter before it.
pub(super) struct Metered(pub(super) Rc<Meter>);

#[expect(
    unsafe_code,
    reason = "allocators are unsafe by nature; every block comes from and returns to the allocator \
              of the binding, which keeps the promises of the trait"
)]
// SAFETY: blocks are made, resized, measured and freed by `RustAllocator` alone. What is added is
// arithmetic, and null where a block is refused, which the trait allows.
unsafe impl Allocator for Metered {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.0.admits(size, size) {
            return ptr::null_mut();
        }
        self.count(RustAllocator.alloc(size))
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        // The inner allocator panics when this overflows.
        let Some(total) = count.checked_mul(size) else { return ptr::null_mut() };
        if !self.0.admits(total, total) {
            return ptr::null_mut();
        }
        self.count(RustAllocator.calloc(count, size))
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller promises a block of this allocator, and those are of the inner one.
        unsafe {
            self.0.shrink(RustAllocator::usable_size(block));
            RustAllocator.dealloc(block);
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller promises a block of this allocator, and those are of the inner one.
        let old_size = unsafe { RustAllocator::usable_size(block) };
        if new_size > old_size && !self.0.admits(new_size, new_size - old_size) {
            return ptr::null_mut();
        }
        // SAFETY: as above; the block is not used again when it has moved.
        let moved = unsafe { RustAllocator.realloc(block, new_size) };
        if moved.is_null() {
            return moved;
        }
        self.0.shrink(old_size);
        self.count(moved)
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller promises a block of this allocator, and those are of the inner one.
        unsafe { RustAllocator::usable_size(block) }
    }
}

impl Metered {
    /// Counts a block that has just been made.
    #[expect(unsafe_code, reason = "the size of a block is known to its allocator only")]
    fn count(&self, block: *mut u8) -> *mut u8 {
        if !block.is_null() {
            // SAFETY: the block was made by the inner allocator.
            self.0.grow(unsafe { RustAllocator::usable_size(block) });
        }
        block
    }
}

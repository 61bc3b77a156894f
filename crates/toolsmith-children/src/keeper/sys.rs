//! The system calls that have no safe form: processes, signals, memory and the program itself.

#![expect(
    unsafe_code,
    reason = "a process that outlives ours has to be forked, and the standard library cannot fork"
)]

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void},
    io, mem,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr, slice,
};

use rustix::{
    event::{Timespec, poll},
    io::{Errno, Result},
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap},
    process::Pid,
};

use tokio::io::{Interest, unix::AsyncFd};

use super::{control::Control, plan::View};

/// The flag of the kernel that says when to close; it has another type in every C library.
const CLOSE_RANGE_CLOEXEC: c_int = 4;

/// The highest number of a signal on every architecture that we run on.
const SIGNALS: c_int = 64;

/// The file that names the children of whoever reads it.
pub(super) const CHILDREN: &CStr = c"/proc/thread-self/children";

/// Which of the two processes goes on.
#[derive(Debug)]
pub(super) enum Fork {
    Parent(Pid),
    Child,
}

/// Forks; of the other threads the child has nothing but their memory.
///
/// What the child does from here on must not allocate, lock or panic: another thread may have held
/// any lock at this moment. Everything in this folder that runs in a child keeps to that.
pub(super) fn fork() -> Result<Fork> {
    // SAFETY: the call itself has no conditions; those of the child are above.
    parted(unsafe { libc::fork() })
}

/// Forks from a process of one thread into new namespaces.
pub(super) fn fork_into(flags: u64) -> Result<Fork> {
    let flags = c_ulong::try_from(flags).unwrap_or_default() | libc::SIGCHLD as c_ulong;
    // SAFETY: without a new stack and without shared memory this is a fork. The child uses nothing
    // that the C library keeps for each thread but its error number.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    parted(c_int::try_from(pid).unwrap_or(-1))
}

fn parted(pid: c_int) -> Result<Fork> {
    match pid {
        -1 => Err(last_error()),
        0 => Ok(Fork::Child),
        pid => Ok(Pid::from_raw(pid).map_or(Fork::Child, Fork::Parent)),
    }
}

/// Ends this process at once; nothing of what our program does at its end is done.
pub(super) fn quit(code: c_int) -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(code) }
}

/// Replaces this process by a program; returns only if that fails.
pub(super) fn execute(view: View<'_>) -> Errno {
    let (words, (args, env)) = (view.words.as_ptr(), (view.args_at(), view.env_at()));
    if args.max(env) >= view.words.len() {
        return Errno::INVAL;
    }
    // SAFETY: both lists lie within the words, end with a zero and hold addresses of texts within
    // the plan, which `open` has put there; a word is as large as an address.
    unsafe {
        let (args, env) = (words.add(args), words.add(env));
        libc::execve(
            view.program().as_ptr(),
            args.cast::<*const c_char>(),
            env.cast::<*const c_char>(),
        );
    }
    last_error()
}

/// A private copy of a file in memory.
#[derive(Debug)]
pub(super) struct Mapping {
    start: *mut u64,
    length: usize,
}

impl Mapping {
    /// Maps the beginning of a file that is at least as long as that.
    pub(super) fn of(file: BorrowedFd<'_>, length: usize) -> Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping at an address that the kernel chooses touches nothing else.
        let start = unsafe { mmap(ptr::null_mut(), length, access, MapFlags::PRIVATE, file, 0)? };
        Ok(Self { start: start.cast(), length })
    }

    pub(super) fn words(&mut self) -> &mut [u64] {
        // SAFETY: the mapping begins at a page, is as long as that and lives as long as `self`,
        // which is borrowed for as long as the words are.
        unsafe { slice::from_raw_parts_mut(self.start, self.length / 8) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: whoever borrowed the words has borrowed `self` and is gone.
        unsafe { munmap(self.start.cast(), self.length).ok() };
    }
}

/// Shows words as the bytes that they consist of, to be filled in.
pub(super) fn bytes_of(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: every byte of a word is a byte, and every byte makes a word; the borrow goes on.
    unsafe { slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
}

/// Turns the lists of a plan that has arrived into addresses; from here on it is only read.
pub(super) fn open(words: &mut [u64]) -> View<'_> {
    let start = words.as_ptr() as u64;
    for head in [2, 3] {
        let list = words.get(head).and_then(|word| usize::try_from(*word).ok());
        let list = words.get_mut(list.unwrap_or(usize::MAX)..).unwrap_or_default();
        for word in list.iter_mut().take_while(|word| **word != 0) {
            *word += start;
        }
    }
    let words: &[u64] = words;
    // SAFETY: every byte of a word is a byte; both views are for reading and live equally long.
    let bytes = unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) };
    View { words, bytes }
}

/// Room for what a child does on our memory before its program.
#[derive(Debug)]
pub(super) struct Stack(*mut c_void);

impl Stack {
    const SIZE: usize = 256 * 1024;

    pub(super) fn new() -> Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping at an address that the kernel chooses touches nothing else.
        let start =
            unsafe { mmap_anonymous(ptr::null_mut(), Self::SIZE, access, MapFlags::PRIVATE)? };
        Ok(Self(start))
    }
}

/// What a child that borrows our memory is called with.
struct Visit<'a, T> {
    act: fn(&T) -> !,
    on: &'a T,
}

/// Starts a child that uses our memory, and waits until it has become a program or has ended.
///
/// Nothing is copied, so this costs the same however large we are.
pub(super) fn fork_sharing<T>(stack: &mut Stack, act: fn(&T) -> !, on: &T) -> Result<Pid> {
    extern "C" fn enter<T>(visit: *mut c_void) -> c_int {
        // SAFETY: the caller waits within the call below, so that what it passed is still there.
        let visit = unsafe { &*visit.cast::<Visit<'_, T>>() };
        (visit.act)(visit.on)
    }
    let visit = Visit { act, on };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack is as large as it says, grows downwards on every architecture that we run
    // on, and is used by one child at a time, since this process waits and has no other thread.
    // The child ends or becomes a program, so that it never returns into a frame of ours.
    let pid = unsafe {
        let top = stack.0.byte_add(Stack::SIZE);
        libc::clone(enter::<T>, top, flags, (&raw const visit).cast_mut().cast())
    };
    if pid < 0 {
        return Err(last_error());
    }
    Pid::from_raw(pid).ok_or(Errno::INVAL)
}

/// Lets this process be ended by the kernel if it does not call this again in time; 0 forgets it.
pub(super) fn alarm(seconds: c_uint) {
    // SAFETY: the call takes a number only.
    unsafe { libc::alarm(seconds) };
}

/// Lets the alarm through, which ends this process.
pub(super) fn heed_alarm() {
    // SAFETY: as in `block_signals`.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
    }
}

/// Does nothing for some milliseconds.
pub(super) fn rest(milliseconds: i64) {
    // Signals are blocked where this is used, and a shorter rest does no harm.
    poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 })).ok();
}

/// Tells where the number of the last error is kept, beside what else a thread needs.
pub(super) fn place_of_error_number() -> usize {
    // SAFETY: the call has no conditions.
    unsafe { libc::__errno_location() as usize }
}

/// Gives memory back to the system; it reads as zeros afterwards.
pub(super) fn empty(start: usize, length: usize) {
    let start = ptr::with_exposed_provenance_mut(start);
    // SAFETY: only the keeper calls this, for memory that neither it nor a guard reads or writes.
    unsafe { madvise(start, length, Advice::LinuxDontNeed).ok() };
}

/// Lets a runtime tell when something can be heard at a socket.
pub(super) fn watch(control: Control) -> io::Result<AsyncFd<Control>> {
    // SAFETY: a control owns its socket and never exchanges it for another one.
    Ok(unsafe { AsyncFd::register_with_interest(control, Interest::READABLE)? })
}

/// Closes a file whose owner never comes back to it.
pub(super) fn close(file: BorrowedFd<'_>) {
    let number = c_uint::try_from(file.as_raw_fd()).unwrap_or(c_uint::MAX);
    close_range(number, number, 0);
}

/// Blocks every signal in this thread; returns what was blocked before.
pub(super) fn block_signals() -> libc::sigset_t {
    // SAFETY: a set of signals is plain memory that the calls fill in.
    unsafe {
        let (mut all, mut before) = (mem::zeroed(), mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

/// Blocks exactly these signals in this thread.
pub(super) fn restore_signals(blocked: &libc::sigset_t) {
    // SAFETY: the set was filled in by the kernel.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, blocked, ptr::null_mut());
    }
}

/// Gives every signal its default meaning; those of our program are not for its children.
pub(super) fn reset_signals() {
    for signal in 1..=SIGNALS {
        set_signal(signal, libc::SIG_DFL);
    }
}

/// Lets the kernel reap the children of this process.
pub(super) fn ignore_children() {
    set_signal(libc::SIGCHLD, libc::SIG_IGN);
}

/// Gives the ends of children their default meaning, so that they can be waited for.
pub(super) fn heed_children() {
    set_signal(libc::SIGCHLD, libc::SIG_DFL);
}

fn set_signal(signal: c_int, meaning: libc::sighandler_t) {
    // SAFETY: no code of ours is installed as a handler.
    unsafe {
        libc::signal(signal, meaning);
    }
}

/// Lets every signal through.
pub(super) fn unblock_signals() {
    // SAFETY: as in `block_signals`.
    unsafe {
        let mut none = mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// Opens a file that can be read when a child of this process has ended.
pub(super) fn watch_children() -> Result<OwnedFd> {
    // SAFETY: the set is filled in before it is used; the number returned is a new open file.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        let file = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if file < 0 { Err(last_error()) } else { Ok(OwnedFd::from_raw_fd(file)) }
    }
}

/// How a child ended that still waits to be reaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) pid: Pid,
    pub(super) code: c_int,
    pub(super) signal: c_int,
}

/// Finds a child that has ended, without reaping it; an error means that there are no children.
pub(super) fn peek() -> Result<Option<Ended>> {
    look(libc::WNOHANG)
}

/// Waits until a child has ended, without reaping it.
pub(super) fn await_end() -> Result<Ended> {
    look(0)?.ok_or(Errno::INTR)
}

fn look(patience: c_int) -> Result<Option<Ended>> {
    let options = libc::WEXITED | libc::WNOWAIT | patience;
    // SAFETY: the kernel fills the structure in; the fields read are those of an ended child.
    let (found, pid, status, reason) = unsafe {
        let mut ended: libc::siginfo_t = mem::zeroed();
        let found = libc::waitid(libc::P_ALL, 0, &raw mut ended, options);
        (found, ended.si_pid(), ended.si_status(), ended.si_code)
    };
    if found != 0 {
        return Err(last_error());
    }
    let has_exited = reason == libc::CLD_EXITED;
    let (code, signal) = if has_exited { (status, 0) } else { (0, status) };
    Ok(Pid::from_raw(pid).map(|pid| Ended { pid, code, signal }))
}

/// Closes every open file but the three that have a name and those kept.
///
/// The files kept must be in ascending order.
pub(super) fn close_all_but(kept: &[BorrowedFd<'_>]) {
    let mut first = 3;
    for file in kept {
        let number = c_uint::try_from(file.as_raw_fd()).unwrap_or_default();
        if number > first {
            close_range(first, number - 1, 0);
        }
        first = number + 1;
    }
    close_range(first, c_uint::MAX, 0);
}

/// Lets every open file but the three that have a name be closed when the program begins.
pub(super) fn close_at_execution() {
    close_range(3, c_uint::MAX, CLOSE_RANGE_CLOEXEC);
}

/// A kernel that does not know the call leaves files open that we inherited ourselves, no others.
fn close_range(first: c_uint, last: c_uint, flags: c_int) {
    // SAFETY: nobody in this process uses the files that are closed here any more.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, last, flags);
    }
}

/// Lets go of the pipes of a child.
pub(super) fn close_stdio() {
    close_range(0, 2, 0);
}

/// Keeps this process to rules for files; there is no way back.
pub(super) fn keep_to(rules: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: the call takes an open file and no memory.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) };
    checked(done)
}

/// Lets only those system calls pass that a filter in the plan lets pass; there is no way back.
pub(super) fn filter(view: View<'_>, start: u64, count: usize) -> Result<()> {
    let size = count.saturating_mul(size_of::<libc::sock_filter>());
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let code = start.checked_add(size).and_then(|end| view.bytes.get(start..end));
    let code = code.ok_or(Errno::INVAL)?;
    let length = u16::try_from(count).map_err(|_| Errno::INVAL)?;
    let program = libc::sock_fprog { len: length, filter: code.as_ptr().cast_mut().cast() };
    // SAFETY: the program lies within the plan, is as long as it says and begins at a word; the
    // kernel copies and checks it.
    let done = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program)
    };
    checked(done)
}

/// Whether mounts below a mount are meant too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Too,
    No,
}

/// Adds attributes to a mount.
pub(super) fn seal(path: &CStr, attributes: u64, below: Below) -> Result<()> {
    let attributes =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = if below == Below::Too { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: path and attributes live until the call returns, and the size is that of the latter.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(done)
}

/// Gives up the capabilities that a program could bring along, but for those kept.
pub(super) fn drop_bounding_set(kept: u64) -> Result<()> {
    let all: std::ops::Range<c_ulong> = 0..64;
    for capability in all.filter(|capability| kept & (1 << capability) == 0) {
        // SAFETY: the call takes numbers only.
        let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        if done != 0 {
            // The first number that the kernel does not know ends the list.
            return if last_error() == Errno::INVAL { Ok(()) } else { Err(last_error()) };
        }
    }
    Ok(())
}

/// Switches the loopback of a new network on.
pub(super) fn switch_loopback_on() -> Result<()> {
    // SAFETY: the request names the device by a short text that ends with a zero, and holds flags;
    // the socket is closed when it is dropped.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(last_error());
        }
        let socket = OwnedFd::from_raw_fd(socket);
        let mut request: libc::ifreq = mem::zeroed();
        for (place, byte) in request.ifr_name.iter_mut().zip(b"lo") {
            *place = byte.cast_signed() as c_char;
        }
        let flags = libc::IFF_UP | libc::IFF_RUNNING;
        request.ifr_ifru.ifru_flags = i16::try_from(flags).unwrap_or_default();
        checked(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request).into())
    }
}

fn checked(done: libc::c_long) -> Result<()> {
    if done < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> Errno {
    // SAFETY: the place of the error number is always there.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}

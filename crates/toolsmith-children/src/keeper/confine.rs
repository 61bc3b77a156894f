//! The steps that confine a child: its namespaces, its file view, its network, its rights.

use std::{
    ffi::CStr,
    net::{Ipv4Addr, SocketAddrV4},
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, mkdirat, open, openat, symlinkat, unlinkat},
    io::{Errno, Result, write},
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
        unmount,
    },
    net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with},
    path::DecInt,
    process::{DumpableBehavior, WaitOptions, chdir, pivot_root, set_dumpable_behavior, waitpid},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        set_capabilities, set_no_new_privs,
    },
};

use super::{
    act::Act,
    child::Errand,
    message::{Message, tell},
    plan::View,
    sys::{self, Ended, Fork},
};

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 64;

/// Takes one step.
pub(super) fn take(act: Act, [a, b, _]: [u64; 3], errand: Errand<'_>) -> Result<()> {
    let view = errand.view;
    let text = |start| view.text(start);
    let length = usize::try_from(b).unwrap_or_default();
    match act {
        Act::Session | Act::Bind | Act::Enter | Act::Limit => Err(Errno::INVAL),
        Act::Write => write_into(text(a), text(b)),
        Act::Join => join(text(a)),
        Act::NoNewPrivileges => set_no_new_privs(true),
        Act::Landlock => sys::keep_to(errand.parcel.rules.as_ref().ok_or(Errno::BADF)?.as_fd()),
        Act::Filter => sys::filter(view, a, length),
        Act::Weaken => weaken(a),
        Act::Part => {
            mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        }
        Act::Tmpfs => {
            let flags = MountFlags::NOSUID | MountFlags::NODEV;
            mount(c"tmpfs", text(a), c"tmpfs", flags, text(b))
        }
        Act::Pivot => pivot_root(text(a), text(b)).and_then(|()| chdir(c"/")),
        Act::Folder => {
            let mode = Mode::from_raw_mode(u32::try_from(b).unwrap_or_default());
            unless_there(mkdirat(CWD, text(a), mode))
        }
        Act::File => {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            unless_there(open(text(a), flags, Mode::RUSR).map(drop))
        }
        Act::Link => unless_there(symlinkat(text(a), CWD, text(b))),
        Act::Show => mount_bind_recursive(text(a), text(b)),
        Act::ShowItself => show_itself(text(a), text(b)),
        Act::Seal => sys::seal(text(a), b, sys::Below::Too),
        Act::SealOne => sys::seal(text(a), b, sys::Below::No),
        Act::Processes => {
            // Settings of the kernel are files there that belong to root, inside as outside.
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            let flags = flags | MountFlags::RDONLY;
            // The first process is a copy of ours: its command line is nobody's business inside. Kernels
            // before 5.8 cannot hide it.
            mount(c"proc", text(a), c"proc", flags, c"hidepid=4")
                .or_else(|_| mount(c"proc", text(a), c"proc", flags, c""))
        }
        Act::Detach => unmount(text(a), UnmountFlags::DETACH)
            .and_then(|()| unlinkat(CWD, text(a), AtFlags::REMOVEDIR)),
        Act::Loopback => sys::switch_loopback_on(),
        Act::Listen => open_port(errand, a),
        Act::Doors => make_sockets(errand, a),
        Act::Init => init(errand),
    }
}

/// Removes the control groups of a child of which nothing is left.
pub(super) fn tidy(view: View<'_>) {
    for (act, [folder, ..]) in view.steps().flatten() {
        if act == Act::Join {
            // A group that still has members, or is gone, stays as it is.
            unlinkat(CWD, view.text(folder), AtFlags::REMOVEDIR).ok();
        }
    }
}

fn unless_there(made: Result<()>) -> Result<()> {
    made.or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) })
}

fn write_into(path: &CStr, text: &CStr) -> Result<()> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, text.to_bytes()).map(drop)
}

/// Shows what stands at a path itself, so that nobody can put a link there meanwhile.
fn show_itself(from: &CStr, to: &CStr) -> Result<()> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let source = open(from, flags, Mode::empty())?;
    // The files of this process are found here once it has a /proc of its own.
    chdir(c"/proc/self/fd")?;
    mount_bind_recursive(DecInt::from_fd(&source).as_c_str(), to)?;
    chdir(c"/")
}

/// Moves this process into a control group; what it starts is in it too.
fn join(folder: &CStr) -> Result<()> {
    let folder = open(folder, OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let members = openat(&folder, c"cgroup.procs", flags, Mode::empty())?;
    write(&members, b"0").map(drop)
}

/// Gives up capabilities for good, also for programs of root.
fn weaken(kept: u64) -> Result<()> {
    let have = capabilities(None)?;
    let none = CapabilitySet::empty();
    if have.permitted.is_empty() {
        // Whoever has none gains none either, since no program gives any.
        return Ok(());
    }
    sys::drop_bounding_set(kept)?;
    clear_ambient_capability_set()?;
    let kept = CapabilitySet::from_bits_retain(kept);
    let (effective, permitted) = (have.effective & kept, have.permitted & kept);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable: none })
}

/// Opens a port in the network of this process for us, who are outside of it.
fn open_port(errand: Errand<'_>, port: u64) -> Result<()> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    let port = u16::try_from(port).map_err(|_| Errno::INVAL)?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    listen(&socket, BACKLOG)?;
    tell(errand.control.as_fd(), &Message::Listening(socket));
    Ok(())
}

/// Makes sockets in the network of this process for us, who are outside of it.
fn make_sockets(errand: Errand<'_>, count: u64) -> Result<()> {
    for _ in 0..count {
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        tell(errand.control.as_fd(), &Message::Door(socket));
    }
    Ok(())
}

/// Stays as the first process of the namespace; the program becomes its child.
///
/// The first process is not sent signals by those inside that it does not expect, and has to reap
/// orphans; few programs do.
fn init(errand: Errand<'_>) -> Result<()> {
    // Its memory is a copy of ours: whoever is inside must not look at it. A program that is
    // executed can be looked at again.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let program = match sys::fork_into(0)? {
        Fork::Child => return Ok(()),
        Fork::Parent(program) => program,
    };
    sys::block_signals();
    let control = errand.control.as_fd();
    sys::close_all_but(&[control]);
    sys::close_stdio();
    loop {
        match sys::await_end() {
            Ok(Ended { pid, code, signal }) if pid == program => {
                // The first process of a namespace cannot end itself by a signal, so that the guard
                // could not see which one it was.
                tell(control, &Message::Ended { code, signal });
                sys::quit(code)
            }
            Ok(Ended { pid, .. }) => {
                waitpid(Some(pid), WaitOptions::NOHANG).ok();
            }
            Err(Errno::INTR) => {}
            Err(_) => sys::quit(1),
        }
    }
}

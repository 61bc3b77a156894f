//! The system calls that a strict sandbox refuses: those that reach other processes or the kernel's
//! own affairs. The program is told that it may not; it is not killed.

/// How many bytes an instruction of a filter has.
pub(super) const INSTRUCTION: usize = 8;

/// The machine that the filter is for; calls of another one have other numbers.
#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xC000_00B7;
/// No machine has this number: where calls are not known, none passes.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: u32 = 0;

/// Numbers from here on belong to a second, rarely used set of calls of the same machine.
const SECOND_SET: u32 = 0x4000_0000;

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const ANSWER: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000;
const KILL: u32 = 0x8000_0000;

/// Where the number of the call, the machine and the first argument stand.
const NUMBER_AT: u32 = 0;
const MACHINE_AT: u32 = 4;
const FIRST_AT: u32 = 16;

/// The bits of a file's mode by which a program gets the rights of the file's owner or group.
const BORROWED_RIGHTS: u32 = 0o6000;

/// The calls that set a mode, and at which of their arguments.
///
/// A file of root that anybody may run as root would be a way out for a helper outside.
const MODES: &[(libc::c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// The calls that set a mode when they make a file: at which argument it is said, and the mode.
const MAKING: &[(libc::c_long, u32, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
    (libc::SYS_openat, 2, 3),
];

/// The first call that is younger than this page; what it can do is not known here.
const YOUNG: u32 = 467;

/// Calls whose arguments cannot be looked at, or that older ones do as well.
const OLD_WAYS: [libc::c_long; 3] = [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_fchmodat2];

const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

/// The flags by which a file is made; the one without a name is also a flag for folders.
const MAKES_A_FILE: u32 = (libc::O_CREAT | libc::O_TMPFILE & !libc::O_DIRECTORY).cast_unsigned();

/// The kinds of sockets that stay within the sandbox's own network and file view.
const SOCKETS: [libc::c_int; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

/// What a program may ask of its personality: the usual one, and which one it has.
///
/// Others take protections of memory away.
const USUAL_PERSONALITY: u32 = 0;
const WHICH_PERSONALITY: u32 = 0xffff_ffff;

/// The namespaces that a new process could be put into.
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Makes the filter, as the kernel reads it.
pub(super) fn make() -> Vec<u8> {
    let mut filter = Filter(Vec::new());
    filter.push(LOAD, 0, 0, MACHINE_AT);
    filter.push(IF_EQUAL, 1, 0, MACHINE);
    filter.push(ANSWER, 0, 0, KILL);
    filter.push(LOAD, 0, 0, NUMBER_AT);
    filter.push(IF_AT_LEAST, 0, 1, SECOND_SET);
    filter.refuse(libc::EPERM);
    // Programs know that an older kernel has it not, and do without.
    filter.push(IF_AT_LEAST, 0, 1, YOUNG);
    filter.refuse(libc::ENOSYS);
    for call in REFUSED {
        filter.push(IF_EQUAL, 0, 1, number(*call));
        filter.refuse(libc::EPERM);
    }
    for call in OLD_WAYS {
        filter.push(IF_EQUAL, 0, 1, number(call));
        filter.refuse(libc::ENOSYS);
    }
    for (call, mode) in MODES {
        filter.push(IF_EQUAL, 0, 4, number(*call));
        filter.push(LOAD, 0, 0, argument(*mode));
        filter.push(IF_ANY_BIT, 0, 1, BORROWED_RIGHTS);
        filter.refuse(libc::EPERM);
        filter.push(LOAD, 0, 0, NUMBER_AT);
    }
    for (call, flags, mode) in MAKING {
        filter.push(IF_EQUAL, 0, 6, number(*call));
        filter.push(LOAD, 0, 0, argument(*flags));
        filter.push(IF_ANY_BIT, 0, 3, MAKES_A_FILE);
        filter.push(LOAD, 0, 0, argument(*mode));
        filter.push(IF_ANY_BIT, 0, 1, BORROWED_RIGHTS);
        filter.refuse(libc::EPERM);
        filter.push(LOAD, 0, 0, NUMBER_AT);
    }
    filter.push(IF_EQUAL, 0, 5, number(libc::SYS_personality));
    filter.push(LOAD, 0, 0, FIRST_AT);
    filter.push(IF_EQUAL, 2, 0, USUAL_PERSONALITY);
    filter.push(IF_EQUAL, 1, 0, WHICH_PERSONALITY);
    filter.refuse(libc::EPERM);
    filter.push(ANSWER, 0, 0, ALLOW);
    filter.push(IF_EQUAL, 0, 4, number(libc::SYS_clone));
    filter.push(LOAD, 0, 0, FIRST_AT);
    filter.push(IF_ANY_BIT, 0, 1, NAMESPACES.cast_unsigned());
    filter.refuse(libc::EPERM);
    filter.push(ANSWER, 0, 0, ALLOW);
    filter.push(IF_EQUAL, 0, 5, number(libc::SYS_socket));
    filter.push(LOAD, 0, 0, FIRST_AT);
    let [unix, inet, inet6] = SOCKETS.map(libc::c_int::cast_unsigned);
    filter.push(IF_EQUAL, 3, 0, unix);
    filter.push(IF_EQUAL, 2, 0, inet);
    filter.push(IF_EQUAL, 1, 0, inet6);
    filter.refuse(libc::EAFNOSUPPORT);
    filter.push(ANSWER, 0, 0, ALLOW);
    filter.0
}

struct Filter(Vec<u8>);

impl Filter {
    /// Adds an instruction: what to do, how many to pass over when it is so and when not.
    fn push(&mut self, code: u16, if_so: u8, if_not: u8, value: u32) {
        self.0.extend(code.to_ne_bytes());
        self.0.extend([if_so, if_not]);
        self.0.extend(value.to_ne_bytes());
    }

    fn refuse(&mut self, error: libc::c_int) {
        self.push(ANSWER, 0, 0, REFUSE | error.cast_unsigned());
    }
}

/// Where the lower half of an argument stands, counted from 0.
fn argument(place: u32) -> u32 {
    FIRST_AT + 8 * place
}

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

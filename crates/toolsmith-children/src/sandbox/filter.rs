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

const REFUSED: [libc::c_long; 46] = [
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
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
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

/// The kinds of sockets that stay within the sandbox's own network and file view.
const SOCKETS: [libc::c_int; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

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
    for call in REFUSED {
        filter.push(IF_EQUAL, 0, 1, number(call));
        filter.refuse(libc::EPERM);
    }
    // Its arguments cannot be looked at; the C library then uses the older call.
    filter.push(IF_EQUAL, 0, 1, number(libc::SYS_clone3));
    filter.refuse(libc::ENOSYS);
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

fn number(call: libc::c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

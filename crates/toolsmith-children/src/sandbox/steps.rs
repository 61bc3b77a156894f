//! The steps by which a child confines itself before its program begins.

use std::{io, os::fd::OwnedFd};

use rustix::process::{getgid, getuid};

use super::{Groups, PORT, Profile, Sandbox, filter, places::Places, rules, view};
use crate::{
    Command,
    keeper::{Act, Arg, Plan},
};

/// The rights of root that a standard sandbox leaves: over files, owners, signals and low ports.
///
/// Those over the machine and over other processes' memory go.
const KEPT: u64 = 0b100_1111_1111;

/// Writes down the steps before the child's session, as far as its sandbox asks for any.
pub(crate) fn begin(
    plan: &mut Plan,
    command: &Command,
    sandbox: &Sandbox,
    groups: &Groups,
) -> io::Result<()> {
    for group in groups.folders() {
        plan.step(Act::Join, [Arg::from(&**group)]);
    }
    if !sandbox.parts_network() {
        return Ok(());
    }
    plan.part_from(flags(libc::CLONE_NEWUSER | libc::CLONE_NEWNET));
    map_user(plan);
    plan.step(Act::Loopback, []);
    if !sandbox.hosts.is_empty() {
        plan.step(Act::Listen, [Arg::from(u64::from(PORT))]);
    }
    if sandbox.doors > 0 {
        plan.step(Act::Doors, [Arg::from(u64::from(sandbox.doors))]);
    }
    if sandbox.profile == Profile::Strict {
        let rest = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        plan.part_from(flags(rest | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP));
        view::show(plan, command, sandbox)?;
    }
    plan.step(Act::Weaken, [Arg::from(0)]);
    if sandbox.profile == Profile::Strict {
        plan.step(Act::Bind, []);
        plan.step(Act::NoNewPrivileges, []);
        plan.step(Act::Init, []);
    }
    Ok(())
}

/// Writes down the steps after which only the program is left to begin; returns the rules for files.
pub(crate) fn finish(
    plan: &mut Plan,
    command: &Command,
    sandbox: &Sandbox,
) -> io::Result<Option<OwnedFd>> {
    plan.step(Act::NoNewPrivileges, []);
    let mut rules = None;
    if sandbox.profile == Profile::Standard {
        if !sandbox.parts_network() {
            plan.step(Act::Weaken, [Arg::from(KEPT)]);
        }
        rules = rules::make(&Places::of(command, sandbox)?);
        if rules.is_some() {
            plan.step(Act::Landlock, []);
        }
    }
    if sandbox.profile == Profile::Strict {
        let filter = filter::make();
        let count = (filter.len() / filter::INSTRUCTION) as u64;
        plan.step(Act::Filter, [Arg::Bytes(&filter), Arg::Number(count)]);
    }
    Ok(rules)
}

/// Says what a step that failed needs; nothing when it is no matter of the sandbox.
pub(crate) fn lack(plan: &Plan, step: usize) -> Option<&'static str> {
    let Some(act) = plan.act(step) else {
        return plan.parts().then_some(
            "it needs user namespaces: allow them (as root: sysctl -w \
             kernel.unprivileged_userns_clone=1, user.max_user_namespaces=10000, and where it is \
             there kernel.apparmor_restrict_unprivileged_userns=0)",
        );
    };
    Some(match act {
        Act::Session | Act::Bind | Act::Enter | Act::Limit => return None,
        Act::Write | Act::Weaken | Act::Init | Act::Loopback | Act::Listen | Act::Doors => {
            "it needs user namespaces that are not held back by AppArmor or a container"
        }
        Act::Join => "it needs control groups for processes and memory that it may write to",
        Act::NoNewPrivileges | Act::Filter => "it needs a kernel with seccomp filters",
        Act::Landlock => "it needs a kernel with Landlock",
        Act::Processes => {
            "it needs a /proc of which nothing is hidden; containers hide parts unless they are \
             started with `--security-opt systempaths=unconfined`"
        }
        Act::Seal | Act::SealOne => "it needs Linux 5.12 or later",
        Act::Part
        | Act::Tmpfs
        | Act::Pivot
        | Act::Folder
        | Act::File
        | Act::Link
        | Act::Show
        | Act::ShowItself
        | Act::Detach => {
            "it needs mount namespaces; containers need `--cap-add SYS_ADMIN` for them"
        }
    })
}

/// Keeps the user and the group as they are; nobody else exists inside.
fn map_user(plan: &mut Plan) {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let (user, group) = (format!("{user} {user} 1"), format!("{group} {group} 1"));
    for (file, text) in [("setgroups", "deny"), ("uid_map", &user), ("gid_map", &group)] {
        let path = format!("/proc/self/{file}");
        plan.step(Act::Write, [Arg::from(path.as_str()), Arg::from(text)]);
    }
}

fn flags(namespaces: libc::c_int) -> u64 {
    u64::from(namespaces.cast_unsigned())
}

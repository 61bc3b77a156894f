//! What a child does between its birth and its program.

use std::{collections::BTreeMap, io, os::fd::OwnedFd};

use rustix::process::getrlimit;

use crate::{
    Command, Limits, Profile,
    keeper::{Act, Arg, Plan, RESOURCES},
    sandbox::{self, Groups, PORT},
    tree::MARK,
};

/// Where a child in a strict sandbox may put what it does not keep.
const SCRATCH: &str = "/tmp";

/// How a command is started.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) plan: Plan,
    /// Rules for files that the plan refers to.
    pub(crate) rules: Option<OwnedFd>,
}

/// Writes down how a command is started.
///
/// A child leads a session, which has no terminal, so that nothing can ask there for a password and
/// wait. It gets its three pipes and no other open file.
pub(crate) fn set_up(command: &Command, mark: &str, groups: &Groups) -> io::Result<Setup> {
    let mut plan = Plan::default();
    let sandbox = command.sandbox.as_ref();
    if let Some(sandbox) = sandbox {
        sandbox::begin(&mut plan, command, sandbox, groups)?;
    }
    plan.step(Act::Session, []);
    // The child begins elsewhere: what is relative is meant from our own folder.
    plan.step(Act::Enter, [Arg::from(&*std::path::absolute(&command.folder)?)]);
    limit(&mut plan, groups.rest(command.all_limits()));
    let mut rules = None;
    if let Some(sandbox) = sandbox {
        rules = sandbox::finish(&mut plan, command, sandbox);
    }
    // In a strict sandbox the first process of its namespace is bound, and the rest to that one.
    if sandbox.is_none_or(|sandbox| sandbox.profile == Profile::Standard) {
        plan.step(Act::Bind, []);
    }
    plan.execute(command.program.as_os_str());
    plan.arg(command.name.as_deref().unwrap_or(command.program.as_os_str()));
    for arg in &command.args {
        plan.arg(arg);
    }
    for (name, value) in environment(command, mark) {
        plan.variable(&name, &value);
    }
    Ok(Setup { plan, rules })
}

/// Returns the variables of a child: its own, its mark, and what its sandbox needs to say.
fn environment(command: &Command, mark: &str) -> BTreeMap<String, String> {
    let mut env = command.env.clone();
    if let Some(sandbox) = &command.sandbox {
        if sandbox.profile == Profile::Strict {
            env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), SCRATCH.to_owned())));
        }
        if !sandbox.hosts.is_empty() {
            env.retain(|name, _| !name.eq_ignore_ascii_case("no_proxy"));
            let proxy = format!("http://127.0.0.1:{PORT}");
            let names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
            env.extend(names.map(|name| (name.to_owned(), proxy.clone())));
        }
    }
    env.insert(MARK.to_owned(), mark.to_owned());
    env
}

fn limit(plan: &mut Plan, limits: Limits) {
    let wanted =
        [limits.cpu_seconds, limits.memory, limits.file_size, limits.open_files, limits.processes];
    // The hard limit of time is a second later, so that the child is told before it is killed.
    let spare = [1, 0, 0, 0, 0];
    for (place, (wanted, spare)) in wanted.into_iter().zip(spare).enumerate() {
        let (Some(limit), Some(resource)) = (wanted, RESOURCES.get(place)) else { continue };
        // Nobody but root may go above the present hard limit.
        let most = getrlimit(*resource).maximum.unwrap_or(u64::MAX);
        let hard = limit.saturating_add(spare).min(most);
        plan.step(Act::Limit, [place as u64, limit.min(most), hard].map(Arg::from));
    }
}

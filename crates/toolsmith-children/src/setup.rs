//! What a child does between its birth and its program.

use std::{collections::BTreeMap, io, os::fd::OwnedFd};

use rustix::process::getrlimit;

use crate::{
    ChildError, Command, Limits, Profile, Sandbox,
    keeper::{Act, Arg, Plan, RESOURCES, Tenure},
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
    /// Control groups that the plan refers to.
    pub(crate) groups: Groups,
    /// The program, as errors name it.
    pub(crate) program: String,
    /// Whose child it is, as its environment says.
    pub(crate) mark: String,
    /// The hosts that it may reach through a proxy.
    pub(crate) hosts: Vec<String>,
}

impl Setup {
    /// Writes down how a command is started.
    ///
    /// A child leads a session, which has no terminal, so that nothing can ask there for a password
    /// and wait. It gets its three pipes and no other open file.
    pub(crate) fn of(command: &Command, mark: String, tenure: Tenure) -> Result<Self, ChildError> {
        let groups = groups(command, &mark)?;
        let program = command.program.to_string_lossy().into_owned();
        let planned = plan(command, &mark, &groups);
        let (mut plan, rules) = planned.map_err(|source| match command.sandbox {
            Some(_) => ChildError::Unshown(source),
            None => ChildError::Start { program: program.clone(), source },
        })?;
        plan.keep_number(tenure);
        let hosts = command.sandbox.as_ref().map(|sandbox| sandbox.hosts.clone());
        Ok(Self { plan, rules, groups, program, mark, hosts: hosts.unwrap_or_default() })
    }
}

/// Makes the control groups of a child in a strict sandbox.
fn groups(command: &Command, mark: &str) -> Result<Groups, ChildError> {
    let strict = |sandbox: &Sandbox| sandbox.profile == Profile::Strict;
    if !command.sandbox.as_ref().is_some_and(strict) {
        return Ok(Groups::default());
    }
    let limits = command.all_limits();
    let groups = Groups::make(mark, limits);
    if let Some(lack) = groups.lack(limits) {
        return Err(ChildError::Sandbox { lack, source: io::ErrorKind::PermissionDenied.into() });
    }
    Ok(groups)
}

fn plan(command: &Command, mark: &str, groups: &Groups) -> io::Result<(Plan, Option<OwnedFd>)> {
    let mut plan = Plan::default();
    let sandbox = command.sandbox.as_ref();
    if let Some(sandbox) = sandbox {
        sandbox::begin(&mut plan, command, sandbox, groups)?;
    }
    // A child that hangs on its way to its folder dies with its guard, too.
    if !plan.parts() {
        plan.step(Act::Bind, []);
    }
    plan.step(Act::Session, []);
    // The child begins elsewhere: what is relative is meant from our own folder.
    plan.step(Act::Enter, [Arg::from(&*std::path::absolute(&command.folder)?)]);
    limit(&mut plan, groups.rest(command.all_limits()), sandbox);
    let mut rules = None;
    if let Some(sandbox) = sandbox {
        rules = sandbox::finish(&mut plan, command, sandbox)?;
    }
    // In a strict sandbox the first process of its namespace is bound, and the rest to that one.
    if plan.parts() && sandbox.is_some_and(|sandbox| sandbox.profile == Profile::Standard) {
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
    Ok((plan, rules))
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

fn limit(plan: &mut Plan, limits: Limits, sandbox: Option<&Sandbox>) {
    // A picture of its memory would be written by the kernel, wherever it happens to be.
    let core = sandbox.map(|_| 0);
    let Limits { cpu_seconds, memory, file_size, open_files, processes } = limits;
    let wanted = [cpu_seconds, memory, file_size, open_files, processes, core];
    // The hard limit of time is a second later, so that the child is told before it is killed.
    let spare = [1, 0, 0, 0, 0, 0];
    for (place, (wanted, spare)) in wanted.into_iter().zip(spare).enumerate() {
        let (Some(limit), Some(resource)) = (wanted, RESOURCES.get(place)) else { continue };
        // Nobody but root may go above the present hard limit.
        let most = getrlimit(*resource).maximum.unwrap_or(u64::MAX);
        let hard = limit.saturating_add(spare).min(most);
        plan.step(Act::Limit, [place as u64, limit.min(most), hard].map(Arg::from));
    }
}

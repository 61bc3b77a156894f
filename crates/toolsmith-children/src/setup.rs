//! What a child does between its birth and its program.

use std::io;

use rustix::process::getrlimit;

use crate::{
    Command, Limits,
    keeper::{Act, Plan, RESOURCES},
    tree::MARK,
};

/// Writes down how a command is started.
///
/// A child leads a session, which has no terminal, so that nothing can ask there for a password and
/// wait. It gets its three pipes and no other open file.
pub(crate) fn plan(command: &Command, mark: &str) -> io::Result<Plan> {
    let mut plan = Plan::default();
    plan.step(Act::Session, [0; 3]);
    // The child begins elsewhere: what is relative is meant from our own folder.
    plan.step_at(Act::Enter, std::path::absolute(&command.folder)?.as_os_str());
    limit(&mut plan, command.limits);
    plan.step(Act::Bind, [0; 3]);
    plan.execute(command.program.as_os_str());
    plan.arg(command.name.as_deref().unwrap_or(command.program.as_os_str()));
    for arg in &command.args {
        plan.arg(arg);
    }
    for (name, value) in command.env.iter().filter(|(name, _)| *name != MARK) {
        plan.variable(name, value);
    }
    plan.variable(MARK, mark);
    Ok(plan)
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
        plan.step(Act::Limit, [place as u64, limit.min(most), hard]);
    }
}

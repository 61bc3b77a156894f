//! Whose a container is: labels that name our process, so that those of a dead one are found.

use std::{collections::HashMap, fs, process};

/// The label that names the machine, as far as processes can be told apart on it.
pub(super) const MACHINE: &str = "toolsmith.machine";

/// The label that names the process.
pub(super) const OWNER: &str = "toolsmith.owner";

/// The label that names the tool.
pub(super) const TOOL: &str = "toolsmith.tool";

/// Returns the labels of a container of ours.
pub(super) fn labels(tool: &str) -> HashMap<String, String> {
    let own = [(MACHINE, machine()), (OWNER, ours()), (TOOL, tool.to_owned())];
    own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Tells whether the process that a container belongs to is gone; those of others never are.
pub(super) fn is_orphan(labels: &HashMap<String, String>) -> bool {
    let is_near = labels.get(MACHINE) == Some(&machine());
    let owner = labels.get(OWNER);
    is_near && owner.is_some_and(|owner| !is_alive(owner))
}

/// Names this machine and the table of processes that we see on it.
fn machine() -> String {
    let id = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let table = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}/{}", id.trim(), host.trim(), table.display())
}

/// Names our process: boot, number, and when it started.
fn ours() -> String {
    name_of(process::id()).unwrap_or_else(|| format!("/{}/", process::id()))
}

fn is_alive(owner: &str) -> bool {
    let number = owner.split('/').nth(1).and_then(|number| number.parse().ok());
    number.and_then(name_of).is_some_and(|name| name == owner)
}

fn name_of(pid: u32) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in brackets and may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let since = rest.split_ascii_whitespace().nth(19)?;
    Some(format!("{}/{pid}/{since}", boot.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_containers_of_the_dead_on_this_machine_are_orphans() {
        let mut own = labels("t");
        assert!(!is_orphan(&own));
        assert!(!is_orphan(&HashMap::new()));
        let boot = own[OWNER].split('/').next().unwrap().to_owned();
        own.insert(OWNER.to_owned(), format!("{boot}/{}/1", process::id()));
        assert!(is_orphan(&own), "another process had our number before");
        own.insert(OWNER.to_owned(), format!("another-boot/{}/1", process::id()));
        assert!(is_orphan(&own));
        own.insert(MACHINE.to_owned(), "elsewhere".to_owned());
        assert!(!is_orphan(&own));
    }
}

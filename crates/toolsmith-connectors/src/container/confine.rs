//! What a sandbox means for a container: the limits that containers have themselves.
//!
//! | | always | `standard` | `strict` |
//! |---|---|---|---|
//! | rights | no capabilities, no new privileges | the same | the same, and `nobody` unless `user` is said |
//! | memory | `memory` | at most 1 GiB unless said | the same |
//! | processes | 512, or `pids` | the same | 64, or `pids` |
//! | root folder | read only unless said | the same | read only |
//! | mounts | as said | as said | read only |
//! | network | as said | as said | none: calls come through a socket |

use toolsmith_core::{Confinement, Fault, Fields, SandboxProfile, Spot};

use super::entry::{Entry, Memory, Network};

/// The most memory when nothing is said about it.
const MEMORY: u64 = 1 << 30;

/// How many processes a strict sandbox allows when nothing is said about it.
const PROCESSES: u64 = 64;

/// Whoever has no rights on any machine.
const NOBODY: &str = "65534:65534";

impl Entry {
    /// Holds the container to a sandbox; nothing when what it asks for cannot be held.
    pub(super) fn confine(
        mut self,
        confinement: &Confinement,
        fields: &mut Fields<'_>,
    ) -> Option<Self> {
        let Confinement { profile, read, write, hosts, memory, cpu_seconds, processes } =
            confinement;
        for (key, list) in [("read", read), ("write", write)] {
            if !list.is_empty() {
                refuse(fields, key, "a container sees what its `mounts` say; list it there");
            }
        }
        if !hosts.is_empty() {
            let why = "a container reaches its whole `network` or nothing; remove the list";
            refuse(fields, "hosts", why);
        }
        if let Some(bytes) = memory.or(self.memory.is_none().then_some(MEMORY)) {
            self.memory = Some(Memory { bytes, written: format!("{}m", bytes >> 20) });
        }
        self.cpu_seconds = *cpu_seconds;
        self.pids = processes.unwrap_or(self.pids);
        if *profile == SandboxProfile::Strict {
            self.lock_up(fields, *processes);
        }
        fields.is_fine().then_some(self)
    }

    fn lock_up(&mut self, fields: &mut Fields<'_>, processes: Option<u64>) {
        let is_said = |fields: &Fields<'_>, key| fields.object().contains_key(key);
        if is_said(fields, "network") && self.network != Network::None {
            let why = "`sandbox: strict` has no network: write `none`, and let the container \
                       listen on the socket that TOOLSMITH_SOCKET names";
            fields.blame("network", why);
        }
        if !self.is_read_only {
            fields.blame("read_only", "`sandbox: strict` has a root that cannot be written");
        }
        if self.mounts.iter().any(|mounted| !mounted.is_read_only) {
            fields.blame("mounts", "`sandbox: strict` lets nothing be written that is mounted");
        }
        if self.gpu.is_some() {
            fields.blame("gpu", "`sandbox: strict` has no devices");
        }
        self.network = Network::None;
        if !is_said(fields, "pids") && processes.is_none() {
            self.pids = PROCESSES;
        }
        self.user.get_or_insert_with(|| NOBODY.to_owned());
    }
}

fn refuse(fields: &mut Fields<'_>, key: &str, why: &str) {
    let (pointer, message) = (format!("/sandbox/{key}"), why.to_owned());
    fields.add(Fault { pointer, spot: Spot::Key, message });
}

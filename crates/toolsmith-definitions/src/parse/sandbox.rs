//! The sandbox that a definition asks for: a word, or an object with more.

use toolsmith_core::{Confinement, Fields, SandboxProfile, Value};

const WORDS: [&str; 3] = ["none", "standard", "strict"];

/// Reads the key; nothing when no sandbox is asked for, and when something about it is wrong.
///
/// Whoever asks for a sandbox does not trust the tool: a fault here must not let it run without.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Confinement> {
    if !matches!(fields.any("sandbox"), Some(Value::Object(_))) {
        return profile(fields.word("sandbox", &WORDS)?).map(Confinement::new);
    }
    let mut inner = fields.enter("sandbox")?;
    let word = inner.word("profile", &WORDS);
    if inner.any("profile").is_none() {
        inner.miss("profile", "one of `none`, `standard`, `strict`");
    }
    let mut texts =
        |key| inner.texts(key).unwrap_or_default().into_iter().map(str::to_owned).collect();
    let (read, write, hosts) = (texts("read"), texts("write"), texts("hosts"));
    let memory = inner.count("memory_mb").map(|count| count.saturating_mul(1024 * 1024));
    let (cpu_seconds, processes) = (inner.count("cpu_seconds"), inner.count("processes"));
    fields.leave(inner);
    let profile = profile(word?)?;
    Some(Confinement { profile, read, write, hosts, memory, cpu_seconds, processes })
}

fn profile(word: &str) -> Option<SandboxProfile> {
    match word {
        "standard" => Some(SandboxProfile::Standard),
        "strict" => Some(SandboxProfile::Strict),
        _ => None,
    }
}

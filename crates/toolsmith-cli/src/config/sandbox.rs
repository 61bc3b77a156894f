//! The sandbox of a program: a word, or a map with more, as in definitions.

use serde_json::Value;
use toolsmith_core::SandboxProfile;

use super::{
    Environment,
    kinds::{Choice, Count, Fault, Field, Kind, ListOf, Optional, Record, Shape, Word, bind},
    settings::McpSandbox,
    yaml::{Content, Node},
};

/// A word, or a map with more.
pub(super) struct Sandbox;

static PROFILES: [(&str, Option<SandboxProfile>); 3] = [
    ("none", None),
    ("standard", Some(SandboxProfile::Standard)),
    ("strict", Some(SandboxProfile::Strict)),
];

static FIELDS: [Field<McpSandbox>; 7] = [
    Field { name: "profile", slot: |s| bind(Choice(&PROFILES), &mut s.profile) },
    Field { name: "read", slot: |s| bind(ListOf(Word), &mut s.read) },
    Field { name: "write", slot: |s| bind(ListOf(Word), &mut s.write) },
    Field { name: "hosts", slot: |s| bind(ListOf(Word), &mut s.hosts) },
    Field { name: "memory_mb", slot: |s| bind(Optional(Count { least: 1 }), &mut s.memory_mb) },
    Field { name: "cpu_seconds", slot: |s| bind(Optional(Count { least: 1 }), &mut s.cpu_seconds) },
    Field { name: "processes", slot: |s| bind(Optional(Count { least: 1 }), &mut s.processes) },
];

const MAP: Record<McpSandbox> = Record { fields: &FIELDS, check: |_| None };

impl Kind for Sandbox {
    type Output = McpSandbox;

    fn read(&self, node: &Node, environment: &Environment) -> Result<McpSandbox, Vec<Fault>> {
        if let Content::Map(entries) = &node.value {
            // Whoever asks for a sandbox must not get none because a word was forgotten.
            if !entries.iter().any(|entry| entry.key == "profile") {
                let message = "expected a `profile`: `none`, `standard` or `strict`";
                return Err(vec![Fault::at(node, message)]);
            }
            return MAP.read(node, environment);
        }
        let profile = Choice(&PROFILES).read(node, environment)?;
        Ok(McpSandbox { profile, ..McpSandbox::default() })
    }

    fn show(&self, value: &McpSandbox) -> Value {
        let plain = McpSandbox { profile: value.profile, ..McpSandbox::default() };
        if *value == plain { Choice(&PROFILES).show(&value.profile) } else { MAP.show(value) }
    }

    fn expects(&self) -> String {
        format!("{}, or {}", Choice(&PROFILES).expects(), MAP.expects())
    }

    fn shape(&self) -> Shape {
        Shape::Json
    }
}

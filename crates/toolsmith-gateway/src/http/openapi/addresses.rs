//! The addresses, one after the other: what each takes, and what it answers.

use toolsmith_core::{Value, json};

/// An address and a method.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: &'static [(&'static str, Kind)],
    /// The name of the schema of its body.
    pub(super) body: Option<&'static str>,
    /// What is answered, by status.
    pub(super) answers: &'static [(&'static str, Sent)],
}

/// What a query may hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Count,
    Yes,
    Time,
    Id,
    One(&'static [&'static str]),
}

/// What an answer holds: a document of a schema, or something else.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent {
    Json(&'static str),
    JsonOrEvents(&'static str),
    JsonOrText(&'static str),
    Events,
    Text,
    Page,
    Nothing,
}

impl Kind {
    pub(super) fn schema(self) -> Value {
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Count => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
            Self::Yes => json!({ "type": "boolean" }),
            Self::Time => json!({ "type": "string", "format": "date-time" }),
            Self::Id => json!({ "type": "string", "format": "uuid" }),
            Self::One(words) => json!({ "type": "string", "enum": words }),
        }
    }
}

const WRONG: (&str, Sent) = ("4XX", Sent::Json("Error"));
const FAILED: (&str, Sent) = ("5XX", Sent::Json("Error"));

const fn address(
    (method, path): (&'static str, &'static str),
    summary: &'static str,
    query: &'static [(&'static str, Kind)],
    body: Option<&'static str>,
    answers: &'static [(&'static str, Sent)],
) -> Address {
    Address { method, path, summary, query, body, answers }
}

const FORMATS: Kind = Kind::One(&["openai", "anthropic", "gemini", "mcp", "xml"]);
const RUNTIMES: Kind = Kind::One(&["embedded", "local", "docker", "remote"]);
const ANY: &[(&str, Sent)] = &[("200", Sent::Json("Any")), WRONG, FAILED];
const OUTCOMES: &[(&str, Sent)] = &[
    ("200", Sent::JsonOrEvents("Outcome")),
    ("202", Sent::Json("Begun")),
    ("4XX", Sent::Json("OutcomeOrError")),
    ("5XX", Sent::Json("OutcomeOrError")),
];

/// Every address.
pub(super) const ADDRESSES: &[Address] = &[
    address(
        ("get", "/health"),
        "Is everything well?",
        &[],
        None,
        &[("200", Sent::Json("Health")), WRONG],
    ),
    address(
        ("get", "/health/live"),
        "Does it live?",
        &[],
        None,
        &[("200", Sent::Json("Sign")), WRONG],
    ),
    address(
        ("get", "/health/ready"),
        "Does it take calls?",
        &[],
        None,
        &[("200", Sent::Json("Sign")), ("503", Sent::Json("Sign")), WRONG],
    ),
    address(
        ("get", "/metrics"),
        "What is measured, for Prometheus",
        &[],
        None,
        &[("200", Sent::Text), WRONG],
    ),
    address(
        ("get", "/tools"),
        "The table of tools",
        &[
            ("q", Kind::Text),
            ("category", Kind::Text),
            ("group", Kind::Text),
            ("tag", Kind::Text),
            ("runtime", RUNTIMES),
            ("limit", Kind::Count),
            ("cursor", Kind::Text),
            ("format", FORMATS),
        ],
        None,
        &[("200", Sent::JsonOrText("Any")), ("304", Sent::Nothing), WRONG],
    ),
    address(
        ("post", "/tools"),
        "Adds a tool by its definition; for administrators",
        &[("replace", Kind::Yes)],
        Some("Any"),
        &[("201", Sent::Json("Any")), WRONG, FAILED],
    ),
    address(("get", "/tools/{name}"), "One tool, whole", &[], None, ANY),
    address(("delete", "/tools/{name}"), "Removes a tool; for administrators", &[], None, ANY),
    address(
        ("post", "/tools/{name}/enable"),
        "Lets a tool be called; for administrators",
        &[],
        None,
        ANY,
    ),
    address(
        ("post", "/tools/{name}/disable"),
        "Keeps a tool from being called; for administrators",
        &[],
        None,
        ANY,
    ),
    address(
        ("post", "/tools/{name}/start"),
        "Starts its service; for administrators",
        &[],
        None,
        ANY,
    ),
    address(
        ("post", "/tools/{name}/stop"),
        "Stops its service; for administrators",
        &[],
        None,
        ANY,
    ),
    address(("post", "/reload"), "Reads all definitions again; for administrators", &[], None, ANY),
    address(("get", "/groups"), "Tools that belong together", &[], None, ANY),
    address(("get", "/status"), "Tools and agents at a glance", &[], None, ANY),
    address(("post", "/run_tool"), "One call", &[("async", Kind::Yes)], Some("Call"), OUTCOMES),
    address(
        ("post", "/run_tools"),
        "Many calls at once",
        &[],
        Some("Calls"),
        &[("200", Sent::Json("Outcomes")), WRONG],
    ),
    address(
        ("get", "/calls"),
        "Records of calls",
        &[
            ("conversation_id", Kind::Text),
            ("tool", Kind::Text),
            ("caller_id", Kind::Text),
            ("user_id", Kind::Text),
            ("workflow_id", Kind::Text),
            ("task_id", Kind::Text),
            ("since", Kind::Time),
            ("until", Kind::Time),
            ("success", Kind::Yes),
            ("order", Kind::One(&["newest", "oldest"])),
            ("cursor", Kind::Id),
            ("limit", Kind::Count),
        ],
        None,
        ANY,
    ),
    address(
        ("get", "/calls/summary"),
        "What a conversation did with tools",
        &[("conversation_id", Kind::Text), ("form", Kind::One(&["whole", "brief"]))],
        None,
        ANY,
    ),
    address(
        ("get", "/calls/{id}"),
        "How a call is, or what came of it",
        &[],
        None,
        &[("200", Sent::Json("Report")), WRONG, FAILED],
    ),
    address(
        ("delete", "/calls/{id}"),
        "Ends a call that is under way",
        &[],
        None,
        &[("200", Sent::Json("Report")), ("202", Sent::Json("Report")), WRONG, FAILED],
    ),
    address(("get", "/stats"), "What all calls came to; for administrators", &[], None, ANY),
    address(
        ("get", "/artifacts/{id}"),
        "An output that was too large to show whole",
        &[("offset", Kind::Count), ("limit", Kind::Count)],
        None,
        ANY,
    ),
    address(
        ("get", "/events"),
        "What happens, as server-sent events",
        &[
            ("type", Kind::Text),
            ("tool", Kind::Text),
            ("conversation_id", Kind::Text),
            ("call_id", Kind::Id),
            ("caller_id", Kind::Text),
            ("last_event_id", Kind::Text),
        ],
        None,
        &[("200", Sent::Events), WRONG],
    ),
    address(
        ("post", "/chat"),
        "Questions about the tools",
        &[],
        Some("Question"),
        &[("200", Sent::Json("Reply")), WRONG],
    ),
    address(("get", "/approvals"), "Calls that wait for a person", &[], None, ANY),
    address(
        ("post", "/approvals/{id}"),
        "Decides about a call; for administrators",
        &[],
        Some("Verdict"),
        ANY,
    ),
    address(
        ("get", "/openapi.json"),
        "This document",
        &[],
        None,
        &[("200", Sent::Json("Any")), ("304", Sent::Nothing), WRONG],
    ),
    address(("get", "/docs"), "This document for people", &[], None, &[("200", Sent::Page), WRONG]),
];

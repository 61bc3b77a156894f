//! Every address, one after the other.

use axum::routing::on;
use toolsmith_core::{ArtifactPage, Map, Outcome, Value};
use toolsmith_store::Statistics;

use super::address::{
    Address,
    Fails::{Body, Call, Change, Message, Named, Records},
    Sent::{self, Events, Json, JsonOrEvents, JsonOrText, Nothing, Page, Plain},
    Verb::{Delete, Get, Post},
    of,
};
use crate::{
    Reload,
    http::{
        approvals, artifacts, call, call_request::CallRequest, chat, define, events, groups,
        health, metrics, openapi, overview, protected, records, reload, run_tool, run_tools, stats,
        summary, tool, tools,
    },
    mcp,
};

/// Any object.
type Document = Map<String, Value>;

const CHANGED: &[(u16, Sent)] = &[(200, Json(of::<tool::Changed>))];

/// Every address.
pub(super) const ADDRESSES: &[Address] = &[
    Address::new(Get, "/health", "Is everything well?", |verb| on(verb, health::health))
        .answers(&[(200, Json(of::<health::Report>))]),
    Address::new(Get, "/health/live", "Does it live?", |verb| on(verb, health::live))
        .answers(&[(200, Json(of::<health::Sign>))]),
    Address::new(Get, "/health/ready", "Does it take calls?", |verb| on(verb, health::ready))
        .answers(&[(200, Json(of::<health::Sign>)), (503, Json(of::<health::Sign>))]),
    Address::new(Get, "/metrics", "What is measured, for Prometheus", |verb| {
        on(verb, metrics::metrics)
    })
    .answers(&[(200, Plain)])
    .fails(&[Named]),
    Address::new(Get, "/.well-known/oauth-protected-resource", ISSUERS, |verb| {
        on(verb, protected::whole)
    })
    .answers(DESCRIBED)
    .fails(&[Named]),
    Address::new(Get, "/.well-known/oauth-protected-resource/mcp", ISSUERS, |verb| {
        on(verb, protected::mcp)
    })
    .answers(DESCRIBED)
    .fails(&[Named]),
    Address::new(Get, "/.well-known/oauth-protected-resource/mcp/{group}", ISSUERS, |verb| {
        on(verb, protected::group)
    })
    .answers(DESCRIBED)
    .fails(&[Named]),
    Address::new(Get, "/tools", "The table of tools", |verb| on(verb, tools::tools))
        .asks(of::<tools::Wanted>)
        .answers(&[(200, JsonOrText(of::<tools::Listed>)), (304, Nothing)]),
    Address::new(Post, "/tools", "Adds a tool by its definition; for administrators", |verb| {
        on(verb, define::define)
    })
    .asks(of::<define::Manner>)
    .takes(of::<Document>)
    .answers(&[(201, Json(of::<define::Added>))])
    .fails(&[Body, Change]),
    Address::new(Get, "/tools/{name}", "One tool, whole", |verb| on(verb, tool::show))
        .answers(&[(200, Json(of::<tool::Shown>))])
        .fails(&[Named]),
    Address::new(Delete, "/tools/{name}", "Removes a tool; for administrators", |verb| {
        on(verb, tool::remove)
    })
    .answers(CHANGED)
    .fails(&[Change]),
    Address::new(
        Post,
        "/tools/{name}/enable",
        "Lets a tool be called; for administrators",
        |verb| on(verb, tool::enable),
    )
    .answers(CHANGED)
    .fails(&[Change]),
    Address::new(
        Post,
        "/tools/{name}/disable",
        "Keeps a tool from being called; for administrators",
        |verb| on(verb, tool::disable),
    )
    .answers(CHANGED)
    .fails(&[Change]),
    Address::new(Post, "/tools/{name}/start", "Starts its service; for administrators", |verb| {
        on(verb, tool::start)
    })
    .answers(CHANGED)
    .fails(&[Change]),
    Address::new(Post, "/tools/{name}/stop", "Stops its service; for administrators", |verb| {
        on(verb, tool::stop)
    })
    .answers(CHANGED)
    .fails(&[Change]),
    Address::new(Post, "/reload", "Reads all definitions again; for administrators", |verb| {
        on(verb, reload::reload)
    })
    .answers(&[(200, Json(of::<Reload>))])
    .fails(&[Change]),
    Address::new(Get, "/groups", "Tools that belong together", |verb| on(verb, groups::groups))
        .answers(&[(200, Json(of::<groups::Groups>))]),
    Address::new(Get, "/status", "Tools and agents at a glance", |verb| {
        on(verb, overview::overview)
    })
    .answers(&[(200, Json(of::<overview::Overview>))]),
    Address::new(Post, "/run_tool", "One call", |verb| on(verb, run_tool::run_tool))
        .asks(of::<run_tool::Manner>)
        .takes(of::<CallRequest>)
        .answers(&[(200, JsonOrEvents(of::<Outcome>)), (202, Json(of::<run_tool::Begun>))])
        .fails(&[Body, Call]),
    Address::new(Post, "/run_tools", "Many calls at once", |verb| on(verb, run_tools::run_tools))
        .takes(of::<run_tools::Request>)
        .answers(&[(200, Json(of::<run_tools::Outcomes>))])
        .fails(&[Body]),
    Address::new(Get, "/calls", "Records of calls", |verb| on(verb, records::list))
        .asks(of::<records::Wanted>)
        .answers(&[(200, Json(of::<records::List>))])
        .fails(&[Records]),
    Address::new(Get, "/calls/summary", "What a conversation did with tools", |verb| {
        on(verb, summary::summary)
    })
    .asks(of::<summary::Wanted>)
    .answers(&[(200, Json(of::<summary::Summed>))])
    .fails(&[Records]),
    Address::new(Get, "/calls/{id}", "How a call is, or what came of it", |verb| {
        on(verb, call::show)
    })
    .answers(&[(200, Json(of::<call::Report>))])
    .fails(&[Named, Records]),
    Address::new(Delete, "/calls/{id}", "Ends a call that is under way", |verb| {
        on(verb, call::cancel)
    })
    .answers(&[(200, Json(of::<call::Report>)), (202, Json(of::<call::Report>))])
    .fails(&[Named, Records]),
    Address::new(Get, "/stats", "What all calls came to; for administrators", |verb| {
        on(verb, stats::stats)
    })
    .answers(&[(200, Json(of::<Statistics>))])
    .fails(&[Records]),
    Address::new(Get, "/artifacts/{id}", "An output that was too large to show whole", |verb| {
        on(verb, artifacts::read)
    })
    .asks(of::<artifacts::Wanted>)
    .answers(&[(200, Json(of::<ArtifactPage>))])
    .fails(&[Named, Records]),
    Address::new(Get, "/events", "What happens, as server-sent events", |verb| {
        on(verb, events::events)
    })
    .asks(of::<events::Wanted>)
    .answers(&[(200, Events)]),
    Address::new(Post, "/chat", "Questions about the tools", |verb| on(verb, chat::chat))
        .takes(of::<chat::Request>)
        .answers(&[(200, Json(of::<chat::Reply>))])
        .fails(&[Body]),
    Address::new(Get, "/approvals", "Calls that wait for a person", |verb| {
        on(verb, approvals::list)
    })
    .answers(&[(200, Json(of::<approvals::Waiting>))]),
    Address::new(Post, "/approvals/{id}", "Decides about a call; for administrators", |verb| {
        on(verb, approvals::decide)
    })
    .takes(of::<approvals::Verdict>)
    .answers(&[(200, Json(of::<approvals::Decided>))])
    .fails(&[Body, Named]),
    Address::new(Get, "/openapi.json", "This document", |verb| on(verb, openapi::document))
        .answers(&[(200, Json(of::<Document>)), (304, Nothing)]),
    Address::new(Get, "/docs", "This document for people", |verb| on(verb, openapi::docs))
        .answers(&[(200, Page)]),
    Address::new(Post, "/mcp", MESSAGE, |verb| on(verb, mcp::http::post))
        .takes(of::<openapi::Message>)
        .answers(ANSWERED)
        .fails(&[Message]),
    Address::new(Get, "/mcp", LISTEN, |verb| on(verb, mcp::http::get))
        .answers(&[(200, Events)])
        .fails(&[Message]),
    Address::new(Delete, "/mcp", END, |verb| on(verb, mcp::http::delete))
        .answers(&[(204, Nothing)])
        .fails(&[Message]),
    Address::new(Post, "/mcp/{group}", MESSAGE, |verb| on(verb, mcp::http::post))
        .takes(of::<openapi::Message>)
        .answers(ANSWERED)
        .fails(&[Message]),
    Address::new(Get, "/mcp/{group}", LISTEN, |verb| on(verb, mcp::http::get))
        .answers(&[(200, Events)])
        .fails(&[Message]),
    Address::new(Delete, "/mcp/{group}", END, |verb| on(verb, mcp::http::delete))
        .answers(&[(204, Nothing)])
        .fails(&[Message]),
];

const ISSUERS: &str = "Who issues tokens for this server, if anybody does";
const DESCRIBED: &[(u16, Sent)] = &[(200, Json(of::<protected::Described>))];
const MESSAGE: &str = "A message of MCP, for all tools or for those of a group";
const LISTEN: &str = "What an MCP session is told without asking";
const END: &str = "Ends an MCP session";
const ANSWERED: &[(u16, Sent)] = &[(200, JsonOrEvents(of::<openapi::Message>)), (202, Nothing)];

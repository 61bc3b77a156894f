//! The command as a user meets it: the built binary, in folders of its own.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the support of tests fails like a test, and clippy knows only functions marked as tests"
)]

mod approving;
mod artifacts;
mod asking;
mod authorizing;
mod batch;
mod calls;
mod client;
mod clients;
mod completions;
mod config_show;
mod definitions;
mod dialects;
mod disk;
mod doctor;
mod dry_run;
mod ending;
mod export;
mod finding;
mod help;
mod hooks;
mod importing;
mod init;
mod interrupt;
mod loading;
mod logins;
mod making;
mod mcp;
mod migrating;
mod observed;
mod prune;
mod reference;
mod reloading;
mod run;
mod secrets;
mod securing;
mod seed_sample;
mod server;
mod services;
mod serving;
mod speaking;
mod support;
mod switching;
mod together;
mod tools;
mod usage;

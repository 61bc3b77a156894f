//! The log, on standard error.

use std::io::{self, IsTerminal};

use tracing_subscriber::{
    filter::Targets, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::config::Environment;

/// Sends log lines that pass the filter to standard error.
///
/// The filter was checked when the configuration was read; one that does not parse logs nothing. A
/// second start changes nothing.
pub(crate) fn start(filter: &str, environment: &Environment) {
    let Ok(filter) = filter.parse::<Targets>() else { return };
    let colour = io::stderr().is_terminal() && !environment.forbids_colour();
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(colour).without_time();
    registry().with(filter).with(lines.with_target(false)).try_init().ok();
}

//! The log, on standard error.

use std::io::{self, IsTerminal, Write};

use toolsmith_core::Redactor;
use tracing_subscriber::{
    filter::Targets, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::config::Environment;

/// Sends log lines that pass the filter to standard error, without secrets.
///
/// The filter was checked when the configuration was read; one that does not parse logs nothing. A
/// second start changes nothing.
pub(crate) fn start(filter: &str, environment: &Environment, redactor: &Redactor) {
    let Ok(filter) = filter.parse::<Targets>() else { return };
    let colour = io::stderr().is_terminal() && !environment.forbids_colour();
    let redactor = redactor.clone();
    let lines = fmt::layer().with_writer(move || Clean(redactor.clone())).with_ansi(colour);
    registry().with(filter).with(lines.without_time().with_target(false)).try_init().ok();
}

/// Standard error, with the secrets in use taken out of each line.
struct Clean(Redactor);

impl Write for Clean {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().write_all(self.0.text(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

//! How a child ended.

use std::fmt;

/// The signal that nobody can refuse.
const KILL: i32 = 9;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// The system killed it, probably since it needed more memory than its limit.
    ///
    /// Seen only of children in a strict sandbox that are spawned, not run to their end.
    Memory,
    /// Nobody saw it end.
    Unseen,
}

impl Exit {
    /// Makes it of what a guard tells: a code, unless there was a signal.
    pub(crate) fn of(code: i32, signal: i32) -> Self {
        if signal == 0 { Self::Code(code) } else { Self::Signal(signal) }
    }

    /// Says what a signal was for, when the child had met its limit of memory.
    pub(crate) fn explained(self, had_memory_kill: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Signal(KILL) if had_memory_kill() => Self::Memory,
            other => other,
        }
    }

    /// Returns the code, if it ended by itself.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(_) | Self::Memory | Self::Unseen => None,
        }
    }

    /// Returns the name of the signal that ended it, such as `SIGKILL`.
    pub fn signal_name(self) -> Option<String> {
        match self {
            Self::Signal(number) => Some(signal_name(number)),
            Self::Memory => Some(signal_name(KILL)),
            Self::Code(_) | Self::Unseen => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(number) => write!(f, "signal {number} ({})", signal_name(*number)),
            Self::Memory => write!(
                f,
                "signal {KILL} ({}), probably since it reached its memory limit",
                signal_name(KILL)
            ),
            Self::Unseen => f.write_str("an end that nobody saw"),
        }
    }
}

fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return format!("SIG{number}"),
    };
    name.to_owned()
}

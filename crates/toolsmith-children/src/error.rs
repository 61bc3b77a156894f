//! Why a child could not be started or listened to.

use std::io;

/// Why a child gave no result; how it ended is no error but an [`Exit`](crate::Exit).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// There is no such program.
    #[error("there is no program `{program}` (looked in {searched})")]
    NotFound {
        /// The program as it was asked for.
        program: String,
        /// Where it was looked for.
        searched: String,
    },
    /// The program is there, but the system would not start it.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// Its sandbox cannot be enforced here, so it was not started.
    #[error("the sandbox cannot be enforced here: {lack} ({source})")]
    Sandbox {
        /// What is missing, and how to get it.
        lack: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// What its sandbox lists cannot be shown to it, so it was not started.
    #[error("the sandbox cannot be set up: {0}")]
    Unshown(#[source] io::Error),
    /// It wrote more than it may; it was ended.
    #[error("it wrote more than {limit} bytes")]
    TooMuchOutput {
        /// How much it may write.
        limit: usize,
    },
    /// Its pipes failed, or the thread that watches children is gone.
    #[error("cannot talk to the child: {0}")]
    Pipes(#[from] io::Error),
}

//! Child processes of Toolsmith: started without a shell, bounded, ended as a tree.
//!
//! [`Children`] owns one thread that starts, watches and ends every child. A child is never waited
//! for by anybody else, so it leaves no zombie, however its caller goes away.
//!
//! # What an end reaches
//!
//! Every child has a guard of its own: a small process between us and the child, to which everything
//! falls that loses its parent there, daemons included. A child leads a session and a process
//! group. When it is ended early, everything that is in its group or its session or descends from
//! the guard gets `SIGTERM`, and after a short grace `SIGKILL`. When our process dies, however it
//! dies, the guards kill all at once. A mark in the environment finds what is left, should somebody
//! have killed a guard.
//!
//! Not reached are processes that our user may not signal. After an orderly exit only the group is
//! ended, unless somebody still holds the pipes; what made itself a daemon by then ends with the
//! last [`Children`].
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//! use toolsmith_children::{Children, Command, Exchange};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let children = Children::new();
//! let command = Command::new("/bin/cat", Path::new("/"));
//! let finished = children.run(command, Exchange::feeding("hello")).await.unwrap();
//! assert_eq!(finished.stdout, b"hello");
//! # });
//! ```

#[cfg(not(target_os = "linux"))]
compile_error!("children are watched and ended by means that only Linux has");

mod children;
mod command;
mod environment;
mod error;
mod exit;
mod keeper;
mod nursery;
mod program;
mod run;
mod sandbox;
mod setup;
mod tree;
mod ward;

pub use children::{Child, Children};
pub use command::{Command, Limits};
pub use environment::clean;
pub use error::ChildError;
pub use exit::Exit;
pub use program::find;
pub use run::{Exchange, Finished, Follower, Overflow};
pub use sandbox::{Doors, Entrance, Profile, Sandbox};

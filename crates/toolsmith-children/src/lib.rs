//! Child processes of Toolsmith: started without a shell, bounded, ended as a tree.
//!
//! [`Children`] has every child started by a guard: a small process between us and the child, which
//! waits for it, so that it leaves no zombie, however its caller goes away. Guards serve one child
//! after the other.
//!
//! # What an end reaches
//!
//! A child leads a session and a process group. Everything that loses its parent under a guard falls
//! to the guard, daemons included. When a child is ended early, everything that descends from its
//! guard gets `SIGTERM`, and after a short grace `SIGKILL`. When our process dies, however it dies,
//! the guards kill all at once. A mark in the environment finds what is left, should somebody have
//! killed a guard.
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
mod hold;
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
pub use tree::MARK;

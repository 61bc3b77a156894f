//! What only a process of its own can show: it is killed, and it is soaked.

mod kill;
mod soak;
mod two_processes;

//! Tools that several sources can serve: the keys `sources` and `active_source` of a definition.
//!
//! ```yaml
//! sources:
//!   - { type: local, host_dir: ./my-tool }
//!   - { type: remote, url: "https://tools.example.com", endpoint_path: /run }
//! active_source: 0
//! ```
//!
//! `local` takes the keys of a process (or of a Python function), `docker` those of a container,
//! `remote` those of a remote service. The active source is asked first. When it cannot be started
//! or reached in its share of the time, the next one is, in the order of the list; the active one is
//! asked again when its rest is over. A call that may have run is never sent to another source, unless
//! the tool says that it may be repeated (`annotations: {idempotent: true}` or `read_only`).

mod failover;
mod maker;

pub use self::maker::SourcesMaker;

#[cfg(test)]
mod tests;

//! What the tests of Toolsmith share; listed under `[dev-dependencies]` only.
//!
//! # Example
//!
//! ```
//! use std::time::Duration;
//! use toolsmith_core::{Clock, Ids};
//! use toolsmith_testing::{clock::TestClock, ids::CountingIds};
//!
//! let clock = TestClock::new();
//! let before = CountingIds::new().call_id(clock.now());
//! clock.advance(Duration::from_secs(1));
//! assert!(before < CountingIds::new().call_id(clock.now()));
//! ```

pub mod clock;
pub mod collector;
pub mod conformance;
pub mod fixtures;
pub mod ids;
pub mod sink;

mod folders;
mod skipping;

pub use skipping::skip;

//! The tools of the registry, as clients list and call them.

mod approving;
mod call;
pub(crate) mod content;
mod list;
mod pair;
mod schema;

pub(crate) use call::{Calling, asking, call, responses};
pub(crate) use list::{PAGE, Wanted, list};
pub(crate) use pair::Deferred;

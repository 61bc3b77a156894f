//! The stages of a call, in their order on the line.

pub(crate) mod admit;
pub(crate) mod approve;
pub(crate) mod authorize;
pub(crate) mod record;
pub(crate) mod resolve;
pub(crate) mod reuse;
pub(crate) mod run;
pub(crate) mod settle;
pub(crate) mod validate;

//! The one folder that knows SQL. Everything here takes a connection and values.

pub(crate) mod artifact;
pub(crate) mod connect;
pub(crate) mod fault;
pub(crate) mod insert;
pub(crate) mod key;
pub(crate) mod remove;
pub(crate) mod row;
pub(crate) mod schema;
pub(crate) mod segment;
pub(crate) mod select;

pub(crate) use sqlx::SqliteConnection as Connection;

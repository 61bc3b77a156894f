//! What a database error means: whose fault it is, and how to say it to people.

use std::path::Path;

use crate::StoreError;

// Primary result codes, <https://sqlite.org/rescode.html>.
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const NO_MEMORY: i32 = 7;
const READ_ONLY: i32 = 8;
const IO_ERROR: i32 = 10;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const TOO_BIG: i32 = 18;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const OUT_OF_RANGE: i32 = 25;
const NOT_A_DATABASE: i32 = 26;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// One record cannot be stored; others can.
    Record,
    /// Another connection holds the lock.
    Busy,
    /// The file is broken or no database.
    Damaged,
    /// The file cannot be opened, and in a read-only folder there may be a way around it.
    Closed,
    /// The disk, the file system or the machine.
    Disk,
}

/// Tells whose fault an error is.
pub(crate) fn fault(error: &sqlx::Error) -> Fault {
    match primary_code(error) {
        Some(TOO_BIG | CONSTRAINT | MISMATCH | OUT_OF_RANGE) => Fault::Record,
        Some(BUSY | LOCKED) => Fault::Busy,
        Some(CORRUPT | NOT_A_DATABASE) => Fault::Damaged,
        Some(CANNOT_OPEN | READ_ONLY) => Fault::Closed,
        None if matches!(error, sqlx::Error::Encode(_)) => Fault::Record,
        _ => Fault::Disk,
    }
}

/// Says what is wrong, for people who do not know the codes.
pub(crate) fn reason(error: &sqlx::Error) -> String {
    let words = match primary_code(error) {
        Some(BUSY | LOCKED) => "another process has locked the file",
        Some(NO_MEMORY) => "there is not enough memory",
        Some(READ_ONLY) => "the file or its disk is read-only",
        Some(IO_ERROR) => "the disk reports an input or output error",
        Some(CORRUPT) => "the file is damaged",
        Some(FULL) => "the disk is full",
        Some(CANNOT_OPEN) => "the file cannot be opened",
        Some(NOT_A_DATABASE) => "the file is not a database",
        _ => return error.to_string(),
    };
    words.to_owned()
}

/// Names the file and the reason of an error that met a writer.
pub(crate) fn while_writing(file: &Path, error: &sqlx::Error) -> StoreError {
    let (path, reason) = (file.to_owned(), reason(error));
    match fault(error) {
        Fault::Damaged => StoreError::Damaged { path, reason },
        _ => StoreError::CannotWrite { path, reason },
    }
}

/// Names the file and the reason of an error that met a reader.
pub(crate) fn while_reading(file: &Path, error: &sqlx::Error) -> StoreError {
    let (path, reason) = (file.to_owned(), reason(error));
    match fault(error) {
        Fault::Damaged => StoreError::Damaged { path, reason },
        _ => StoreError::CannotRead { path, reason },
    }
}

fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let extended: i32 = error.as_database_error()?.code()?.parse().ok()?;
    // The lower byte is the kind; the rest tells more than anyone here acts on.
    Some(extended & 0xff)
}

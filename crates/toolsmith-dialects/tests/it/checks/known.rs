//! Faults that are known and not yet mended: the targets pass over exactly these.
//!
//! A line here is a debt. It goes when the fault is mended; the input that showed it stays in the
//! corpus.

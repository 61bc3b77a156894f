//! How things are said to people: amounts, outputs, notes, failures.

mod amount;
mod facts;
mod outcome;

pub(crate) use self::{
    amount::{bytes, counted, milliseconds, percent},
    facts::facts,
    outcome::{brief_output, failure, notes, output_text, pretty},
};

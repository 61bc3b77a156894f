//! How things are said to people: amounts, outputs, notes, failures.

mod amount;
mod facts;
mod json;
mod outcome;

pub(crate) use self::{
    amount::{bytes, counted, milliseconds, percent},
    facts::facts,
    json::{TOO_DEEP, json_mistake},
    outcome::{brief_output, failure, notes, output_text, pretty},
};

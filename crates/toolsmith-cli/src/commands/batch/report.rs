//! What came of a batch, a chunk at a time.

use anyhow::Result;
use serde_json::Map;
use toolsmith_core::Outcome;

use crate::{
    exit,
    output::{self, Form, JsonList, Output},
    table::Table,
    wording::{brief_output, counted, milliseconds},
};

/// Prints outcomes as they come, and counts them.
#[derive(Debug)]
pub(super) struct Report {
    output: Output,
    list: JsonList,
    calls: u64,
    failures: u64,
    /// The exit code of the first failure.
    first_failure: Option<u8>,
}

impl Report {
    pub(super) fn new(output: Output) -> Self {
        let list = JsonList::new("outcomes");
        Self { output, list, calls: 0, failures: 0, first_failure: None }
    }

    /// Prints the outcomes of a chunk.
    pub(super) fn add(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let mut table = Table::new(&["N", "TOOL", "RESULT", "TIME", "OUTPUT"]);
        for outcome in outcomes {
            self.count(outcome);
            match self.output.form {
                Form::Json => self.list.push(outcome)?,
                Form::People => table.row(self.row(outcome)),
            }
        }
        match self.output.form {
            Form::Json => self.list.flush()?,
            Form::People => output::print(&table.render(self.output.colour))?,
        }
        Ok(())
    }

    /// Ends the report and returns the exit code; what stopped the batch is told last.
    pub(super) fn end(self, ended: Result<()>) -> Result<u8> {
        let code = self.first_failure.unwrap_or(exit::SUCCESS);
        match self.output.form {
            Form::Json if self.list.is_begun() => {
                let mut more = Map::new();
                if let Err(error) = &ended {
                    more.insert("error".to_owned(), exit::to_json(error)["error"].take());
                }
                self.list.end(&more)?;
                Ok(ended.map_or_else(|error| exit::code_of(&error), |()| code))
            }
            Form::Json => {
                ended?;
                self.list.end(&Map::new())?;
                Ok(code)
            }
            // What failed before the first call has nothing to count.
            Form::People if self.calls == 0 && ended.is_err() => ended.map(|()| code),
            Form::People => {
                let ok = self.calls - self.failures;
                let calls = counted(self.calls, "call");
                output::print(&format!("{calls}: {ok} succeeded, {} failed\n", self.failures))?;
                ended.map(|()| code)
            }
        }
    }

    fn count(&mut self, outcome: &Outcome) {
        self.calls += 1;
        if !outcome.is_success() {
            self.failures += 1;
            self.first_failure.get_or_insert(exit::code_of_outcome(outcome));
        }
    }

    fn row(&self, outcome: &Outcome) -> [String; 5] {
        let (result, shown) = match outcome.error() {
            None => ("ok".to_owned(), brief_output(outcome)),
            Some(error) => (error.kind().to_string(), error.message().to_owned()),
        };
        let time = milliseconds(outcome.duration.as_secs_f64() * 1_000.0);
        [self.calls.to_string(), outcome.tool_name.to_string(), result, time, shown]
    }
}

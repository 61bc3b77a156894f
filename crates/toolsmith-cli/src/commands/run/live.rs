//! What a call shows while it runs: what it sends, and that it is still running.

use std::{
    io::{self, Write},
    sync::Arc,
};

use anyhow::Result;
use parking_lot::Mutex;
use toolsmith_core::{Call, Outcome, StreamItem, Value};

use crate::{asking::Terminal, compose::Workshop, output::Form, progress::Spinner};

/// Makes a call; people see on standard error what it sends before its outcome.
///
/// What the tool asks is put to whoever sits at the terminal.
pub(super) async fn follow(workshop: &Workshop, mut call: Call, form: Form) -> Result<Outcome> {
    let mut live = Live::start(&call.tool, form, io::stderr());
    let spinner = Arc::clone(&live.spinner);
    // The spinner and a question would write into each other's lines.
    let terminal = Terminal::find(Arc::new(move || drop(spinner.lock().take())));
    call.asker = terminal.map(|terminal| Arc::new(terminal) as _);
    let outcome = workshop.follow(call, |item| live.show(item)).await;
    live.end();
    outcome
}

struct Live<W: Write> {
    spinner: Arc<Mutex<Option<Spinner>>>,
    form: Form,
    out: W,
    /// Whether the last piece ended in the middle of a line.
    is_inside_line: bool,
}

impl<W: Write> Live<W> {
    fn start(tool: &str, form: Form, out: W) -> Self {
        let spinner = Arc::new(Mutex::new(Some(Spinner::start(format!("running {tool}")))));
        Self { spinner, form, out, is_inside_line: false }
    }

    fn show(&mut self, item: StreamItem) {
        match item {
            StreamItem::Chunk(chunk) if self.form == Form::People => self.chunk(&chunk),
            StreamItem::Chunk(_) | StreamItem::Log { .. } => {}
            StreamItem::Progress { done, total, message } => {
                let far = total.map_or_else(|| done.to_string(), |total| format!("{done}/{total}"));
                if let Some(spinner) = &*self.spinner.lock() {
                    spinner.say(format!("{far} {message}"));
                }
            }
        }
    }

    /// Text is shown as it comes, other values a line each.
    fn chunk(&mut self, chunk: &Value) {
        // The spinner and the pieces would write into each other's lines.
        drop(self.spinner.lock().take());
        let piece = match chunk {
            Value::String(text) => text.clone(),
            other => format!("{other}\n"),
        };
        self.is_inside_line = !piece.ends_with('\n');
        // A reader who has left does not stop the call.
        self.out.write_all(piece.as_bytes()).and_then(|()| self.out.flush()).ok();
    }

    fn end(mut self) {
        drop(self.spinner.lock().take());
        if self.is_inside_line {
            self.out.write_all(b"\n").ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn shown(form: Form, items: Vec<StreamItem>) -> String {
        let mut out = Vec::new();
        let mut live = Live::start("tool", form, &mut out);
        for item in items {
            live.show(item);
        }
        live.end();
        String::from_utf8(out).unwrap()
    }

    fn items() -> Vec<StreamItem> {
        vec![
            StreamItem::Chunk(json!("one ")),
            StreamItem::Progress { done: 1.0, total: Some(2.0), message: "half".to_owned() },
            StreamItem::Chunk(json!("two\n")),
            StreamItem::Chunk(json!({"three": 3})),
            StreamItem::Chunk(json!("four")),
        ]
    }

    #[test]
    fn people_see_the_pieces_as_they_come() {
        assert_eq!(shown(Form::People, items()), "one two\n{\"three\":3}\nfour\n");
    }

    #[test]
    fn programs_see_only_the_outcome() {
        assert_eq!(shown(Form::Json, items()), "");
    }
}

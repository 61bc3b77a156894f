//! Asks on standard error, and reads what is typed.

use std::{
    fmt,
    future::poll_fn,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::Semaphore;
use toolsmith_core::{Answer, Asker, BoxFuture, Map, Question, Value};

use super::{
    field::{self, Field},
    lines::Lines,
};
use crate::output::{harmless, one_line};

/// What declines a question.
const NO: &str = "!";

/// What must happen before something is written to the terminal: the spinner has to go.
pub(crate) type ClearLine = Arc<dyn Fn() + Send + Sync>;

/// Asks on standard error and reads what is typed.
pub(crate) struct Terminal {
    clear: ClearLine,
    /// One question at a time, in turn.
    turn: Semaphore,
    lines: Mutex<Lines>,
    out: Mutex<Box<dyn Write + Send>>,
}

impl Terminal {
    /// Returns the terminal; nothing when nobody sits there.
    pub(crate) fn find(clear: ClearLine) -> Option<Self> {
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        is_there.then(|| {
            Self::new(clear, Box::new(BufReader::new(io::stdin())), Box::new(io::stderr()))
        })
    }

    fn new(clear: ClearLine, lines: Box<dyn BufRead + Send>, out: Box<dyn Write + Send>) -> Self {
        let lines = Mutex::new(Lines::Unread(Some(lines)));
        Self { clear, turn: Semaphore::new(1), lines, out: Mutex::new(out) }
    }

    async fn put(&self, question: Question) -> Answer {
        let _turn = self.turn.acquire().await;
        (self.clear)();
        self.lines.lock().forget_old();
        match question {
            Question::Form { from, message, schema } => {
                self.say(&format!("{from} asks: {message}\n"));
                self.fill_in(&schema).await
            }
            Question::Visit { from, message, url } => {
                self.say(&format!(
                    "{from} asks you to visit an address: {message}\n  {}\n",
                    one_line(&url)
                ));
                self.agree("Done there, or will you?").await.unwrap_or(Answer::Accept(Value::Null))
            }
            _ => Answer::Decline,
        }
    }

    async fn fill_in(&self, schema: &Value) -> Answer {
        let fields = field::read(schema);
        if fields.is_empty() {
            let answer = self.agree("Agree?").await;
            return answer.unwrap_or_else(|| Answer::Accept(Value::Object(Map::new())));
        }
        self.say(&format!(
            "  (enter takes what stands in brackets, {NO} declines, Ctrl-D cancels)\n"
        ));
        let mut content = Map::new();
        for field in &fields {
            match self.fill_in_one(field).await {
                Ok(Some(value)) => drop(content.insert(field.name.clone(), value)),
                Ok(None) => {}
                Err(answer) => return answer,
            }
        }
        Answer::Accept(Value::Object(content))
    }

    /// Asks until the answer fits; nothing when the field may be left out.
    async fn fill_in_one(&self, field: &Field) -> Result<Option<Value>, Answer> {
        loop {
            self.say(&field.prompt());
            let Some(line) = self.line().await else { return Err(self.given_up()) };
            match line.trim() {
                NO => return Err(Answer::Decline),
                text => match field.parse(text) {
                    Ok(value) => return Ok(value),
                    Err(why) => self.say(&format!("  {why}\n")),
                },
            }
        }
    }

    /// Returns the answer of whoever does not agree.
    async fn agree(&self, question: &str) -> Option<Answer> {
        self.say(&format!("  {question} [y/N] "));
        let Some(line) = self.line().await else { return Some(self.given_up()) };
        let is_yes = matches!(line.trim().to_lowercase().as_str(), "y" | "yes");
        (!is_yes).then_some(Answer::Decline)
    }

    /// Waits for a line; nothing when no more will come.
    async fn line(&self) -> Option<String> {
        poll_fn(|cx| self.lines.lock().poll(cx)).await
    }

    fn given_up(&self) -> Answer {
        self.say("\n");
        Answer::Cancel
    }

    /// Servers write the questions, so nothing in them may steer the terminal.
    fn say(&self, text: &str) {
        let mut out = self.out.lock();
        // Where nobody can read the question, nobody answers it either.
        out.write_all(harmless(text).as_bytes()).and_then(|()| out.flush()).ok();
    }
}

impl Asker for Terminal {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(self.put(question))
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Terminal")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use toolsmith_core::json;

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    async fn asked(typed: &'static str, question: Question) -> (Answer, String) {
        let screen = Screen::default();
        let lines = Box::new(Cursor::new(typed.as_bytes()));
        let terminal = Terminal::new(Arc::new(|| {}), lines, Box::new(screen.clone()));
        let answer = terminal.ask(question).await;
        let shown = String::from_utf8(screen.0.lock().clone()).unwrap();
        (answer, shown)
    }

    fn form(schema: Value) -> Question {
        Question::Form {
            from: "`t` (MCP server `s`)".to_owned(),
            message: "Who?".to_owned(),
            schema,
        }
    }

    fn person() -> Question {
        form(json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "title": "Your name", "minLength": 2 },
                "age": { "type": "integer", "minimum": 0, "default": 30 },
                "colour": { "type": "string", "enum": ["red", "green"] },
                "ok": { "type": "boolean" },
                "nick": { "type": "string" }
            },
            "required": ["name", "colour", "ok"]
        }))
    }

    #[tokio::test]
    async fn fields_are_asked_one_by_one_until_they_fit() {
        let (answer, shown) = asked("\nA\nAda\nmany\n-1\n\nblue\n2\nmaybe\ny\n\n", person()).await;
        let expected = json!({ "name": "Ada", "age": 30, "colour": "green", "ok": true });
        assert_eq!(answer, Answer::Accept(expected), "{shown}");
        assert!(shown.starts_with("`t` (MCP server `s`) asks: Who?\n"), "{shown}");
        assert!(shown.contains("Your name: ") && shown.contains("age [30]: "), "{shown}");
    }

    #[tokio::test]
    async fn a_mark_declines_and_the_end_of_the_input_cancels() {
        assert_eq!(asked("Ada\n!\n", person()).await.0, Answer::Decline);
        assert_eq!(asked("Ada\n", person()).await.0, Answer::Cancel);
        assert_eq!(asked("", person()).await.0, Answer::Cancel);
    }

    #[tokio::test]
    async fn a_question_without_fields_wants_a_yes() {
        let empty = || form(json!({ "type": "object", "properties": {} }));
        assert_eq!(asked("y\n", empty()).await.0, Answer::Accept(json!({})));
        assert_eq!(asked("\n", empty()).await.0, Answer::Decline);
        let visit = || Question::Visit {
            from: "`t`".to_owned(),
            message: "sign in\u{1b}[2J".to_owned(),
            url: "https://a.example/x".to_owned(),
        };
        let (answer, shown) = asked("yes\n", visit()).await;
        assert_eq!(answer, Answer::Accept(Value::Null));
        assert!(shown.contains("https://a.example/x") && !shown.contains('\u{1b}'), "{shown}");
        assert_eq!(asked("no\n", visit()).await.0, Answer::Decline);
    }
}

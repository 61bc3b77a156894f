//! The tools of one model in one conversation.

use std::collections::HashMap;

use toolsmith_builtins::catalogue::call_tool;
use toolsmith_dialects::{Dialect, ParsedCall, Parser, Rendering, Reply, Settings, Tools, parse};

use super::{Answer, Answered, ToolsetBuilder};
use crate::{Call, Context, Engine, Text, ToolName, ToolRef, Value};

/// In which order the calls of one reply run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One after the other, as the model wrote them; a failure stops none.
    #[default]
    InTurn,
    /// All at once, but for tools that depend on each other.
    Parallel,
}

/// The tools of one model in one conversation: shows them, reads its replies, runs their calls.
///
/// ```
/// use toolsmith::{dialects::Dialect, models::{Order, Toolset}, prelude::*};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolError> {
/// let engine = Engine::builder().tools(toolsmith::builtins::all()?).build()?;
/// let tools = Toolset::builder(&engine, Dialect::OpenAiChat).only(["calculator"]).build()?;
/// assert_eq!(tools.definitions().content[0]["function"]["name"], "calculator");
///
/// let message = json!({"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function",
///     "function": {"name": "calculator", "arguments": r#"{"expression": "6*7"}"#}}]});
/// let answer = tools.answer(&message.to_string(), Order::Parallel).await;
/// assert_eq!(answer.results[0].result.as_ref().unwrap()["result"], 42);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Toolset {
    pub(super) engine: Engine,
    pub(super) dialect: Dialect,
    pub(super) context: Context,
    pub(super) settings: Settings,
    pub(super) names: Vec<ToolName>,
    /// What was chosen under the name of each tool: `echo` may mean `echo@^1`; empty when nothing
    /// was chosen.
    pub(super) versions: HashMap<String, String>,
    pub(super) rendering: Rendering,
    pub(super) tools: Tools,
}

impl Toolset {
    /// Shows every tool that is meant to be shown to models.
    pub fn of(engine: &Engine, dialect: Dialect) -> Self {
        Self::builder(engine, dialect).build_shown()
    }

    /// Begins a set that is chosen.
    pub fn builder(engine: &Engine, dialect: Dialect) -> ToolsetBuilder {
        ToolsetBuilder::new(engine, dialect)
    }

    /// Returns the definitions as the model gets them.
    pub fn definitions(&self) -> &Rendering {
        &self.rendering
    }

    /// Returns the tools that are shown.
    pub fn names(&self) -> &[ToolName] {
        &self.names
    }

    /// Returns what replies are read by.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Begins to read a reply that comes in pieces.
    pub fn parser(&self) -> Parser {
        Parser::new(self.dialect, self.tools.clone(), self.settings.clone())
    }

    /// Reads a whole reply.
    pub fn parse(&self, reply: &str) -> Reply {
        parse(self.dialect, reply, &self.tools, &self.settings)
    }

    /// Reads a whole reply and runs its calls.
    ///
    /// A call that is not finished, cannot be read or stands in reasoning is not run; its result says
    /// so.
    pub async fn answer(&self, reply: &str, order: Order) -> Answer {
        self.run(self.parse(reply), order).await
    }

    /// Runs the calls of a reply.
    pub async fn run(&self, reply: Reply, order: Order) -> Answer {
        let calls = reply.calls.iter().map(|call| self.call(call));
        let outcomes = match order {
            Order::Parallel => self.engine.batch(calls.collect()).await,
            Order::InTurn => {
                let mut outcomes = Vec::with_capacity(reply.calls.len());
                for call in calls {
                    outcomes.push(self.engine.call(call).await);
                }
                outcomes
            }
        };
        let shown = |call: &ParsedCall| Text::from(self.rendering.shown(&call.name));
        let done = reply
            .calls
            .iter()
            .zip(outcomes)
            .map(|(call, outcome)| (call, Answered::of(call.id.clone(), shown(call), outcome)));
        let left = reply.set_aside.iter().map(|call| (call, Answered::not_run(call, shown(call))));
        let mut results: Vec<_> =
            done.chain(left).map(|(call, answered)| (call.index, answered)).collect();
        // As the model wrote them, whatever became of them.
        results.sort_by_key(|(index, _)| *index);
        let results = results.into_iter().map(|(_, answered)| answered).collect();
        Answer { reply, results, timestamp: self.engine.now(), dialect: self.dialect }
    }

    /// Returns the call that a model wants, on behalf of whom the set is for.
    pub fn call(&self, call: &ParsedCall) -> Call {
        let mut arguments = call.arguments.clone();
        if call.name == call_tool::NAME
            && let Some(Value::String(name)) = arguments.get_mut("name")
        {
            *name = self.meant(name).to_owned();
        }
        Call::new(self.meant(&call.name), arguments).with_context(self.context.clone())
    }

    /// Returns what a name means here: of a chosen tool, the version that was chosen.
    fn meant<'a>(&'a self, name: &'a str) -> &'a str {
        self.versions.get(ToolRef::split(name).0).map_or(name, String::as_str)
    }
}

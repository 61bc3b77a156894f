//! Failures in a row: a model that keeps failing with one tool is told to stop.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

use lru::LruCache;
use parking_lot::Mutex;
use toolsmith_core::{Advice, Context, ErrorKind, Text, ToolError};

/// How many conversations are remembered; the least recent is forgotten first.
const CONVERSATIONS: usize = 10_000;

/// Counts, for each conversation and tool, the retryable failures since the last success.
#[derive(Debug)]
pub(crate) struct Streaks {
    /// Whether anything has failed yet: successes of a healthy engine take no lock.
    has_any: AtomicBool,
    tools: Mutex<LruCache<Text, HashMap<Text, u32>>>,
}

impl Default for Streaks {
    fn default() -> Self {
        Self { has_any: AtomicBool::new(false), tools: Mutex::new(LruCache::unbounded()) }
    }
}

impl Streaks {
    /// Ends the streak of a tool that succeeded.
    pub(crate) fn succeed(&self, context: &Context, tool: &Text) {
        let Some(conversation) = &context.conversation_id else { return };
        if !self.has_any.load(Relaxed) {
            return;
        }
        let mut streaks = self.tools.lock();
        if let Some(tools) = streaks.get_mut(conversation) {
            tools.remove(tool);
            if tools.is_empty() {
                streaks.pop(conversation);
            }
            if streaks.is_empty() {
                self.has_any.store(false, Relaxed);
            }
        }
    }

    /// Counts a failure; after `max_retries` repetitions in a row the next one is final.
    pub(crate) fn fail(&self, context: &Context, tool: &Text, error: ToolError) -> ToolError {
        // That there was no slot says nothing about the tool.
        let is_crowd = matches!(error.kind(), ErrorKind::Rejected | ErrorKind::RateLimited);
        let counts = error.is_retryable() && !is_crowd;
        let Some(conversation) = context.conversation_id.as_ref().filter(|_| counts) else {
            return error;
        };
        let mut streaks = self.tools.lock();
        self.has_any.store(true, Relaxed);
        if streaks.len() > CONVERSATIONS {
            streaks.pop_lru();
        }
        let tools = streaks.get_or_insert_mut(conversation.clone(), HashMap::new);
        let failures = tools.entry(tool.clone()).or_default();
        *failures = failures.saturating_add(1);
        if *failures <= context.max_retries {
            return error;
        }
        let message = format!(
            "{} This tool has failed {failures} times in a row in this conversation: do not try it \
             again, go on without it.",
            error.message()
        );
        error.with_message(message).with_advice(Advice::Final)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failure_after_the_last_retry_is_final_until_a_success() {
        let streaks = Streaks::default();
        let cx = Context { max_retries: 2, ..Context::for_conversation("a", "c") };
        let tool = Text::from("echo");
        let fail = || streaks.fail(&cx, &tool, ToolError::try_differently("no")).is_retryable();
        assert_eq!([fail(), fail(), fail(), fail()], [true, true, false, false]);
        streaks.succeed(&cx, &tool);
        assert!(fail());
    }

    #[test]
    fn calls_outside_a_conversation_are_not_counted() {
        let streaks = Streaks::default();
        let cx = Context { max_retries: 0, ..Context::default() };
        let error = streaks.fail(&cx, &"echo".into(), ToolError::try_differently("no"));
        assert!(error.is_retryable());
    }
}

//! Who hears of the progress of which request.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use toolsmith_core::ToolContext;

/// How many early notes are kept.
const EARLY: usize = 32;

/// The calls under way, by the token of their progress.
#[derive(Debug, Default)]
pub(super) struct Routes(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    calls: HashMap<ProgressToken, ToolContext>,
    /// What came before its call was entered: a token is known only after its request is sent.
    early: VecDeque<ProgressNotificationParam>,
}

impl Routes {
    /// Enters a call; hands on what came early.
    pub(super) fn enter(&self, token: &ProgressToken, cx: &ToolContext) {
        let mut table = self.0.lock();
        table.early.retain(|note| {
            if note.progress_token != *token {
                return true;
            }
            tell(cx, note);
            false
        });
        table.calls.insert(token.clone(), cx.clone());
    }

    pub(super) fn leave(&self, token: &ProgressToken) {
        self.0.lock().calls.remove(token);
    }

    /// Tells whether no call is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().calls.is_empty()
    }

    /// Hands a note on to its call.
    pub(super) fn deliver(&self, note: ProgressNotificationParam) {
        let mut table = self.0.lock();
        match table.calls.get(&note.progress_token) {
            Some(cx) => tell(cx, &note),
            None => {
                table.early.truncate(EARLY - 1);
                table.early.push_front(note);
            }
        }
    }
}

fn tell(cx: &ToolContext, note: &ProgressNotificationParam) {
    cx.progress(note.progress, note.total, note.message.clone().unwrap_or_default());
}

//! Which call a message of the server belongs to.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use rmcp::{
    model::{ProgressNotificationParam, ProgressToken, RequestId},
    service::InboundStreamOrigin,
};
use tokio::{sync::Notify, time::timeout};
use toolsmith_core::ToolContext;

use super::behalf::Remark;

/// How many early notes are kept.
const EARLY: usize = 32;

/// How many questions one call may ask: a person is not to be worn down.
const MOST_QUESTIONS: u32 = 20;

/// How much of what a server says at once is handed on, in bytes of JSON.
const LARGEST_REMARK: usize = 64 * 1024;

/// How much of the name is handed on by which it says something, in characters.
const LONGEST_LOGGER: usize = 200;

/// How long a question waits for its call: an identifier is known only after its request is sent.
const AHEAD: Duration = Duration::from_millis(200);

/// The calls under way.
#[derive(Debug, Default)]
pub(super) struct Routes {
    table: Mutex<Table>,
    /// Rung when a call enters or leaves while a question is open.
    moves: Notify,
}

#[derive(Debug, Default)]
struct Table {
    /// By the token of their progress.
    calls: HashMap<ProgressToken, Entry, RandomState>,
    /// What came before its call was entered: a token is known only after its request is sent.
    early: VecDeque<ProgressNotificationParam>,
    /// The same, of what was said with the answer to a request.
    early_remarks: VecDeque<(RequestId, Remark)>,
    /// How many questions wait for a call to come or to go.
    listeners: usize,
}

#[derive(Debug)]
struct Entry {
    id: RequestId,
    cx: ToolContext,
    questions: u32,
}

/// Why a question cannot be put to anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unclear {
    /// No call is under way in which it could have been asked.
    NoCall,
    /// Several calls are under way, and it does not say to which it belongs.
    Several,
    /// The call has asked too much already.
    TooMany,
}

impl Unclear {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::NoCall => "it was not asked during a call",
            Self::Several => {
                "several calls are under way, and it does not say in which of them it is asked"
            }
            Self::TooMany => "the call has asked too many questions",
        }
    }
}

impl Routes {
    /// Enters a call; hands on what came early.
    pub(super) fn enter(&self, token: &ProgressToken, id: &RequestId, cx: &ToolContext) {
        let mut table = self.table.lock();
        table.early.retain(|note| {
            if note.progress_token != *token {
                return true;
            }
            tell(cx, note);
            false
        });
        table.early_remarks.retain(|(request, remark)| {
            if request != id {
                return true;
            }
            say(cx, remark.clone());
            false
        });
        let entry = Entry { id: id.clone(), cx: cx.clone(), questions: 0 };
        table.calls.insert(token.clone(), entry);
        self.ring(&table);
    }

    pub(super) fn leave(&self, token: &ProgressToken) {
        let mut table = self.table.lock();
        table.calls.remove(token);
        self.ring(&table);
    }

    /// Nobody listens as a rule, and then this costs nothing.
    fn ring(&self, table: &Table) {
        if table.listeners > 0 {
            self.moves.notify_waiters();
        }
    }

    /// Tells whether no call is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.table.lock().calls.is_empty()
    }

    /// Hands a note on to its call.
    pub(super) fn deliver(&self, note: ProgressNotificationParam) {
        let mut table = self.table.lock();
        match table.calls.get(&note.progress_token) {
            Some(entry) => tell(&entry.cx, &note),
            None => {
                table.early.truncate(EARLY - 1);
                table.early.push_front(note);
            }
        }
    }

    /// Hands on what the server says: to the call of a request, or to the only one that there is.
    pub(super) fn remark(&self, request: Option<&RequestId>, remark: Remark) {
        let remark = bounded(remark);
        let mut table = self.table.lock();
        let Some(request) = request else {
            let mut calls = table.calls.values();
            if let (Some(only), None) = (calls.next(), calls.next()) {
                say(&only.cx, remark);
            }
            return;
        };
        match table.calls.values().find(|entry| entry.id == *request) {
            Some(entry) => say(&entry.cx, remark),
            None => {
                if table.early_remarks.len() >= EARLY {
                    table.early_remarks.pop_front();
                }
                table.early_remarks.push_back((request.clone(), remark));
            }
        }
    }

    /// Finds the call that a question of the server belongs to.
    ///
    /// One that came with the answer to a request belongs to that; otherwise it belongs to the only
    /// call that there is. A question that may be anybody's is nobody's: asking the wrong caller
    /// would tell one what another does.
    pub(super) async fn asker(
        &self,
        origin: Option<&InboundStreamOrigin>,
    ) -> Result<(ProgressToken, ToolContext), Unclear> {
        let listener = Listener::of(self);
        let found = self.wait_until(|table| {
            let found = table.claim(origin);
            (found != Err(Unclear::NoCall)).then_some(found)
        });
        let found = timeout(AHEAD, found).await.unwrap_or(Err(Unclear::NoCall));
        drop(listener);
        let token = found?;
        let table = self.table.lock();
        let entry = table.calls.get(&token).ok_or(Unclear::NoCall)?;
        Ok((token, entry.cx.clone()))
    }

    /// Returns when a call is over.
    pub(super) async fn left(&self, token: &ProgressToken) {
        let _listener = Listener::of(self);
        self.wait_until(|table| (!table.calls.contains_key(token)).then_some(())).await;
    }

    /// Notes with every call under way that a question found nobody.
    pub(super) fn note_unanswered(&self) {
        self.table.lock().calls.values().for_each(|entry| entry.cx.note_unanswered());
    }

    async fn wait_until<T>(&self, mut found: impl FnMut(&mut Table) -> Option<T>) -> T {
        loop {
            let mut moved = std::pin::pin!(self.moves.notified());
            // What moves between the look and the wait must be heard.
            moved.as_mut().enable();
            if let Some(found) = found(&mut self.table.lock()) {
                return found;
            }
            moved.await;
        }
    }
}

impl Table {
    fn claim(&mut self, origin: Option<&InboundStreamOrigin>) -> Result<ProgressToken, Unclear> {
        let mut calls = self.calls.iter_mut();
        let (token, entry) = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => {
                calls.find(|(_, entry)| entry.id == *id).ok_or(Unclear::NoCall)?
            }
            _ => match (calls.next(), calls.next()) {
                (Some(only), None) => only,
                (Some(_), Some(_)) => return Err(Unclear::Several),
                (None, _) => return Err(Unclear::NoCall),
            },
        };
        entry.questions += 1;
        if entry.questions > MOST_QUESTIONS {
            return Err(Unclear::TooMany);
        }
        Ok(token.clone())
    }
}

/// Makes calls ring when they come and go.
struct Listener<'a>(&'a Routes);

impl<'a> Listener<'a> {
    fn of(routes: &'a Routes) -> Self {
        routes.table.lock().listeners += 1;
        Self(routes)
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        self.0.table.lock().listeners -= 1;
    }
}

fn say(cx: &ToolContext, remark: Remark) {
    let Remark { level, logger, data } = remark;
    cx.log(level, logger, data);
}

/// Leaves out what is longer than anybody wants to read.
fn bounded(Remark { level, logger, data }: Remark) -> Remark {
    let logger = logger.map(|logger| logger.chars().take(LONGEST_LOGGER).collect());
    let is_short = serde_json::to_vec(&data).is_ok_and(|text| text.len() <= LARGEST_REMARK);
    let data = if is_short { data } else { "(a message that is too long)".into() };
    Remark { level, logger, data }
}

fn tell(cx: &ToolContext, note: &ProgressNotificationParam) {
    cx.progress(note.progress, note.total, note.message.clone().unwrap_or_default());
}

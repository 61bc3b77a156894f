//! `tools/call`: from the parameters to the engine, and to what the client hears.

use std::{borrow::Cow, sync::Arc};

use serde::Deserialize;
use tokio::{sync::mpsc, time::Instant};
use toolsmith_core::{
    Asker, Call, CallerType, Map, StreamSink, TaskSupport, ToolSpec, Value, json,
};

use super::{
    approving::Approving,
    content::{self, Promise},
    list::is_promised,
};
use crate::{
    Gateway, json as strictly,
    mcp::{
        Answer,
        asking::Asking,
        following::{Answering, Channels, Done, Due, Following, Telling},
        meta::Meta,
        peer::Peer,
        refusal::Refusal,
        rounds::Subject,
        session::Run,
        tasks,
        wire::{self, Id, Request, present},
        writing::Writing,
    },
    telemetry,
};

/// How many items a tool may be ahead of its client.
const AHEAD: usize = 64;

/// The parameters of a call.
#[derive(Debug, Deserialize)]
pub(crate) struct Calling<'a> {
    /// The tool.
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    /// Its input.
    #[serde(default, deserialize_with = "strictly::strict")]
    pub(crate) arguments: Value,
    /// What the client says about its request.
    #[serde(borrow, default, rename = "_meta")]
    pub(crate) meta: Option<Meta<'a>>,
    #[serde(borrow, default, rename = "inputResponses", deserialize_with = "present")]
    responses: Option<&'a serde_json::value::RawValue>,
    #[serde(default, rename = "requestState")]
    state: Option<String>,
    /// The wish that it becomes a task.
    #[serde(borrow, default, deserialize_with = "present")]
    task: Option<&'a serde_json::value::RawValue>,
}

impl<'a> Calling<'a> {
    /// Reads the parameters of a request.
    pub(crate) fn read(request: &Request<'a>) -> Result<Self, Refusal> {
        wire::params(request.params)
    }
}

/// Reads the answers that came with a request; each is an object.
pub(crate) fn responses(
    raw: Option<&serde_json::value::RawValue>,
) -> Result<Map<String, Value>, Refusal> {
    let Some(raw) = raw else { return Ok(Map::new()) };
    let read = strictly::strict_map(&mut serde_json::Deserializer::from_str(raw.get()));
    read.ok()
        .filter(|answers| answers.values().all(Value::is_object))
        .ok_or_else(|| Refusal::invalid_params("`inputResponses` must be an object of objects."))
}

/// Makes a call.
pub(crate) async fn call(
    gateway: &Gateway,
    peer: &Peer,
    id: Id<'_>,
    calling: Calling<'_>,
) -> Result<Answer, Refusal> {
    let given = responses(calling.responses)?;
    let subject = || Subject {
        visitor: peer.visitor.id.clone(),
        method: "tools/call",
        name: calling.name.clone().into_owned(),
    };
    let token = calling.meta.as_ref().and_then(Meta::progress_token);
    if let Some(state) = calling.state.as_deref().filter(|_| peer.revision.is_stateless()) {
        let mut following = gateway.0.mcp.rounds.resume(state, &subject(), given)?;
        following.answering.id = id.as_json().into();
        following.telling.token = token.map(ToOwned::to_owned);
        following.telling.level = peer.level;
        return Ok(Answer::Following(following));
    }
    let entry = gateway.0.engine.registry().visible(&calling.name, &peer.visitor.rights);
    let spec = entry.as_ref().map(|entry| &entry.spec);
    let is_promised = spec.is_some_and(|spec| is_promised(spec, peer.revision));
    let promise = if is_promised { Promise::Structure } else { Promise::Nothing };
    let hears = peer.level.is_some() && spec.is_some_and(|spec| spec.stream_support);
    let streams = token.is_some() || hears;
    let due = due(gateway, peer, spec, calling.task.is_some())?;
    // Who wishes for a task takes it back as one.
    let session = peer.session.as_ref().filter(|_| due.is_none());
    let run = session.map(|session| session.run(id));
    if !streams && due.is_none() && !peer.abilities.can_be_asked() {
        let call = begin(gateway, peer, run.as_ref(), calling.name.into_owned(), calling.arguments);
        let nobody: Arc<Asking> = Arc::clone(&gateway.0.mcp.nobody);
        let outcome = Box::pin(gateway.0.engine.call(call.with_asker(nobody))).await;
        telemetry::note(outcome.call_id);
        if run.is_some_and(|run| run.token.is_cancelled()) {
            return Ok(Answer::Nothing);
        }
        let mut writing = Writing::to(id, peer.revision);
        content::write(&mut writing, &outcome, promise, peer.revision)?;
        return Ok(Answer::Text(writing.end()));
    }
    let subject = subject();
    let call = begin(gateway, peer, run.as_ref(), calling.name.into_owned(), calling.arguments);
    let answering = Answering { id: id.as_json().into(), revision: peer.revision, promise };
    let telling = Telling {
        token: token.map(ToOwned::to_owned),
        level: peer.level.filter(|_| hears),
        tool: spec.map(|spec| spec.name.text().clone()).unwrap_or_default(),
        done: f64::NEG_INFINITY,
    };
    let told = (subject, answering, telling);
    let following = follow((gateway, peer), (call, spec, due), told, (given, run));
    Ok(Answer::Following(Box::new(following)))
}

fn begin(
    gateway: &Gateway,
    peer: &Peer,
    run: Option<&Run>,
    name: String,
    arguments: Value,
) -> Call {
    let context = gateway.context(&peer.visitor, CallerType::Mcp);
    let call = Call::new(name, arguments).with_context(context);
    match run {
        Some(run) => call.with_cancel(run.token.clone()),
        None => call,
    }
}

/// Lets the client hear what a call says.
fn follow(
    (gateway, peer): (&Gateway, &Peer),
    (mut call, spec, due): (Call, Option<&ToolSpec>, Option<Due>),
    told: (Subject, Answering, Telling),
    (given, run): (Map<String, Value>, Option<Run>),
) -> Following {
    let mut channels = Channels::default();
    if told.2.token.is_some() || told.2.level.is_some() {
        let (sender, items) = mpsc::channel(AHEAD);
        call.stream = Some(StreamSink::new(sender).with_level(told.2.level));
        channels.items = Some(items);
    }
    let asking = match (&peer.session, due) {
        // What a task asks would have to come on the stream of another request.
        (Some(_), Some(_)) => Arc::clone(&gateway.0.mcp.nobody),
        _ => asking(gateway, peer, &mut channels, given),
    };
    let mut enrolled = None;
    if let Some(due) = due {
        let underway = &gateway.0.underway;
        let (known, place) = underway.enrol(&gateway.0.engine, &peer.visitor.id, call);
        (call, enrolled) = (known, Some((due, place)));
    }
    call.asker = Some(Arc::clone(&asking) as Arc<dyn Asker>);
    let engine = gateway.0.engine.clone();
    let approving = Approving::of(gateway, peer, spec, &asking);
    let work = Box::pin(async move {
        Done::Call(Box::new(match approving {
            Some(approving) => approving.call(call).await,
            None => engine.call(call).await,
        }))
    });
    let following = Following::new(gateway.clone(), told, (work, channels), asking, run);
    match enrolled {
        Some((due, enrolled)) => following.due(due, enrolled),
        None => following,
    }
}

/// Returns when the call becomes a task, if it may; a call that must be one and cannot is refused.
fn due(
    gateway: &Gateway,
    peer: &Peer,
    spec: Option<&ToolSpec>,
    is_wished: bool,
) -> Result<Option<Due>, Refusal> {
    let Some(support) = spec.map(|spec| spec.task_support) else { return Ok(None) };
    if peer.revision.is_stateless() {
        return match (support, peer.abilities.tasks) {
            (TaskSupport::Required, false) => {
                let required = json!({ "extensions": { tasks::EXTENSION: {} } });
                Err(Refusal::missing_ability(&required))
            }
            (_, false) | (TaskSupport::Forbidden, true) => Ok(None),
            (TaskSupport::Auto, true) => {
                Ok(Some(Due::At(Instant::now() + gateway.0.config.task_after)))
            }
            (TaskSupport::Optional | TaskSupport::Required, true) => Ok(Some(Due::Soon)),
        };
    }
    match (support, is_wished && peer.revision.has_tasks()) {
        (TaskSupport::Forbidden, true) => Err(Refusal::no_task("This tool runs as no task.")),
        (_, true) => Ok(Some(Due::Soon)),
        (TaskSupport::Required, false) if peer.revision.has_tasks() => {
            Err(Refusal::no_task("This tool runs as a task only: send `task` with the call."))
        }
        (_, false) => Ok(None),
    }
}

/// Returns how a client is asked.
pub(crate) fn asking(
    gateway: &Gateway,
    peer: &Peer,
    channels: &mut Channels,
    given: Map<String, Value>,
) -> Arc<Asking> {
    if !peer.abilities.can_be_asked() {
        return Arc::clone(&gateway.0.mcp.nobody);
    }
    match &peer.session {
        Some(session) => {
            let (sender, requests) = mpsc::channel(AHEAD);
            channels.requests = Some(requests);
            Arc::new(Asking::on_stream(Arc::clone(session), sender))
        }
        None => {
            let (sender, posed) = mpsc::unbounded_channel();
            channels.posed = Some(posed);
            Arc::new(Asking::in_rounds(peer.abilities, given, sender))
        }
    }
}

//! Which method is answered by what, in each era.

use std::sync::Arc;

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    Answer,
    completion::complete,
    guest::Guest,
    http,
    lifecycle::{discover, set_level},
    listening::{Interest, Listening, View},
    meta::Introduced,
    peer::Peer,
    prompts,
    refusal::Refusal,
    resources::{self, Followed},
    session::Session,
    tasks,
    tools::{self, Calling},
    wire::{self, Notification, Request},
    writing::Writing,
};
use crate::Gateway;

/// Answers a request of a session.
pub(crate) async fn answer_in_session(
    gateway: &Gateway,
    session: &Arc<Session>,
    guest: Guest,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let peer = Peer::of_session(Arc::clone(session), guest);
    match request.method.as_ref() {
        "tools/call" => tools::call(gateway, &peer, request.id, Calling::read(request)?).await,
        "ping" => Ok(Answer::Text(Writing::to(request.id, peer.revision).end())),
        "resources/subscribe" => {
            resources::subscribe(gateway, &peer, request).await.map(Answer::Text)
        }
        "resources/unsubscribe" => resources::unsubscribe(&peer, request).map(Answer::Text),
        "tasks/result" if peer.revision.has_tasks() => tasks::result(gateway, &peer, request).await,
        "tasks/list" if peer.revision.has_tasks() => tasks::list(gateway, &peer, request).await,
        "logging/setLevel" => set_level(session, request).map(Answer::Text),
        // What is rare is boxed: it would make the work of every call larger.
        _ => Box::pin(answer_any(gateway, &peer, request)).await,
    }
}

/// Answers a request that stands for itself; its headers must say the same as it does.
pub(crate) async fn answer_alone(
    gateway: &Gateway,
    guest: Guest,
    headers: Option<&HeaderMap>,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    if request.method == "tools/call" {
        let calling = Calling::read(request)?;
        http::headers::check(headers, request, calling.meta.as_ref(), Some(&calling.name))?;
        let peer = Peer::of_request(calling.meta.as_ref(), guest)?;
        let rights = &peer.visitor.rights;
        if let Some(entry) = gateway.0.engine.registry().visible(&calling.name, rights) {
            http::params::check(headers, &entry.spec.input_schema, &calling.arguments)?;
        }
        return tools::call(gateway, &peer, request.id, calling).await;
    }
    let introduced: Introduced<'_> = wire::params(request.params)?;
    http::headers::check(headers, request, introduced.meta.as_ref(), None)?;
    let peer = Peer::of_request(introduced.meta.as_ref(), guest)?;
    match request.method.as_ref() {
        "server/discover" => Ok(Answer::Text(discover(request, peer.revision))),
        "subscriptions/listen" => subscribe(gateway, &peer, request).await,
        "tasks/update" => tasks::update(gateway, &peer, request),
        // What is rare is boxed: it would make the work of every call larger.
        _ => Box::pin(answer_any(gateway, &peer, request)).await,
    }
}

/// Answers what is the same in both eras.
async fn answer_any(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    match request.method.as_ref() {
        "tools/list" => tools::list(gateway, peer, request).map(Answer::Text),
        "resources/list" => resources::list(gateway, peer, request).await.map(Answer::Text),
        "resources/templates/list" => {
            resources::templates(gateway, peer, request).await.map(Answer::Text)
        }
        "resources/read" => resources::read(gateway, peer, request).await,
        "prompts/list" => prompts::list(gateway, peer, request).await.map(Answer::Text),
        "prompts/get" => prompts::get(gateway, peer, request),
        "completion/complete" => complete(gateway, peer, request).await.map(Answer::Text),
        "tasks/get" if has_tasks(peer) => tasks::get(gateway, peer, request).await,
        "tasks/cancel" if has_tasks(peer) => tasks::cancel(gateway, peer, request).await,
        method => Err(Refusal::unknown_method(method)),
    }
}

fn has_tasks(peer: &Peer) -> bool {
    peer.revision.has_tasks() || peer.revision.is_stateless()
}

#[derive(Debug, Deserialize)]
struct Subscription {
    notifications: Wishes,
}

/// What a client wants to hear; what it is told that it will hear.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Wishes {
    #[serde(default, skip_serializing_if = "is_not")]
    tools_list_changed: bool,
    #[serde(default, skip_serializing_if = "is_not")]
    prompts_list_changed: bool,
    #[serde(default, skip_serializing_if = "is_not")]
    resources_list_changed: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_not(wish: &bool) -> bool {
    !wish
}

/// Opens a stream of changes.
async fn subscribe(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let mut wanted = wire::params::<Subscription>(request.params)?.notifications;
    let (followed, rights) = (Followed::default(), &peer.visitor.rights);
    let mut accepted = Vec::new();
    for uri in wanted.resource_subscriptions {
        if followed.follow(gateway, rights, &uri).await {
            accepted.push(uri);
        }
    }
    wanted.resource_subscriptions = accepted;
    let interest = Interest {
        tools: wanted.tools_list_changed,
        prompts: wanted.prompts_list_changed,
        resources: wanted.resources_list_changed,
    };
    let id = RawValue::from_string(request.id.as_json().to_owned())
        .map_err(|_| Refusal::invalid_request("The `id` is not JSON."))?;
    let ended = gateway.0.mcp.ended.child_token();
    let view = View::new(gateway, rights.clone(), peer.group.clone());
    let listening = Listening::new(gateway, view, (interest, followed), ended);
    let accepted = serde_json::to_value(&wanted).unwrap_or_default();
    Ok(Answer::Listening(Box::new(listening.for_subscription(id, &accepted))))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cancelled<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

/// Hears what a client of a session tells.
pub(crate) fn hear(session: &Session, notification: &Notification<'_>) {
    if let Some(id) = cancelled(notification) {
        session.cancel(id);
    }
}

/// Returns the JSON text of the request that a client takes back.
pub(crate) fn cancelled<'a>(notification: &Notification<'a>) -> Option<&'a str> {
    if notification.method != "notifications/cancelled" {
        return None;
    }
    let cancelled: Cancelled<'a> = wire::params(notification.params).ok()?;
    Some(cancelled.request_id.get())
}

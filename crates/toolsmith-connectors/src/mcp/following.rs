//! Hears what changes at a server, for as long as its session lasts.
//!
//! Servers with a greeting tell of their lists by themselves, and of each resource when they are asked
//! to. Where requests stand for themselves there is one stream for all of it, opened again when others
//! are followed than before.

#![expect(
    deprecated,
    reason = "the newest revision has one stream for everything, and older servers are still asked"
)]

use std::{collections::BTreeSet, time::Duration};

use futures_util::FutureExt;
use rmcp::{
    model::{
        ClientRequest, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter,
        UnsubscribeRequest, UnsubscribeRequestParams,
    },
    service::Subscription,
};
use tokio::time::{sleep, timeout};

use super::{session::Session, watching::Watching};

/// How long a server may take to answer that it will tell.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a stream that has ended is left alone, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));

/// Hears what changes; returns when the session has ended.
pub(super) async fn follow(session: &Session, watching: &Watching) {
    let hearing = async {
        if session.stands_alone {
            listen(session, watching).await;
        } else {
            subscribe(session, watching).await;
        }
    };
    tokio::select! {
        () = session.is_over() => {}
        () = hearing => {}
    }
}

/// Asks a server to tell of each resource that is followed.
async fn subscribe(session: &Session, watching: &Watching) {
    let mut subscribed = BTreeSet::new();
    loop {
        let (followed, state) = watching.followed();
        for uri in followed.difference(&subscribed) {
            let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
            ask(session, ClientRequest::SubscribeRequest(request)).await;
        }
        for uri in subscribed.difference(&followed) {
            let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
            ask(session, ClientRequest::UnsubscribeRequest(request)).await;
        }
        subscribed = followed;
        watching.settle(state);
        watching.moved().await;
    }
}

async fn ask(session: &Session, request: ClientRequest) {
    let answer = timeout(PATIENCE, session.peer.send_request(request)).await;
    if !matches!(answer, Ok(Ok(_))) {
        tracing::debug!(server = session.settings.name, "a resource cannot be followed");
    }
}

/// Keeps a stream open on which a server tells of everything.
async fn listen(session: &Session, watching: &Watching) {
    let mut pause = PAUSE.0;
    let mut before: Option<Subscription> = None;
    loop {
        let (followed, state) = watching.followed();
        let filter = filter(session, followed);
        let is_empty = filter == SubscriptionFilter::default();
        let opened = if is_empty { None } else { session.peer.listen(filter).await.ok() };
        watching.settle(state);
        // What the former stream has told is not lost with it.
        while let Some(Ok(Some(told))) =
            before.as_mut().and_then(|before| before.next().now_or_never())
        {
            session.news.hear(told);
        }
        before = None;
        let Some(mut stream) = opened else {
            watching.moved().await;
            continue;
        };
        if hear(session, watching, &mut stream).await {
            before = Some(stream);
            pause = PAUSE.0;
            continue;
        }
        sleep(pause).await;
        pause = (pause * 2).min(PAUSE.1);
        // Whatever changed meanwhile was not heard.
        session.news.note(|heard| {
            (heard.tools, heard.resources, heard.prompts) = (true, true, true);
        });
    }
}

/// Hears a stream; true when another one is wanted, false when it has ended.
async fn hear(session: &Session, watching: &Watching, stream: &mut Subscription) -> bool {
    loop {
        tokio::select! {
            () = watching.moved() => return true,
            told = stream.next() => match told {
                Ok(Some(told)) => session.news.hear(told),
                Ok(None) | Err(_) => return false,
            }
        }
    }
}

/// Says what is to be told, of what the server can tell.
fn filter(session: &Session, followed: BTreeSet<String>) -> SubscriptionFilter {
    let mut filter = SubscriptionFilter::default();
    let Some(about) = session.about() else { return filter };
    let capabilities = &about.capabilities;
    let tells = |is: Option<bool>| is.filter(|tells| *tells);
    filter.tools_list_changed =
        capabilities.tools.as_ref().and_then(|tools| tells(tools.list_changed));
    filter.prompts_list_changed =
        capabilities.prompts.as_ref().and_then(|prompts| tells(prompts.list_changed));
    if let Some(resources) = &capabilities.resources {
        filter.resources_list_changed = tells(resources.list_changed);
        let followed: Vec<String> = followed.into_iter().collect();
        let can_follow = resources.subscribe == Some(true) && !followed.is_empty();
        filter.resource_subscriptions = can_follow.then_some(followed);
    }
    filter
}

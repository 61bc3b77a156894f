//! The receivers of events of the settings, at work.

use std::time::Duration;

use anyhow::Result;
use toolsmith_core::{AllowList, Secret, Template};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Webhook, Webhooks};
use toolsmith_net::{Guard, NetError};

use crate::{
    Session,
    config::{self, Settings},
    exit::UsageError,
    output,
    wording::counted,
};

/// How long receivers may take for the last events when the program ends.
const LAST_EVENTS: Duration = Duration::from_secs(5);

/// Begins to tell the receivers of what happens.
pub(crate) fn webhooks(
    session: &Session,
    settings: &Settings,
    engine: &Engine,
) -> Result<Webhooks> {
    let client = super::client(settings, &session.environment)?;
    let webhooks = settings.webhooks.iter().map(|webhook| {
        let checked = webhook_of(session, webhook)?;
        let refused = client.check(checked.url.expose(), checked.guard);
        refused.map_err(|why| match why {
            NetError::Denied(_) => {
                let what = "set `allow_private: true` for it, if that address is meant";
                wrong(webhook, "url", &format!("{why}; {what}"))
            }
            _ => wrong(webhook, "url", &why),
        })?;
        Ok(checked)
    });
    let webhooks = webhooks.collect::<Result<Vec<_>, UsageError>>()?;
    let started = Webhooks::start(engine, &client, webhooks);
    Ok(started.map_err(|why| UsageError::new(format!("webhooks: {why}")))?)
}

/// Posts what still waits, and tells of what could not be delivered.
pub(crate) async fn close(webhooks: &Webhooks) {
    let undelivered = webhooks.close(LAST_EVENTS).await;
    if undelivered > 0 {
        let events = counted(undelivered, "event");
        output::tell(&format!("note: {events} did not reach a webhook"));
    }
}

fn webhook_of(session: &Session, webhook: &config::Webhook) -> Result<Webhook, UsageError> {
    let fill = |key: &str, template: &Template| {
        let resolved = template.resolve(&session.environment);
        resolved.map(|resolved| resolved.text).map_err(|why| wrong(webhook, key, &why))
    };
    let url = webhook.url.as_ref().ok_or_else(|| wrong(webhook, "url", &"is missing"))?;
    let secrets = webhook.secret.iter().map(|secret| fill("secret", secret.expose()));
    let secrets = secrets.collect::<Result<Vec<Secret<String>>, _>>()?;
    for secret in &secrets {
        session.redactor.add(secret);
    }
    let kinds = webhook.kinds().map_err(|name| wrong(webhook, "types", &name))?;
    let patterns = webhook.tools.iter().map(String::as_str);
    Ok(Webhook {
        name: webhook.name.clone(),
        url: fill("url", url)?,
        secrets,
        kinds: (!kinds.is_empty()).then_some(kinds),
        tools: (!webhook.tools.is_empty()).then(|| AllowList::new(patterns)),
        timeout: webhook.timeout,
        max_tries: u32::try_from(webhook.max_tries).unwrap_or(u32::MAX),
        max_waiting: webhook.max_waiting,
        guard: if webhook.allow_private { Guard::Trusted } else { Guard::Public },
    })
}

fn wrong(webhook: &config::Webhook, key: &str, why: &dyn std::fmt::Display) -> UsageError {
    UsageError::new(format!("webhooks.{}.{key}: {why}", webhook.name))
}

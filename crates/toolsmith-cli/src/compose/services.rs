//! Processes and containers of tools: their makers, and who hears of them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use toolsmith_connectors::{
    container::ContainerMaker, life::Services, process::ProcessMaker, python::PythonMaker,
    remote::RemoteMaker, sources::SourcesMaker,
};
use toolsmith_core::{EventKind, json};
use toolsmith_definitions::{Makers, Positions, Switches};
use toolsmith_net::Client;

use super::workshop::Link;
use crate::config::Environment;

/// How often it is looked whether somebody asks for a service to be stopped.
const EVERY: Duration = Duration::from_millis(500);

/// Adds the makers of services.
pub(super) fn add_makers(
    makers: Makers,
    services: &Services,
    client: Client,
    environment: &Environment,
) -> Makers {
    let host = environment.get("DOCKER_HOST").unwrap_or_default();
    let process = ProcessMaker::new(services.clone());
    let python = PythonMaker::new(services.clone());
    let container = ContainerMaker::new(services.clone(), host);
    let remote = RemoteMaker::new(client);
    let sources =
        SourcesMaker::new(process.clone(), python.clone(), container.clone(), remote.clone());
    makers
        .with(Arc::new(process))
        .with(Arc::new(python))
        .with(Arc::new(container))
        .with(Arc::new(remote))
        .with(Arc::new(sources))
}

/// Lets subscribers of the engine hear of each change.
pub(super) fn announce(services: &Services, link: &Link) {
    let link = Arc::clone(link);
    services.on_change(Arc::new(move |status| {
        let Some(engine) = link.lock().clone() else { return };
        let data = json!({
            "state": status.state.as_str(),
            "pid": status.pid,
            "port": status.port,
            "since": status.since,
            "why": status.why,
        });
        engine.announce(EventKind::ToolStateChanged, Some(&status.tool_name), data);
    }));
}

/// Stops the services that `toolsmith tools stop` names, and those of tools that are disabled.
///
/// It does so for as long as it is awaited.
pub(crate) async fn obey(services: Services, switches: Switches) {
    let mut seen = switches.read().unwrap_or_default();
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // One that takes its time to end holds up no other.
    let mut stopping = JoinSet::new();
    loop {
        ticks.tick().await;
        while stopping.try_join_next().is_some() {}
        // What cannot be read now says nothing; taken for empty, it would stop everything next time.
        let Ok(asked) = switches.read() else { continue };
        for name in unwanted(&seen, &asked) {
            let services = services.clone();
            stopping.spawn(async move { services.stop(&name).await });
        }
        seen = asked;
    }
}

/// Names the services that somebody wants stopped since the last look.
fn unwanted(seen: &Positions, asked: &Positions) -> BTreeSet<String> {
    let stops = asked.stops.iter().filter(|(name, count)| seen.stops.get(*name) != Some(count));
    let is_news = |(name, is_enabled): &(&String, &bool)| {
        !**is_enabled && seen.tools.get(*name) != Some(is_enabled)
    };
    let disabled = asked.tools.iter().filter(is_news).map(|(name, _)| name);
    stops.map(|(name, _)| name).chain(disabled).cloned().collect()
}

//! Processes and containers of tools: their makers, and who hears of them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use toolsmith_connectors::{
    container::ContainerMaker, life::Services, mcp::Servers, process::ProcessMaker,
    python::PythonMaker, remote::RemoteMaker, sources::SourcesMaker,
};
use toolsmith_core::{EventKind, ToolName, json};
use toolsmith_definitions::{Makers, Positions, Switches};
use toolsmith_net::Client;

use super::workshop::Link;
use crate::config::Environment;

/// How often it is looked whether somebody asks for a service to be stopped.
const EVERY: Duration = Duration::from_millis(500);

/// Which tools are switched, by hand and by name; shared by its clones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Off(Arc<Mutex<BTreeMap<String, bool>>>);

impl Off {
    /// Tells whether a tool cannot be called.
    pub(super) fn holds(&self, name: &ToolName) -> bool {
        self.0.lock().get(name.as_str()) == Some(&false)
    }

    /// Takes what is switched; says whether that is news.
    pub(super) fn change(&self, tools: BTreeMap<String, bool>) -> bool {
        let mut known = self.0.lock();
        let is_new = *known != tools;
        *known = tools;
        is_new
    }
}

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

/// Hears `toolsmith tools stop`, and what is switched, for as long as it is awaited.
///
/// Tools of files are switched by the watch over them; here their services are stopped. Tools of
/// MCP servers are switched here.
pub(crate) async fn obey(services: Services, servers: Servers, off: Off, switches: Switches) {
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
        for name in stopped(&seen, &asked) {
            let (services, servers) = (services.clone(), servers.clone());
            stopping.spawn(async move {
                services.stop(&name).await;
                servers.stop_for(&name).await;
            });
        }
        for name in disabled(&seen, &asked) {
            let services = services.clone();
            stopping.spawn(async move { services.stop(&name).await });
        }
        if off.change(asked.tools.clone()) {
            servers.switch();
        }
        seen = asked;
    }
}

/// Names the tools that somebody wants stopped since the last look.
fn stopped(seen: &Positions, asked: &Positions) -> Vec<String> {
    let news = asked.stops.iter().filter(|(name, count)| seen.stops.get(*name) != Some(count));
    news.map(|(name, _)| name.clone()).collect()
}

/// Names the tools that were switched off since the last look.
fn disabled(seen: &Positions, asked: &Positions) -> Vec<String> {
    let off = asked.tools.iter().filter(|(_, is_enabled)| !**is_enabled);
    let news = off.filter(|(name, is_enabled)| seen.tools.get(*name) != Some(is_enabled));
    news.map(|(name, _)| name.clone()).collect()
}

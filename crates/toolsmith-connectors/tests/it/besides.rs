//! What real servers offer besides tools.

use std::{sync::Arc, time::Duration};

use toolsmith_connectors::mcp::Servers;
use toolsmith_core::{AllowList, Library, Map, Reader, Rights, Value, json};
use toolsmith_engine::Engine;

use crate::{
    bench::{Bench, poll, scripted, surroundings},
    real::Installed,
};

/// The server of everything, on its standard streams.
struct Everything {
    servers: Servers,
    library: Arc<dyn Library>,
    engine: Engine,
    memory: tempfile::TempDir,
}

impl Everything {
    async fn start() -> Option<Self> {
        let (installed, memory) = (Installed::find()?, tempfile::tempdir().unwrap());
        let settings = installed.npm("everything", &["stdio"]);
        let servers = Servers::new(surroundings(memory.path()), vec![settings]);
        let (library, engine) = (servers.library(), Engine::builder().build().unwrap());
        servers.attach(&engine, Arc::new(|_| false));
        let failed = servers.load().await;
        assert!(failed.is_empty(), "{failed:?}");
        Some(Self { servers, library, engine, memory })
    }
}

fn first(items: &[Value], member: &str, part: &str) -> String {
    let found =
        items.iter().filter_map(|item| item[member].as_str()).find(|key| key.contains(part));
    found.unwrap_or_else(|| panic!("nothing with {part} in {items:#?}")).to_owned()
}

#[tokio::test]
async fn resources_and_prompts_of_a_real_server_are_read_and_made() {
    let Some(Everything { servers, library, .. }) = Everything::start().await else { return };
    let rights = Rights::default();
    let resources = library.resources(&rights).await;
    let uri = first(&resources, "uri", "://");
    let read = library.read(&uri, Reader::default()).await.unwrap().unwrap();
    assert_eq!(read["contents"][0]["uri"], uri.as_str(), "{read}");
    let template = first(&library.templates(&rights).await, "uriTemplate", "text/{");
    let (start, _) = template.split_once('{').unwrap();
    let made = library.read(&format!("{start}1"), Reader::default()).await.unwrap().unwrap();
    assert!(made["contents"][0]["text"].is_string(), "{made}");
    let prompts = library.prompts(&rights).await;
    let name = first(&prompts, "name", "everything__simple");
    let prompt = library.prompt(&name, Map::new(), Reader::default()).await.unwrap().unwrap();
    assert!(prompt["messages"][0]["content"]["text"].is_string(), "{prompt}");
    assert!(library.prompt("simple-prompt", Map::new(), Reader::default()).await.is_none());
    assert!(library.read("elsewhere://x", Reader::default()).await.is_none());
    servers.close().await;
}

#[tokio::test]
async fn arguments_are_completed_by_a_real_server() {
    let Some(Everything { servers, library, .. }) = Everything::start().await else { return };
    let rights = Rights::default();
    let name = first(&library.prompts(&rights).await, "name", "completable");
    let reference = json!({ "type": "ref/prompt", "name": name });
    let request = json!({ "ref": reference, "argument": { "name": "department", "value": "E" } });
    let completed = library.complete(&request, &rights).await.unwrap().unwrap();
    assert_eq!(completed["completion"]["values"], json!(["Engineering"]), "{completed}");
    servers.close().await;
}

#[tokio::test]
async fn a_resource_of_a_real_server_is_followed_while_somebody_does() {
    let Some(Everything { servers, library, engine, .. }) = Everything::start().await else {
        return;
    };
    let rights = Rights::default();
    let uri = first(&library.resources(&rights).await, "uri", "://");
    let mut watched = library.watch(&uri, &rights).await.unwrap();
    let toggle = toolsmith_core::Call::new("everything__toggle-subscriber-updates", json!({}));
    let outcome = engine.call(toggle).await;
    assert!(outcome.is_success(), "{outcome:?}");
    poll("the resource changes", || watched.take_change()).await;
    servers.close().await;
}

#[tokio::test]
async fn what_a_server_offers_is_remembered_and_shown_to_who_sees_a_tool_of_it() {
    let Some(everything) = Everything::start().await else { return };
    let Everything { servers, library, .. } = &everything;
    servers.close().await;
    for (pattern, sees) in [("everything__echo", true), ("everything__ech", false)] {
        let rights = Rights { tools: Some(AllowList::new([pattern])), ..Rights::default() };
        assert_eq!(!library.prompts(&rights).await.is_empty(), sees, "{pattern}");
    }
    let Some(installed) = Installed::find() else { return };
    let settings = installed.npm("everything", &["stdio"]);
    let later = Servers::new(surroundings(everything.memory.path()), vec![settings]);
    let remembered = later.library();
    let rights = Rights::default();
    assert_eq!(remembered.resources(&rights).await, library.resources(&rights).await);
    assert_eq!(later.statuses()[0].pid, None, "nothing was started to know it");
}

#[tokio::test]
async fn a_server_that_never_lists_what_it_has_besides_gives_its_tools() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let Some(mut settings) = scripted("srv", &[revision, "mute"]) else { return };
        settings.start_timeout = Duration::from_secs(8);
        let bench = Bench::new(vec![settings]);
        let library = bench.servers.library();
        assert!(bench.servers.load().await.is_empty());
        assert_eq!(*bench.call("srv__echo", json!({ "text": "hi" })).await.output(), json!("hi"));
        assert!(library.resources(&Rights::default()).await.is_empty());
        bench.servers.close().await;
    }
}

#[tokio::test]
async fn traps_in_lists_are_left_out_and_what_can_be_seen_of_the_rest_is_offered() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let Some(settings) = scripted("srv", &[revision, "traps"]) else { return };
        let bench = Bench::new(vec![settings]);
        let (library, rights) = (bench.servers.library(), Rights::default());
        assert!(bench.servers.load().await.is_empty());
        let meta = json!({ "toolsmith/server": "srv" });
        let one = json!({
            "uri": "trap://one", "name": "plain text", "description": "plain text", "_meta": meta,
        });
        assert_eq!(library.resources(&rights).await, [one]);
        let prompts = library.prompts(&rights).await;
        let [prompt] = &prompts[..] else { panic!("{prompts:#?}") };
        assert_eq!(
            (&prompt["name"], &prompt["description"]),
            (&json!("srv__good"), &json!("plain text"))
        );
        let read = library.read("trap://one", Reader::default()).await.unwrap().unwrap();
        assert_eq!(read["contents"][0]["text"], "s3cret-token", "the doors take secrets out");
        let refused = library.prompt("srv__good", Map::new(), Reader::default()).await.unwrap();
        let error = refused.unwrap_err();
        assert!(error.message().len() < 40_000 && error.message().contains("`srv`"), "{error}");
        bench.servers.close().await;
    }
}

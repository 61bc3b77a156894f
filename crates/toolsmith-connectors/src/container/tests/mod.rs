//! Containers that serve calls, with a real engine.

mod bridge;
mod daemon;
mod troubles;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use tokio::time::sleep;
use toolsmith_children::Children;
use toolsmith_core::{ErrorKind, Value, json};
use toolsmith_net::{Client, Settings};
use toolsmith_testing::skip;

use self::daemon::{Daemon, compile};
use super::ContainerMaker;
use crate::{
    life::{Services, State},
    workbench::{self, Bench},
};

fn services() -> Services {
    let client = Client::new(Settings::default()).unwrap();
    Services::new(Children::new(), BTreeMap::new(), client)
}

struct Yard {
    folder: tempfile::TempDir,
    daemon: Daemon,
    services: Services,
    maker: ContainerMaker,
}

impl Yard {
    /// Starts an engine, and makes a folder that an image can be built from.
    fn open() -> Result<Self, String> {
        Self::open_with(Daemon::start()?)
    }

    fn open_with(daemon: Daemon) -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image");
        fs::create_dir(&image).unwrap();
        compile(&image)?;
        let file = "FROM scratch\nCOPY server /server\nCMD [\"/server\"]\n";
        fs::write(image.join("Dockerfile"), file).unwrap();
        let services = services();
        let maker = ContainerMaker::new(services.clone(), &daemon.host());
        Ok(Self { folder, daemon, services, maker })
    }

    fn tool(&self, extra: &Value) -> Bench {
        let mut entry = json!({ "build": "image", "health": { "timeout": 60 } });
        let Value::Object(extra) = extra else { panic!("no map") };
        entry.as_object_mut().unwrap().extend(extra.clone());
        workbench::make(&self.maker, &entry, &[], self.folder.path()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_is_built_limited_killed_by_its_limit_and_removed() {
    let yard = match Yard::open() {
        Ok(yard) => yard,
        Err(why) => return skip(&why),
    };
    let begun = Instant::now();
    let limits =
        json!({ "network": "none", "memory": "64m", "cpus": 0.5, "pids": 50, "user": "1000" });
    let tool = yard.tool(&limits);
    let output = tool.call(json!({ "x": 1 })).await.unwrap();
    println!("cold start of a container, image built: {:?}", begun.elapsed());
    assert_eq!(output, json!({ "uid": 1000, "writes": false, "got": { "x": 1 } }));
    let status = yard.services.status("tested").unwrap();
    assert_eq!((status.state, status.port), (State::Running, None));
    let ids = yard.daemon.containers();
    assert_eq!(ids.len(), 1);
    is_locked_up(&yard, &ids[0]);

    let error = tool.call(json!({ "do": "fill" })).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    let told = "The container of `tested` was killed because it needed more than its memory limit \
                of 64m; ask for less, or raise `memory`. Its last lines:\nlistening";
    assert_eq!(error.message(), told);
    assert_eq!(error.details()["exit_code"], 137);
    let until = Instant::now() + Duration::from_secs(20);
    while !yard.daemon.containers().is_empty() {
        assert!(Instant::now() < until, "the one that was killed is not removed");
        sleep(Duration::from_millis(20)).await;
    }

    let begun = Instant::now();
    assert_eq!(tool.call(json!({})).await.unwrap()["got"], json!({}));
    println!("start of a container, image there: {:?}", begun.elapsed());
    let error = tool.call(json!({ "do": "exit" })).await.unwrap_err();
    assert!(error.message().contains("ended with exit code 5"), "{error}");
    assert!(error.message().contains("leaving"), "{error}");

    drop(tool);
    let tool = yard.tool(&json!({ "network": "host" }));
    assert_eq!(tool.call(json!({ "y": 2 })).await.unwrap()["got"], json!({ "y": 2 }));
    assert!(yard.services.status("tested").unwrap().port.is_some());
    yard.services.close().await;
    assert_eq!(yard.daemon.containers(), [""; 0], "all are removed at the end");
    what_a_dead_run_left_is_removed(&yard).await;
}

fn is_locked_up(yard: &Yard, id: &str) {
    let seen = yard.daemon.docker(&["inspect", id]).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let host = &seen[0]["HostConfig"];
    assert_eq!(host["Memory"], 64 << 20);
    assert_eq!(host["NanoCpus"], 500_000_000);
    assert_eq!(host["PidsLimit"], 50);
    assert_eq!(host["CapDrop"], json!(["ALL"]));
    assert_eq!(host["SecurityOpt"], json!(["no-new-privileges"]));
    assert_eq!(host["ReadonlyRootfs"], true);
    assert_eq!(host["NetworkMode"], "none");
    assert_eq!(seen[0]["Config"]["Labels"]["toolsmith.tool"], "tested");
}

async fn what_a_dead_run_left_is_removed(yard: &Yard) {
    let image = yard.daemon.docker(&["images", "--quiet", "toolsmith/tool"]).unwrap();
    let labels = super::owner::labels("t");
    let machine = format!("toolsmith.machine={}", labels["toolsmith.machine"]);
    let create = |labels: &[&str]| {
        let mut words = vec!["create", "--network=none"];
        words.extend(labels.iter().flat_map(|label| ["--label", label]));
        words.push(image.trim());
        yard.daemon.docker(&words).unwrap().trim().to_owned()
    };
    let dead = create(&[&machine, "toolsmith.owner=another-boot/1/1"]);
    let alive = format!("toolsmith.owner={}", labels["toolsmith.owner"]);
    let kept = [create(&[&machine, &alive]), create(&["other=1"])];
    let maker = ContainerMaker::new(services(), &yard.daemon.host());
    maker.engine.connect().await.unwrap();
    let left = yard.daemon.containers();
    assert!(!left.contains(&dead));
    assert!(kept.iter().all(|id| left.contains(id)));
    for id in kept {
        yard.daemon.docker(&["rm", &id]).unwrap();
    }
}

#[tokio::test]
async fn without_an_engine_the_error_says_so_and_how_to_get_one() {
    let services = services();
    for (host, told) in [
        (
            "unix:///nowhere/docker.sock",
            "No container engine is running at `unix:///nowhere/docker.sock`. Start it",
        ),
        ("tcp://127.0.0.1:1", "No container engine answers at `tcp://127.0.0.1:1`. Start it"),
        ("ssh://host", "DOCKER_HOST is `ssh://host`; only `unix://` and `tcp://`"),
    ] {
        let maker = ContainerMaker::new(services.clone(), host);
        let entry = json!({ "image": "busybox" });
        let tool = workbench::make(&maker, &entry, &[], Path::new(".")).unwrap();
        let error = tool.call(json!({})).await.unwrap_err();
        assert!(error.message().starts_with(told), "{error}");
    }
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    let maker = ContainerMaker::new(services(), "");
    for (entry, expected) in [
        (
            json!({}),
            "/entry: `image` is missing: say which image to run, or which folder to `build` one from",
        ),
        (
            json!({ "image": "a", "build": "b" }),
            "/entry/build: `image` says what to run already; write one of them",
        ),
        (
            json!({ "image": "a", "memory": "much" }),
            "/entry/memory: expected a size such as `64m` or `1g`, found the text \"much\"",
        ),
        (
            json!({ "image": "a", "memory": "64" }),
            "/entry/memory: engines give a container no less than `6m`",
        ),
        (
            json!({ "image": "a", "internal_port": 70000 }),
            "/entry/internal_port: expected a port from 1 to 65535, found 70000",
        ),
        (
            json!({ "image": "a", "mounts": [{ "source": "x" }] }),
            "/entry/mounts/0: `target` is missing: a mount has a folder here and a place inside the \
             container",
        ),
        (
            json!({ "image": "a", "network": "hst" }),
            "/entry/network: expected one of `bridge`, `host`, `none`, found \"hst\". Did you mean \
             `host`?",
        ),
    ] {
        let faults = workbench::make(&maker, &entry, &[], Path::new(".")).err();
        assert_eq!(faults, Some(vec![expected.to_owned()]));
    }
}

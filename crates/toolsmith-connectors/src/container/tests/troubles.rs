//! What goes wrong with containers, and that it is told: with a real engine, which dies in the end.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use toolsmith_core::{Confinement, SandboxProfile, ToolError};

use super::*;

/// The test that plays a run that is killed, and so runs only when it is asked for by name.
const VICTIM: &str = "container::tests::troubles::inner::victim";

#[tokio::test(flavor = "multi_thread")]
async fn troubles_with_images_runs_and_the_engine_are_told_and_mended() {
    let mut yard = match Yard::open() {
        Ok(yard) => yard,
        Err(why) => return skip(&why),
    };
    a_strict_container_is_locked_up(&yard).await;
    a_failing_build_shows_its_last_lines(&yard).await;
    a_failing_step_of_a_build_leaves_no_container(&yard).await;
    a_wrong_image_is_named_quickly(&yard).await;
    a_gpu_that_is_not_there_is_told(&yard).await;
    a_container_without_a_port_is_not_looked_for_elsewhere(&yard).await;
    containers_of_a_killed_run_are_removed_by_the_next(&yard).await;
    an_engine_that_dies_is_told_and_used_again_when_it_is_back(&mut yard).await;
}

async fn failure(yard: &Yard, extra: &Value) -> ToolError {
    let error = yard.tool(extra).call(json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UpstreamError, "{error}");
    error
}

async fn a_strict_container_is_locked_up(yard: &Yard) {
    let entry = json!({ "build": "image", "health": { "timeout": 60 } });
    let strict = Confinement { cpu_seconds: Some(30), ..Confinement::new(SandboxProfile::Strict) };
    let tool = workbench::confine(&yard.maker, &entry, yard.folder.path(), &strict).unwrap();
    let output = tool.call(json!({ "x": 1 })).await.unwrap();
    assert_eq!(output, json!({ "uid": 65534, "writes": false, "got": { "x": 1 } }));
    let seen = yard.daemon.docker(&["inspect", &yard.daemon.containers()[0]]).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let host = &seen[0]["HostConfig"];
    assert_eq!((&host["NetworkMode"], &host["PidsLimit"]), (&json!("none"), &json!(64)));
    assert_eq!((&host["Memory"], &host["ReadonlyRootfs"]), (&json!(1 << 30), &json!(true)));
    assert_eq!(host["Ulimits"][0], json!({ "Name": "cpu", "Soft": 30, "Hard": 30 }));
    drop(tool);
    yard.services.stop("tested").await;
}

async fn a_failing_build_shows_its_last_lines(yard: &Yard) {
    let broken = yard.folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    let steps = "FROM scratch\nLABEL step=one\nCOPY missing /missing\n";
    fs::write(broken.join("Dockerfile"), steps).unwrap();
    let error = failure(yard, &json!({ "build": "broken" })).await;
    assert!(
        error.message().starts_with("The container engine could not build the image"),
        "{error}"
    );
    assert!(error.message().contains("COPY missing /missing"), "{error}");
    assert!(error.message().contains("LABEL step=one"), "{error}");
    let error = yard.tool(&json!({ "build": "nowhere" })).call(json!({})).await.unwrap_err();
    assert!(error.message().contains("it has no Dockerfile"), "{error}");
}

async fn a_failing_step_of_a_build_leaves_no_container(yard: &Yard) {
    let failing = yard.folder.path().join("failing");
    fs::create_dir(&failing).unwrap();
    compile(&failing).unwrap();
    let steps = "FROM scratch\nCOPY server /server\nRUN [\"/server\", \"exit\"]\n";
    fs::write(failing.join("Dockerfile"), steps).unwrap();
    let before = yard.daemon.containers();
    let error = failure(yard, &json!({ "build": "failing" })).await;
    assert!(error.message().contains("returned a non-zero code: 3"), "{error}");
    assert_eq!(yard.daemon.containers(), before);
}

async fn a_wrong_image_is_named_quickly(yard: &Yard) {
    for name in ["registry.invalid/no/such:1", "Not A Name"] {
        let entry = json!({ "image": name });
        let tool = workbench::make(&yard.maker, &entry, &[], yard.folder.path()).unwrap();
        let call = tokio::time::timeout(Duration::from_mins(1), tool.call(json!({})));
        let error = call.await.expect("the registry is not waited for").unwrap_err();
        assert!(error.message().contains(name), "{error}");
    }
}

async fn a_gpu_that_is_not_there_is_told(yard: &Yard) {
    if Path::new("/dev/nvidia0").exists() {
        return;
    }
    let error = failure(yard, &json!({ "network": "none", "gpu": true })).await;
    assert!(error.message().contains("GPU"), "{error}");
    assert!(error.message().contains("could not select device driver"), "{error}");
}

async fn a_container_without_a_port_is_not_looked_for_elsewhere(yard: &Yard) {
    // This engine has no bridge, so that no port can lead in.
    let error = failure(yard, &json!({ "network": "bridge" })).await;
    let is_told = ["has no bridge network", "could not start the container"];
    assert!(is_told.iter().any(|told| error.message().contains(told)), "{error}");
}

async fn containers_of_a_killed_run_are_removed_by_the_next(yard: &Yard) {
    until("the yard is empty", || yard.daemon.containers().is_empty()).await;
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args([VICTIM, "--exact", "--nocapture", "--test-threads=1"])
        .args([&yard.daemon.host(), yard.folder.path().to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the victim serves")));
    let left = yard.daemon.containers();
    assert_eq!(left.len(), 1);
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(yard.daemon.containers(), left, "nobody removes it at once");
    let maker = ContainerMaker::new(yard.services.clone(), &yard.daemon.host());
    let entry = json!({ "build": "image", "network": "none", "health": { "timeout": 60 } });
    let tool = workbench::make(&maker, &entry, &[], yard.folder.path()).unwrap();
    tool.call(json!({})).await.unwrap();
    let now = yard.daemon.containers();
    assert_eq!(now.len(), 1);
    assert_ne!(now, left, "the next run has removed it");
    drop(tool);
    until("its own is removed, too", || yard.daemon.containers().is_empty()).await;
}

async fn an_engine_that_dies_is_told_and_used_again_when_it_is_back(yard: &mut Yard) {
    let tool = yard.tool(&json!({ "network": "none" }));
    tool.call(json!({})).await.unwrap();
    let left = yard.daemon.containers();
    let hanging = tool.call(json!({ "do": "hang" }));
    let killing = async {
        sleep(Duration::from_millis(200)).await;
        yard.daemon.kill();
    };
    let (result, ()) = tokio::join!(hanging, killing);
    let error = result.unwrap_err();
    assert!(error.message().contains("the container engine is gone"), "{error}");
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("nothing answers at `unix://"), "{error}");
    yard.daemon.revive();
    let again = async {
        while let Err(error) = tool.call(json!({})).await {
            sleep(error.retry_after().unwrap_or(Duration::from_millis(50))).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), again).await.unwrap();
    let now = yard.daemon.containers();
    assert!(!now.contains(&left[0]), "what the dead engine left is removed: {now:?}");
    drop(tool);
    yard.services.close().await;
    assert_eq!(yard.daemon.containers(), [""; 0]);
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "not in time: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn what_a_sandbox_cannot_hold_in_a_container_is_refused() {
    let maker = ContainerMaker::new(services(), "");
    let strict = Confinement::new(SandboxProfile::Strict);
    let reading = Confinement { read: vec!["x".to_owned()], ..strict.clone() };
    let hosts = Confinement { hosts: vec!["example.org".to_owned()], ..strict.clone() };
    for (entry, confinement, expected) in [
        (
            json!({ "network": "bridge" }),
            &strict,
            "/entry/network: `sandbox: strict` has no network",
        ),
        (json!({ "read_only": false }), &strict, "/entry/read_only: `sandbox: strict` has a root"),
        (
            json!({ "mounts": [{ "source": ".", "target": "/x", "read_only": false }] }),
            &strict,
            "/entry/mounts: `sandbox: strict` lets nothing be written",
        ),
        (json!({ "gpu": true }), &strict, "/entry/gpu: `sandbox: strict` has no devices"),
        (json!({}), &reading, "/sandbox/read: a container sees what its `mounts` say"),
        (json!({}), &hosts, "/sandbox/hosts: a container reaches its whole `network` or nothing"),
    ] {
        let mut entry = entry;
        entry["image"] = json!("a");
        let made = workbench::confine(&maker, &entry, Path::new("."), confinement);
        let faults = made.err().unwrap();
        assert!(faults[0].starts_with(expected) && faults.len() == 1, "{faults:?}");
    }
}

mod inner {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn victim() {
        let mut arguments = std::env::args();
        let Some(host) = arguments.find(|argument| argument.starts_with("unix://")) else { return };
        let folder = arguments.next().unwrap();
        let maker = ContainerMaker::new(services(), &host);
        let entry = json!({ "build": "image", "network": "none", "health": { "timeout": 60 } });
        let tool = workbench::make(&maker, &entry, &[], Path::new(&folder)).unwrap();
        tool.call(json!({})).await.unwrap();
        println!("the victim serves");
        sleep(Duration::from_mins(5)).await;
    }
}

//! Ports of a bridge, in a network of our own: the machine's is left alone.

use std::process::{Command, Stdio};

use super::*;

/// The test that runs inside, and so only when it is asked for by name.
const INNER: &str = "container::tests::bridge::inner::published";

#[test]
fn a_port_of_this_machine_leads_into_a_container_on_the_bridge() {
    let mut inside = Command::new("unshare");
    inside.args(["--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    inside.arg(std::env::current_exe().unwrap());
    inside.args([INNER, "--exact", "--nocapture", "--test-threads=1", "in-a-network-of-its-own"]);
    let ran = match inside.stdin(Stdio::null()).output() {
        Ok(ran) => ran,
        Err(error) => return skip(&format!("no network of our own can be had: {error}")),
    };
    let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    if said.contains("no bridge here:") || !said.contains("running 1 test") {
        return skip(&said);
    }
    assert!(ran.status.success(), "{said}");
}

mod inner {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn published() {
        if !std::env::args().any(|argument| argument == "in-a-network-of-its-own") {
            return;
        }
        let yard = match Daemon::start_with("").and_then(Yard::open_with) {
            Ok(yard) => yard,
            Err(why) => return println!("no bridge here: {why}"),
        };
        // Somebody else has the inner port out here, and must not be taken for the container.
        let stranger = std::net::TcpListener::bind(("127.0.0.1", 8000)).unwrap();
        stranger.set_nonblocking(true).unwrap();
        let tool = yard.tool(&json!({}));
        let output = tool.call(json!({ "x": 1 })).await.unwrap();
        assert_eq!(output["got"], json!({ "x": 1 }));
        let status = yard.services.status("tested").unwrap();
        assert_ne!(status.port.unwrap(), 8000);
        assert!(stranger.accept().is_err(), "nobody called the stranger");
        let error = tool.call(json!({ "do": "exit" })).await.unwrap_err();
        assert!(error.message().contains("ended with exit code 5"), "{error}");
        yard.services.close().await;
        assert_eq!(yard.daemon.containers(), [""; 0]);
    }
}

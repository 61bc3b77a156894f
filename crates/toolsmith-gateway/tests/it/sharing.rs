//! One caller with many slow calls, and another one beside it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tokio::sync::Semaphore;
use toolsmith_core::{Tool, ToolSpec, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::{Keys, Running, within};

const SLOW: &str = r#"{"tool_id": "slow", "params": {}}"#;
const ECHO: &str = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;

/// A tool whose calls wait until they are let go, and how many of them run.
struct Slow {
    gate: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
}

impl Slow {
    fn new() -> (Tool, Self) {
        let this = Self { gate: Arc::new(Semaphore::new(0)), running: Arc::default() };
        let (gate, running) = (Arc::clone(&this.gate), Arc::clone(&this.running));
        let tool = Tool::function(ToolSpec::new("slow").unwrap(), move |_, _| {
            let (gate, running) = (Arc::clone(&gate), Arc::clone(&running));
            async move {
                running.fetch_add(1, SeqCst);
                gate.acquire().await.unwrap().forget();
                running.fetch_sub(1, SeqCst);
                Ok(json!(null))
            }
        });
        (tool, this)
    }

    async fn run(&self, count: usize) {
        within(async {
            while self.running.load(SeqCst) != count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

async fn behind(keys: &Keys, tool: Tool) -> Arc<Running> {
    let config = GatewayConfig { calls_per_caller: Some(4), ..GatewayConfig::default() };
    Arc::new(Running::behind(keys.door(), vec![tool], config).await)
}

#[tokio::test]
async fn a_caller_with_many_slow_calls_leaves_room_for_the_others() {
    let keys = Keys::new().await;
    let (tool, slow) = Slow::new();
    let gateway = behind(&keys, tool).await;
    let (greedy, modest) = (keys.make("greedy", |_| {}).await, keys.make("modest", |_| {}).await);
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let (gateway, key) = (Arc::clone(&gateway), greedy.clone());
            tokio::spawn(async move { gateway.post_as(&key, "/run_tool", SLOW).await.0.as_u16() })
        })
        .collect();
    slow.run(4).await;
    // There are ten slots, and the others are not for the greedy one.
    let (status, outcome) = within(gateway.post_as(&modest, "/run_tool", ECHO)).await;
    assert_eq!(status.as_u16(), 200, "{outcome}");
    assert_eq!(slow.running.load(SeqCst), 4);
    slow.gate.add_permits(40);
    for call in calls {
        assert_eq!(within(call).await.unwrap(), 200);
    }
}

#[tokio::test]
async fn a_key_may_have_a_bound_of_its_own_and_too_many_calls_are_refused_in_plain_words() {
    let keys = Keys::new().await;
    let (tool, slow) = Slow::new();
    let gateway = behind(&keys, tool).await;
    let key = keys.make("one", |new| new.allowance.concurrency = Some(1)).await;
    // One runs, and half of the queue of a hundred is for this caller.
    let calls: Vec<_> = (0..60)
        .map(|_| {
            let (gateway, key) = (Arc::clone(&gateway), key.clone());
            tokio::spawn(async move { gateway.post_as(&key, "/run_tool", SLOW).await })
        })
        .collect();
    slow.run(1).await;
    within(async {
        while calls.iter().filter(|call| call.is_finished()).count() < 9 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    slow.gate.add_permits(60);
    let (mut good, mut refused) = (0, 0);
    for call in calls {
        let (status, outcome) = within(call).await.unwrap();
        if status.as_u16() == 200 {
            good += 1;
            continue;
        }
        refused += 1;
        assert_eq!((status.as_u16(), &outcome["error"]["type"]), (429, &json!("rejected")));
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("This caller has 1 calls under way"), "{message}");
    }
    assert_eq!((good, refused), (51, 9));
}

//! Refusals: told once each, bounded in a flood, and no way to lock others out.

use std::time::Duration;

use toolsmith_core::{Clock, SystemClock, Value};
use toolsmith_engine::{Engine, Subscription};
use toolsmith_gateway::GatewayConfig;
use toolsmith_store::Key;

use crate::{
    issuer::{Published, Signer, now},
    support::{Keys, Running, happens, within},
};

fn listen(engine: &Engine) -> Subscription {
    engine.subscribe()
}

async fn refusal(events: &mut Subscription) -> Value {
    loop {
        let event = within(happens(events)).await;
        if event["type"] == "access_refused" {
            return event["data"].clone();
        }
    }
}

#[tokio::test]
async fn who_was_refused_is_told_without_the_secret() {
    let keys = Keys::new().await;
    let ours = Signer::ed("a");
    let published = Published::start(&[&ours]).await;
    let mut door = keys.door();
    door.tokens = published.door().tokens;
    let gateway = Running::behind(door, Vec::new(), GatewayConfig::default()).await;
    let mut events = listen(&gateway.engine);
    let key = keys.make("ann", |_| {}).await;
    let id = Key::id_of(&key).unwrap();
    keys.store.revoke_key(id.into(), SystemClock.now()).await.unwrap();
    gateway.get_as(&key, "/tools?token=hidden").await;
    let told = refusal(&mut events).await;
    assert_eq!(told["caller"], format!("key {id}"));
    assert_eq!((&told["status"], &told["peer"]), (&401.into(), &"127.0.0.1".into()));
    assert_eq!(told["address"], "/tools");
    let secret = key.rsplit('_').next().unwrap();
    assert!(!told.to_string().contains(secret), "{told}");

    let mut claims = published.claims("");
    claims["exp"] = (now() - 60).into();
    gateway.get_as(&ours.sign(&claims), "/tools").await;
    let told = refusal(&mut events).await;
    assert_eq!(told["caller"], "jwt:ann");
    assert_eq!(told["reason"], "The token has expired.");

    let caller = keys.make("bob", |_| {}).await;
    gateway.get_as(&caller, "/stats").await;
    let told = refusal(&mut events).await;
    assert_eq!((&told["caller"], &told["status"]), (&"bob".into(), &403.into()));
}

#[tokio::test]
async fn a_flood_of_wrong_keys_is_held_back_and_told_in_part_and_good_keys_get_in() {
    let keys = Keys::new().await;
    // What was left out is told at the next sweep, which comes as often as sessions end.
    let config =
        GatewayConfig { mcp_session_timeout: Duration::from_secs(1), ..GatewayConfig::default() };
    let gateway = Running::behind(keys.door(), Vec::new(), config).await;
    let mut events = listen(&gateway.engine);
    let good = keys.make("ann", |_| {}).await;
    let wrong = |number: usize| {
        format!("GET /tools HTTP/1.1\r\nhost: localhost\r\nx-api-key: tsk_{number:012}_x\r\n")
    };
    let flood: String = (1..150).map(|number| wrong(number) + "\r\n").collect();
    let flood = flood + &wrong(150) + "connection: close\r\n\r\n";
    let answers = within(gateway.raw(flood.as_bytes())).await;
    let count = |what: &str| answers.matches(what).count();
    let (refused, held_back) = (count("HTTP/1.1 401"), count("HTTP/1.1 429"));
    assert_eq!((refused + held_back, held_back), (150, count("retry-after")), "{answers}");
    assert!(refused >= 60 && held_back > 0, "{refused} refused, {held_back} held back");
    assert_eq!(gateway.get_as(&good, "/tools").await.0.as_u16(), 200);
    // A key that is made now is known a moment later, from this address too.
    let new = keys.make("bob", |_| {}).await;
    let mut sent = 150;
    within(async {
        while gateway.get_as(&new, "/tools").await.0.as_u16() != 200 {
            sent += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let mut told = 0;
    while told < sent {
        told += refusal(&mut events).await["left_out"].as_u64().unwrap_or(1);
    }
    assert_eq!(told, sent);
}

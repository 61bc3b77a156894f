//! `/tools` and `/health`.

use toolsmith_core::{Value, json};

use crate::support::Running;

fn ids(table: &Value) -> Vec<&str> {
    table["tools"].as_array().unwrap().iter().filter_map(|row| row["tool_id"].as_str()).collect()
}

#[tokio::test]
async fn the_table_has_runtimes_groups_and_tools() {
    let gateway = Running::start().await;
    let (_, table) = gateway.get("/tools").await;
    let tools = table["tools"].as_array().unwrap();
    assert_eq!(tools.len(), gateway.engine.registry().len());
    let echo = tools.iter().find(|row| row["tool_id"] == "echo").unwrap();
    assert_eq!(
        [&echo["backend_runtime"], &echo["state"], &echo["status"], &echo["group_ids"]],
        [&json!("embedded"), &json!("running"), &json!("active"), &json!(["texts"])]
    );
    assert_eq!(table["backend_runtimes"][0]["tool_count"], tools.len());
    // Members that are not there are not shown, nor are groups without members.
    assert_eq!(table["groups"].as_array().unwrap().len(), 1);
    assert_eq!(table["groups"][0]["tool_ids"], json!(["echo"]));
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap() {
    let gateway = Running::start().await;
    let (_, whole) = gateway.get("/tools").await;
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let (_, page) = gateway.get(&format!("/tools?limit=5&cursor={cursor}")).await;
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(seen, ids(&whole));
}

#[tokio::test]
async fn filters_and_questions_narrow_the_table() {
    let gateway = Running::start().await;
    let (_, files) = gateway.get("/tools?category=file").await;
    assert!(ids(&files).contains(&"read_file") && !ids(&files).contains(&"echo"));
    let (_, found) = gateway.get("/tools?q=hash%20of%20a%20text&limit=3").await;
    assert!(ids(&found).contains(&"hash_convert"), "{found}");
    let (_, none) = gateway.get("/tools?state=failed").await;
    assert_eq!(ids(&none), Vec::<&str>::new());
}

#[tokio::test]
async fn a_part_that_fails_makes_the_program_degraded() {
    let gateway = Running::start().await;
    let (status, health) = gateway.get("/health").await;
    assert_eq!(status.as_u16(), 200);
    assert_eq!(health["status"], "degraded");
    assert_eq!(health["parts"]["upstreams"], json!({"ok": false, "note": "`a` is down"}));
}

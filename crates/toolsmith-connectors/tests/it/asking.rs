//! Questions of servers, and who answers them.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::Notify;
use toolsmith_core::{
    Answer, Asker, BoxFuture, Call, Context, ErrorKind, Outcome, Question, ToolError, Value, json,
};
use toolsmith_engine::Engine;

use crate::{
    bench::{Bench, poll, scripted, surroundings},
    http::Service,
};

/// Every way in which questions come: on their own, and in place of an answer.
const WAYS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Answers always the same, and keeps what it was asked.
#[derive(Debug)]
pub(crate) struct Someone {
    answer: Answer,
    pub(crate) asked: Mutex<Vec<Question>>,
    models: Mutex<Vec<Value>>,
}

impl Someone {
    pub(crate) fn who_says(answer: Answer) -> Arc<Self> {
        Arc::new(Self { answer, asked: Mutex::default(), models: Mutex::default() })
    }
}

impl Asker for Someone {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.asked.lock().push(question);
        Box::pin(async { self.answer.clone() })
    }

    fn sample(&self, request: Value) -> BoxFuture<'_, Result<Value, ToolError>> {
        self.models.lock().push(request);
        let content = json!({ "type": "text", "text": "hello" });
        Box::pin(
            async move { Ok(json!({ "model": "small", "role": "assistant", "content": content })) },
        )
    }
}

async fn call(bench: &Bench, tool: &str, asker: &Arc<Someone>) -> Outcome {
    call_with(bench, tool, json!({}), asker).await
}

pub(crate) async fn call_with(
    bench: &Bench,
    tool: &str,
    input: Value,
    asker: &Arc<Someone>,
) -> Outcome {
    let asker = Arc::<Someone>::clone(asker);
    bench.engine.call(Call::new(tool, input).with_asker(asker)).await
}

#[tokio::test]
async fn whoever_called_is_asked_and_the_answer_reaches_the_server() {
    for revision in WAYS {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let someone = Someone::who_says(Answer::Accept(json!({ "name": "Ada" })));
        let outcome = call(&bench, "srv__name", &someone).await;
        let expected = json!({ "action": "accept", "content": { "name": "Ada" } });
        assert_eq!(*outcome.output(), expected, "{revision}: {outcome:?}");
        let asked = someone.asked.lock().clone();
        let [Question::Form { from, message, schema }] = asked.as_slice() else {
            panic!("{asked:?}")
        };
        assert_eq!((from.as_str(), message.as_str()), ("`srv__name` (MCP server `srv`)", "Who?"));
        assert_eq!(schema["required"], json!(["name"]));
        for (answer, action) in [(Answer::Decline, "decline"), (Answer::Cancel, "cancel")] {
            let outcome = call(&bench, "srv__name", &Someone::who_says(answer)).await;
            assert_eq!(outcome.output()["action"], json!(action));
            assert!(!outcome.metadata.contains_key("unanswered_questions"));
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_the_schema_does_not_reach_the_server() {
    for revision in WAYS {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let someone = Someone::who_says(Answer::Accept(json!({ "name": 1, "other": "secret" })));
        let outcome = call(&bench, "srv__name", &someone).await;
        assert_eq!(outcome.output()["action"], json!("decline"), "{outcome:?}");
        assert_eq!(outcome.output().get("content"), None);
    }
}

#[tokio::test]
async fn a_visit_is_agreed_to_without_content() {
    for revision in WAYS {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let someone = Someone::who_says(Answer::Accept(Value::Null));
        let outcome = call(&bench, "srv__visit", &someone).await;
        assert_eq!(*outcome.output(), json!({ "action": "accept" }), "{outcome:?}");
        let asked = someone.asked.lock().clone();
        assert!(matches!(&asked[0], Question::Visit { url, .. } if url == "https://a.example/in"));
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_outcome_says_so() {
    for revision in WAYS {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let outcome = bench.call("srv__name", json!({})).await;
        assert_eq!(outcome.output()["action"], json!("decline"));
        assert_eq!(outcome.metadata["unanswered_questions"], json!(1), "{revision}");
    }
}

#[tokio::test]
async fn a_model_is_asked_only_where_it_was_offered() {
    for revision in WAYS {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let someone = Someone::who_says(Answer::Decline);
        let folder = tempfile::tempdir().unwrap();
        let offering = surroundings(folder.path()).with_sampling();
        let bench = Bench::around(offering, folder, Engine::builder(), vec![settings.clone()]);
        assert!(bench.servers.load().await.is_empty());
        let outcome = call(&bench, "srv__model", &someone).await;
        assert_eq!(outcome.output()["model"], json!("small"), "{revision}: {outcome:?}");
        assert_eq!(someone.models.lock()[0]["maxTokens"], json!(9));
        let outcome = bench.call("srv__model", json!({})).await;
        let text = serde_json::to_string(&outcome).unwrap();
        assert!(text.contains("No model of the caller can be asked here"), "{text}");
    }
    let Some(settings) = scripted("srv", &["2025-11-25", "asking"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let someone = Someone::who_says(Answer::Decline);
    let outcome = call(&bench, "srv__model", &someone).await;
    assert_eq!(outcome.output()["code"], json!(-32601), "{outcome:?}");
    let outcome = bench.call("srv__capabilities", json!({})).await;
    assert_eq!(*outcome.output(), json!({ "elicitation": { "form": {}, "url": {} } }));
}

#[tokio::test]
async fn a_server_is_told_of_its_roots_and_of_no_others() {
    for revision in WAYS {
        let Some(mut settings) = scripted("srv", &[revision, "asking"]) else { return };
        settings.roots = vec!["/srv/a b".into()];
        let bench = Bench::started(vec![settings]).await;
        let outcome = bench.call("srv__roots", json!({})).await;
        let expected = json!({ "roots": [{ "uri": "file:///srv/a%20b", "name": "a b" }] });
        assert_eq!(*outcome.output(), expected, "{revision}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_question_that_may_be_anybodys_is_nobodys() {
    let Some(settings) = scripted("srv", &["2025-11-25", "asking"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let someone = Someone::who_says(Answer::Accept(json!({ "name": "Ada" })));
    let engine = bench.engine.clone();
    let context = Context { timeout: Some(Duration::from_secs(30)), ..Context::default() };
    let waits = Call::new("srv__wait", json!({})).with_context(context);
    let other = tokio::spawn(async move { engine.call(waits).await });
    poll("the other call runs", || bench.engine.metrics().limits.current_concurrent >= 1).await;
    // The server has the other call once it has answered one that came after it.
    assert!(bench.call("srv__capabilities", json!({})).await.is_success());
    let outcome = call(&bench, "srv__name", &someone).await;
    assert_eq!(outcome.output()["action"], json!("decline"), "{outcome:?}");
    let reason = outcome.output()["_meta"]["toolsmith/reason"].as_str().unwrap();
    assert!(reason.starts_with("several calls are under way"), "{reason}");
    assert!(someone.asked.lock().is_empty());
    other.abort();
}

#[tokio::test]
async fn a_question_on_the_stream_of_a_call_belongs_to_it() {
    let Some(service) = Service::start("sse") else { return };
    let bench = Bench::started(vec![service.settings()]).await;
    let calls = (0..5).map(|n| {
        let bench = &bench;
        async move {
            let name = format!("caller {n}");
            let someone = Someone::who_says(Answer::Accept(json!({ "name": name })));
            let outcome = call(bench, "far__ask", &someone).await;
            assert_eq!(outcome.output()["content"]["name"], json!(name), "{outcome:?}");
        }
    });
    futures_util::future::join_all(calls).await;
}

/// Never answers, and tells when it is not asked any more.
#[derive(Debug, Default)]
struct Silent {
    asked: Notify,
    dropped: Arc<Notify>,
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Asker for Silent {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
        let guard = OnDrop(Arc::clone(&self.dropped));
        self.asked.notify_one();
        Box::pin(async move {
            let _guard = guard;
            std::future::pending().await
        })
    }
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    let Some(settings) = scripted("srv", &["2025-11-25", "asking"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let silent = Arc::new(Silent::default());
    // The server does not wait for the answer itself.
    let asker = Arc::<Silent>::clone(&silent);
    let outcome = bench.engine.call(Call::new("srv__abandon", json!({})).with_asker(asker)).await;
    assert_eq!(*outcome.output(), json!("gone on"));
    // Or the deadline passes while it is waited for, however the question came.
    for (revision, tool) in [("2025-11-25", "srv__abandon"), ("2026-07-28", "srv__name")] {
        let Some(settings) = scripted("srv", &[revision, "asking"]) else { return };
        let bench = Bench::started(vec![settings]).await;
        let silent = Arc::new(Silent::default());
        let context = Context { timeout: Some(Duration::from_millis(500)), ..Context::default() };
        let asker = Arc::<Silent>::clone(&silent);
        let call =
            Call::new(tool, json!({ "text": "stay" })).with_context(context).with_asker(asker);
        let outcome = bench.engine.call(call).await;
        assert_eq!(outcome.error().unwrap().kind(), ErrorKind::Timeout, "{revision}");
        let ended = tokio::time::timeout(Duration::from_secs(20), silent.dropped.notified()).await;
        assert!(ended.is_ok(), "{revision}: the question outlived its call");
    }
}

#[tokio::test]
async fn a_person_is_not_worn_down() {
    let Some(settings) = scripted("srv", &["2025-11-25", "asking"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let someone = Someone::who_says(Answer::Accept(json!({ "name": "Ada" })));
    let outcome = call(&bench, "srv__many", &someone).await;
    let said = outcome.output().as_array().unwrap();
    assert_eq!(said.iter().filter(|action| **action == "accept").count(), 20, "{said:?}");
    assert_eq!(someone.asked.lock().len(), 20);
}

#[tokio::test]
async fn a_server_may_only_want_to_be_asked_again() {
    let Some(settings) = scripted("srv", &["2026-07-28", "asking"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let outcome = bench.call("srv__polled", json!({})).await;
    assert_eq!(*outcome.output(), json!("at last"), "{outcome:?}");
}

//! What models are shown, and how their replies are answered.

use std::sync::Arc;

use parking_lot::Mutex;
use toolsmith::{
    AllowList, ErrorKind, Exposure, Rights,
    builtins::catalogue,
    dialects::{Dialect, ShownCall, Tools, render_calls},
    models::{self, Order, Toolset},
    prelude::*,
};

fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name)
        .unwrap()
        .with_description("A tool for tests.")
        .with_parameters(&[Parameter::integer("n")])
}

/// Answers with its name and input, and remembers when it ran.
fn tool(spec: ToolSpec, ran: &Arc<Mutex<Vec<String>>>) -> Tool {
    let (name, ran) = (spec.name.to_string(), Arc::clone(ran));
    Tool::function(spec, move |_cx, input| {
        ran.lock().push(format!("{name} {}", input["n"]));
        let output = json!({ "from": name, "n": input["n"] });
        async move { Ok(output) }
    })
}

fn engine(tools: impl IntoIterator<Item = (&'static str, Exposure)>) -> Engine {
    let ran = Arc::default();
    let tools = tools
        .into_iter()
        .map(|(name, exposure)| tool(spec(name).with(|spec| spec.exposure = exposure), &ran));
    let tools: Vec<Tool> = tools.chain(catalogue::all().unwrap()).collect();
    Engine::builder().tools(tools).build().unwrap()
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.names().iter().map(toolsmith::ToolName::as_str).collect()
}

#[test]
fn direct_tools_are_shown_and_hidden_ones_are_not() {
    let engine = engine([("a", Exposure::Direct), ("b", Exposure::Hidden)]);
    assert_eq!(names(&Toolset::of(&engine, Dialect::Xml)), ["a"]);
    let block = models::functions_xml(&engine);
    assert_eq!(block.matches("<function>").count(), 1, "{block}");
}

#[tokio::test]
async fn deferred_tools_are_found_and_called_through_the_pair() {
    let engine = engine([("near", Exposure::Direct), ("far_away", Exposure::Deferred)]);
    let tools = Toolset::of(&engine, Dialect::OpenAiChat);
    assert_eq!(names(&tools), ["near", "search_tools", "call_tool"]);
    let write = |name: &str, arguments: Value| {
        let call = ShownCall { id: Some("call_1"), name, arguments: &arguments };
        render_calls(Dialect::OpenAiChat, &[call], &Tools::none())
    };
    let search = write("search_tools", json!({"query": "far away"}));
    let answer = tools.answer(&search, Order::InTurn).await;
    let found = answer.results[0].result.as_ref().unwrap();
    assert_eq!(found["tools"][0]["name"], "far_away");
    let call = write("call_tool", json!({"name": "far_away", "arguments": {"n": 3}}));
    let answer = tools.answer(&call, Order::InTurn).await;
    assert_eq!(answer.results[0].result.as_ref().unwrap(), &json!({"from": "far_away", "n": 3}));
    assert_eq!(answer.results[0].tool_name.as_str(), "far_away");
    assert_eq!(answer.results[0].called.as_str(), "call_tool");
}

#[test]
fn a_catalogue_that_is_too_large_is_shown_as_the_pair() {
    let engine = engine([("a", Exposure::Direct), ("b", Exposure::Direct)]);
    let tools = Toolset::builder(&engine, Dialect::Xml).with_most(1).build().unwrap();
    assert_eq!(names(&tools), ["search_tools", "call_tool"]);
}

#[tokio::test]
async fn chosen_tools_are_the_only_ones_that_can_be_called() {
    let engine =
        engine([("a", Exposure::Direct), ("b", Exposure::Direct), ("c", Exposure::Hidden)]);
    let tools =
        Toolset::builder(&engine, Dialect::Hermes).only(["c", "a@^1", "c"]).build().unwrap();
    assert_eq!(names(&tools), ["c", "a"]);
    let reply = r#"<tool_call>{"name": "a", "arguments": {"n": 1}}</tool_call>
<tool_call>{"name": "b", "arguments": {"n": 2}}</tool_call>"#;
    let answer = tools.answer(reply, Order::Parallel).await;
    assert_eq!(answer.results[0].result.as_ref().unwrap()["from"], "a");
    let error = answer.results[1].result.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ToolNotFound);
}

#[test]
fn whoever_names_a_tool_that_is_not_there_is_told() {
    let engine = engine([("weather", Exposure::Direct)]);
    let error = Toolset::builder(&engine, Dialect::Xml).only(["wether"]).build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ToolNotFound);
    assert!(error.message().contains("Did you mean `weather`?"), "{error}");
    // What a caller may not see is not there.
    let rights = Rights { tools: Some(AllowList::new(["other"])), ..Rights::default() };
    let context = Context { rights, ..Context::default() };
    let builder = Toolset::builder(&engine, Dialect::Xml).with_context(context);
    assert!(builder.clone().only(["weather"]).build().is_err());
    assert!(builder.build().unwrap().names().is_empty());
}

#[tokio::test]
async fn calls_run_in_turn_and_results_keep_the_order_of_the_reply() {
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let slow = Tool::function(spec("slow"), {
        let ran = Arc::clone(&ran);
        move |_cx, input| {
            let ran = Arc::clone(&ran);
            async move {
                tokio::task::yield_now().await;
                ran.lock().push(format!("slow {}", input["n"]));
                Ok(json!("slow"))
            }
        }
    });
    let engine = Engine::builder().tools([slow, tool(spec("fast"), &ran)]).build().unwrap();
    let reply = "<function_calls>\n<invoke name=\"slow\">\n<parameter name=\"n\">1</parameter>\n\
        </invoke>\n<invoke name=\"gone\"></invoke>\n\
        <invoke name=\"fast\">\n<parameter name=\"n\">2</parameter>\n</invoke>\n\
        </function_calls>";
    let event = models::parse_and_execute(&engine, reply).await;
    assert_eq!(*ran.lock(), ["slow 1", "fast 2"]);
    let results = event["data"]["results"].as_array().unwrap();
    let of = |key: &str| results.iter().map(|result| result[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("tool_name"), ["slow", "gone", "fast"]);
    assert_eq!(of("success"), [true, false, true]);
    assert_eq!(results[1]["result"]["error"]["type"], "tool_not_found");
    assert!(event["timestamp"].as_str().unwrap().ends_with('Z'));
}

#[tokio::test]
async fn results_from_outside_say_so_to_the_model_and_in_the_event() {
    let ran = Arc::default();
    let outside = spec("fetch").with(|spec| spec.annotations.open_world = true);
    let tools = [tool(outside, &ran), tool(spec("own"), &ran)];
    let engine = Engine::builder().tools(tools).build().unwrap();
    let reply = "<function_calls>\n<invoke name=\"fetch\">\n</invoke>\n\
                 <invoke name=\"own\">\n</invoke>\n</function_calls>";
    let answer = Toolset::of(&engine, Dialect::Xml).answer(reply, Order::InTurn).await;
    let text = answer.render();
    assert!(text.contains("<result from=\"outside\">\n<tool_name>fetch<"), "{text}");
    assert!(text.contains("<result>\n<tool_name>own<"), "{text}");
    let results = &answer.event()["data"]["results"];
    assert_eq!(results[0]["provenance"]["from"], "outside", "{results}");
    assert!(results[1].get("provenance").is_none(), "{results}");
}

#[tokio::test]
async fn a_call_that_is_cut_off_is_not_run_and_its_result_says_so() {
    let ran = Arc::default();
    let engine = Engine::builder().tool(tool(spec("a"), &ran)).build().unwrap();
    let tools = Toolset::of(&engine, Dialect::Xml);
    let reply = "<function_calls>\n<invoke name=\"a\">\n<parameter name=\"n\">1</parameter>\n\
        </invoke>\n<invoke name=\"a\">\n<parameter name=\"n\">2";
    let answer = tools.answer(reply, Order::Parallel).await;
    assert_eq!(*ran.lock(), ["a 1"]);
    assert_eq!(answer.results.len(), 2);
    let cut_off = &answer.results[1];
    assert!(cut_off.call_id.is_none());
    let message = cut_off.result.as_ref().unwrap_err().message();
    assert!(message.contains("not finished"), "{message}");
    assert!(answer.render().contains("not finished"), "{}", answer.render());
}

#[tokio::test]
async fn a_call_in_reasoning_that_the_prompt_opened_is_not_run() {
    let ran = Arc::default();
    let engine = Engine::builder().tool(tool(spec("a"), &ran)).build().unwrap();
    let tools = Toolset::of(&engine, Dialect::Hermes);
    let call = |n| format!("<tool_call>{{\"name\":\"a\",\"arguments\":{{\"n\":{n}}}}}</tool_call>");
    let reply = format!("Hm {} no, better not.</think>{}", call(1), call(2));
    let answer = tools.answer(&reply, Order::Parallel).await;
    assert_eq!(*ran.lock(), ["a 2"]);
    let message = answer.results[0].result.as_ref().unwrap_err().message();
    assert!(message.contains("stands in your reasoning"), "{message}");
}

#[tokio::test]
async fn every_dialect_goes_all_the_way_round() {
    let engine = engine([("alpha.beta", Exposure::Direct)]);
    for dialect in Dialect::ALL {
        let tools = Toolset::of(&engine, *dialect);
        let shown = tools.definitions().text();
        assert!(shown.contains("alpha"), "{dialect}: {shown}");
        let name = match tools.definitions().names.first() {
            Some((shown, _)) => shown.clone(),
            None => "alpha.beta".to_owned(),
        };
        let call = ShownCall { id: Some("call_1"), name: &name, arguments: &json!({"n": 7}) };
        let reply = render_calls(*dialect, &[call], &Tools::none());
        let answer = tools.answer(&reply, Order::Parallel).await;
        let result = answer.results[0].result.as_ref().unwrap();
        assert_eq!(result, &json!({"from": "alpha.beta", "n": 7}), "{dialect}: {reply}");
        let rendered = answer.render();
        assert!(rendered.contains(&name) || rendered.contains("call_1"), "{dialect}: {rendered}");
    }
}

#[tokio::test]
async fn one_tool_is_executed_by_name() {
    let engine = engine([("a", Exposure::Direct)]);
    let done = models::execute(&engine, "a", json!({"n": 1})).await;
    assert_eq!(done, json!({"tool_name": "a", "success": true, "result": {"from": "a", "n": 1}}));
    let failed = models::execute(&engine, "a", json!({"n": "x"})).await;
    assert_eq!(failed["result"]["error"]["type"], "validation_error");
}

#[test]
fn secrets_in_definitions_are_not_shown() {
    let spec = spec("a").with_description("Uses hunter2-hunter2 to log in.");
    let engine = Engine::builder().tool(tool(spec, &Arc::default())).build().unwrap();
    engine.redactor().add(&toolsmith::Secret::new("hunter2-hunter2".to_owned()));
    let shown = models::functions_xml(&engine);
    assert!(!shown.contains("hunter2") && shown.contains("to log in"), "{shown}");
}

#[test]
fn all_tools_are_better_than_none_where_the_pair_is_missing() {
    let tools = ["a", "b"].map(|name| tool(spec(name), &Arc::default()));
    let engine = Engine::builder().tools(tools).build().unwrap();
    let tools = Toolset::builder(&engine, Dialect::Xml).with_most(1).build().unwrap();
    assert_eq!(names(&tools), ["a", "b"]);
}

#[tokio::test]
async fn a_chosen_version_is_the_only_one_that_can_be_called() {
    let ran = Arc::default();
    let version = |version: &str| {
        let spec = spec("pay").with(|spec| spec.version = version.parse().unwrap());
        let (ran, version) = (Arc::clone(&ran), version.to_owned());
        Tool::function(spec, move |_cx, _input| {
            let ran: &Arc<Mutex<Vec<String>>> = &ran;
            ran.lock().push(version.clone());
            async { Ok(json!(null)) }
        })
    };
    let tools = [version("1.5.0"), version("2.0.0")].into_iter().chain(catalogue::all().unwrap());
    let engine = Engine::builder().tools(tools).build().unwrap();
    let tools = Toolset::builder(&engine, Dialect::Hermes);
    let chosen = tools.clone().only(["pay@^1", "call_tool", "pay@^1"]).build().unwrap();
    let reply = r#"<tool_call>{"name": "pay", "arguments": {}}</tool_call>
<tool_call>{"name": "pay@2.0.0", "arguments": {}}</tool_call>
<tool_call>{"name": "call_tool", "arguments": {"name": "pay@^2", "arguments": {}}}</tool_call>"#;
    chosen.answer(reply, Order::InTurn).await;
    assert_eq!(*ran.lock(), ["1.5.0"; 3]);
    let error = tools.clone().only(["pay@^1", "pay@^2"]).build().unwrap_err();
    assert!(error.message().contains("one version"), "{error}");
    let error = tools.only(["pay@9"]).build().unwrap_err();
    assert!(error.message().contains("there are: 2.0.0, 1.5.0"), "{error}");
}

#[tokio::test]
async fn results_keep_the_order_of_calls_that_share_a_document() {
    let engine = engine([("a", Exposure::Direct)]);
    let reply = json!({"candidates": [{"content": {"parts": [
        {"functionCall": {"name": "a", "args": "bad"}},
        {"functionCall": {"name": "a", "args": {"n": 2}}},
    ]}, "finishReason": "STOP"}]});
    let tools = Toolset::of(&engine, Dialect::Gemini);
    let answer = tools.answer(&reply.to_string(), Order::InTurn).await;
    let are_fine: Vec<bool> = answer.results.iter().map(|result| result.result.is_ok()).collect();
    assert_eq!(are_fine, [false, true]);
}

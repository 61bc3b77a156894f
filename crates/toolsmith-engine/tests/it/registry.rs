//! Tools are registered, found, versioned, replaced and counted.

use toolsmith_core::{BackendRuntime, Category, Context, Exposure, Rights, Tool, ToolSpec, json};
use toolsmith_engine::{
    Engine,
    registry::{Change, Filter, OnClash, Registry},
};

use crate::fakes::{call, echo, engine, fail, spec, verdict};

fn version(name: &str, version: &str) -> Tool {
    let text = version.to_owned();
    let spec = spec(name).with_version(version.parse().unwrap());
    Tool::function(spec, move |_cx, _input| std::future::ready(Ok(json!(text))))
}

fn needing(name: &str, needs: &[&str]) -> Tool {
    let needs = needs.iter().map(|need| need.parse().unwrap()).collect();
    let spec = spec(name).with(|spec| spec.depends_on = needs);
    Tool::function(spec, |_cx, _input| async { Ok(json!(null)) })
}

async fn answer(engine: &Engine, tool: &str) -> String {
    let outcome = engine.call(call(tool)).await;
    outcome.output().as_str().map_or_else(|| verdict(&outcome).to_owned(), str::to_owned)
}

/// A tool whose filters are known by its number.
fn numbered(number: usize) -> Tool {
    let spec = spec(&format!("tool_{number:04}")).with(|spec| {
        spec.category = Category::new(if number % 700 == 699 { "data" } else { "custom" });
        let tags = [3, 900].into_iter().filter(|tag| number.is_multiple_of(*tag));
        spec.tags = tags.map(|tag| tag.to_string().into()).collect();
        spec.groups = (number == 1_999).then(|| "last".into()).into_iter().collect();
        spec.backend_runtime =
            if number == 1_500 { BackendRuntime::Docker } else { BackendRuntime::Embedded };
    });
    Tool::function(spec, |_cx, _input| async { Ok(json!(null)) })
}

/// Compares pages with a walk through all tools.
fn check_pages(registry: &Registry, filter: &Filter, after: Option<&str>) {
    let all = registry.list();
    let is_behind = |name: &str| after.is_none_or(|after| name > after);
    let fits: Vec<&str> = all
        .iter()
        .filter(|entry| is_behind(entry.spec.name.as_str()) && filter.accepts(entry))
        .map(|entry| entry.spec.name.as_str())
        .collect();
    for limit in [0, 1, 2, 300, usize::MAX] {
        let page = registry.page(filter, after, limit);
        let found: Vec<&str> = page.iter().map(|entry| entry.spec.name.as_str()).collect();
        let expected = &fits[..limit.min(fits.len())];
        assert_eq!(found, expected, "{filter:?} {after:?} {limit}");
    }
}

#[test]
fn pages_of_what_is_rare_are_those_of_a_walk_through_all() {
    let engine = Engine::builder().tools((0..2_000).map(numbered)).build().unwrap();
    let registry = engine.registry();
    let filters = [
        Filter::default(),
        Filter::category("data"),
        Filter::category("none"),
        Filter::all_tags(["3"]),
        Filter::all_tags(["3", "900"]),
        Filter { group: Some("last".into()), ..Filter::default() },
        Filter { backend_runtime: Some(BackendRuntime::Docker), ..Filter::category("custom") },
        Filter { group: Some("last".into()), ..Filter::category("data") },
    ];
    let places = [None, Some("tool_0698"), Some("tool_1500"), Some("tool_1999"), Some("z")];
    let check_all = || {
        for filter in &filters {
            for after in places {
                check_pages(registry, filter, after);
            }
        }
    };
    check_all();
    engine.register(numbered(2_099)).unwrap();
    assert!(registry.unregister("tool_1399"));
    check_all();
}

#[tokio::test]
async fn versions_stand_side_by_side_and_are_chosen_by_range() {
    let (engine, _) = engine(["1.0.0", "1.2.0", "2.0.0", "3.0.0-beta.1"].map(|v| version("t", v)));
    for (asked, expected) in [
        ("t", "2.0.0"),
        ("t@1.0.0", "1.0.0"),
        ("t@^1", "1.2.0"),
        ("t@3.0.0-beta.1", "3.0.0-beta.1"),
        ("t@^9", "tool_not_found"),
        ("t@newest", "tool_not_found"),
        ("t@", "tool_not_found"),
    ] {
        assert_eq!(answer(&engine, asked).await, expected, "{asked}");
    }
    let outcome = engine.call(call("t@^9")).await;
    assert!(outcome.error().unwrap().message().contains("1.2.0"), "{outcome:?}");
}

#[tokio::test]
async fn a_deprecated_version_is_chosen_last_and_warns() {
    let mut old = version("t", "2.0.0");
    old.spec.deprecated = Some("use 1.0.0: 2.0.0 was a mistake".into());
    let (engine, _) = engine([version("t", "1.0.0"), old]);
    assert_eq!(answer(&engine, "t").await, "1.0.0");
    let outcome = engine.call(call("t@2.0.0")).await;
    assert_eq!(outcome.metadata["deprecated"], "use 1.0.0: 2.0.0 was a mistake");
}

#[test]
fn the_same_name_and_version_twice_is_refused_unless_replacing_is_asked_for() {
    let (engine, _) = engine([echo()]);
    let error = engine.register(echo()).unwrap_err();
    assert!(error.message().contains("registered already"), "{error}");
    let changes = engine.registry().register_many([echo(), fail()], OnClash::Replace).unwrap();
    assert!(matches!(&changes[..], [Change::Updated(_), Change::Added(_)]), "{changes:?}");
    let error = engine.registry().register_many([version("x", "1"), echo()], OnClash::Refuse);
    error.unwrap_err();
    assert!(!engine.registry().has("x"), "all or none");
}

#[test]
fn tools_are_found_by_category_tags_group_and_kind() {
    let tagged = |name: &str, category: &str, tags: &[&str]| {
        let spec = spec(name).with_category(category).with(|spec| {
            spec.tags = tags.iter().map(|tag| (*tag).into()).collect();
            spec.groups = vec!["pictures".into()];
        });
        Tool::function(spec, |_cx, _input| async { Ok(json!(null)) })
    };
    let (engine, _) = engine([
        tagged("b", "file", &["x", "y"]),
        tagged("a", "file", &["x"]),
        tagged("c", "ai", &[]),
    ]);
    let registry = engine.registry();
    let found = |filter: Filter| -> Vec<String> {
        registry.find(&filter).iter().map(|entry| entry.spec.name.to_string()).collect()
    };
    assert_eq!(found(Filter::category("file")), ["a", "b"]);
    assert_eq!(found(Filter::any_tags(["y", "z"])), ["b"]);
    assert_eq!(found(Filter::all_tags(["x", "y"])), ["b"]);
    assert_eq!(found(Filter { group: Some("pictures".into()), ..Filter::default() }).len(), 3);
    assert_eq!(registry.names().len(), 3);
    assert_eq!(registry.stats().by_category["file"], 2);
}

#[test]
fn unknown_and_circular_dependencies_are_named_in_full() {
    let build = |tools: Vec<Tool>| Engine::builder().tools(tools).build().unwrap_err().to_string();
    let message = build(vec![needing("a", &["b"]), needing("c", &["ghost"]), needing("b", &[])]);
    assert_eq!(message, "`c` depends on `ghost`, which is not registered");
    let message = build(vec![
        needing("a", &["b"]),
        needing("b", &["c"]),
        needing("c", &["a"]),
        needing("d", &["a"]),
    ]);
    assert!(message.contains("a → b → c → a"), "{message}");
    let message = build(vec![needing("selfish", &["selfish"])]);
    assert!(message.contains("selfish → selfish"), "{message}");
}

#[tokio::test]
async fn a_tool_whose_dependency_went_away_is_a_dependency_error() {
    let (engine, _) = engine([needing("a", &["b"]), needing("b", &[])]);
    assert_eq!(verdict(&engine.call(call("a")).await), "ok");
    engine.registry().unregister("b");
    assert_eq!(verdict(&engine.call(call("a")).await), "dependency_error");
}

#[tokio::test]
async fn a_private_tool_is_seen_in_its_namespace_only() {
    let (engine, _) = engine([version("t", "1.0.0")]);
    engine.registry().register_private(&"agent-1".into(), version("t", "5.0.0")).unwrap();
    let rights = Rights { namespace: Some("agent-1".into()), ..Rights::default() };
    let own = engine.call(call("t").with_context(Context { rights, ..Context::default() })).await;
    assert_eq!(own.output(), "5.0.0");
    assert_eq!(answer(&engine, "t").await, "1.0.0");
    assert_eq!(answer(&engine, "agent-1/t").await, "tool_not_found");
    assert_eq!(engine.registry().list().len(), 1);
}

#[tokio::test]
async fn counts_failures_and_durations_are_kept_for_each_tool() {
    let (engine, _) = engine([echo(), fail()]);
    for _ in 0..9 {
        engine.call(call("echo")).await;
    }
    engine.call(call("fail")).await;
    let stats = engine.registry().stats();
    assert_eq!(stats.total, 2);
    let (echo, fail) = (&stats.calls["echo"], &stats.calls["fail"]);
    assert_eq!((echo.count, echo.failures, fail.count, fail.failures), (9, 0, 1, 1));
    assert!(echo.p50 > 0.0 && echo.p50 <= echo.p99);
}

#[tokio::test]
async fn a_disabled_tool_cannot_be_called_and_says_so() {
    let mut off = echo();
    off.spec.enabled = false;
    let (engine, _) = engine([off]);
    let outcome = engine.call(call("echo")).await;
    assert_eq!(verdict(&outcome), "tool_not_found");
    assert!(outcome.error().unwrap().message().contains("disabled"), "{outcome:?}");
}

#[test]
fn a_schema_that_is_none_is_refused_when_the_tool_is_registered() {
    let spec = ToolSpec::new("bad").unwrap().with_input_schema(&json!({"type": "objekt"}));
    let tool = Tool::function(spec, |_cx, input| async { Ok(input) });
    let error = Engine::builder().tool(tool).build().unwrap_err();
    assert!(error.message().contains("bad"), "{error}");
}

#[tokio::test]
async fn whoever_may_not_see_a_tool_learns_nothing_of_its_versions() {
    let (engine, _) = engine([version("payroll", "1.0.0")]);
    let rights =
        Rights { tools: Some(toolsmith_core::AllowList::new(["echo"])), ..Rights::default() };
    let cx = Context { rights, ..Context::default() };
    let of = |name: &'static str| engine.call(call(name).with_context(cx.clone()));
    let hidden = of("payroll@9").await.error().unwrap().message().replace("payroll", "");
    let unknown = of("nothing@9").await.error().unwrap().message().replace("nothing", "");
    assert_eq!(hidden, unknown);
}

#[test]
fn needs_are_checked_for_every_version_and_range() {
    let build = |tools: Vec<Tool>| Engine::builder().tools(tools).build().map(drop);
    build(vec![needing("a", &["b@^9"]), version("b", "1.0.0")]).unwrap_err();
    let mut old = needing("a", &["ghost"]);
    old.spec.version = "0.1.0".parse().unwrap();
    build(vec![old, version("a", "1.0.0")]).unwrap_err();
    build(vec![needing("a", &["b@^1"]), version("b", "1.0.0")]).unwrap();
}

#[tokio::test]
async fn calls_of_all_versions_are_counted() {
    let (engine, _) = engine(["1.0.0", "2.0.0"].map(|v| version("t", v)));
    for tool in ["t", "t@1.0.0", "t@1.0.0"] {
        engine.call(call(tool)).await;
    }
    assert_eq!(engine.registry().stats().calls["t"].count, 3);
}

#[test]
fn a_long_list_is_read_in_pages_without_gaps_or_doubles() {
    let (engine, _) = engine((0..250).map(|n| version(&format!("tool_{n:03}"), "1.0.0")));
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let page = engine.registry().page(&Filter::default(), after.as_deref(), 40);
        let Some(last) = page.last() else { break };
        after = Some(last.spec.name.to_string());
        names.extend(page.iter().map(|entry| entry.spec.name.clone()));
    }
    assert_eq!(names, engine.registry().names());
    assert_eq!(names.len(), 250);
}

#[test]
fn search_follows_every_change_tool_by_tool() {
    let engine = Engine::builder().build().unwrap();
    let registry = engine.registry();
    let described = |name: &str, text: &str| {
        let spec = ToolSpec::new(name).unwrap().with_description(text);
        Tool::function(spec, |_cx, input| async move { Ok(input) })
    };
    let found = |question: &str| -> Vec<String> {
        let hits = registry.search(question, &Filter::default(), 10);
        hits.iter().map(|hit| hit.tool.spec.name.to_string()).collect()
    };
    registry.register(described("stitch_images", "Joins pictures side by side.")).unwrap();
    assert_eq!(found("拼接图片"), ["stitch_images"]);
    registry.register(described("oracle", "Tells the forecast of a city.")).unwrap();
    assert_eq!(found("forecast"), ["oracle"]);
    registry.reload([described("oracle", "Counts the sheep.")], &[]).unwrap();
    assert_eq!(found("forecast"), [""; 0]);
    assert_eq!(found("sheep"), ["oracle"]);
    registry.unregister("oracle");
    assert_eq!(found("sheep"), [""; 0]);
    registry.register_private(&"mine".into(), described("sheepdog", "Herds sheep.")).unwrap();
    assert_eq!(found("sheep"), [""; 0]);
    let mine = Filter { namespace: Some("mine".into()), ..Filter::default() };
    assert_eq!(registry.search("sheep", &mine, 10).len(), 1);
}

#[test]
fn hidden_tools_are_never_found_and_disabled_ones_when_asked_for() {
    let engine = Engine::builder().build().unwrap();
    let registry = engine.registry();
    for (name, change) in [
        ("hidden_sheep", (|spec| spec.exposure = Exposure::Hidden) as fn(&mut ToolSpec)),
        ("disabled_sheep", |spec| spec.enabled = false),
        ("plain_sheep", |_| ()),
    ] {
        let spec = ToolSpec::new(name).unwrap().with(change);
        registry.register(Tool::function(spec, |_cx, input| async move { Ok(input) })).unwrap();
    }
    let found = |filter: &Filter| -> Vec<String> {
        let hits = registry.search("sheep", filter, 10);
        hits.iter().map(|hit| hit.tool.spec.name.to_string()).collect()
    };
    assert_eq!(found(&Filter::default()), ["plain_sheep"]);
    let disabled = Filter { enabled: Some(false), ..Filter::default() };
    assert_eq!(found(&disabled), ["disabled_sheep"]);
}

#[test]
fn a_name_that_is_written_exactly_so_comes_first() {
    let engine = Engine::builder().build().unwrap();
    for name in ["getWeather", "get-weather", "get_weather", "weather_of_getaways"] {
        engine.register(echo_named(name)).unwrap();
    }
    for name in ["getWeather", "get-weather", "get_weather"] {
        let hits = engine.registry().search(name, &Filter::default(), 10);
        assert_eq!(hits[0].tool.spec.name.as_str(), name);
    }
}

fn echo_named(name: &str) -> Tool {
    Tool::function(spec(name), |_cx, input| async move { Ok(input) })
}

//! Groups, in files of their own and by the tools' own word.

use toolsmith_core::ToolName;
use toolsmith_definitions::Switches;
use toolsmith_engine::registry::Filter;

use crate::support::{Folder, engine, said, saying};

const GROUPS: &str = "groups:\n  - group_id: life\n    name: Life cycle\n    description: d\n    \
    category: remote\n    tool_ids: [start, stop, gone]\n    usage_order: [start, stop]\n    \
    usage_example: first start, then stop\n";

#[test]
fn groups_of_files_and_tools_are_joined() {
    let folder = Folder::new();
    folder.write("groups.yaml", GROUPS);
    folder.write("start.yaml", &saying("start", "x"));
    folder.write("stop.yaml", &saying("stop", "x"));
    folder.write("deep/pause.yaml", &format!("groups: [life, own]\n{}", saying("pause", "x")));
    let (engine, definitions) = (engine(), folder.definitions());
    let reloaded = definitions.attach(&engine);
    assert_eq!(reloaded.problems, []);
    assert_eq!(
        folder.shown(&reloaded.warnings),
        ["groups.yaml:2:5: the group `life` has a member `gone`, which is not there"]
    );
    let groups = definitions.groups();
    let life = groups.find("life").unwrap();
    let members: Vec<&str> = life.tool_ids.iter().map(ToolName::as_str).collect();
    assert_eq!(members, ["start", "stop", "gone", "pause"]);
    assert_eq!(life.usage_example.as_deref(), Some("first start, then stop"));
    assert_eq!(groups.all().len(), 2);
    let of: Vec<String> = groups.of("pause").iter().map(|g| g.group_id.to_string()).collect();
    assert_eq!(of, ["life", "own"]);
    let filter = Filter { group: Some("life".into()), ..Filter::default() };
    assert_eq!(engine.registry().find(&filter).len(), 3);
}

#[test]
fn groups_follow_a_reload() {
    let folder = Folder::new();
    folder.write("a.yaml", &saying("a", "x"));
    let (engine, definitions) = (engine(), folder.definitions());
    definitions.attach(&engine);
    assert!(definitions.groups().all().is_empty());
    folder.write("groups.json", r#"[{"group_id": "g", "tool_ids": ["a", "echo"]}]"#);
    let reloaded = definitions.reload();
    assert_eq!((reloaded.problems.len(), reloaded.warnings.len()), (0, 0));
    assert_eq!(definitions.groups().find("g").unwrap().name.as_str(), "g");
    let filter = Filter { group: Some("g".into()), ..Filter::default() };
    assert_eq!(engine.registry().find(&filter).len(), 2);
    folder.write("groups.json", r#"{"group_id": "g", "tool_idz": []}"#);
    let reloaded = definitions.reload();
    assert_eq!(
        folder.shown(&reloaded.problems),
        ["groups.json:1:19: unknown key `tool_idz`. Did you mean `tool_ids`?"]
    );
    assert!(definitions.groups().find("g").is_some());
}

#[test]
fn every_form_of_the_file_is_read_and_a_group_stands_once() {
    let folder = Folder::new();
    folder.write("a/groups.yaml", "groups:\n  one: {tool_ids: [echo], usage_order: [adder]}\n");
    folder.write("b/groups.yml", "- group_id: one\n- name: two\n");
    let loaded = folder.definitions().load();
    assert_eq!(
        folder.shown(&loaded.problems),
        [
            "b/groups.yml:2:3: [1]: `group_id` is missing: say by which identifier the group is found"
        ]
    );
    assert_eq!(
        folder.shown(&loaded.warnings),
        ["a/groups.yaml:2:41: groups.one.usage_order[0]: `adder` is not among the `tool_ids` of \
          the group"]
    );
    folder.write("b/groups.yml", "- group_id: one\n");
    let loaded = folder.definitions().load();
    assert_eq!(
        folder.shown(&loaded.problems),
        [format!(
            "b/groups.yml:1:3: the group `one` is defined in {}:2:8 already",
            "a/groups.yaml"
        )]
    );
    assert_eq!(loaded.groups.len(), 1);
}

#[tokio::test]
async fn built_in_members_are_found_by_their_group_until_it_goes() {
    let (folder, data) = (Folder::new(), Folder::new());
    folder.write("groups.yaml", "groups: {sums: {tool_ids: [adder, start]}}\n");
    folder.write("start.yaml", &saying("start", "x"));
    let switches = Switches::at(data.path("switches.json"));
    let (engine, definitions) = (engine(), folder.definitions().with_switches(switches.clone()));
    let loaded = definitions.load();
    assert_eq!((loaded.tools.len(), loaded.replaced.len()), (1, 0), "only what files define");
    let reloaded = definitions.attach(&engine);
    assert_eq!((reloaded.problems.len(), reloaded.replaced.len()), (0, 0));
    let members = |group: &str| -> Vec<String> {
        let filter = Filter { group: Some(group.into()), ..Filter::default() };
        engine.registry().find(&filter).iter().map(|tool| tool.spec.name.to_string()).collect()
    };
    assert_eq!(members("sums"), ["adder", "start"]);
    let found = engine.registry().search("sums", &Filter::default(), 5);
    assert_eq!(found.len(), 2);
    assert_eq!(said(&engine, "adder").await, "\"built in\"");
    let reloaded = definitions.reload();
    assert_eq!(reloaded.updated, [], "it is there as it should be");

    switches.set(&ToolName::new("adder").unwrap(), false).unwrap();
    definitions.reload();
    assert!(!engine.registry().get("adder").unwrap().spec.enabled);
    assert_eq!(members("sums"), ["adder", "start"]);
    switches.set(&ToolName::new("adder").unwrap(), true).unwrap();
    folder.write("groups.yaml", "groups: {sums: {tool_ids: [start]}}\n");
    definitions.reload();
    assert_eq!(members("sums"), ["start"]);
    assert_eq!(said(&engine, "adder").await, "\"built in\"");
}

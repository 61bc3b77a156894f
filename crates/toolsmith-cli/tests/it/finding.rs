//! Groups, and `toolsmith tools search`

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Place;

const STITCHER: &str = "name: image_stitcher\ntitle: 图片拼接\ndescription: 把多张图片拼接成一张长图。\n\
                        category: custom\nentry: {type: builtin, handler: echo}\n";

const GROUPS: &str = "groups:\n  - group_id: pictures\n    name: Pictures\n    description: Work on \
                      pictures.\n    tool_ids: [image_stitcher, read_file, image_sharpener]\n    \
                      usage_order: [read_file, image_stitcher]\n";

fn place() -> Place {
    Place::new().with("tools/stitch.yaml", STITCHER)
}

fn names(found: &Value) -> Vec<&str> {
    found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn an_exact_name_comes_first() {
    let place = place();
    for name in ["echo", "calculator", "read_file", "web_fetch", "image_stitcher", "sleep"] {
        let found = place.json(&["tools", "search", name]);
        assert_eq!(names(&found)[0], name, "{found}");
    }
}

#[test]
fn chinese_words_find_a_tool_of_a_file() {
    let place = place();
    let found = place.json(&["tools", "search", "拼接图片"]);
    assert_eq!(names(&found)[0], "image_stitcher", "{found}");
    assert!(found["tools"][0]["score"].as_f64().unwrap() > 0.0, "{found}");
    assert_snapshot!(place.print(&["tools", "search", "拼接图片", "--limit", "1"]), @r"
    NAME            VERSION  CATEGORY  KIND       DESCRIPTION
    image_stitcher  1.0.0    custom    stateless  把多张图片拼接成一张长图。
    ");
}

#[test]
fn english_words_need_no_quotes_and_filters_narrow() {
    let place = place();
    let found = place.json(&["tools", "search", "read", "a", "web", "page"]);
    assert_eq!(names(&found)[0], "web_fetch", "{found}");
    let found = place.json(&["tools", "search", "read a web page", "--category", "file"]);
    assert!(found["tools"].as_array().unwrap().iter().all(|tool| tool["category"] == "file"));
    assert!(!names(&found).is_empty(), "{found}");
    assert_eq!(names(&place.json(&["tools", "search", "file", "--limit", "2"])).len(), 2);
    place.print(&["tools", "disable", "web_fetch"]);
    let found = place.json(&["tools", "search", "read a web page", "--state", "enabled"]);
    assert!(!names(&found).contains(&"web_fetch"), "{found}");
}

#[test]
fn nothing_found_is_an_answer_with_a_hint() {
    let place = place();
    let hint = "Nothing fits; try other words, or list everything with `toolsmith tools list`.";
    let found = place.json(&["tools", "search", "zzzqqqxxx"]);
    assert_eq!(found, json!({"tools": [], "hint": hint}));
    assert_eq!(place.print(&["tools", "search", "zzzqqqxxx"]), format!("{hint}\n"));
    assert_eq!(place.run(&["tools", "search"]).code, Some(2));
}

#[test]
fn unknown_members_of_a_group_are_warnings() {
    let place = place().with("tools/groups.yaml", GROUPS);
    let warning = "tools/groups.yaml:2:5: the group `pictures` has a member `image_sharpener`, \
                   which is not there";
    let ran = place.run(&["tools", "list", "--group", "pictures"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), format!(" WARN {warning}\n").as_str()));
    let ran = place.run(&["tools", "validate"]);
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("warning {warning}\nok 1 tool\n")));
    assert_eq!(place.run(&["tools", "validate", "--strict"]).code, Some(2));
}

#[test]
fn a_group_narrows_lists_and_searches() {
    let place = place().with("tools/groups.yaml", GROUPS);
    let list = place.json(&["tools", "list", "--group", "pictures"]);
    assert_eq!(names(&list), ["image_stitcher", "read_file"]);
    for tool in list["tools"].as_array().unwrap() {
        assert_eq!(tool["groups"], json!(["pictures"]), "{tool}");
    }
    let found = place.json(&["tools", "search", "read a file", "--group", "pictures"]);
    assert_eq!(names(&found)[0], "read_file", "{found}");
    assert!(names(&found).iter().all(|name| ["image_stitcher", "read_file"].contains(name)));
}

#[test]
fn an_unknown_group_is_answered_with_near_ones() {
    let place = place().with("tools/groups.yaml", GROUPS);
    for word in [&["list"][..], &["search", "read"]] {
        let arguments = [&["tools"], word, &["--group", "picture"]].concat();
        let ran = place.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        let said = "error: there is no group `picture`. Did you mean `pictures`?\n";
        assert!(ran.stderr.ends_with(said), "{ran:?}");
        let ran = place.run(&[&arguments[..], &["--json"]].concat());
        assert_eq!((ran.code, ran.error_type().as_str()), (Some(2), "bad_request"));
    }
    let ran = Place::new().run(&["tools", "list", "--group", "x"]);
    assert!(ran.stderr.contains("No groups are defined"), "{ran:?}");
}

#[test]
fn a_tool_may_name_its_groups_itself() {
    let own = STITCHER.replace("category: custom", "groups: [art]");
    let place = Place::new().with("tools/stitch.yaml", &own);
    assert_eq!(names(&place.json(&["tools", "list", "--group", "art"])), ["image_stitcher"]);
}

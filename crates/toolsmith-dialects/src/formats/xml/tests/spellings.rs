//! Every way in which models spell the same call, and what stands around it.

use serde_json::json;

use super::*;
use crate::{CallState, Entities, Event, Fences, Parser};

#[test]
fn a_block_of_calls_is_read_and_the_text_around_it_is_kept() {
    let text = "Let me look.\n<function_calls>\n<invoke name=\"check_availability\">\n<parameter name=\"room\">观星阁</parameter>\n<parameter name=\"time\">15:00-16:00</parameter>\n</invoke>\n<invoke name=\"tell_user\">\n<parameter name=\"message\">正在为您检查…😀</parameter>\n</invoke>\n</function_calls>\nDone.";
    let reply = read(text);
    assert_eq!(
        calls(&reply),
        [
            ("check_availability", &json!({"room": "观星阁", "time": "15:00-16:00"})),
            ("tell_user", &json!({"message": "正在为您检查…😀"})),
        ]
    );
    assert_eq!(reply.text(), "Let me look.\n\nDone.");
    assert_eq!(kinds(&reply), []);
    assert!(reply.calls[0].raw(text).starts_with("<invoke name=\"check_availability\">"));
    assert!(reply.calls[0].raw(text).ends_with("</invoke>"));
}

#[test]
fn every_spelling_is_the_same_call() {
    let value = json!({"a": "1"});
    for text in [
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke></function_calls>",
        "<ns:function_calls>\n<ns:invoke name=\"x\">\n<ns:parameter name=\"a\">1</ns:parameter>\n</ns:invoke>\n</ns:function_calls>",
        "<minimax:tool_call>\n<invoke name=\"x\">\n<parameter name=\"a\">1</parameter>\n</invoke>\n</minimax:tool_call>",
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"x\">\n<｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        "<｜DSML｜tool_calls><｜DSML｜invoke name=\"x\"><｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>",
        "<｜DSML｜ calls><｜DSML｜invoke name=\"x\"><｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜ calls>",
        "<function_calls><invoke><tool_name>x</tool_name><parameters><a>1</a></parameters></invoke></function_calls>",
        "<function_calls>\n<invoke>\n<tool_name>x</tool_name>\n<parameters>\n<a>1</a>\n</parameters>\n</invoke>\n",
        "<function_calls><invoke name='x'><parameter name='a'>1</parameter></invoke></function_calls>",
        "<function_calls><invoke name=x ><parameter name=a>1</parameter ></invoke ></function_calls >",
        "<invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke>",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke>",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></function_calls>",
    ] {
        is_one_call(text, &value);
    }
}

#[test]
fn dsml_says_itself_which_values_are_json() {
    let text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"x\"><｜DSML｜parameter name=\"n\" string=\"false\">5</｜DSML｜parameter><｜DSML｜parameter name=\"l\" string=\"false\">[1, \"a\"]</｜DSML｜parameter><｜DSML｜parameter name=\"s\" string=\"true\">5</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>";
    is_one_call(text, &json!({"n": 5, "l": [1, "a"], "s": "5"}));
}

#[test]
fn values_are_kept_to_the_byte() {
    for value in [
        "  spaces and\ttabs  ",
        "\n leading and trailing lines \n\n",
        "if a < b && c > d { return \"<div>\"; }",
        "<html><body class=\"x\">&amp;&lt;</body></html>",
        "<![CDATA[a < b]]>",
        "```\ncode\n```",
        "观星阁 😀 \u{200b} é",
        "{\"not\": \"parsed\"}",
        "</",
        "<",
        "",
        "</parametr>",
        "<invoke",
    ] {
        let text = call_of(&format!("<parameter name=\"a\">{value}</parameter>"));
        is_one_call(&text, &json!({"a": value}));
    }
}

#[test]
fn values_are_typed_by_the_schema() {
    let parameters = [
        ("text", "5", json!("5")),
        ("count", "5", json!(5)),
        ("share", "0.5", json!(0.5)),
        ("is_on", "true", json!(true)),
        ("list", "[1, 2]", json!([1, 2])),
        ("map", "{\"a\": null}", json!({"a": null})),
        ("free", "null", json!(null)),
        ("unknown", "7", json!("7")),
    ];
    for (name, raw, value) in parameters {
        let text = call_of(&format!("<parameter name=\"{name}\">{raw}</parameter>"));
        let reply = read_with(&text, &tools());
        assert_eq!(reply.calls[0].arguments, json!({ name: value }));
        assert_eq!(kinds(&reply), []);
    }
}

#[test]
fn what_does_not_fit_the_schema_stays_text_and_is_noted() {
    let text = call_of("<parameter name=\"count\">03106</parameter>");
    let reply = read_with(&text, &tools());
    assert_eq!(reply.calls[0].arguments, json!({"count": "03106"}));
    assert_eq!(kinds(&reply), [ProblemKind::UntypedValue]);
    let problem = &reply.problems[0];
    assert_eq!(&text[problem.range.clone()], "03106");
}

#[test]
fn entities_and_sections_are_decoded_where_a_setting_asks_for_it() {
    let text = call_of("<parameter name=\"a\">1 &lt; 2<![CDATA[ & 3]]></parameter>");
    let settings = Settings { entities: Entities::Decode, ..Settings::default() };
    let reply = parse(Dialect::Xml, &text, &Tools::none(), &settings);
    assert_eq!(reply.calls[0].arguments, json!({"a": "1 < 2 & 3"}));
}

#[test]
fn arguments_inside_one_parameter_are_unpacked_where_the_tool_has_no_such_parameter() {
    for name in ["arguments", "input"] {
        let text = call_of(&format!("<parameter name=\"{name}\">{{\"count\": 1}}</parameter>"));
        let reply = read_with(&text, &tools());
        assert_eq!(calls(&reply), [("x", &json!({"count": 1}))]);
        assert_eq!(kinds(&reply), [ProblemKind::Repaired]);
        is_one_call(&text, &json!({ name: "{\"count\": 1}" }));
    }
}

#[test]
fn a_mention_is_not_a_call() {
    for text in [
        "Use <function_calls> to call tools.",
        "Write <invoke name=\"x\"> and then the parameters.",
        "<function_calls>\nget_weather(city='Paris')\n</function_calls>",
        "The tag `<invoke name=\"x\">` opens a call.",
        "<function_calls>",
        "<invoke name=\"x\">",
        "<invoke>x</invoke>",
        "a < b and <b>bold</b>",
        "<parameter name=\"a\">1</parameter>",
    ] {
        let reply = is_no_call(text);
        assert_eq!(reply.text(), text);
        assert_eq!(reply.set_aside, []);
    }
}

#[test]
fn a_fence_closes_and_calls_behind_it_count() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    for before in ["```\ncode\n```\n", "~~~~\n```\n~~~~\n", "```inline``` text\n", "a ``` b\n"] {
        let reply = read(&format!("{before}{call}"));
        assert_eq!(reply.calls.len(), 1, "{before}");
        assert_eq!(reply.text(), before);
    }
    let fenced = format!("```xml\n{call}\n```\nThat is how.");
    let settings = Settings { fences: Fences::Calls, ..Settings::default() };
    assert_eq!(parse(Dialect::Xml, &fenced, &Tools::none(), &settings).calls.len(), 1);
}

#[test]
fn a_call_in_a_code_span_is_an_example() {
    let call = "<invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke>";
    for (before, count) in [
        ("Write `", 0),
        ("`", 0),
        ("I run `ls` ", 1),
        ("I run `ls`", 1),
        ("it`s\n", 1),
        ("a ` b ", 1),
    ] {
        let reply = read(&format!("{before}{call}` now"));
        assert_eq!(reply.calls.len(), count, "{before}");
    }
    let text = format!("Write `<function_calls>{call}</function_calls>` now");
    let reply = read(&text);
    assert_eq!(reply.text(), text);
    assert_eq!(kinds(&reply), [ProblemKind::FencedCall]);
}

#[test]
fn several_blocks_and_calls_keep_their_order() {
    let one = call_of("<parameter name=\"a\">1</parameter>");
    let reply = read(&format!("first {one} then {one}{one} end"));
    assert_eq!(reply.calls.len(), 3);
    assert_eq!(reply.text(), "first  then  end");
    assert_eq!(reply.pieces.len(), 3);
}

#[test]
fn a_repeated_parameter_is_noted_and_the_last_one_holds() {
    let text = call_of("<parameter name=\"a\">1</parameter><parameter name=\"a\">2</parameter>");
    let reply = is_one_call(&text, &json!({"a": "2"}));
    assert_eq!(kinds(&reply), [ProblemKind::RepeatedParameter]);
}

#[test]
fn a_block_that_is_left_open_gives_the_text_behind_it_back() {
    let text = "<function_calls><invoke name=\"x\"></invoke>\n\nNow I wait.</function_calls>";
    let reply = is_one_call(text, &json!({}));
    assert_eq!(reply.text(), "\n\nNow I wait.");
    assert_eq!(kinds(&reply), [ProblemKind::MissingEnd]);
}

#[test]
fn an_empty_block_is_noted() {
    let reply = is_no_call("a<function_calls>\n</function_calls>b");
    assert_eq!(reply.text(), "ab");
    assert_eq!(kinds(&reply), [ProblemKind::EmptyBlock]);
}

#[test]
fn elements_that_are_open_and_closed_at_once_are_read() {
    let text = "<function_calls><invoke name=\"x\"><parameter name=\"a\"/></invoke><invoke name=\"y\"/></function_calls>";
    let reply = read(text);
    assert_eq!(calls(&reply), [("x", &json!({"a": ""})), ("y", &json!({}))]);
}

#[test]
fn argument_text_streams_before_the_call_is_over() {
    let mut parser = Parser::new(Dialect::Xml, Tools::none(), Settings::default());
    let events = parser.push("<function_calls><invoke name=\"x\"><parameter name=\"a\">first wo");
    assert!(matches!(&events[0], Event::CallStart { name, .. } if name == "x"));
    assert!(matches!(
        &events[1],
        Event::Arguments { parameter: Some(name), text, .. } if name == "a" && text == "first wo"
    ));
    let events = parser.push("rds</para");
    assert!(matches!(&events[..], [Event::Arguments { text, .. }] if text == "rds"));
    let events = parser.finish();
    let Some(Event::CallEnd { call, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(call.state, CallState::Unfinished);
}

#[test]
fn streamed_argument_text_is_the_value() {
    for value in ["plain", "a </parameter> b </invoke> c <invoke name=\"y\"> d </invoke> e"] {
        let text = call_of(&format!("<parameter name=\"a\">{value}</parameter>"));
        for size in [1, 4, 1000] {
            let mut parser = Parser::new(Dialect::Xml, Tools::none(), Settings::default());
            let mut streamed = String::new();
            let mut add = |event: Event<'_>| {
                if let Event::Arguments { text, .. } = event {
                    streamed.push_str(&text);
                }
            };
            for piece in text.as_bytes().chunks(size) {
                parser.push_with(std::str::from_utf8(piece).unwrap(), &mut add);
            }
            parser.finish_with(&mut add);
            assert_eq!(streamed, value);
        }
    }
}

#[test]
fn argument_text_streams_to_the_parameter_it_belongs_to() {
    let text = call_of("<parameter name=\"a\">1<parameter name=\"b\">2</parameter>");
    let mut parser = Parser::new(Dialect::Xml, Tools::none(), Settings::default());
    let mut streamed = Vec::new();
    for event in parser.push(&text) {
        if let Event::Arguments { parameter: Some(name), text, .. } = event {
            streamed.push(format!("{name}={text}"));
        }
    }
    assert_eq!(streamed, ["a=1", "b=2"]);
}

#[test]
fn a_list_of_problems_is_bounded() {
    let reply =
        parse(Dialect::Xml, &"</invoke>".repeat(5_000), &Tools::none(), &Settings::default());
    assert_eq!(reply.problems.len(), 1_001);
}

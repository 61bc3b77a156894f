//! The laws on generated texts.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;
use crate::{ShownCall, render_calls};

/// Pieces of the dialect's own markup, so that random texts come near calls.
fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<function_calls>".to_owned()),
        Just("</function_calls>".to_owned()),
        Just("<invoke name=\"x\">".to_owned()),
        Just("<invoke>".to_owned()),
        Just("</invoke>".to_owned()),
        Just("<parameter name=\"text\">".to_owned()),
        Just("<parameter name=\"count\">".to_owned()),
        Just("</parameter>".to_owned()),
        Just("<tool_name>x</tool_name>".to_owned()),
        Just("<parameters>".to_owned()),
        Just("</parameters>".to_owned()),
        Just("<a>".to_owned()),
        Just("</a>".to_owned()),
        Just("<ns:invoke name='y'>".to_owned()),
        Just("</ns:invoke>".to_owned()),
        Just("<｜DSML｜parameter name=\"a\" string=\"false\">".to_owned()),
        Just("<function_results>".to_owned()),
        Just("```".to_owned()),
        Just("\n".to_owned()),
        Just("<".to_owned()),
        Just("</".to_owned()),
        Just("[1,".to_owned()),
        "[a-z <>/\"'=`~\\n观😀]{0,12}",
    ]
}

fn near_call() -> impl Strategy<Value = String> {
    proptest::collection::vec(fragment(), 0..24).prop_map(|fragments| fragments.concat())
}

/// A value that a model could send: no tags of the dialect.
fn value() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 \\n\\t\"'{}&;:,.!?=()\\[\\]/\\\\观星阁😀]{0,40}|[ -;=-~]{0,30}<[a-z]{1,5}>[ -;=-~]{0,10}"
}

fn arguments() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-z_]{1,12}", value(), 0..5).prop_map(|fields| {
        Value::Object(fields.into_iter().map(|(k, v)| (k, v.into())).collect::<Map<_, _>>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_laws_hold_for_any_text(text in near_call()) {
        for tools in [Tools::none(), tools()] {
            laws::all_hold(Dialect::Xml, &text, &tools);
            laws::any_split_gives_the_same(Dialect::Auto, &text, &tools);
        }
    }

    #[test]
    fn any_characters_are_survived(text in "\\PC*") {
        laws::any_split_gives_the_same(Dialect::Xml, &text, &Tools::none());
    }

    #[test]
    fn calls_that_are_written_are_read_back(list in proptest::collection::vec(("[a-zA-Z0-9_.-]{1,20}", arguments()), 1..4)) {
        let shown: Vec<_> = list
            .iter()
            .map(|(name, arguments)| ShownCall { id: None, name, arguments })
            .collect();
        let text = render_calls(Dialect::Xml, &shown, &Tools::none());
        let reply = parse(Dialect::Xml, &text, &Tools::none(), &Settings::default());
        let read: Vec<_> = reply.calls.iter().map(|c| (c.name.to_string(), c.arguments.clone())).collect();
        prop_assert_eq!(&read, &list);
        prop_assert_eq!(kinds(&reply), []);
        laws::no_prefix_invents_a_call(Dialect::Xml, &text, &Tools::none());
    }
}

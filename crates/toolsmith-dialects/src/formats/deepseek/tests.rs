//! Samples of the dialects of `DeepSeek`.

use serde_json::json;

use super::super::samples::{calls, read};
use crate::{Dialect, Settings, Tools, parse};

const V3: &str = "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{\"a\": 1}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>add\n```json\n{\"a\": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>";
const V31: &str = "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{\"a\": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>";

#[test]
fn both_forms_are_read_whichever_was_asked_for() {
    for text in [V3, V31] {
        for dialect in [Dialect::DeepSeekV3, Dialect::DeepSeekV31, Dialect::Auto] {
            let reply = read(dialect, text);
            assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]), "{dialect}");
            assert_eq!(reply.text(), "Hm.");
            assert!(reply.problems.is_empty(), "{:?}", reply.problems);
        }
    }
}

#[test]
fn a_missing_end_token_is_noted_and_a_cut_body_is_set_aside() {
    let cut = V31.split("<｜tool▁call▁end｜>").next().unwrap();
    assert_eq!(read(Dialect::DeepSeekV31, cut).calls.len(), 1);
    let reply =
        parse(Dialect::DeepSeekV31, &cut[..cut.len() - 1], &Tools::none(), &Settings::default());
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
}

#[test]
fn a_missing_bracket_inside_the_fence_is_repaired() {
    let reply = read(Dialect::DeepSeekV3, &V3.replace("1}\n```", "1\n```"));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]));
    assert_eq!(reply.problems.len(), 1);
}

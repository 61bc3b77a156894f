//! What the search promises, as sentences.

use std::{collections::BTreeMap, time::Instant};

use proptest::prelude::*;

use super::{Document, Hit, Index};

fn tool<'a>(name: &'a str, description: &'a str) -> Document<'a> {
    Document { name, description, ..Document::default() }
}

fn catalogue() -> Index {
    let mut index = Index::default();
    let tools = [
        tool("image_stitcher", "Joins several images side by side into one."),
        tool("get_weather", "Returns the forecast for a city."),
        tool("weather", "Everything about rain, sun and wind."),
        tool("send_email", "Sends an email to a person."),
        tool("GitHubIssues", "Lists the open issues of a repository."),
        tool("翻译文本", "把文本翻译成另一种语言"),
        tool("resize_picture", "Makes a picture smaller or larger."),
    ];
    for (tool, id) in tools.iter().zip(0..) {
        index.put(id, tool);
    }
    index
}

fn found(index: &Index, query: &str) -> Vec<u32> {
    index.search(query, 10, |_| true).into_iter().map(|hit| hit.id).collect()
}

#[test]
fn a_chinese_query_finds_an_english_tool() {
    let index = catalogue();
    assert_eq!(found(&index, "拼接图片").first(), Some(&0));
    assert!(matches!(found(&index, "明天的天气怎么样")[..], [1, 2, ..] | [2, 1, ..]));
    assert_eq!(found(&index, "发送邮件").first(), Some(&3));
}

#[test]
fn a_chinese_tool_is_found_in_both_languages() {
    let index = catalogue();
    assert_eq!(found(&index, "翻译").first(), Some(&5));
    assert_eq!(found(&index, "translate a text").first(), Some(&5));
}

#[test]
fn an_exact_name_comes_first_however_it_is_written() {
    let mut index = catalogue();
    // Another tool that speaks of nothing else must not get before the one of the name.
    index.put(90, &tool("get_weather_get_weather", "get weather get weather get weather"));
    for query in ["get_weather", "GetWeather", "get-weather", "GET WEATHER", "get.weather"] {
        assert_eq!(found(&index, query).first(), Some(&1), "{query}");
    }
    assert_eq!(found(&index, "翻译文本").first(), Some(&5));
}

#[test]
fn a_compound_is_found_written_as_one_word() {
    assert_eq!(found(&catalogue(), "github").first(), Some(&4));
}

#[test]
fn a_slip_of_the_hand_is_forgiven() {
    assert_eq!(found(&catalogue(), "repositry").first(), Some(&4));
}

#[test]
fn words_of_tags_titles_and_parameters_count() {
    let mut index = catalogue();
    let mut document = tool("x1", "Does it.");
    document.title = "Astrolabe";
    document.tags = vec!["navigation"];
    document.parameters = vec![("meridian", "The starboard side.")];
    index.put(50, &document);
    for query in ["astrolabe", "navigation", "meridian", "starboard"] {
        assert_eq!(found(&index, query).first(), Some(&50), "{query}");
    }
}

#[test]
fn nothing_found_is_an_empty_list() {
    let index = catalogue();
    assert!(found(&index, "zzzzqqqq").is_empty());
    assert!(found(&Index::default(), "weather").is_empty());
}

#[test]
fn removed_tools_are_not_found() {
    let mut index = catalogue();
    index.remove(1);
    index.remove(1);
    assert!(!found(&index, "get_weather").contains(&1));
    assert_eq!(index.len(), 6);
}

#[test]
fn a_tool_that_was_replaced_is_found_by_its_later_words_only() {
    let mut index = catalogue();
    index.put(1, &tool("play_music", "Plays a song."));
    assert_eq!(found(&index, "song").first(), Some(&1));
    assert!(!found(&index, "forecast").contains(&1));
    assert_eq!(index.len(), 7);
}

#[test]
fn only_tools_that_are_kept_are_returned() {
    let index = catalogue();
    let hits = index.search("weather", 1, |id| id != 2);
    assert_eq!(hits.iter().map(|hit| hit.id).collect::<Vec<_>>(), [1]);
    assert!(index.search("weather", 0, |_| true).is_empty());
}

#[test]
fn hostile_queries_are_answered_soon() {
    let index = catalogue();
    let queries = [
        "weather ".repeat(200_000),
        "a".repeat(1 << 20),
        "😀🎉\u{0}\u{7}\u{202e}".repeat(50_000),
        "the of and to what".to_owned(),
        (0..5_000_u32).map(|number| number.to_string()).collect::<Vec<_>>().join(" word"),
        "图".repeat(400_000),
        "''''’’’___---".to_owned(),
        "e\u{301}".repeat(100_000),
        String::new(),
    ];
    let start = Instant::now();
    for query in &queries {
        assert!(found(&index, query).len() <= 7);
    }
    assert!(start.elapsed().as_secs() < 2, "it took {:?}", start.elapsed());
}

#[test]
fn a_name_without_letters_is_no_answer_to_a_query_without_letters() {
    let mut index = Index::default();
    index.put(1, &tool("___", ""));
    assert!(found(&index, "...").is_empty());
}

#[test]
fn an_endless_description_is_cut() {
    let mut index = Index::default();
    let endless = "meter ".repeat(1 << 20);
    index.put(1, &tool("ruler", &endless));
    assert_eq!(found(&index, "meter"), [1]);
}

/// A change of the index: puts words under a number, or takes the number out.
fn changes() -> impl Strategy<Value = Vec<(u32, Option<Vec<&'static str>>)>> {
    let word = prop::sample::select(vec![
        "weather",
        "image",
        "getFile",
        "send",
        "图片",
        "stitch",
        "translate",
        "repository",
        "x2",
        "wether",
        "mail",
    ]);
    let words = prop::option::weighted(0.7, prop::collection::vec(word, 1..8));
    prop::collection::vec((0_u32..12, words), 0..60)
}

fn hits(index: &Index, query: &str) -> Vec<Hit> {
    index.search(query, 20, |_| true)
}

proptest! {
    #[test]
    fn an_index_changed_tool_by_tool_equals_one_built_anew(changes in changes()) {
        let mut changed = Index::default();
        let mut last = BTreeMap::new();
        for (id, words) in changes {
            if let Some(words) = words {
                let text = words.join(" ");
                changed.put(id, &tool(words[0], &text));
                last.insert(id, (words[0], text));
            } else {
                changed.remove(id);
                last.remove(&id);
            }
        }
        let mut anew = Index::default();
        for (id, (name, text)) in &last {
            anew.put(*id, &tool(name, text));
        }
        prop_assert_eq!(changed.len(), last.len());
        for query in ["weather", "get_file", "wheather image", "拼接图片", "send an email", "repo"] {
            prop_assert_eq!(hits(&changed, query), hits(&anew, query), "for {}", query);
        }
    }

    #[test]
    fn any_text_can_be_indexed_and_asked(name in ".{0,40}", text in ".{0,200}") {
        let mut index = Index::default();
        index.put(7, &tool(&name, &text));
        let hits = index.search(&name, 5, |_| true);
        prop_assert!(hits.len() <= 1);
        if name.chars().any(char::is_alphanumeric) {
            prop_assert_eq!(hits.first().map(|hit| hit.id), Some(7));
        }
    }
}

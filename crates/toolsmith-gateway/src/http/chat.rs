//! `POST /chat {message, chat_id}`: questions about the tools, in words.
//!
//! Without a model the answer comes from a search in the registry, and says so.

use std::fmt::Write as _;

use axum::{body::Body, extract::State, http::HeaderMap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolsmith_core::Text;
use toolsmith_engine::registry::{Filter, Hit};

use super::{
    answer::{Failure, Json},
    body,
};
use crate::{Gateway, Visitor};

/// How many tools an answer names.
const MOST_TOOLS: usize = 5;

/// How much of a description is quoted, in characters.
const QUOTED: usize = 160;

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Question", extend("examples" = [{ "message": "How late is it?" }]))]
pub(super) struct Request {
    message: String,
    chat_id: Option<Text>,
}

/// What is answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    response: String,
    chat_id: Text,
}

/// Answers a question about the tools that the caller may see.
pub(super) async fn chat(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Reply>, Failure> {
    let request: Request = body::json(&headers, body, &gateway.0.config).await?;
    let engine = &gateway.0.engine;
    let filter = Filter { enabled: Some(true), ..Filter::visible_to(&visitor.rights) };
    let hits = engine.registry().search(&request.message, &filter, MOST_TOOLS);
    let response = answer(&hits, Words::of(&request.message));
    let chat_id = request.chat_id.unwrap_or_else(|| engine.new_call_id().to_string().into());
    Ok(Json(Reply { response, chat_id }))
}

/// What is said around the tools, in the language of the question.
struct Words {
    found: &'static str,
    nothing: &'static str,
    how: &'static str,
    source: &'static str,
}

const ENGLISH: Words = Words {
    found: "These tools fit your question best:",
    nothing: "No tool fits your question. `GET /tools` lists what there is.",
    how: "Call one with `POST /run_tool`; `GET /tools/{name}` shows what it wants.",
    source: "(No model is configured: this answer comes from a search in the tool registry.)",
};

const CHINESE: Words = Words {
    found: "以下工具与您的问题最相符:",
    nothing: "没有与您的问题相符的工具。`GET /tools` 可列出全部工具。",
    how: "用 `POST /run_tool` 调用;`GET /tools/{name}` 可查看其参数。",
    source: "(未配置模型:此回答来自对工具注册表的搜索。)",
};

impl Words {
    fn of(question: &str) -> &'static Self {
        let is_han = |c: char| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
        if question.chars().any(is_han) { &CHINESE } else { &ENGLISH }
    }
}

fn answer(hits: &[Hit], words: &Words) -> String {
    if hits.is_empty() {
        return format!("{}\n\n{}", words.nothing, words.source);
    }
    let mut text = format!("{}\n", words.found);
    for hit in hits {
        let spec = &hit.tool.spec;
        let line = spec.description.lines().next().unwrap_or_default();
        let quoted: String = line.chars().take(QUOTED).collect();
        write!(text, "\n- `{}`: {quoted}", spec.name).ok();
    }
    format!("{text}\n\n{}\n\n{}", words.how, words.source)
}

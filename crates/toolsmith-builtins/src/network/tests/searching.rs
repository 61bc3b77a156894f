//! `web_search`, with every engine, against servers that answer as the engines do.

use toolsmith_core::{ErrorKind, Template, Value, json};

use super::{
    super::search::{Search, SearchEngine},
    call, network, searching,
    server::{Reply, Server},
};

async fn search(engine: SearchEngine, server: &Server) -> Value {
    let input = json!({ "query": "rust & 语言", "limit": 2 });
    call(&searching(engine, server), "web_search", input).await.unwrap()
}

async fn engine(answer: Value) -> Server {
    Server::start(move |_| Reply::new(200, "application/json", answer.to_string())).await
}

fn expected() -> Value {
    json!({ "results": [
        { "title": "Rust", "url": "https://www.rust-lang.org/", "snippet": "A language." },
        { "title": "Book", "url": "https://doc.rust-lang.org/book/", "snippet": "" }
    ] })
}

#[tokio::test]
async fn tavily_is_asked_with_a_bearer_token() {
    let server = engine(json!({
        "query": "rust", "follow_up_questions": null, "answer": null, "images": [],
        "results": [
            { "url": "https://www.rust-lang.org/", "title": "Rust", "content": "A\n language.", "score": 0.98, "raw_content": null },
            { "url": "https://doc.rust-lang.org/book/", "title": "Book", "score": 0.9 },
            { "url": "https://third.example/", "title": "Third", "content": "", "score": 0.1 }
        ],
        "response_time": 1.2
    }));
    let server = server.await;
    assert_eq!(search(SearchEngine::Tavily, &server).await, expected());
    let seen = &server.seen()[0];
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("POST", "/search"));
    assert_eq!(seen.header("authorization"), Some("Bearer key-12345678"));
    let body: Value = serde_json::from_slice(&seen.body).unwrap();
    assert_eq!(body, json!({ "query": "rust & 语言", "max_results": 2 }));
}

#[tokio::test]
async fn google_is_asked_with_key_and_engine() {
    let server = engine(json!({
        "kind": "customsearch#search", "searchInformation": { "totalResults": "2" },
        "items": [
            { "kind": "customsearch#result", "title": "Rust", "htmlTitle": "<b>Rust</b>", "link": "https://www.rust-lang.org/", "displayLink": "www.rust-lang.org", "snippet": "A language." },
            { "title": "Book", "link": "https://doc.rust-lang.org/book/" }
        ]
    }));
    let server = server.await;
    assert_eq!(search(SearchEngine::Google, &server).await, expected());
    assert_eq!(
        server.seen()[0].target,
        "/customsearch/v1?key=key-12345678&cx=engine-1&q=rust+%26+%E8%AF%AD%E8%A8%80&num=2"
    );
}

#[tokio::test]
async fn bing_is_asked_with_a_subscription_key() {
    let server = engine(json!({
        "_type": "SearchResponse", "queryContext": { "originalQuery": "rust" },
        "webPages": { "webSearchUrl": "https://www.bing.com/", "totalEstimatedMatches": 2, "value": [
            { "id": "#0", "name": "Rust", "url": "https://www.rust-lang.org/", "isFamilyFriendly": true, "snippet": "A language." },
            { "id": "#1", "name": "Book", "url": "https://doc.rust-lang.org/book/" }
        ] }
    }));
    let server = server.await;
    assert_eq!(search(SearchEngine::Bing, &server).await, expected());
    let seen = &server.seen()[0];
    assert!(seen.target.starts_with("/v7.0/search?q=rust+%26"), "{}", seen.target);
    assert_eq!(seen.header("ocp-apim-subscription-key"), Some("key-12345678"));
}

#[tokio::test]
async fn searxng_is_asked_for_json() {
    let server = engine(json!({
        "query": "rust", "number_of_results": 0, "answers": [], "suggestions": [], "unresponsive_engines": [],
        "results": [
            { "url": "https://www.rust-lang.org/", "title": "Rust", "content": "A language.", "engine": "duckduckgo", "score": 1.0, "category": "general" },
            { "url": "https://doc.rust-lang.org/book/", "title": "Book", "content": null }
        ]
    }));
    let server = server.await;
    assert_eq!(search(SearchEngine::Searxng, &server).await, expected());
    assert!(server.seen()[0].target.starts_with("/search?q=rust+%26"));
    assert!(server.seen()[0].target.ends_with("&format=json"));
}

#[tokio::test]
async fn duckduckgo_is_read_from_its_page_without_advertisements() {
    let page = include_str!("pages/duckduckgo.html");
    let server = Server::start(move |_| Reply::new(200, "text/html; charset=UTF-8", page)).await;
    let output = search(SearchEngine::Duckduckgo, &server).await;
    assert_eq!(
        output,
        json!({ "results": [
            {
                "title": "Rust Programming Language",
                "url": "https://www.rust-lang.org/?a=1&b=2",
                "snippet": "A language empowering everyone to build reliable & efficient software."
            },
            { "title": "The Book", "url": "https://doc.rust-lang.org/book/", "snippet": "Learn Rust." }
        ] })
    );
    assert_eq!(server.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn an_engine_that_fails_says_what_to_do() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/search" => {
            Reply::new(429, "application/json", r#"{"error":"quota"}"#).with("retry-after", "9")
        }
        "/html/?q=x" => Reply::new(202, "text/html", "<div class=anomaly-modal__title>Bots</div>"),
        _ => Reply::new(401, "application/json", r#"{"error":"bad key"}"#),
    });
    let server = server.await;
    let error = async |engine| {
        let network = searching(engine, &server);
        call(&network, "web_search", json!({ "query": "x" })).await.unwrap_err()
    };
    let busy = error(SearchEngine::Tavily).await;
    assert_eq!((busy.kind(), busy.retry_after().unwrap().as_secs()), (ErrorKind::UpstreamError, 9));
    assert!(error(SearchEngine::Duckduckgo).await.message().contains("takes us for a robot"));
    let wrong = error(SearchEngine::Bing).await;
    assert!(!wrong.is_retryable() && wrong.message().contains("credentials"), "{wrong}");
}

#[tokio::test]
async fn an_engine_without_its_key_says_which_one_to_set() {
    let mut network = network(&[]);
    let error = call(&network, "web_search", json!({ "query": "x" })).await.unwrap_err();
    assert!(error.message().starts_with("Web search is not configured. Set `tools.web"), "{error}");
    for (engine, part) in [
        (SearchEngine::Tavily, "set `tools.webSearch.apiKey`, for example to `${TAVILY_API_KEY}`"),
        (SearchEngine::Google, "${GOOGLE_API_KEY}"),
        (SearchEngine::Bing, "${BING_API_KEY}"),
        (SearchEngine::Searxng, "set `tools.webSearch.baseUrl`"),
    ] {
        network.search = Some(Search { engine, ..Search::default() });
        let error = call(&network, "web_search", json!({ "query": "x" })).await.unwrap_err();
        assert!(error.message().contains("is not configured"), "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    let api_key = Some(Template::parse("${NOT_SET}").unwrap());
    network.search = Some(Search { engine: SearchEngine::Google, api_key, ..Search::default() });
    let error = call(&network, "web_search", json!({ "query": "x" })).await.unwrap_err();
    assert!(error.message().contains("the variable `NOT_SET` is not set"), "{error}");
}

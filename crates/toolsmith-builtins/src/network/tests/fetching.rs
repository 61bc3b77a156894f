//! `web_fetch`: pages as Markdown.

use toolsmith_core::json;
use toolsmith_net::Url;

use super::{
    super::page,
    call, network,
    server::{Reply, Server},
};

fn readable(html: &str) -> page::Page {
    page::readable(html, &Url::parse("https://news.example/a/b.html").unwrap())
}

#[test]
fn an_article_is_read_without_what_stands_around_it() {
    let page = readable(include_str!("pages/article.html"));
    assert_eq!(page.title, "How tides work — Harbour News");
    assert_eq!(page.markdown, include_str!("pages/article.md").trim_end());
}

#[test]
fn a_page_of_nested_tables_gives_its_text() {
    let page = readable(include_str!("pages/plain.html"));
    assert_eq!(page.title, "天气预报");
    assert!(page.markdown.starts_with("# 明天晴\n\n气象台发布消息"), "{}", page.markdown);
    assert!(page.markdown.ends_with("[详细预报](https://news.example/a/detail.htm)"));
    assert!(!page.markdown.contains("首页") && !page.markdown.contains("版权所有"));
}

#[test]
fn a_page_without_marks_is_kept_whole() {
    let page = readable("<title> A\n b </title><h1>Hi</h1><p>one</p><p>two <b>three</b></p>");
    assert_eq!(page.title, "A b");
    assert_eq!(page.markdown, "# Hi\n\none\n\ntwo **three**");
}

#[test]
fn links_without_words_and_links_in_code_are_dropped() {
    let html = "<p>a<a href=/x></a> <a href=/y title=t>b</a></p><pre>c <a href=/z>d</a></pre>";
    assert_eq!(readable(html).markdown, "a [b](https://news.example/y)\n\n```\nc d\n```");
}

#[test]
fn no_depth_of_elements_overflows_the_stack() {
    for tags in ["div", "blockquote", "b", "ul><li", "table><tr><td", "font", "ol><li><p"] {
        let html = format!("<main>{}deep words", format!("<{tags}>").repeat(500));
        // A thread of the pool has two megabytes; so has this one.
        let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let thread = thread.spawn(move || readable(&html).markdown).unwrap();
        let markdown = thread.join().unwrap();
        assert!(markdown.contains("deep words"), "{tags}: {}", markdown.len());
    }
}

#[test]
fn no_page_holds_its_reader_for_long() {
    let unclosed = (0..2_000).map(|n| format!("<b a={n}>")).collect::<Vec<_>>().concat();
    for hostile in ["<div>".repeat(400_000), unclosed + &"<p>x".repeat(400_000)] {
        let start = std::time::Instant::now();
        readable(&format!("<main><p>begin</p>{hostile}"));
        let took = start.elapsed();
        assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    }
}

#[tokio::test]
async fn pages_texts_and_json_are_returned_and_bytes_are_refused() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/page" => Reply::new(200, "text/html", include_str!("pages/article.html")),
        "/gbk" => {
            let (bytes, _, _) = encoding_rs::GBK.encode(include_str!("pages/plain.html"));
            Reply::new(200, "text/html; charset=gb2312", bytes.into_owned())
        }
        "/json" => Reply::new(200, "application/json", r#"{"b":1,"a":[2]}"#),
        "/text" => Reply::new(200, "text/plain; charset=utf-8", "as <it> is\n"),
        "/pdf" => Reply::new(200, "application/pdf", "%PDF-1.7"),
        "/empty" => Reply::new(200, "text/html", "<script>app()</script><div id=root></div>"),
        "/moved" => Reply::redirect(301, "/text"),
        _ => Reply::new(404, "text/html", "<h1>Not here</h1>"),
    });
    let server = server.await;
    let network = network(&[&server]);
    let fetch =
        async |path: &str| call(&network, "web_fetch", json!({ "url": server.url(path) })).await;
    let page = fetch("/page").await.unwrap();
    assert_eq!(page["title"], "How tides work — Harbour News");
    assert!(page["markdown"].as_str().unwrap().contains("](http://127.0.0.1:"));
    let chinese = fetch("/gbk").await.unwrap();
    assert_eq!(chinese["title"], "天气预报");
    assert!(chinese["markdown"].as_str().unwrap().contains("最高气温二十五度"));
    assert_eq!(
        fetch("/json").await.unwrap()["markdown"],
        "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}"
    );
    let moved = fetch("/moved").await.unwrap();
    assert_eq!(
        moved,
        json!({ "url": server.url("/text"), "title": "", "markdown": "as <it> is\n" })
    );
    let error = async |path: &str| fetch(path).await.unwrap_err().message().to_owned();
    assert!(error("/pdf").await.contains("`application/pdf`, which is not text"));
    assert!(error("/empty").await.contains("no text of its own"));
    assert!(error("/gone").await.contains("answered 404"));
}

#[tokio::test]
async fn a_long_page_is_cut_and_says_so() {
    let long = format!("<main><p>{}</p></main>", "word ".repeat(1_000_000));
    let server = Server::start(move |_| Reply::new(200, "text/html", long.clone())).await;
    let input = json!({ "url": server.url("/") });
    let output = call(&network(&[&server]), "web_fetch", input).await.unwrap();
    assert_eq!(output["truncated"], true);
    assert!(output["markdown"].as_str().unwrap().len() > 4_000_000);
}

//! The description as a page: nothing of it comes from elsewhere.

use std::fmt::Write as _;

use toolsmith_core::Value;

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>Toolsmith</title>\
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}summary{cursor:pointer;padding:.3rem 0}code{font-size:.95em}\
summary code{display:inline-block;min-width:17rem}details{border-bottom:1px solid #8884}\
details>div{padding:0 0 1rem 1.2rem}pre{overflow:auto;font-size:.85em;background:#8881;padding:.6rem;\
margin:.3rem 0}td{padding:.1rem 1rem .1rem 0;vertical-align:top}h3{font-size:1em;margin:.6rem 0 0}\
</style><h1>Toolsmith</h1><p>The addresses of this server; <a href=\"/openapi.json\">openapi.json</a> \
describes them for programs.</p>";

/// Writes the page.
pub(super) fn page(document: &Value) -> String {
    let mut page = HEAD.to_owned();
    for (path, operations) in members(&document["paths"]) {
        for (method, operation) in members(operations) {
            write_operation(&mut page, (&method.to_uppercase(), path), operation);
        }
    }
    page.push_str("<h2>Schemas</h2>");
    for (name, schema) in members(&document["components"]["schemas"]) {
        let text = escaped(&serde_json::to_string_pretty(schema).unwrap_or_default());
        write!(page, "<details id=\"{name}\"><summary><code>{name}</code></summary>").ok();
        write!(page, "<pre>{text}</pre></details>").ok();
    }
    page + "</html>"
}

fn write_operation(page: &mut String, (method, path): (&str, &str), operation: &Value) {
    let summary = escaped(operation["summary"].as_str().unwrap_or_default());
    write!(page, "<details><summary><code>{method} {path}</code> {summary}</summary><div>").ok();
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        page.push_str("<h3>Parameters</h3><table>");
        for parameter in parameters {
            let [name, place, about] =
                ["name", "in", "description"].map(|key| parameter[key].as_str().unwrap_or(""));
            let (schema, about) = (escaped(&parameter["schema"].to_string()), escaped(about));
            write!(page, "<tr><td><code>{name}</code><td>{place}<td>{about}").ok();
            write!(page, "<td><code>{schema}</code>").ok();
        }
        page.push_str("</table>");
    }
    let body = &operation["requestBody"]["content"];
    if body.is_object() {
        write!(page, "<h3>Body</h3>{}", contents(body)).ok();
    }
    page.push_str("<h3>Answers</h3><table>");
    for (status, response) in members(&operation["responses"]) {
        let description = response["description"].as_str().unwrap_or_default();
        let content = contents(&response["content"]);
        write!(page, "<tr><td>{status}<td>{description}<td>{content}").ok();
    }
    page.push_str("</table></div></details>");
}

/// Writes the types of a body, and the names of their schemas.
fn contents(content: &Value) -> String {
    let one = |(kind, content): (&String, &Value)| {
        let text = content["schema"].to_string();
        let named = text.split("#/components/schemas/").skip(1).filter_map(|rest| {
            let name = rest.split('"').next()?;
            Some(format!("<a href=\"#{name}\"><code>{name}</code></a>"))
        });
        format!("<code>{kind}</code> {}", named.collect::<Vec<_>>().join(" or "))
    };
    members(content).map(one).collect::<Vec<_>>().join(", ")
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

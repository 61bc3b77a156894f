//! The addresses as a page: nothing of it comes from elsewhere.

use std::fmt::Write as _;

use super::addresses::Address;

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Toolsmith</title>\
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}td{padding:.3rem .8rem .3rem 0;vertical-align:top}code{font-size:.95em}\
</style><h1>Toolsmith</h1><p>The addresses of this server; <a href=\"/openapi.json\">openapi.json</a> \
describes them for programs.</p><table>";

/// Writes the page. What it shows is ours, so that nothing has to be escaped.
pub(super) fn page(addresses: &[Address]) -> String {
    let mut page = HEAD.to_owned();
    for address in addresses {
        let method = address.method.to_uppercase();
        let query: Vec<&str> = address.query.iter().map(|(name, _)| *name).collect();
        let query = if query.is_empty() { String::new() } else { query.join(", ") };
        write!(
            page,
            "<tr><td><code>{method} {}</code><td>{}<td><code>{query}</code>",
            address.path, address.summary
        )
        .ok();
    }
    page + "</table></html>"
}

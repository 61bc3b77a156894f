//! Which resources and prompts of which servers are offered, under which names.
//!
//! Everything here works on values, as in `catalogue`: the order of the settings decides who gets a
//! name, never the order in which servers start.

use std::collections::{BTreeSet, HashMap};

use toolsmith_core::{Value, fits_pattern, json};

use super::{
    settings::{Prefix, ServerSettings},
    stock::{Kind, Stock},
};

/// Where an item says which server it comes from.
pub(super) const FROM: &str = "toolsmith/server";

/// One item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offered {
    pub(super) server: String,
    /// The server's own name for it.
    pub(super) own_key: String,
    /// What it is asked for by.
    pub(super) key: String,
    /// What lists hold.
    pub(super) item: Value,
}

/// What is offered besides tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Offer {
    pub(super) resources: Vec<Offered>,
    pub(super) templates: Vec<Offered>,
    pub(super) prompts: Vec<Offered>,
    pub(super) warnings: BTreeSet<String>,
}

impl Offer {
    /// Plans what is offered, in the order of the settings.
    pub(super) fn of<'a>(
        stocks: impl IntoIterator<Item = (&'a ServerSettings, &'a Stock)> + Clone,
    ) -> Self {
        let mut offer = Self::default();
        offer.resources = offer.gather(stocks.clone(), Kind::Resources, |stock| &stock.resources);
        offer.templates = offer.gather(stocks.clone(), Kind::Templates, |stock| &stock.templates);
        offer.prompts = offer.gather(stocks, Kind::Prompts, |stock| &stock.prompts);
        offer
    }

    fn gather<'a>(
        &mut self,
        stocks: impl IntoIterator<Item = (&'a ServerSettings, &'a Stock)>,
        kind: Kind,
        items: impl Fn(&'a Stock) -> &'a [Value],
    ) -> Vec<Offered> {
        let mut first: HashMap<String, &str> = HashMap::new();
        let mut gathered = Vec::new();
        for (settings, stock) in stocks {
            let server = settings.name.as_str();
            for item in items(stock) {
                let own_key = item.get(kind.key()).and_then(Value::as_str).unwrap_or_default();
                let mut keys = candidates(settings, kind, own_key);
                let wanted = keys.first().cloned().unwrap_or_default();
                let free = keys.iter().position(|key| !first.contains_key(key));
                if free != Some(0) {
                    let holder = first.get(&wanted).copied().unwrap_or_default();
                    self.warnings.insert(taken(kind, &wanted, server, holder, free.is_some()));
                }
                let key = match (free, kind) {
                    (Some(free), _) => keys.swap_remove(free),
                    // An address cannot be changed: who may not see the first one gets this one.
                    (None, Kind::Resources | Kind::Templates) => wanted,
                    (None, Kind::Prompts) => continue,
                };
                first.entry(key.clone()).or_insert(server);
                let item = shown(item, kind, &key, server);
                let (server, own_key) = (server.to_owned(), own_key.to_owned());
                gathered.push(Offered { server, own_key, key, item });
            }
        }
        gathered
    }

    /// Returns the servers that may have the resource at an address, the likeliest first.
    pub(super) fn servers_of<'a>(
        &'a self,
        uri: &'a str,
        sees: &(impl Fn(&str) -> bool + 'a),
    ) -> Vec<&'a str> {
        let is_seen = |offered: &&Offered| sees(&offered.server);
        if let Some(listed) = self.resources.iter().filter(is_seen).find(|it| it.key == uri) {
            return vec![&listed.server];
        }
        let fits = |offered: &&Offered| fits_pattern(&pattern(&offered.key), uri);
        let templates = self.templates.iter().filter(is_seen).filter(fits);
        // A server may have more than it lists; nobody else is told what is asked of it.
        let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
        let is_alike = |offered: &&Offered| {
            offered.key.split_once(':').map(|(scheme, _)| scheme) == scheme && scheme.is_some()
        };
        let listed = self.resources.iter().chain(&self.templates);
        let alike = listed.filter(is_seen).filter(is_alike);
        let mut servers: Vec<&str> = Vec::new();
        for offered in templates.chain(alike) {
            if !servers.contains(&offered.server.as_str()) {
                servers.push(&offered.server);
            }
        }
        servers
    }
}

/// Returns the names that an item may get, the wanted one first.
fn candidates(settings: &ServerSettings, kind: Kind, own_key: &str) -> Vec<String> {
    if kind != Kind::Prompts {
        return vec![own_key.to_owned()];
    }
    let mut names = vec![format!("{}{own_key}", settings.prefix())];
    if settings.prefix != Prefix::Name {
        names.push(format!("{}__{own_key}", settings.name));
    }
    names
}

fn taken(kind: Kind, key: &str, server: &str, holder: &str, is_renamed: bool) -> String {
    let key: String = key.chars().take(200).collect();
    let (what, then) = match (kind, is_renamed) {
        (Kind::Prompts, true) => ("prompt", "gets the server's name before its own"),
        (Kind::Prompts, false) => ("prompt", "is left out"),
        (Kind::Resources, _) => ("resource", "is hidden by that one"),
        (Kind::Templates, _) => ("template", "is hidden by that one"),
    };
    format!(
        "The MCP servers `{holder}` and `{server}` both have the {what} `{key}`; that of `{server}` \
         {then}."
    )
}

/// Returns what lists hold: the item under its name, and where it comes from.
fn shown(item: &Value, kind: Kind, key: &str, server: &str) -> Value {
    let mut item = item.clone();
    item[kind.key()] = key.into();
    if !item.get("_meta").is_some_and(Value::is_object) {
        item["_meta"] = json!({});
    }
    item["_meta"][FROM] = server.into();
    item
}

/// Returns a pattern that every address fits which a template could give.
fn pattern(template: &str) -> String {
    let mut pattern = String::with_capacity(template.len());
    let mut is_inside = false;
    for c in template.chars() {
        match c {
            '{' => {
                is_inside = true;
                pattern.push('*');
            }
            '}' => is_inside = false,
            c if !is_inside => pattern.push(c),
            _ => {}
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use toolsmith_core::Template;

    use super::*;
    use crate::mcp::{Link, Program};

    fn settings(name: &str, prefix: Prefix) -> ServerSettings {
        let program = Program::new(Template::literal("x"));
        ServerSettings { prefix, ..ServerSettings::new(name, Link::Stdio(program)) }
    }

    fn stock(resources: &[&str], templates: &[&str], prompts: &[&str]) -> Stock {
        let items = |kind: Kind, keys: &[&str]| {
            keys.iter().map(|key| json!({ kind.key(): key, "name": key })).collect()
        };
        Stock {
            resources: items(Kind::Resources, resources),
            templates: items(Kind::Templates, templates),
            prompts: items(Kind::Prompts, prompts),
            ..Stock::default()
        }
    }

    fn names(offered: &[Offered]) -> Vec<(&str, &str)> {
        offered.iter().map(|it| (it.key.as_str(), it.server.as_str())).collect()
    }

    #[test]
    fn prompts_are_named_as_tools_are_and_nobody_is_left_out_silently() {
        let (one, two) = (settings("one", Prefix::None), settings("two", Prefix::None));
        let three = settings("three", Prefix::Name);
        let same = stock(&["a://x"], &[], &["ask", "two__ask"]);
        let other = stock(&["a://x"], &[], &["ask"]);
        let offer = Offer::of([(&one, &same), (&two, &other), (&three, &other)]);
        let expected = [("ask", "one"), ("two__ask", "one"), ("three__ask", "three")];
        assert_eq!(names(&offer.prompts), expected);
        assert_eq!(offer.prompts[2].own_key, "ask");
        assert_eq!(offer.prompts[2].item["_meta"][FROM], "three");
        let warnings: Vec<&String> = offer.warnings.iter().collect();
        assert_eq!(warnings.len(), 3, "{warnings:#?}");
    }

    #[test]
    fn an_address_goes_to_the_first_server_that_lists_it_and_may_be_seen() {
        let (one, two) = (settings("one", Prefix::Name), settings("two", Prefix::Name));
        let first = stock(&["a://x", "b://y"], &["a://{id}/data"], &[]);
        let second = stock(&["a://x"], &["a://{id}/{more}", "{+path}"], &[]);
        let offer = Offer::of([(&one, &first), (&two, &second)]);
        let find = |uri, server: Option<&str>| {
            offer
                .servers_of(uri, &|name: &str| server.is_none_or(|server| server == name))
                .join(" ")
        };
        assert_eq!(find("a://x", None), "one");
        assert_eq!(find("a://x", Some("two")), "two");
        assert_eq!(find("a://7/data", None), "one two");
        assert_eq!(find("b://z", Some("one")), "one");
        assert_eq!(find("c://z", Some("one")), "");
        assert_eq!(find("a://x", Some("three")), "");
    }
}

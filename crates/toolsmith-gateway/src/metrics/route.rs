//! Which address a request is for, with the names in it left out.

use std::sync::LazyLock;

use crate::http;

/// An address of the doors, with places for the names in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route(usize);

/// Where most requests go: they are found first.
const BUSIEST: [&str; 2] = ["/run_tool", "/mcp"];

/// Every address; the last one stands for those that there are not.
static ROUTES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut routes: Vec<&str> = http::paths().collect();
    // Words come before places for names, as `/calls/summary` before `/calls/{id}`.
    routes.sort_by_key(|route| (!BUSIEST.contains(route), route.contains('{')));
    routes.push("");
    routes
});

impl Route {
    /// Returns how many there are.
    pub(crate) fn count() -> usize {
        ROUTES.len()
    }

    /// Finds the address of a path.
    pub(crate) fn of(path: &str) -> Self {
        let found = ROUTES.iter().position(|route| fits(route, path));
        Self(found.unwrap_or(ROUTES.len() - 1))
    }

    /// Returns where it stands among all of them.
    pub(crate) fn place(self) -> usize {
        self.0
    }

    /// Returns the address at a place.
    pub(crate) fn at(place: usize) -> &'static str {
        ROUTES.get(place).copied().unwrap_or_default()
    }

    /// Returns the address.
    pub(crate) fn as_str(self) -> &'static str {
        Self::at(self.place())
    }
}

fn fits(route: &str, path: &str) -> bool {
    if !route.contains('{') {
        return route == path && !route.is_empty();
    }
    let (mut wanted, mut found) = (route.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(place), Some(name)) if place.starts_with('{') && !name.is_empty() => {}
            (Some(word), Some(other)) if word == other => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_left_out() {
        for (path, route) in [
            ("/run_tool", "/run_tool"),
            ("/tools/read_file", "/tools/{name}"),
            ("/tools/a/enable", "/tools/{name}/enable"),
            ("/calls/summary", "/calls/summary"),
            ("/calls/019a84cf", "/calls/{id}"),
            ("/mcp/files", "/mcp/{group}"),
            ("/tools/", ""),
            ("/wp-login.php", ""),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(Route::of(path).as_str(), route, "{path}");
        }
    }
}

//! The path of an operation: text, and places for parameters.

/// A path that has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathTemplate<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
}

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Slot {
        name: &'a str,
        /// Whether a value may go over several steps: `{+name}`.
        is_open: bool,
    },
}

impl<'a> PathTemplate<'a> {
    /// Reads a path; what some documents append behind `#` to tell operations apart is not sent.
    pub(super) fn parse(path: &'a str) -> Result<Self, String> {
        let path = path.split('#').next().unwrap_or_default();
        if path.len() > 2_000 {
            return Err("its path is longer than 2000 characters".to_owned());
        }
        let mut pieces = Vec::new();
        let mut rest = path;
        while let Some((before, from)) = rest.split_once('{') {
            let Some((inside, after)) = from.split_once('}') else { return Err(unreadable()) };
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            let name = inside.trim_start_matches(['+', '/', '.', ';']).trim_end_matches('*');
            if name.is_empty() || name.contains(['{', '?', '&']) || before.contains('}') {
                return Err(unreadable());
            }
            let is_open = inside.starts_with('+') || inside.ends_with("**");
            pieces.push(Piece::Slot { name, is_open });
            rest = after;
        }
        if rest.contains('}') {
            return Err(unreadable());
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Ok(Self { pieces })
    }

    /// Returns the names of its parameters.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot { name, .. } => Some(*name),
            Piece::Text(_) => None,
        })
    }

    /// Writes it for the REST connector, with the names that calls use.
    pub(super) fn write(&self, argument: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                // A `$` before a brace would begin a variable, and a document has none of ours.
                Piece::Text(words) => text.push_str(&words.replace('$', "%24")),
                Piece::Slot { name, .. } => {
                    text.push('{');
                    text.push_str(&argument(name));
                    text.push('}');
                }
            }
        }
        text
    }
}

fn unreadable() -> String {
    "the braces of its path cannot be read".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_text_and_places() {
        let write = |path: &'static str| {
            PathTemplate::parse(path).map(|path| path.write(str::to_uppercase))
        };
        assert_eq!(write("/a/{b}/c.{d}").unwrap(), "/a/{B}/c.{D}");
        assert_eq!(write("/{+name}:run").unwrap(), "/{NAME}:run");
        assert_eq!(write("/x#y={z}").unwrap(), "/x");
        assert_eq!(write("/${HOME}").unwrap(), "/%24{HOME}");
        for wrong in ["/{", "/{}", "/a}b", "/{{a}}", "/{a}}"] {
            assert!(write(wrong).is_err(), "{wrong}");
        }
    }
}

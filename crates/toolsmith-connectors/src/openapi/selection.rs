//! Which operations of a document are wanted.

use super::{ImportError, model::Named};

/// How many tags or names an error lists.
const LISTED: usize = 12;

/// Which operations are wanted; what is empty asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Those with one of these tags.
    pub tags: Vec<String>,
    /// Those whose path fits one of these patterns; `*` stands for one step, `**` for any.
    pub paths: Vec<String>,
    /// Those with one of these methods.
    pub methods: Vec<String>,
    /// Those with one of these identifiers, or names of their tools.
    pub operations: Vec<String>,
}

/// What is wanted, and what is not.
type Parted<'a> = (Vec<Named<'a>>, Vec<Named<'a>>);

impl Selection {
    /// Parts what is wanted from the rest; when nothing is, the error says what there is.
    pub(super) fn choose<'a>(&self, all: Vec<Named<'a>>) -> Result<Parted<'a>, ImportError> {
        if all.is_empty() || self.is_empty() {
            return Ok((all, Vec::new()));
        }
        if all.iter().any(|named| self.wants(named)) {
            return Ok(all.into_iter().partition(|named| self.wants(named)));
        }
        let mut tags: Vec<&str> = all.iter().flat_map(|named| named.operation.tags()).collect();
        tags.sort_unstable();
        tags.dedup();
        let tags: Vec<&str> = tags.into_iter().take(LISTED).collect();
        let there = match tags.as_slice() {
            [] => "it has no tags".to_owned(),
            tags => format!("its tags are: {}", tags.join(", ")),
        };
        Err(ImportError::new(format!(
            "none of its {} operations is wanted by these filters; {there}",
            all.len()
        )))
    }

    fn is_empty(&self) -> bool {
        let lists = [&self.tags, &self.paths, &self.methods, &self.operations];
        lists.iter().all(|list| list.is_empty())
    }

    fn wants(&self, named: &Named<'_>) -> bool {
        let operation = &named.operation;
        let same = |wanted: &String, word: &str| wanted.eq_ignore_ascii_case(word);
        let fits = |list: &[String], is_one: &dyn Fn(&String) -> bool| {
            list.is_empty() || list.iter().any(is_one)
        };
        let id = operation.text("operationId");
        fits(&self.tags, &|tag| operation.tags().any(|own| same(tag, own)))
            && fits(&self.methods, &|method| same(method, operation.method))
            && fits(&self.operations, &|wanted| wanted == id || *wanted == named.name)
            && fits(&self.paths, &|pattern| is_match(pattern, operation.path))
    }
}

/// Tells whether a path fits a pattern: `*` is anything but `/`, `**` anything, `?` one character.
fn is_match(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), path.chars().collect());
    // Which beginnings of the path fit the pattern so far: no pattern makes this grow.
    let mut fits = vec![false; path.len() + 1];
    if let Some(first) = fits.first_mut() {
        *first = true;
    }
    let mut rest = pattern.as_slice();
    while let Some((mark, after)) = rest.split_first() {
        let is_double = *mark == '*' && after.first() == Some(&'*');
        let mut next = vec![false; path.len() + 1];
        for place in 0..=path.len() {
            let at = |list: &[bool], place: usize| list.get(place).copied().unwrap_or(false);
            let before = place.checked_sub(1);
            let last = before.and_then(|before| path.get(before)).copied();
            let from_before = |list: &[bool]| before.is_some_and(|before| at(list, before));
            let fit = match mark {
                '*' => at(&fits, place) || (from_before(&next) && (is_double || last != Some('/'))),
                '?' => from_before(&fits) && last != Some('/'),
                mark => from_before(&fits) && last == Some(*mark),
            };
            if let Some(slot) = next.get_mut(place) {
                *slot = fit;
            }
        }
        fits = next;
        rest = if is_double { after.get(1..).unwrap_or_default() } else { after };
    }
    fits.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_know_steps() {
        for (pattern, path, fits) in [
            ("/pets", "/pets", true),
            ("/pets/*", "/pets/{id}", true),
            ("/pets/*", "/pets/{id}/owner", false),
            ("/pets/**", "/pets/{id}/owner", true),
            ("/pets/{id}", "/pets/{id}", true),
            ("**/owner", "/pets/{id}/owner", true),
            ("/*/{id}", "/pets/{id}", true),
            ("/p?ts", "/pets", true),
            ("/p?ts", "/p/ts", false),
            ("*", "", true),
            ("", "/", false),
        ] {
            assert_eq!(is_match(pattern, path), fits, "{pattern} {path}");
        }
        assert!(!is_match(&"*a".repeat(200), &"a".repeat(150)));
    }
}

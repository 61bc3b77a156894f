//! Which variables of our own environment a child may see.

use std::collections::BTreeMap;

/// What a program needs to find other programs, files, language and time.
const ALLOWED: [&str; 7] = ["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "USER"];

/// Keeps of an environment what every child may see; keys and passwords stay behind.
pub fn clean(environment: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_allowed = |name: &str| ALLOWED.contains(&name) || name.starts_with("LC_");
    let allowed = environment.iter().filter(|(name, _)| is_allowed(name));
    allowed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_variables_are_kept() {
        let names = ["PATH", "HOME", "LC_ALL", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "PATHEXT"];
        let environment = names.map(|name| (name.to_owned(), "x".to_owned())).into();
        let kept: Vec<String> = clean(&environment).into_keys().collect();
        assert_eq!(kept, ["HOME", "LC_ALL", "PATH"]);
    }
}

//! Which variables of our own environment a child may see.

use std::collections::BTreeMap;

/// What a program needs to find other programs, files, language and time.
const ALLOWED: [&str; 7] = ["PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "USER"];

/// Variables that make a program load or run something else before it does its own work.
const LOADERS: [&str; 5] = ["GLIBC_TUNABLES", "GCONV_PATH", "BASH_ENV", "ENV", "SHELLOPTS"];

/// Keeps of an environment what every child may see; keys and passwords stay behind.
pub fn clean(environment: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_allowed = |name: &str| ALLOWED.contains(&name) || name.starts_with("LC_");
    let allowed = environment.iter().filter(|(name, _)| is_allowed(name));
    allowed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Tells whether a variable makes programs load code that is not theirs.
pub fn is_loader(name: &str) -> bool {
    name.starts_with("LD_") || name.starts_with("DYLD_") || LOADERS.contains(&name)
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

    #[test]
    fn loader_variables_are_known() {
        assert!(["LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV"].into_iter().all(is_loader));
        assert!(!["LDAP_HOST", "ENVIRONMENT", "PATH"].into_iter().any(is_loader));
    }
}

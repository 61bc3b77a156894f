//! The names under which tools of servers stand in the registry.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use toolsmith_core::ToolName;

/// The longest legal name.
const LONGEST: usize = 64;

/// Makes a legal name of a prefix and a server's own name for a tool.
///
/// The same two always give the same name. What is not legal becomes `_`; a name that would be too
/// long is cut and ends in a digest of the whole.
pub(super) fn name(prefix: &str, tool: &str) -> Option<ToolName> {
    let whole = format!("{prefix}{tool}");
    let legal = legal(&whole);
    let fitting = if legal.len() <= LONGEST { legal } else { marked(&legal, &whole) };
    ToolName::new(&fitting).ok()
}

/// Makes a name that differs from that of another tool whose legal form is the same.
pub(super) fn distinct(prefix: &str, tool: &str) -> Option<ToolName> {
    let whole = format!("{prefix}{tool}");
    ToolName::new(&marked(&legal(&whole), &whole)).ok()
}

/// Puts `_` in the place of what no name may hold.
pub(super) fn legal(text: &str) -> String {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    text.chars().map(|c| if is_legal(c) { c } else { '_' }).collect()
}

/// Returns the first bytes of a digest of a text, in hexadecimal.
pub(super) fn digest(text: &str, bytes: usize) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(bytes).fold(String::new(), |mut hex, byte| {
        // Writing to a text does not fail.
        write!(hex, "{byte:02x}").ok();
        hex
    })
}

/// Cuts a legal text and puts a digest of the whole behind it.
fn marked(legal: &str, whole: &str) -> String {
    let mark = digest(whole, 4);
    let start: String = legal.chars().take(LONGEST - mark.len() - 1).collect();
    format!("{start}_{mark}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_made_legal_and_stay_apart() {
        let name = |tool: &str| name("srv__", tool).unwrap().as_str().to_owned();
        assert_eq!(name("read_file"), "srv__read_file");
        assert_eq!(name("read file/é"), "srv__read_file__");
        let long = "x".repeat(100);
        assert_eq!(name(&long).len(), 64);
        assert_ne!(name(&long), name(&"x".repeat(101)));
        assert_ne!(distinct("", "a b"), distinct("", "a_b"));
    }

    proptest! {
        #[test]
        fn every_name_is_legal_and_the_same_each_time(prefix in ".{0,80}", tool in ".{1,80}") {
            let once = name(&prefix, &tool).unwrap();
            prop_assert_eq!(&once, &name(&prefix, &tool).unwrap());
            prop_assert!(distinct(&prefix, &tool).is_some());
        }
    }
}

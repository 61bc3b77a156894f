//! Comments hold no wishes and no banners; lints are expected, not allowed; no test is put aside.

use super::{
    finding::Finding,
    source::{self, Line},
    tree::{File, Tree},
};

const RULE: &str = "comments";

const WISHES: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Folders whose code may allow a lint, each with its reason.
const ALLOWING: &[(&str, &str)] = &[(
    "crates/toolsmith-macros/src/",
    "what a macro writes into another crate cannot know whether the lint would fire there",
)];

/// Checks the comments and attributes of every Rust file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust_files() {
        for (index, line) in source::lines(&file.text).iter().enumerate() {
            let messages = [wish(line), banner(line), allowed(file, line), ignored(line)];
            findings.extend(messages.into_iter().flatten().map(|message| Finding {
                path: file.path.clone(),
                line: index + 1,
                rule: RULE,
                message,
            }));
        }
    }
    findings
}

fn wish(line: &Line) -> Option<String> {
    let mut words = line.comment.split(|c: char| !c.is_alphanumeric());
    let wish = words.find(|word| WISHES.contains(word))?;
    Some(format!("`{wish}` in a comment: do it, or open an issue"))
}

/// Finds lines that only decorate. In doc comments they are Markdown, and fine.
fn banner(line: &Line) -> Option<String> {
    let text = line.comment.strip_prefix("//")?;
    let is_docs = text.starts_with('!') || (text.starts_with('/') && !text.starts_with("//"));
    let decoration = text.trim_start().chars().take_while(|c| "=-*#~/_+".contains(*c)).count();
    let message = "a banner: make the part a module or a function and give it that name";
    (!is_docs && decoration >= 4).then(|| message.to_owned())
}

fn allowed(file: &File, line: &Line) -> Option<String> {
    let code = squeezed(line);
    let is_direct = code.contains("#[allow(") || code.contains("#![allow(");
    let is_conditional = code.contains("[cfg_attr(") && code.contains(",allow(");
    let excepted = ALLOWING.iter().any(|(folder, _)| file.path.starts_with(folder));
    let message = "write `#[expect(…, reason = \"…\")]`: it speaks up when it is obsolete";
    ((is_direct || is_conditional) && !excepted).then(|| message.to_owned())
}

fn ignored(line: &Line) -> Option<String> {
    let code = squeezed(line);
    let ignores = ["#[ignore]", "#[ignore=", "#[ignore("];
    let message = "a test that cannot run calls `toolsmith_testing::skip` and says why";
    ignores.iter().any(|attribute| code.contains(attribute)).then(|| message.to_owned())
}

/// Returns the code without its spaces: `#[ allow (x) ]` is legal too.
fn squeezed(line: &Line) -> String {
    line.code.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(code: &str) -> usize {
        check(&Tree::of(&[("crates/a/src/call.rs", code)])).len()
    }

    #[test]
    fn wishes_are_found_in_every_kind_of_comment() {
        for code in ["// TODO: later\n", "let a; /* FIXME */\n", "/// XXX\n", "//! (TODO)\n"] {
            assert_eq!(findings(code), 1, "{code}");
        }
    }

    #[test]
    fn banners_are_found() {
        for code in ["// =====\n", "// ---- Types ----\n", "//////////\n", "//****\n"] {
            assert_eq!(findings(code), 1, "{code}");
        }
    }

    #[test]
    fn allowed_lints_and_ignored_tests_are_found() {
        for code in [
            "#[allow(dead_code)]\n",
            "#![ allow(x) ]\n",
            "#[cfg_attr(test, allow(x))]\n",
            "#[ignore]\n",
            "#[ignore = \"x\"]\n",
        ] {
            assert_eq!(findings(code), 1, "{code}");
        }
    }

    #[test]
    fn a_macro_may_write_what_it_cannot_expect() {
        let code = "quote! { #[allow(missing_docs)] }\n";
        assert_eq!(check(&Tree::of(&[("crates/toolsmith-macros/src/expand.rs", code)])), []);
        assert_eq!(findings(code), 1);
    }

    #[test]
    fn the_same_words_elsewhere_pass() {
        let code = "/// ----\n//! | a |\n// a - b - c -- d\nlet s = \"TODO #[allow(\";\n\
                    let TODO = 1; // see todos\n#[expect(x, reason = \"y\")]\n";
        assert_eq!(findings(code), 0);
    }
}

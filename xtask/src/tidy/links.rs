//! Links from Markdown pages to other files of the project lead somewhere.

use super::{
    finding::Finding,
    tree::{File, Tree},
};

const RULE: &str = "links";

/// How a link begins and ends in Markdown, and in the HTML that it may hold.
const FORMS: [(&str, char); 3] = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];

/// Checks the relative links of every Markdown file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.files.iter().filter(|file| file.has_extension("md"));
    pages.flat_map(|page| in_page(tree, page)).collect()
}

fn in_page(tree: &Tree, page: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_code = false;
    for (index, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        for target in targets(&without_code(line)) {
            if leads_nowhere(tree, page, &target) {
                let message = format!("`{target}` leads to no file of the project");
                let (path, line) = (page.path.clone(), index + 1);
                findings.push(Finding { path, line, rule: RULE, message });
            }
        }
    }
    findings
}

/// Returns a line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn targets(line: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for (opens, closes) in FORMS {
        for (at, _) in line.match_indices(opens) {
            let rest = line.get(at + opens.len()..).unwrap_or_default();
            let target = rest.split(closes).next().unwrap_or_default();
            targets.extend(target.split_whitespace().next().map(str::to_owned));
        }
    }
    let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    targets.extend(definition.and_then(|(_, to)| to.split_whitespace().next()).map(str::to_owned));
    targets
}

fn leads_nowhere(tree: &Tree, page: &File, target: &str) -> bool {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_address = target.split('/').next().is_some_and(|part| part.contains(':'));
    if path.is_empty() || is_address || target.starts_with("//") {
        return false;
    }
    let Some(path) = resolve(page, path) else { return true };
    let inside = format!("{path}/");
    !path.is_empty()
        && !tree.files.iter().any(|file| file.path == path || file.path.starts_with(&inside))
}

/// Returns the path from the root; nothing when it leaves the project.
fn resolve(page: &File, path: &str) -> Option<String> {
    let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = match path.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|part| !part.is_empty()).collect(),
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<Finding> {
        check(&Tree::of(&[("docs/guide/a.md", text), ("docs/b.md", ""), ("README.md", "")]))
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        for text in [
            "[b](../b.md)",
            "[b](../b.md#part \"title\")",
            "[r](/README.md)",
            "[d](..)",
            "[d](../)",
            "[root](../../)",
            "[here](#part)",
            "[out](https://example.org/x.md)",
            "[mail](mailto:a@example.org)",
            "`[code](no.md)`",
            "```\n[code](no.md)\n```",
            "[ref]: ../b.md",
            "<img src=\"../b.md\">",
        ] {
            assert_eq!(findings(text), [], "{text}");
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        for text in [
            "[b](b.md)",
            "x [b](../b.md) and [c](../c.md)",
            "[up](../../../x.md)",
            "![i](i.png)",
            "[ref]: no.md",
            "<a href=\"no.md\">",
            "```\n```\n[b](b.md)",
            "[b](<b.md>)",
        ] {
            assert_eq!(findings(text).len(), 1, "{text}");
        }
    }
}

//! The words of the command line: which chore, with what.

use crate::fuzz::Plan;

/// What `cargo xtask help` prints.
pub(crate) const HELP: &str = "\
Chores of the project:

  cargo xtask tidy                      checks what no compiler checks: floors, sizes, names, links
  cargo xtask bench engine [--quick]    measures the engine beside a baseline
  cargo xtask bench definitions         measures loading and reloading of definition files
  cargo xtask bench children [STARTS]   measures starting commands beside the standard library
  cargo xtask bench mcp                 measures calls through an MCP server beside the bare library
  cargo xtask bench services            measures starts and calls of tools that are services
  cargo xtask bench search              measures the search over up to 100,000 tools
  cargo xtask bench dialects            measures the dialects beside Python and other parsers
  cargo xtask bench gateway [--quick]   measures the gateway beside axum, rmcp and mcp-proxy
  cargo xtask eval search               judges the search by public questions, beside plain BM25
  cargo xtask eval dialects [--write]   compares the dialects with other parsers, case by case
  cargo xtask soak engine [--calls N]   runs the engine for long and watches for leaks
  cargo xtask soak definitions          calls tools while their files change [--seconds N]
  cargo xtask fuzz [TARGET]             fuzzes the readers of outside text [--seconds N] [--merge]
  cargo xtask help                      this list";

/// The chores, as an unknown word is answered with them.
const CHORES: &str = "tidy, bench, eval, soak, fuzz, help";

/// What can be measured; each is a program such as `bench-engine` of the bench crate.
const SUBJECTS: [(&str, &[&str]); 3] = [
    ("bench", &["engine", "definitions", CHILDREN, "mcp", "services", "search", DIALECTS, GATEWAY]),
    ("eval", &["search", DIALECTS]),
    ("soak", &["engine", "definitions"]),
];

/// The subject whose program needs nothing but its own crate, and so is built quickly.
const CHILDREN: &str = "children";

/// The subject whose programs are in the workspace of comparisons.
const DIALECTS: &str = "dialects";

/// The subject that runs our program beside servers of others, from the same workspace.
const GATEWAY: &str = "gateway";

/// One chore to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Lists the chores.
    Help,
    /// Checks the tree.
    Tidy,
    /// Runs fuzz targets for a bounded time.
    Fuzz(Plan),
    /// Runs a measuring program of the bench crate.
    Measure(Program),
    /// Runs the measuring program of the crate for children.
    MeasureChildren(Program),
    /// Runs the program of the workspace of comparisons that reads texts.
    Compare(Program),
    /// Runs the program of the workspace of comparisons that calls servers.
    MeasureGateway(Program),
}

/// A measuring program and what it is given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its first word, such as `bench-engine`.
    pub(crate) word: String,
    /// What follows, handed on untouched.
    pub(crate) arguments: Vec<String>,
}

impl Chore {
    /// Reads the words after `cargo xtask`; the error says what could be written instead.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let Some((word, rest)) = words.split_first() else {
            return Ok(Self::Help);
        };
        match word.as_str() {
            "help" | "--help" | "-h" => Ok(Self::Help),
            "tidy" => match rest.first() {
                None => Ok(Self::Tidy),
                Some(extra) => Err(format!("`tidy` takes nothing more, not `{extra}`")),
            },
            "fuzz" => Plan::parse(rest).map(Self::Fuzz),
            _ => match SUBJECTS.iter().find(|(chore, _)| chore == word) {
                Some((word, subjects)) => measure(word, subjects, rest),
                None => Err(format!("there is no chore `{word}`; there are: {CHORES}")),
            },
        }
    }
}

fn measure(word: &str, subjects: &[&str], rest: &[String]) -> Result<Chore, String> {
    let list = subjects.join(", ");
    let Some((subject, arguments)) = rest.split_first() else {
        return Err(format!("`{word}` needs to know what; there are: {list}"));
    };
    if !subjects.contains(&subject.as_str()) {
        return Err(format!("`{word}` does not know `{subject}`; there are: {list}"));
    }
    let program = Program { word: format!("{word}-{subject}"), arguments: arguments.to_vec() };
    Ok(match subject.as_str() {
        DIALECTS => Chore::Compare(program),
        CHILDREN => Chore::MeasureChildren(program),
        GATEWAY => Chore::MeasureGateway(program),
        _ => Chore::Measure(program),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Chore, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Chore::parse(&words)
    }

    #[test]
    fn no_word_is_a_call_for_help() {
        assert_eq!(parse(""), Ok(Chore::Help));
        assert_eq!(parse("--help"), Ok(Chore::Help));
    }

    #[test]
    fn arguments_of_a_measurement_are_handed_on_untouched() {
        let soak = Program {
            word: "soak-engine".to_owned(),
            arguments: vec!["--calls".to_owned(), "5".to_owned()],
        };
        assert_eq!(parse("soak engine --calls 5"), Ok(Chore::Measure(soak)));
    }

    #[test]
    fn dialects_are_measured_in_the_workspace_of_comparisons() {
        let word = "eval-dialects".to_owned();
        let eval = Program { word, arguments: vec!["--write".to_owned()] };
        assert_eq!(parse("eval dialects --write"), Ok(Chore::Compare(eval)));
        assert!(matches!(parse("bench dialects"), Ok(Chore::Compare(_))));
    }

    #[test]
    fn children_are_measured_by_their_own_crate() {
        assert!(matches!(parse("bench children 50"), Ok(Chore::MeasureChildren(_))));
    }

    #[test]
    fn the_gateway_is_measured_beside_servers_of_others() {
        assert!(matches!(parse("bench gateway --quick"), Ok(Chore::MeasureGateway(_))));
    }

    #[test]
    fn unknown_words_are_answered_with_the_known_ones() {
        assert!(parse("tidi").unwrap_err().contains("tidy, bench, eval, soak, fuzz, help"));
        assert!(parse("bench").unwrap_err().contains("engine"));
        let wrong = parse("bench motor").unwrap_err();
        let all = "engine, definitions, children, mcp, services, search, dialects, gateway";
        assert!(wrong.contains(all), "{wrong}");
        assert!(parse("eval engine").unwrap_err().contains("there are: search, dialects"));
        assert!(parse("tidy --json").is_err());
    }

    #[test]
    fn help_names_every_chore() {
        for word in CHORES.split(", ") {
            assert!(HELP.contains(&format!("xtask {word}")), "{word}");
        }
    }
}

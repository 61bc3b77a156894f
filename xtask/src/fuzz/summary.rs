//! What the targets found, in the words of a test program, so that it is counted as one.

use std::{fmt::Write as _, process::ExitStatus};

use super::run::Target;

/// How one target ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    name: String,
    /// Runs, seconds and reached edges, as far as the fuzzer says.
    figures: String,
    /// Why it failed, and how to see that again.
    failure: Option<String>,
}

impl Outcome {
    /// Reads how a target ended out of its log.
    pub(super) fn new(target: &Target, status: ExitStatus, log: &str) -> Self {
        let failure = (!status.success()).then(|| {
            let input = after_last(log, "Test unit written to ").unwrap_or("(no input was kept)");
            format!(
                "{}\n  the input: {input}\n  again:     {} {input}\n  \
                 smaller:   the same with -minimize_crash=1 -max_total_time=60\n  \
                 then keep it in fuzz/corpus/{} by a name of your own, where `cargo test` replays it",
                message(log),
                target.program.display(),
                target.name,
            )
        });
        Self { name: target.name.clone(), figures: figures(log), failure }
    }

    /// Tells whether no law was broken.
    pub(super) fn is_good(&self) -> bool {
        self.failure.is_none()
    }
}

/// Writes the report.
pub(super) fn text(outcomes: &[Outcome]) -> String {
    let count = outcomes.len();
    let mut text = format!("running {count} test{}\n", if count == 1 { "" } else { "s" });
    for Outcome { name, figures, failure } in outcomes {
        let word = if failure.is_none() { "ok" } else { "FAILED" };
        writeln!(text, "test fuzz::{name} ... {word} ({figures})").ok();
        if let Some(failure) = failure {
            writeln!(text, "{failure}").ok();
        }
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.is_good()).count();
    let passed = count - failed;
    let word = if failed == 0 { "ok" } else { "FAILED" };
    write!(text, "test result: {word}. {passed} passed; {failed} failed; 0 ignored").ok();
    text
}

/// Returns what the check said before it gave up, or what the fuzzer says.
fn message(log: &str) -> String {
    const MOST: usize = 4_000;
    let lines = log.lines().skip_while(|line| !line.contains("panicked at"));
    let panic: Vec<&str> = lines.take_while(|line| !line.starts_with("==")).collect();
    if panic.is_empty() {
        let summary = after_last(log, "SUMMARY: ");
        return format!("  {}", summary.unwrap_or("the target ended without a word"));
    }
    panic.join("\n").chars().take(MOST).collect()
}

fn figures(log: &str) -> String {
    let runs = after_last(log, "stat::number_of_executed_units:").unwrap_or("?").trim();
    let edges = after_last(log, " cov: ").and_then(|rest| rest.split(' ').next()).unwrap_or("?");
    format!("{runs} runs, {edges} edges")
}

/// Returns the rest of the line behind the last place of a mark.
fn after_last<'a>(log: &'a str, mark: &str) -> Option<&'a str> {
    log.rsplit_once(mark)?.1.lines().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#2\tINITED cov: 8 ft: 8 corp: 1/1b\n#9\tNEW    cov: 31 ft: 40\n\
        thread '<unnamed>' (1) panicked at checks/parse.rs:34:5:\nsplit as [\"a\"]\n\
        ==1== ERROR: libFuzzer: deadly signal\n\
        artifact_prefix='x/'; Test unit written to x/crash-1\n\
        stat::number_of_executed_units: 1200\n";

    #[test]
    fn the_figures_and_the_message_are_read_from_the_log() {
        assert_eq!(figures(LOG), "1200 runs, 31 edges");
        assert_eq!(message(LOG).lines().last(), Some("split as [\"a\"]"));
        assert_eq!(after_last(LOG, "Test unit written to "), Some("x/crash-1"));
        assert_eq!(message("SUMMARY: libFuzzer: timeout\n"), "  libFuzzer: timeout");
        assert_eq!(figures(""), "? runs, ? edges");
    }

    #[test]
    fn the_report_counts_as_a_test_program_does() {
        let outcome = |name: &str, failure: Option<&str>| Outcome {
            name: name.to_owned(),
            figures: figures(LOG),
            failure: failure.map(str::to_owned),
        };
        let text = text(&[outcome("parse", Some("it broke")), outcome("repair", None)]);
        assert!(text.contains("test fuzz::parse ... FAILED (1200 runs, 31 edges)\nit broke\n"));
        assert!(text.ends_with("test result: FAILED. 1 passed; 1 failed; 0 ignored"));
    }
}

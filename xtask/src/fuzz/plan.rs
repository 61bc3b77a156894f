//! What to fuzz, for how long, and what becomes of the finds.

use super::build::TARGETS;

/// How long the targets run when nobody says.
const SECONDS: u64 = 60;

/// What to fuzz, for how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The targets, which run at once.
    pub(crate) targets: Vec<&'static str>,
    /// How long they run.
    pub(crate) seconds: u64,
    /// What becomes of inputs that reach code which no kept input reaches.
    pub(crate) finds: Finds,
}

/// What becomes of inputs that reach code which no kept input reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finds {
    /// They stay in the target folder, for the next run.
    Leave,
    /// The kept corpus and they become the smallest corpus that reaches as much.
    Merge,
}

impl Plan {
    /// Reads the words after `fuzz`.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let mut plan = Self { targets: Vec::new(), seconds: SECONDS, finds: Finds::Leave };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--merge" => plan.finds = Finds::Merge,
                "--seconds" => {
                    let number = words.next().and_then(|number| number.parse().ok());
                    let number = number.filter(|&seconds| seconds > 0);
                    plan.seconds = number.ok_or("`--seconds` needs a whole number from 1 on")?;
                }
                word => plan.targets.push(named(word)?),
            }
        }
        if plan.targets.is_empty() {
            plan.targets.extend(TARGETS);
        }
        Ok(plan)
    }
}

fn named(word: &str) -> Result<&'static str, String> {
    let found = TARGETS.iter().find(|target| **target == word).copied();
    found.ok_or_else(|| {
        let list = TARGETS.join(", ");
        format!("`fuzz` takes --seconds N, --merge and targets, not `{word}`; there are: {list}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Plan, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Plan::parse(&words)
    }

    #[test]
    fn without_words_every_target_runs_for_a_minute() {
        let all = Plan { targets: TARGETS.to_vec(), seconds: 60, finds: Finds::Leave };
        assert_eq!(parse(""), Ok(all));
    }

    #[test]
    fn a_target_a_time_and_merging_can_be_chosen() {
        let one = Plan { targets: vec!["repair"], seconds: 3_600, finds: Finds::Merge };
        assert_eq!(parse("repair --seconds 3600 --merge"), Ok(one));
    }

    #[test]
    fn wrong_words_are_answered_with_the_right_ones() {
        assert!(parse("prase").unwrap_err().contains("there are: parse, repair, round_trip"));
        assert!(parse("--seconds").unwrap_err().contains("whole number"));
        assert!(parse("--seconds 0").is_err());
    }
}

//! `toolsmith keys …`

use std::time::Duration;

use clap::Subcommand;
use toolsmith_core::Role;

use super::moment::age;
pub use crate::config::CallsInTime;

/// What to do with the keys of callers.
#[derive(Debug, Subcommand)]
pub enum KeysWord {
    /// Make a key for a caller of `toolsmith serve`; it is shown once.
    #[command(after_help = "\
Examples:
  toolsmith keys create research-agent
  toolsmith keys create reader --tool '*_file' --rate 10/1s --quota 1000/1d --expires 30d
  toolsmith keys create nightly --concurrency 4
  toolsmith keys create boss --role admin

Keys of one name are one caller: make a second one, hand it over, revoke the first.")]
    Create {
        /// Whose it is: the name in records of its calls
        #[arg(value_parser = caller_name)]
        name: String,
        /// What its holder may do: viewer, caller or admin
        #[arg(long, value_name = "ROLE", default_value = "caller", value_parser = role)]
        role: Role,
        /// A tool that its holder may see and use, or a pattern such as `*_file`; may be repeated
        #[arg(long = "tool", value_name = "NAME", value_parser = pattern)]
        allowed: Vec<String>,
        /// How many calls in how long, such as 10/1s
        #[arg(long, value_name = "N/TIME", value_parser = calls_in_time)]
        rate: Option<CallsInTime>,
        /// How many calls in a longer period, such as 1000/1d
        #[arg(long, value_name = "N/TIME", value_parser = calls_in_time)]
        quota: Option<CallsInTime>,
        /// How many of its calls run at once; more of them wait [default: `serve.calls_per_caller`]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        concurrency: Option<u32>,
        /// How long it is good, such as 30d [default: until it is revoked]
        #[arg(long, value_name = "TIME", value_parser = age)]
        expires: Option<Duration>,
    },
    /// List the keys, without their secrets.
    #[command(after_help = "\
Examples:
  toolsmith keys list
  toolsmith keys list --json | jq -r '.keys[].id'")]
    List,
    /// Take a key back; it opens nothing a second later.
    #[command(after_help = "\
Examples:
  toolsmith keys revoke 3f9a1c0b72de")]
    Revoke {
        /// The key's id, as `toolsmith keys list` shows it
        id: String,
    },
}

/// Names that records use for callers without a key.
const RESERVED: [&str; 3] = ["local", "operator", "cli"];

fn caller_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    if text.is_empty() || text.len() > 64 || !text.chars().all(is_plain) {
        return Err("expected 1 to 64 letters, digits or one of `._@-`".to_owned());
    }
    if RESERVED.contains(&text) {
        return Err(format!("`{text}` stands for callers without a key; choose another name"));
    }
    Ok(text.to_owned())
}

fn pattern(text: &str) -> Result<String, String> {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || "_.-*".contains(c);
    if text.is_empty() || !text.chars().all(is_of_a_name) {
        let what = "no tool has such a name; write one, or a pattern such as `*_file`, or leave \
                    `--tool` out to allow all";
        return Err(what.to_owned());
    }
    Ok(text.to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::from_name(text).ok_or_else(|| "expected viewer, caller or admin".to_owned())
}

fn calls_in_time(text: &str) -> Result<CallsInTime, String> {
    let wrong = "expected a number of calls and a time, such as 10/1s or 1000/1d";
    CallsInTime::parse(text).ok_or_else(|| wrong.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_a_number_and_a_time() {
        let day = Duration::from_hours(24);
        assert_eq!(calls_in_time("5/1d"), Ok(CallsInTime { calls: 5, per: day }));
        for wrong in ["5", "0/1s", "-1/1s", "5/", "5/0s", "x/1s", "5/soon"] {
            assert!(calls_in_time(wrong).unwrap_err().contains("10/1s"), "{wrong}");
        }
    }

    #[test]
    fn tools_are_names_or_patterns_that_can_fit_one() {
        for good in ["echo", "*_file", "*", "web.search-2"] {
            assert!(pattern(good).is_ok(), "{good}");
        }
        for wrong in ["", " ", "a b", "a,b", "read?"] {
            assert!(pattern(wrong).unwrap_err().contains("*_file"), "{wrong}");
        }
    }

    #[test]
    fn names_are_plain_and_not_those_of_callers_without_a_key() {
        assert!(caller_name("ann@example.org").is_ok());
        for wrong in ["", "a b", "local", "operator", "é", &"x".repeat(65)] {
            assert!(caller_name(wrong).is_err(), "{wrong}");
        }
    }
}

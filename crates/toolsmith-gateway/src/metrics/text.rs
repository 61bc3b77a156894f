//! The text format of Prometheus (version 0.0.4).

use std::fmt::{Display, Write as _};

use toolsmith_core::Text;
use toolsmith_engine::durations::{BOUNDS, Spread};

use super::{Amount, Family, Form};

/// Writes everything that was measured.
pub(crate) fn write(families: &[Family]) -> String {
    let mut text = String::with_capacity(16 << 10);
    for family in families {
        let form = match family.form {
            Form::Counter => "counter",
            Form::Gauge => "gauge",
            Form::Histogram => "histogram",
        };
        let name = family.name;
        // Memory takes every byte.
        write!(text, "# HELP {name} {}\n# TYPE {name} {form}\n", family.help).ok();
        for sample in &family.samples {
            match &sample.amount {
                Amount::Count(count) => line(&mut text, (name, ""), &sample.labels, None, count),
                Amount::Number(number) => line(&mut text, (name, ""), &sample.labels, None, number),
                Amount::Spread(spread) => histogram(&mut text, name, &sample.labels, spread),
            }
        }
    }
    text
}

/// Writes a histogram: each bucket counts what the smaller ones do, too.
fn histogram(text: &mut String, name: &str, labels: &[(&'static str, Text)], spread: &Spread) {
    let mut so_far = 0;
    for (count, bound) in spread.buckets.iter().zip(&BOUNDS) {
        so_far += count;
        let bound = bound.as_secs_f64().to_string();
        line(text, (name, "_bucket"), labels, Some(&bound), &so_far);
    }
    let all = spread.count();
    line(text, (name, "_bucket"), labels, Some("+Inf"), &all);
    line(text, (name, "_sum"), labels, None, &spread.total.as_secs_f64());
    line(text, (name, "_count"), labels, None, &all);
}

fn line(
    text: &mut String,
    (name, suffix): (&str, &str),
    labels: &[(&'static str, Text)],
    bound: Option<&str>,
    value: &impl Display,
) {
    write!(text, "{name}{suffix}").ok();
    let labels = labels.iter().map(|(label, value)| (*label, value.as_str()));
    let mut separator = '{';
    for (label, value) in labels.chain(bound.map(|bound| ("le", bound))) {
        write!(text, "{separator}{label}=\"").ok();
        escape(text, value);
        text.push('"');
        separator = ',';
    }
    if separator == ',' {
        text.push('}');
    }
    writeln!(text, " {value}").ok();
}

/// Writes the value of a label; names of tools come from files of others.
fn escape(text: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_family_is_its_help_its_type_and_its_lines() {
        let names = ("calls_total", "calls");
        let family = Family::new(Form::Counter, names, "Calls.").with(&[], 3);
        let family = family.with(&[("tool", "a\"b\\c\nd".into()), ("door", "http".into())], 4);
        assert_eq!(
            write(&[family]),
            "# HELP calls_total Calls.\n# TYPE calls_total counter\ncalls_total 3\n\
             calls_total{tool=\"a\\\"b\\\\c\\nd\",door=\"http\"} 4\n"
        );
    }

    #[test]
    fn buckets_of_a_histogram_hold_the_smaller_ones() {
        let mut spread = Spread { total: Duration::from_millis(1_500), ..Spread::default() };
        spread.add(Duration::from_millis(500), 1);
        spread.add(Duration::from_secs(1), 1);
        spread.add(Duration::from_hours(1), 1);
        let mut family = Family::new(Form::Histogram, ("seconds", "seconds"), "Time.");
        family.push(&[("a", "b".into())], Amount::Spread(Box::new(spread)));
        let text = write(&[family]);
        for line in [
            "seconds_bucket{a=\"b\",le=\"0.25\"} 0",
            "seconds_bucket{a=\"b\",le=\"0.5\"} 1",
            "seconds_bucket{a=\"b\",le=\"1\"} 2",
            "seconds_bucket{a=\"b\",le=\"300\"} 2",
            "seconds_bucket{a=\"b\",le=\"+Inf\"} 3",
            "seconds_sum{a=\"b\"} 1.5",
            "seconds_count{a=\"b\"} 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}

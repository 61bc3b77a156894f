//! Metrics as OTLP writes them.

use toolsmith_core::{Text, Timestamp};
use toolsmith_engine::durations::{BOUNDS, Spread};

use super::{
    Value,
    proto::{Message, nanos, request},
};
use crate::metrics::{Amount, Family, Form, Sample};

/// Sums that go on from the start of the program.
const CUMULATIVE: u64 = 2;

/// Writes everything that was measured between two moments.
pub(super) fn metrics(
    resource: &[(String, String)],
    families: &[Family],
    period: (Timestamp, Timestamp),
) -> Vec<u8> {
    request(resource, |of_scope| {
        for family in families.iter().filter(|family| !family.samples.is_empty()) {
            of_scope.message(2, |metric| write(metric, family, period));
        }
    })
}

fn write(metric: &mut Message, family: &Family, period: (Timestamp, Timestamp)) {
    metric.bytes(1, family.dotted.as_bytes());
    metric.bytes(2, family.help.as_bytes());
    let unit = match family.form {
        Form::Histogram => "s",
        _ if family.name.ends_with("_bytes") => "By",
        _ if family.name.contains("_seconds") => "s",
        _ => "1",
    };
    metric.bytes(3, unit.as_bytes());
    let (field, is_sum) = match family.form {
        Form::Gauge => (5, false),
        Form::Counter => (7, true),
        Form::Histogram => (9, true),
    };
    metric.message(field, |points| {
        for sample in &family.samples {
            points.message(1, |point| write_point(point, sample, period));
        }
        if is_sum {
            points.number(2, CUMULATIVE);
        }
        if family.form == Form::Counter {
            points.number(3, 1);
        }
    });
}

fn write_point(point: &mut Message, sample: &Sample, (start, end): (Timestamp, Timestamp)) {
    point.fixed(2, nanos(start));
    point.fixed(3, nanos(end));
    let attributes_at = match &sample.amount {
        Amount::Count(count) => {
            point.fixed(6, *count);
            7
        }
        Amount::Number(number) => {
            point.fixed(4, number.to_bits());
            7
        }
        Amount::Spread(spread) => {
            write_spread(point, spread);
            9
        }
    };
    for (label, value) in &sample.labels {
        point.attribute(attributes_at, name_of(label), &value_of(label, value));
    }
}

fn write_spread(point: &mut Message, spread: &Spread) {
    point.fixed(4, spread.count());
    point.fixed(5, spread.total.as_secs_f64().to_bits());
    point.fixed_list(6, spread.buckets);
    point.fixed_list(7, BOUNDS.map(|bound| bound.as_secs_f64().to_bits()));
}

/// The names of the conventions, where they have one.
fn name_of(label: &'static str) -> &'static str {
    match label {
        "route" => "http.route",
        "method" => "http.request.method",
        "status" => "http.response.status_code",
        "tool" => "gen_ai.tool.name",
        other => other,
    }
}

fn value_of(label: &str, value: &Text) -> Value {
    match value.parse() {
        Ok(number) if label == "status" => Value::Whole(number),
        _ => Value::Text(value.clone()),
    }
}

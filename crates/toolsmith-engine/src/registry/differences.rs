//! In which parts two descriptions of a tool differ.

use serde_json::Value;
use toolsmith_core::ToolSpec;

/// Names the parts that differ, as they are called in a definition.
pub(super) fn differences(old: &ToolSpec, new: &ToolSpec) -> Vec<&'static str> {
    let mut parts = Vec::new();
    // What models see comes first; everything else is looked at as its text.
    for (part, differs) in [
        ("title", old.title != new.title),
        ("description", old.description != new.description),
        ("input_schema", old.input_schema != new.input_schema),
        ("output_schema", old.output_schema != new.output_schema),
        ("annotations", old.annotations != new.annotations),
    ] {
        if differs {
            parts.push(part);
        }
    }
    if rest(old) != rest(new) {
        parts.push("other");
    }
    parts
}

fn rest(spec: &ToolSpec) -> Value {
    let mut value = serde_json::to_value(spec).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        for part in ["title", "description", "input_schema", "output_schema", "annotations"] {
            fields.remove(part);
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use toolsmith_core::Parameter;

    use super::*;

    #[test]
    fn only_what_differs_is_named() {
        let spec = ToolSpec::new("t").unwrap().with_description("does it");
        assert!(differences(&spec, &spec.clone()).is_empty());
        let other = spec
            .clone()
            .with_description("does more")
            .with_parameters(&[Parameter::string("x")])
            .with(|spec| spec.cost = Some(1.0));
        assert_eq!(differences(&spec, &other), ["description", "input_schema", "other"]);
    }
}

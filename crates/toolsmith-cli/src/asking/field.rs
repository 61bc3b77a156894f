//! One field of a form: how it is asked for, and what a typed line means for it.

use toolsmith_core::{JsonText, Value, json};
use toolsmith_engine::schema::Schema;

/// How many choices are listed.
const LISTED: usize = 50;

/// One value that is asked for.
pub(super) struct Field {
    pub(super) name: String,
    schema: Value,
    is_needed: bool,
}

/// Returns the fields of a form, in its order.
pub(super) fn read(schema: &Value) -> Vec<Field> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let needed = schema.get("required").and_then(Value::as_array);
    let is_needed = |name: &str| needed.is_some_and(|names| names.contains(&json!(name)));
    let fields = properties.into_iter().flatten().map(|(name, schema)| Field {
        is_needed: is_needed(name),
        name: name.clone(),
        schema: schema.clone(),
    });
    fields.collect()
}

impl Field {
    /// Returns what stands before the cursor: what it is, its choices, and its default.
    pub(super) fn prompt(&self) -> String {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str);
        let name = text("title").unwrap_or(&self.name);
        let about = text("description").map(|about| format!(" ({about})")).unwrap_or_default();
        let choices = self.choices();
        let choices = choices.iter().take(LISTED).enumerate().map(|(number, (value, title))| {
            let title = if shown(value) == *title { String::new() } else { format!(": {title}") };
            format!("    {}. {}{title}\n", number + 1, shown(value))
        });
        let choices: String = choices.collect();
        let default = match self.schema.get("default") {
            Some(value) => format!(" [{}]", shown(value)),
            None if self.is_needed => String::new(),
            None => " []".to_owned(),
        };
        let hint = match self.kind() {
            "boolean" => " y/n",
            "array" => " several, with commas between",
            _ => "",
        };
        format!("{choices}  {name}{about}{hint}{default}: ")
    }

    /// Reads a line; nothing when the field is left out.
    pub(super) fn parse(&self, text: &str) -> Result<Option<Value>, String> {
        let value = match (text, self.schema.get("default")) {
            ("", Some(default)) => default.clone(),
            ("", None) if self.is_needed => return Err("An answer is needed.".to_owned()),
            ("", None) => return Ok(None),
            (text, _) => self.value(text)?,
        };
        let Ok(schema) = Schema::compile(&JsonText::of(&self.schema)) else {
            return Ok(Some(value));
        };
        match schema.problems(&value).first() {
            None => Ok(Some(value)),
            Some(problem) => Err(problem.message.clone()),
        }
    }

    fn value(&self, text: &str) -> Result<Value, String> {
        match self.kind() {
            "array" => {
                let items = text.split(',').map(|item| self.choice(item.trim()));
                Ok(Value::Array(items.collect()))
            }
            "boolean" => match text.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("Answer y or n.".to_owned()),
            },
            "integer" => text.parse::<i64>().map(Value::from).map_err(|_| whole()),
            "number" => {
                let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
                number.map(Value::Number).ok_or_else(|| "That is not a number.".to_owned())
            }
            _ => Ok(self.choice(text)),
        }
    }

    /// Returns the choice of that number or text; what is none is told by the schema.
    fn choice(&self, text: &str) -> Value {
        let choices = self.choices();
        let is_meant = |(value, title): &&(Value, String)| shown(value) == text || title == text;
        let by_text = choices.iter().find(is_meant);
        let by_number = || choices.get(text.parse::<usize>().ok()?.checked_sub(1)?);
        by_text.or_else(by_number).map_or_else(|| text.into(), |(value, _)| value.clone())
    }

    /// Returns the values that can be chosen, with their titles.
    fn choices(&self) -> Vec<(Value, String)> {
        let schema = self.schema.get("items").unwrap_or(&self.schema);
        let list = |key: &str| schema.get(key).and_then(Value::as_array);
        if let Some(values) = list("enum") {
            let titles = list("enumNames");
            let title = |n: usize, value: &Value| {
                titles.and_then(|titles| titles.get(n)).map_or_else(|| shown(value), shown)
            };
            return values.iter().enumerate().map(|(n, v)| (v.clone(), title(n, v))).collect();
        }
        let titled = list("oneOf").or_else(|| list("anyOf")).into_iter().flatten();
        let titled = titled.filter_map(|choice| {
            let value = choice.get("const")?.clone();
            let title = choice.get("title").map_or_else(|| shown(&value), shown);
            Some((value, title))
        });
        titled.collect()
    }

    fn kind(&self) -> &str {
        self.schema.get("type").and_then(Value::as_str).unwrap_or("string")
    }
}

fn whole() -> String {
    "That is not a whole number.".to_owned()
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "y".to_owned(),
        Value::Bool(false) => "n".to_owned(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(schema: &Value) -> Field {
        let form = json!({ "properties": { "x": schema }, "required": ["x"] });
        read(&form).remove(0)
    }

    #[test]
    fn choices_are_taken_by_value_title_and_number() {
        let plain =
            field(&json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["Aa", "Bb"] }));
        let titled = field(&json!({ "type": "string", "oneOf": [
            { "const": "a", "title": "Aa" }, { "const": "b", "title": "Bb" }] }));
        for field in [plain, titled] {
            for text in ["b", "Bb", "2"] {
                assert_eq!(field.parse(text), Ok(Some(json!("b"))), "{text}");
            }
            assert!(field.parse("3").is_err() && field.prompt().contains("1. a: Aa"));
        }
        let several = field(&json!({ "type": "array", "maxItems": 2,
            "items": { "type": "string", "enum": ["a", "b", "c"] } }));
        assert_eq!(several.parse("1, c"), Ok(Some(json!(["a", "c"]))));
        assert!(several.parse("a,b,c").is_err());
    }

    #[test]
    fn numbers_are_numbers() {
        let number = field(&json!({ "type": "number", "maximum": 10 }));
        assert_eq!(number.parse("2.5"), Ok(Some(json!(2.5))));
        assert!(number.parse("11").is_err() && number.parse("NaN").is_err());
        let yes = field(&json!({ "type": "boolean", "default": true }));
        assert_eq!(yes.parse(""), Ok(Some(json!(true))));
        assert!(yes.prompt().ends_with(" y/n [y]: "), "{}", yes.prompt());
    }
}

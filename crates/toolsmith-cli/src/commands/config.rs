//! `toolsmith config`: what is in force, and where it was set.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Map, Value};

use crate::{
    Session,
    args::ConfigWord,
    config::{self, Shown},
    output::Colour,
    table::Table,
};

/// Shows the configuration.
pub(crate) fn run(session: &Session, word: &ConfigWord) -> Result<ExitCode> {
    match word {
        ConfigWord::Show => show(session),
    }
}

fn show(session: &Session) -> Result<ExitCode> {
    let shown = config::shown(&session.load()?);
    let by_key: Map<String, Value> = shown
        .iter()
        .map(|setting| Ok((setting.key.to_owned(), serde_json::to_value(setting)?)))
        .collect::<Result<_>>()?;
    session.output.show(&by_key, |colour| table(&shown, colour))?;
    Ok(ExitCode::SUCCESS)
}

fn table(shown: &[Shown], colour: Colour) -> String {
    let mut table = Table::new(&["KEY", "VALUE", "SOURCE"]);
    for setting in shown {
        let value = match &setting.value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        table.row([setting.key, &value, &setting.source]);
    }
    table.render(colour)
}

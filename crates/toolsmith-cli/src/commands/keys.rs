//! `toolsmith keys`: made, listed, taken back.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;
use toolsmith_core::{AllowList, Allowance, Clock, SystemClock, Timestamp};
use toolsmith_store::{Key, NewKey, Seal, Store};

use crate::{
    Session,
    args::KeysWord,
    compose,
    config::{CallsInTime, Settings},
    output::{self, Colour, Form},
    runtime::block_on,
    table::Table,
};

/// Makes, lists or takes back keys.
pub(crate) fn run(session: &Session, word: &KeysWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    block_on(dispatch(session, &settings, word))
}

async fn dispatch(session: &Session, settings: &Settings, word: &KeysWord) -> Result<ExitCode> {
    if let KeysWord::List = word {
        let store = compose::reader(session, settings).await?;
        list(session, store.as_ref()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = compose::writer(session, settings).await?;
    let done = change(session, &store, word).await;
    store.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn change(session: &Session, store: &Store, word: &KeysWord) -> Result<()> {
    let now = SystemClock.now();
    match word {
        KeysWord::Create { name, role, allowed, rate, quota, concurrency, expires } => {
            let allowance = Allowance {
                rate: rate.map(CallsInTime::as_rate),
                quota: quota.map(CallsInTime::as_quota),
                concurrency: *concurrency,
            };
            let tools =
                (!allowed.is_empty()).then(|| AllowList::new(allowed.iter().map(String::as_str)));
            let expires_at = expires.map(|expires| now.plus(expires));
            let new =
                NewKey { name: name.as_str().into(), role: *role, tools, allowance, expires_at };
            let seal = Seal::open(store.folder())?;
            let (key, text) = store.create_key(&seal, new, now).await?;
            show_new(session, &key, text.expose())
        }
        KeysWord::Revoke { id } => {
            if !store.revoke_key(id.as_str().into(), now).await? {
                bail!("there is no key `{id}` that could be revoked; see `toolsmith keys list`");
            }
            match session.output.form {
                Form::Json => output::print_json(&json!({ "id": id, "revoked": true }))?,
                Form::People => output::tell(&format!("note: the key {id} opens nothing any more")),
            }
            Ok(())
        }
        KeysWord::List => Ok(()),
    }
}

/// Prints the key: the only time that anyone sees it.
fn show_new(session: &Session, key: &Key, text: &str) -> Result<()> {
    #[derive(Serialize)]
    struct Made<'a> {
        key: &'a str,
        #[serde(flatten)]
        about: &'a Key,
    }
    match session.output.form {
        Form::Json => output::print_json(&Made { key: text, about: key })?,
        Form::People => {
            output::print(&format!("{text}\n"))?;
            output::tell("note: keep it now, it is not shown again");
        }
    }
    Ok(())
}

async fn list(session: &Session, store: Option<&Store>) -> Result<()> {
    #[derive(Serialize)]
    struct List {
        keys: Vec<Key>,
    }
    let keys = match store {
        Some(store) => store.keys().await?,
        None => Vec::new(),
    };
    let list = List { keys };
    session.show(&list, |colour| table(&list.keys, colour))?;
    if list.keys.is_empty() && session.output.form == Form::People {
        output::tell("note: there are no keys; `toolsmith keys create NAME` makes one");
    }
    Ok(())
}

fn table(keys: &[Key], colour: Colour) -> String {
    if keys.is_empty() {
        return String::new();
    }
    let now = SystemClock.now();
    let mut table = Table::new(&["ID", "NAME", "ROLE", "TOOLS", "STATE", "CREATED", "EXPIRES"]);
    for key in keys {
        let tools = key.tools.as_ref().map_or("all".to_owned(), |tools| tools.patterns().join(" "));
        let state = match key.revoked_at {
            Some(_) => "revoked",
            None if !key.is_good(now) => "expired",
            None => "good",
        };
        let expires = key.expires_at.as_ref().map(Timestamp::to_string).unwrap_or_default();
        table.row([
            key.id.to_string(),
            key.name.to_string(),
            key.role.as_str().to_owned(),
            tools,
            state.to_owned(),
            key.created_at.to_string(),
            expires,
        ]);
    }
    table.render(colour)
}

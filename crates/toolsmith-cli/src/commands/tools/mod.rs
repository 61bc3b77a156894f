//! `toolsmith tools`: finding, checking, making and switching tools.

mod accept;
mod list;
mod login;
mod logout;
mod new;
mod reload;
mod search;
mod show;
mod start;
mod stop;
mod switch;
mod validate;

use std::process::ExitCode;

use anyhow::Result;
use toolsmith_definitions::Groups;
use toolsmith_engine::{Engine, registry::Filter};

use crate::{
    Session,
    args::{ToolsWord, Which},
    catalogue,
    compose::{self, Toolbox, Wanted},
    config::Settings,
    exit::UsageError,
};

/// Does what the word says.
pub(crate) fn run(session: &Session, word: &ToolsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    match word {
        ToolsWord::List { which } => {
            list::run(&Shelf::open(session, &settings, Wanted::All)?, session, which)
        }
        ToolsWord::Search { words, which, limit } => {
            let wanted = search::Wanted { text: words.join(" "), which, limit: *limit };
            search::run(&Shelf::open(session, &settings, Wanted::All)?, session, &wanted)
        }
        ToolsWord::Show { name } => {
            let shelf = Shelf::open(session, &settings, Wanted::One(name))?;
            let tool = catalogue::find(shelf.engine.registry(), name)?;
            session.show(&tool.spec, |colour| show::text(&tool.spec, colour))?;
            Ok(ExitCode::SUCCESS)
        }
        ToolsWord::Validate { paths, strict } => {
            let depth = if *strict { validate::Depth::Warnings } else { validate::Depth::Problems };
            validate::run(session, &settings, paths, depth)
        }
        ToolsWord::New { kind, name, to } => {
            new::run(session, &settings, &new::Wanted { kind, name, to: to.as_deref() })
        }
        ToolsWord::Enable { name } => switch::run(session, &settings, name, switch::To::On),
        ToolsWord::Disable { name } => switch::run(session, &settings, name, switch::To::Off),
        ToolsWord::Accept { name } => accept::run(session, &settings, name),
        ToolsWord::Login { name } => login::run(session, &settings, name),
        ToolsWord::Logout { name } => logout::run(session, &settings, name),
        ToolsWord::Start { name } => start::run(session, &settings, name),
        ToolsWord::Stop { name } => stop::run(session, &settings, name),
        ToolsWord::Reload => reload::run(session, &settings),
    }
}

/// The tools as they are, to be looked at.
struct Shelf {
    engine: Engine,
    groups: Groups,
}

impl Shelf {
    fn open(session: &Session, settings: &Settings, wanted: Wanted<'_>) -> Result<Self> {
        let toolbox = Toolbox::open(session, settings)?;
        let engine = compose::engine_with(session, settings, &toolbox, wanted)?;
        Ok(Self { engine, groups: toolbox.definitions().groups().clone() })
    }

    /// Turns the options into a filter; a group that nobody knows is a mistake.
    fn filter(&self, which: &Which) -> Result<Filter, UsageError> {
        if let Some(id) = which.group.as_ref().filter(|id| self.groups.find(id).is_none()) {
            return Err(self.no_group(id));
        }
        Ok(Filter {
            category: which.category.as_deref().map(Into::into),
            all_tags: which.tag.iter().map(Into::into).collect(),
            kind: which.kind.as_deref().and_then(list::word),
            backend_runtime: which.runtime.as_deref().and_then(list::word),
            enabled: which.state.as_deref().map(|state| state == "enabled"),
            group: which.group.as_deref().map(Into::into),
            ..Filter::default()
        })
    }

    fn no_group(&self, id: &str) -> UsageError {
        let groups = self.groups.all();
        let near = toolsmith_core::suggestion(id, groups.iter().map(|group| &*group.group_id));
        let hint = near.unwrap_or_else(|| match groups.len() {
            0 => "No groups are defined; write them into groups.yaml.".to_owned(),
            _ => {
                let ids: Vec<&str> = groups.iter().map(|group| &*group.group_id).collect();
                format!("There are: {}.", ids.join(", "))
            }
        });
        UsageError::new(format!("there is no group `{id}`. {hint}"))
    }
}

//! `toolsmith parse`: the calls in the reply of a model.

mod decoder;
mod show;

use std::{
    fs::File,
    io::{self, Read},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use toolsmith::models::Toolset;
use toolsmith_dialects::{Entities, Event, Fences, Repairs, Reply, Settings, Thoughts};
use toolsmith_engine::registry::Filter;

use self::{decoder::Decoder, show::Shown};
use crate::{
    Session,
    args::{Parse, Thinking},
    compose::{self, Toolbox},
    files,
    output::Form,
};

/// How much is read at a time.
const PIECE: usize = 1 << 16;

/// Reads a reply as it comes.
pub(crate) fn run(session: &Session, asked: &Parse) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let engine = compose::engine(session, &settings, &toolbox)?;
    // Nothing is run, so every tool counts: also those that a model is not shown by default.
    let tools = Toolset::builder(&engine, asked.dialect)
        .only(engine.registry().find(&callable()).iter().map(|tool| tool.spec.name.as_str()))
        .with_settings(reading(asked))
        .build()?;
    let source = open(&asked.file)?;
    if session.output.form == Form::Json {
        let mut reply = Reply::default();
        feed(&tools, source, &mut |event| {
            reply.add(event);
            Ok(())
        })?;
        session.show(&show::document(&reply), |_| String::new())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut shown =
        if asked.events { Shown::events() } else { Shown::people(session.output.colour) };
    match feed(&tools, source, &mut |event| shown.event(&event)).and_then(|()| Ok(shown.end()?)) {
        // A reader who has left, as `head` does, wants no more; neither do we.
        Err(error) if is_left(&error) => Ok(ExitCode::SUCCESS),
        result => result.map(|()| ExitCode::SUCCESS),
    }
}

fn callable() -> Filter {
    Filter { enabled: Some(true), ..Filter::default() }
}

fn is_left(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn reading(asked: &Parse) -> Settings {
    Settings {
        fences: if asked.fenced { Fences::Calls } else { Fences::Text },
        entities: if asked.entities { Entities::Decode } else { Entities::Keep },
        repairs: if asked.no_repair { Repairs::Refuse } else { Repairs::Try },
        thoughts: match asked.thoughts {
            Thinking::Apart => Thoughts::Apart,
            Thinking::Begun => Thoughts::Begun,
            Thinking::Text => Thoughts::Text,
        },
    }
}

fn open(file: &str) -> Result<Box<dyn Read>> {
    if file == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let opened = File::open(file).map_err(|error| anyhow::anyhow!(files::explain(&error)));
    Ok(Box::new(opened.with_context(|| format!("cannot read {file}"))?))
}

/// Gives the parser what there is as soon as it is there.
fn feed(
    tools: &Toolset,
    mut source: impl Read,
    emit: &mut dyn FnMut(Event<'_>) -> io::Result<()>,
) -> Result<()> {
    let (mut parser, mut decoder) = (tools.parser(), Decoder::default());
    let mut bytes = vec![0; PIECE];
    let mut result = Ok(());
    loop {
        let mut take = |event: Event<'_>| {
            if result.is_ok() {
                result = emit(event);
            }
        };
        let read = match source.read(&mut bytes) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => anyhow::bail!("cannot read the reply: {}", files::explain(&error)),
        };
        let piece = bytes.get(..read).unwrap_or_default();
        if piece.is_empty() {
            parser.push_with(&decoder.end(), &mut take);
            parser.finish_with(&mut take);
            return Ok(result?);
        }
        parser.push_with(&decoder.decode(piece), &mut take);
        result?;
        result = Ok(());
    }
}

//! `toolsmith artifacts`: outputs that were too large to show whole.

use std::{
    io::{BufWriter, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;
use toolsmith_core::{Artifact, ArtifactPage, Artifacts as _, CallId};
use toolsmith_store::{ArtifactList, ArtifactQuery, Store};

use super::calls::say_nothing_is_kept;
use crate::{
    Session,
    args::ArtifactsWord,
    compose,
    config::Settings,
    files,
    output::{self, Colour, Form, Pipe},
    runtime::block_on,
    table::Table,
    wording::bytes,
};

/// How much is in memory at once.
const PIECE: u64 = 1 << 20;

/// Lists artifacts, or prints one.
pub(crate) fn run(session: &Session, word: &ArtifactsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    block_on(dispatch(session, &settings, word))
}

async fn dispatch(
    session: &Session,
    settings: &Settings,
    word: &ArtifactsWord,
) -> Result<ExitCode> {
    let store = compose::reader(session, settings).await?;
    if store.is_none() {
        say_nothing_is_kept(session, settings)?;
    }
    match word {
        ArtifactsWord::List { limit, before } => {
            let query =
                ArtifactQuery { limit: *limit, cursor: *before, ..ArtifactQuery::default() };
            list(session, store.as_ref(), query).await?;
        }
        ArtifactsWord::Show { id, offset, limit, output } => {
            let Some(store) = store else { bail!("there is no artifact {id}") };
            let part = Part { id: *id, offset: *offset, limit: limit.unwrap_or(u64::MAX) };
            match (output, session.output.form) {
                (Some(path), _) => part.write_file(session, &store, path).await?,
                (None, Form::Json) => output::print_json(&part.page(&store).await?)?,
                (None, Form::People) => part.print(&store).await?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(session: &Session, store: Option<&Store>, query: ArtifactQuery) -> Result<()> {
    #[derive(Serialize)]
    struct List {
        artifacts: Vec<Artifact>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<CallId>,
    }
    let ArtifactList { artifacts, next } = match store {
        Some(store) => store.artifacts(query).await?,
        None => ArtifactList { artifacts: Vec::new(), next: None },
    };
    let list = List { artifacts, next };
    session.output.show(&list, |colour| table(&list.artifacts, colour))?;
    if session.output.form == Form::People {
        if let Some(next) = list.next {
            output::tell(&format!("note: there are more; go on with --before {next}"));
        } else if list.artifacts.is_empty() && store.is_some() {
            output::tell("note: no output was too large to show whole");
        }
    }
    Ok(())
}

fn table(artifacts: &[Artifact], colour: Colour) -> String {
    if artifacts.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["ID", "TIME", "TOOL", "SIZE", "TYPE"]);
    for artifact in artifacts {
        table.row([
            artifact.id.to_string(),
            artifact.created_at.to_string(),
            artifact.tool_name.to_string(),
            bytes(artifact.bytes),
            artifact.media_type.to_string(),
        ]);
    }
    table.render(colour)
}

/// A part of an artifact.
#[derive(Clone, Copy)]
struct Part {
    id: CallId,
    offset: u64,
    limit: u64,
}

impl Part {
    /// Reads the part piece by piece, and returns where it ended.
    async fn read(
        self,
        store: &Store,
        mut take: impl FnMut(&ArtifactPage) -> Result<()>,
    ) -> Result<Option<u64>> {
        let (mut offset, mut left) = (self.offset, self.limit);
        loop {
            let page = store.read(self.id, offset, left.min(PIECE)).await?;
            let page = cut(page, left);
            take(&page)?;
            left = left.saturating_sub(page.content.len() as u64);
            match page.next_offset {
                Some(next) if left > 0 => offset = next,
                next => return Ok(next),
            }
        }
    }

    async fn page(self, store: &Store) -> Result<ArtifactPage> {
        let mut whole: Option<ArtifactPage> = None;
        let next_offset = self
            .read(store, |page| {
                match &mut whole {
                    None => whole = Some(page.clone()),
                    Some(whole) => whole.content.push_str(&page.content),
                }
                Ok(())
            })
            .await?;
        let Some(whole) = whole else { bail!("there is no artifact {}", self.id) };
        Ok(ArtifactPage { next_offset, ..whole })
    }

    async fn print(self, store: &Store) -> Result<()> {
        let mut pipe = Pipe::to_stdout();
        let printed = self.read(store, |page| Ok(pipe.write_all(page.content.as_bytes())?)).await;
        let printed = printed.and_then(|_| Ok(pipe.flush()?));
        if pipe.has_reader_left() { Ok(()) } else { printed }
    }

    async fn write_file(self, session: &Session, store: &Store, path: &Path) -> Result<()> {
        // The first piece is read before the file is made: a wrong id overwrites nothing.
        store.read(self.id, self.offset, 1).await?;
        let shown = output::one_line(&path.to_string_lossy());
        let mut out = BufWriter::new(files::create(path)?);
        let mut size = 0;
        self.read(store, |page| {
            size += page.content.len() as u64;
            Ok(out.write_all(page.content.as_bytes())?)
        })
        .await?;
        out.flush()?;
        let name = path.to_string_lossy();
        session.output.show(&json!({ "id": self.id, "file": name, "bytes": size }), |_| {
            format!("wrote {} to {shown}\n", bytes(size))
        })?;
        Ok(())
    }
}

/// Cuts a piece to a limit, but leaves at least one character.
fn cut(mut page: ArtifactPage, limit: u64) -> ArtifactPage {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if page.content.len() <= limit {
        return page;
    }
    let first = page.content.chars().next().map_or(0, char::len_utf8);
    let length = page.content.floor_char_boundary(limit).max(first);
    if length < page.content.len() {
        page.content.truncate(length);
        page.next_offset = Some(page.offset + length as u64);
    }
    page
}

#[cfg(test)]
mod tests {
    use toolsmith_core::Timestamp;

    use super::*;

    #[test]
    fn a_piece_is_cut_between_characters_and_never_to_nothing() {
        let page = |content: &str| ArtifactPage {
            artifact: Artifact {
                id: CallId::first_at(Timestamp::from_millis(0)),
                tool_name: "tool".into(),
                media_type: "text/plain".into(),
                bytes: 9,
                caller_id: None,
                conversation_id: None,
                user_id: None,
                created_at: Timestamp::from_millis(0),
            },
            offset: 10,
            content: content.to_owned(),
            next_offset: None,
        };
        for (content, limit, expected, next) in [
            ("abc", 3, "abc", None),
            ("abc", 2, "ab", Some(12)),
            ("计算器", 7, "计算", Some(16)),
            ("计算器", 1, "计", Some(13)),
            ("计", 1, "计", None),
            ("", 1, "", None),
        ] {
            let cut = cut(page(content), limit);
            assert_eq!((cut.content.as_str(), cut.next_offset), (expected, next), "{content}");
        }
    }
}

//! The folder of kept outputs: one file each, named after its call. Plain blocking file work.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use toolsmith_core::CallId;

use crate::Durability;

/// The largest piece that is read at once, in bytes.
const LARGEST_PIECE: u64 = 4 << 20;

/// No character is longer than this, in bytes.
const LONGEST_CHARACTER: u64 = 4;

/// The ending of a file that is being written.
const UNFINISHED: &str = ".part";

/// The folder of kept outputs.
///
/// Every path is made of the folder and an identifier that was parsed, so nothing that a caller
/// sends can lead anywhere else.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

/// A piece of a file, cut at character boundaries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) content: String,
    pub(crate) next_offset: Option<u64>,
}

impl Files {
    pub(crate) fn new(store_folder: &Path) -> Self {
        Self { folder: store_folder.join("artifacts") }
    }

    /// Returns where the output of a call lies.
    pub(crate) fn path(&self, id: CallId) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// Writes an output; nobody ever sees half of it.
    pub(crate) fn write(
        &self,
        id: CallId,
        content: &str,
        durability: Durability,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let unfinished = self.folder.join(format!("{id}{UNFINISHED}"));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&unfinished)?;
        file.write_all(content.as_bytes())?;
        if durability == Durability::Sync {
            file.sync_all()?;
        }
        fs::rename(&unfinished, self.path(id))?;
        if durability == Durability::Sync {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Reads a piece of at most `limit` bytes, but at least one character.
    pub(crate) fn read(&self, id: CallId, offset: u64, limit: u64) -> io::Result<Piece> {
        let mut file = File::open(self.path(id))?;
        let size = file.metadata()?.len();
        let offset = offset.min(size);
        file.seek(SeekFrom::Start(offset))?;
        let limit = limit.clamp(LONGEST_CHARACTER, LARGEST_PIECE);
        let mut bytes = Vec::new();
        // An offset in the middle of a character is moved behind it, which takes up to three more.
        file.take(limit + LONGEST_CHARACTER - 1).read_to_end(&mut bytes)?;
        Ok(cut(&bytes, offset, limit, size))
    }

    /// Removes the output of a call; returns how large it was, nothing when there was none.
    pub(crate) fn remove(&self, id: CallId) -> io::Result<Option<u64>> {
        let path = self.path(id);
        let size = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        fs::remove_file(path)?;
        Ok(Some(size))
    }

    /// Lists the calls whose outputs are kept and how large they are, the oldest first.
    ///
    /// What was left unfinished by a process that died is listed too; files of others are not.
    pub(crate) fn list(&self) -> io::Result<Vec<Kept>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut kept = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let Ok(id) = name.strip_suffix(UNFINISHED).unwrap_or(name).parse() else { continue };
            // The file may have been removed by another process in the meantime.
            let Ok(metadata) = entry.metadata() else { continue };
            kept.push(Kept { id, bytes: metadata.len(), path: entry.path() });
        }
        kept.sort_unstable_by_key(|kept| kept.id);
        Ok(kept)
    }
}

/// A kept output.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) id: CallId,
    pub(crate) bytes: u64,
    pub(crate) path: PathBuf,
}

/// Cuts what was read at `offset` of a file of that size to whole characters.
fn cut(bytes: &[u8], offset: u64, limit: u64, size: u64) -> Piece {
    let is_continuation = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let skipped = bytes.iter().take(3).take_while(is_continuation).count();
    let (_, rest) = bytes.split_at(skipped);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX).min(rest.len());
    let (taken, _) = rest.split_at(wanted);
    let whole = match std::str::from_utf8(taken) {
        // The last character goes on behind the piece.
        Err(error) if error.error_len().is_none() => taken.split_at(error.valid_up_to()).0,
        _ => taken,
    };
    let offset = offset + skipped as u64;
    let end = offset + whole.len() as u64;
    Piece {
        offset,
        content: String::from_utf8_lossy(whole).into_owned(),
        next_offset: (end < size && !whole.is_empty()).then_some(end),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toolsmith_core::Timestamp;

    use super::*;

    fn id(random: u64) -> CallId {
        CallId::from_parts(Timestamp::from_millis(1_763_000_000_000), random)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pages_of_any_size_join_to_the_whole(text in ".{0,200}", limit in 0..40_u64) {
            let folder = tempfile::tempdir().unwrap();
            let files = Files::new(folder.path());
            files.write(id(1), &text, Durability::Batched).unwrap();
            let mut joined = String::new();
            let mut next = Some(0);
            while let Some(offset) = next {
                let piece = files.read(id(1), offset, limit).unwrap();
                prop_assert!(piece.content.len() as u64 <= limit.max(4));
                prop_assert_eq!(piece.offset, offset);
                joined.push_str(&piece.content);
                next = piece.next_offset;
            }
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn any_offset_is_moved_to_a_character(text in ".{1,50}", offset in 0..300_u64) {
            let size = text.len() as u64;
            let rest = text.as_bytes().get(usize::try_from(offset.min(size)).unwrap()..).unwrap();
            let piece = cut(rest, offset.min(size), 1_000, size);
            let start = usize::try_from(piece.offset).unwrap();
            prop_assert_eq!(piece.content.as_str(), text.get(start..).unwrap());
        }
    }

    #[test]
    fn only_files_named_after_calls_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        assert!(files.list().unwrap().is_empty(), "a missing folder holds nothing");
        files.write(id(2), "two", Durability::Batched).unwrap();
        files.write(id(1), "one", Durability::Sync).unwrap();
        fs::write(folder.path().join("artifacts/notes.txt"), "mine").unwrap();
        fs::write(folder.path().join(format!("artifacts/{}{UNFINISHED}", id(3))), "x").unwrap();
        let ids: Vec<CallId> = files.list().unwrap().iter().map(|kept| kept.id).collect();
        assert_eq!(ids, [id(1), id(2), id(3)]);
    }

    #[test]
    fn removing_twice_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        files.write(id(1), "four", Durability::Batched).unwrap();
        assert_eq!(files.remove(id(1)).unwrap(), Some(4));
        assert_eq!(files.remove(id(1)).unwrap(), None);
    }
}

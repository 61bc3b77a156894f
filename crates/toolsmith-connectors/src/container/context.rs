//! Packs a folder for the engine, the same bytes for the same files.

use std::{fmt::Write as _, fs, io, path::Path};

use sha2::{Digest, Sha256};
use tar::{Builder, Header, HeaderMode};

/// The largest folder that is packed, in bytes.
const LARGEST: u64 = 512 << 20;

/// A folder, packed.
pub(super) struct Packed {
    pub(super) archive: Vec<u8>,
    /// Changes with the contents.
    pub(super) fingerprint: String,
}

/// Packs a folder without its history of versions.
pub(super) fn pack(folder: &Path) -> io::Result<Packed> {
    if !folder.join("Dockerfile").is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it has no Dockerfile"));
    }
    let mut builder = Builder::new(Vec::new());
    builder.mode(HeaderMode::Deterministic);
    builder.follow_symlinks(false);
    let mut size = 0;
    add(&mut builder, folder, Path::new(""), &mut size)?;
    let archive = builder.into_inner()?;
    let digest = Sha256::digest(&archive);
    let mut fingerprint = String::new();
    for byte in digest.iter().take(12) {
        write!(fingerprint, "{byte:02x}").ok();
    }
    Ok(Packed { archive, fingerprint })
}

fn add(
    builder: &mut Builder<Vec<u8>>,
    folder: &Path,
    inside: &Path,
    size: &mut u64,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder.join(inside))?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if name == ".git" {
            continue;
        }
        let (path, inside) = (entry.path(), inside.join(&name));
        let meta = entry.metadata()?;
        if meta.is_dir() {
            builder.append_dir(&inside, &path)?;
            add(builder, folder, &inside, size)?;
        } else if meta.is_symlink() {
            let mut header = Header::new_gnu();
            header.set_metadata_in_mode(&meta, HeaderMode::Deterministic);
            header.set_size(0);
            builder.append_link(&mut header, &inside, fs::read_link(&path)?)?;
        } else if meta.is_file() {
            *size = size.saturating_add(meta.len());
            if *size > LARGEST {
                return Err(io::Error::other("it has more than 512 MiB"));
            }
            builder.append_path_with_name(&path, &inside)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_have_the_same_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        assert!(pack(folder.path()).is_err());
        fs::write(folder.path().join("Dockerfile"), "FROM scratch").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/a"), "1").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("sub/link")).unwrap();
        let first = pack(folder.path()).unwrap().fingerprint;
        fs::write(folder.path().join("sub/a"), "1").unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(pack(folder.path()).unwrap().fingerprint, first);
        fs::write(folder.path().join("sub/a"), "2").unwrap();
        assert_ne!(pack(folder.path()).unwrap().fingerprint, first);
    }
}

//! Reading whole files of text, with a bound, and making files.

use std::{
    fs::File,
    io::{self, BufRead, Read},
    path::{self, Component, Path, PathBuf},
};

/// Reads a file of UTF-8 text that is no longer than the limit.
pub fn read_text(path: &Path, limit: usize) -> io::Result<String> {
    read_all(File::open(path)?, limit)
}

/// Reads a stream of UTF-8 text to its end, no more than the limit.
pub fn read_all(source: impl Read, limit: usize) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::other(format!("it is longer than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

/// Reads lines as they come, none longer than the limit; what is not UTF-8 becomes `U+FFFD`.
pub fn lines(mut source: impl BufRead, limit: usize) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match source.by_ref().take(limit as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) if line.len() > limit => {
                Some(Err(io::Error::other(format!("a line is longer than {limit} bytes"))))
            }
            Ok(_) => Some(Ok(String::from_utf8_lossy(&line).into_owned())),
            Err(error) => Some(Err(error)),
        }
    })
}

/// Makes a file, or empties it; the error names it.
pub fn create(path: &Path) -> io::Result<File> {
    File::create(path).map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            _ => explain(&error),
        };
        io::Error::new(error.kind(), format!("cannot write {}: {reason}", path.display()))
    })
}

/// Writes a path as it is seen from a folder; where both are need not be there.
///
/// ```
/// use std::path::Path;
/// use toolsmith_cli::files;
///
/// assert_eq!(files::seen_from(Path::new("/a/tools"), Path::new("/a/x/./y")), "../x/y");
/// ```
pub fn seen_from(folder: &Path, path: &Path) -> String {
    let (from, to) = (plain(folder), plain(path));
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    // Only the root is shared: such a path is better told as it is.
    if shared <= 1 {
        return to.display().to_string();
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(to.components().skip(shared)).collect();
    if seen.as_os_str().is_empty() { ".".to_owned() } else { seen.display().to_string() }
}

/// Takes a path that begins at one folder for one that begins at another.
///
/// What begins at the root, or with a variable, means the same everywhere.
pub fn rebased(path: &str, base: &Path, folder: &Path) -> String {
    if Path::new(path).is_absolute() || path.starts_with("${") {
        return path.to_owned();
    }
    seen_from(folder, &base.join(path))
}

/// Writes a path from the root on, without steps that lead nowhere.
fn plain(path: &Path) -> PathBuf {
    // The empty path means the current folder, which `absolute` refuses to say.
    let path = Path::new(".").join(path);
    let path = path::absolute(&path).unwrap_or(path);
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            step => plain.push(step),
        }
    }
    plain
}

/// Puts an input error into the words of a person.
pub fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_not_text_is_refused() {
        assert_eq!(read_all("abc".as_bytes(), 3).unwrap(), "abc");
        assert_eq!(
            read_all("abcd".as_bytes(), 3).unwrap_err().to_string(),
            "it is longer than 3 bytes"
        );
        let latin1 = [0x63, 0x61, 0x66, 0xe9];
        assert_eq!(read_all(&latin1[..], 9).unwrap_err().to_string(), "it is not UTF-8 text");
    }

    #[test]
    fn errors_are_put_into_words() {
        let folder = tempfile::tempdir().unwrap();
        let missing = read_text(&folder.path().join("x"), 9).unwrap_err();
        assert_eq!(explain(&missing), "there is no such file");
        let path = folder.path().join("no/file");
        let expected = format!("cannot write {}: there is no such folder", path.display());
        assert_eq!(create(&path).unwrap_err().to_string(), expected);
        let folder = read_text(folder.path(), 9).unwrap_err();
        assert_eq!(explain(&folder), "it is a folder");
    }
}

//! Reading whole files of text, with a bound.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
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
        let folder = read_text(folder.path(), 9).unwrap_err();
        assert_eq!(explain(&folder), "it is a folder");
    }
}

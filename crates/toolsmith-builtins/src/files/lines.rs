//! Reads a file line by line without ever holding more of it than is asked for.

use std::io::{self, BufRead, BufReader, Read};

/// What came of reading one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The whole line, with its end.
    Whole,
    /// The beginning of a line that is longer than was asked for; the rest comes next.
    Part,
    /// There are no more lines.
    End,
}

/// Reads lines of bounded length.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: BufReader<R>,
}

impl<R: Read> Lines<R> {
    /// Reads from the current position.
    pub(super) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(64 * 1024, reader) }
    }

    /// Appends the next line to a buffer, at most so many bytes of it.
    pub(super) fn read(&mut self, buffer: &mut Vec<u8>, most: u64) -> io::Result<Line> {
        let taken = self.reader.by_ref().take(most).read_until(b'\n', buffer)?;
        if taken == 0 {
            return Ok(if self.is_done()? { Line::End } else { Line::Part });
        }
        if buffer.ends_with(b"\n") || self.is_done()? { Ok(Line::Whole) } else { Ok(Line::Part) }
    }

    /// Skips the next line, however long, without keeping it; tells whether there was one.
    ///
    /// A line may be as long as the largest file, so `goes_on` is asked now and then.
    pub(super) fn skip(&mut self, goes_on: impl Fn() -> bool) -> io::Result<bool> {
        let mut is_there = false;
        loop {
            if is_there && !goes_on() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(is_there);
            }
            is_there = true;
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Shows the first bytes without taking them.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    /// Tells whether nothing is left.
    pub(super) fn is_done(&mut self) -> io::Result<bool> {
        Ok(self.reader.fill_buf()?.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_or_in_parts() {
        let mut lines = Lines::new(&b"one\ntwo and more\nend"[..]);
        let mut next = |most| {
            let mut buffer = Vec::new();
            let line = lines.read(&mut buffer, most).unwrap();
            (String::from_utf8(buffer).unwrap(), line)
        };
        assert_eq!(next(0), (String::new(), Line::Part));
        assert_eq!(next(10), ("one\n".to_owned(), Line::Whole));
        assert_eq!(next(5), ("two a".to_owned(), Line::Part));
        assert_eq!(next(100), ("nd more\n".to_owned(), Line::Whole));
        assert_eq!(next(3), ("end".to_owned(), Line::Whole));
        assert_eq!(next(3), (String::new(), Line::End));
        assert_eq!(next(0), (String::new(), Line::End));
    }

    #[test]
    fn skipping_keeps_nothing_and_knows_the_end() {
        let mut lines = Lines::new(&b"one\n\ntwo"[..]);
        assert!(lines.skip(|| true).unwrap() && lines.skip(|| true).unwrap());
        assert_eq!(lines.peek().unwrap(), b"two");
        assert!(lines.skip(|| true).unwrap());
        assert!(!lines.skip(|| true).unwrap());
        let long = vec![b'x'; 200_000];
        assert!(Lines::new(&long[..]).skip(|| false).is_err());
    }
}

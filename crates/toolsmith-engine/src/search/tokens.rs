//! Turns text into the tokens that are indexed and looked up.

use super::stem::stem;

/// What a token is to the text it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word, cut to its stem.
    Word,
    /// A number.
    Number,
    /// A word that is written as several, such as `getWeather`, kept whole.
    Compound,
    /// One character of a script without spaces.
    Single,
    /// Two neighbouring characters of a script without spaces.
    Pair,
}

/// Longer words are noise such as encoded bytes; they are passed over.
const LONGEST: usize = 48;

/// Calls `each` with every token of a text, in order; stop words are left out.
pub(super) fn tokens(text: &str, mut each: impl FnMut(Kind, &str)) {
    let mut buffer = String::new();
    for run in runs(text) {
        if run.chars().next().is_some_and(is_spaceless) {
            spaceless(run, &mut buffer, &mut each);
        } else {
            word(run, &mut buffer, &mut each);
        }
    }
}

/// Writes a text in lower case without separators, the form in which names are compared.
pub(super) fn compact(text: &str, into: &mut String) {
    into.clear();
    into.extend(text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(fold));
}

/// Tells whether a character belongs to a script that writes words without spaces.
pub(super) fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Cuts a text into runs of letters and digits, each of one manner of writing.
pub(super) fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(char::is_alphanumeric)?;
        rest = rest.get(start..)?;
        let dense = rest.chars().next().is_some_and(is_spaceless);
        let end = rest
            .find(|letter: char| {
                is_spaceless(letter) != dense
                    || !(letter.is_alphanumeric() || is_apostrophe(letter))
            })
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(run)
    })
}

fn is_apostrophe(letter: char) -> bool {
    letter == '\'' || letter == '’'
}

fn spaceless(run: &str, buffer: &mut String, each: &mut impl FnMut(Kind, &str)) {
    let mut before = None;
    for letter in run.chars() {
        if let Some(before) = before {
            buffer.clear();
            buffer.extend([before, letter]);
            each(Kind::Pair, buffer);
        }
        buffer.clear();
        buffer.push(letter);
        each(Kind::Single, buffer);
        before = Some(letter);
    }
}

fn word(run: &str, buffer: &mut String, each: &mut impl FnMut(Kind, &str)) {
    // What follows an apostrophe is a remnant ("what's", "don't") and says nothing.
    let run = run.split(is_apostrophe).next().unwrap_or(run);
    if run.len() > LONGEST {
        return;
    }
    let mut count = 0;
    for part in parts(run) {
        count += 1;
        buffer.clear();
        buffer.extend(part.chars().flat_map(fold));
        if buffer.bytes().all(|byte| byte.is_ascii_digit()) {
            each(Kind::Number, buffer);
        } else if !is_stop(buffer) {
            stem(buffer);
            each(Kind::Word, buffer);
        }
    }
    if count > 1 {
        // Cut like a word, because a query may write it as one: `github` for `GitHub`.
        compact(run, buffer);
        stem(buffer);
        each(Kind::Compound, buffer);
    }
}

/// Cuts `getHTTPStatus2` into `get`, `HTTP`, `Status` and `2`.
fn parts(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(part_end(rest));
        rest = after;
        Some(part)
    })
}

fn part_end(run: &str) -> usize {
    let mut letters = run.char_indices().peekable();
    let mut before = None;
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        if before.is_some_and(|before| is_seam(before, letter, next)) {
            return at;
        }
        before = Some(letter);
    }
    run.len()
}

/// Tells whether a part ends between two letters.
fn is_seam(before: char, letter: char, next: Option<char>) -> bool {
    if before.is_numeric() != letter.is_numeric() {
        return true;
    }
    // `HTTPServer`: the last capital before a small letter opens the next part.
    letter.is_uppercase()
        && (before.is_lowercase()
            || (before.is_uppercase() && next.is_some_and(char::is_lowercase)))
}

/// Lowers a letter and takes full-width forms and common accents off it.
fn fold(letter: char) -> impl Iterator<Item = char> {
    let plain = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        'à'..='å' | 'À'..='Å' => 'a',
        'è'..='ë' | 'È'..='Ë' => 'e',
        'ì'..='ï' | 'Ì'..='Ï' => 'i',
        'ò'..='ö' | 'Ò'..='Ö' | 'ø' | 'Ø' => 'o',
        'ù'..='ü' | 'Ù'..='Ü' => 'u',
        'ç' | 'Ç' => 'c',
        'ñ' | 'Ñ' => 'n',
        _ => letter,
    };
    plain.to_lowercase()
}

/// Tells whether a lower-case word only holds sentences together.
fn is_stop(word: &str) -> bool {
    word.len() == 1 || STOP.binary_search(&word).is_ok()
}

/// English words of grammar, in order of the alphabet.
#[rustfmt::skip]
const STOP: [&str; 130] = [
    "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing",
    "don", "during", "each", "either", "etc", "few", "for", "from", "further", "had", "has", "have",
    "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "however",
    "if", "in", "into", "is", "it", "its", "itself", "just", "let", "ll", "may", "me", "might",
    "more", "most", "must", "my", "myself", "no", "nor", "not", "of", "on", "only", "or", "other",
    "ought", "our", "ours", "ourselves", "own", "please", "re", "same", "shall", "she", "should",
    "so", "some", "such", "than", "that", "the", "their", "theirs", "them", "themselves", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "until", "upon", "us", "ve",
    "very", "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who",
    "whom", "whose", "why", "will", "with", "would", "yes", "you", "your", "yours", "yourself",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        tokens(text, |_, token| found.push(token.to_owned()));
        found
    }

    #[test]
    fn stop_words_stand_in_order() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn names_are_cut_at_capitals_digits_and_separators_and_kept_whole() {
        assert_eq!(of("getHTTPStatus"), ["get", "http", "status", "gethttpstatus"]);
        assert_eq!(of("file_path.mp3"), ["file", "path", "mp", "3", "mp3"]);
    }

    #[test]
    fn remnants_after_an_apostrophe_are_left_out() {
        assert_eq!(of("what's Tom’s don't"), ["tom"]);
    }

    #[test]
    fn chinese_becomes_characters_and_pairs() {
        assert_eq!(of("拼接AI图"), ["拼", "拼接", "接", "ai", "图"]);
    }

    #[test]
    fn full_width_letters_and_accents_are_plain() {
        assert_eq!(of("Ｃａｆé"), ["cafe"]);
        let mut name = String::new();
        compact("Get-Weather", &mut name);
        assert_eq!(name, "getweather");
    }
}

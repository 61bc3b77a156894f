//! Words of one meaning, in English and Chinese.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    terms::Term,
    tokens::{Kind, tokens},
};

/// Groups of words, one a line; a Chinese word stands there by two of its characters.
const GROUPS: &str = include_str!("synonyms.txt");

/// For each word of the table the words of the same meaning; it never changes.
static KIN: LazyLock<HashMap<Term, Vec<Term>>> = LazyLock::new(|| {
    let mut kin = HashMap::new();
    for line in GROUPS.lines() {
        let group: Vec<Term> = line.split_whitespace().filter_map(term).collect();
        introduce(&group, &mut kin);
    }
    kin
});

/// Returns the terms that mean about the same.
pub(super) fn synonyms(of: Term) -> &'static [Term] {
    KIN.get(&of).map_or(&[], Vec::as_slice)
}

/// Makes every word of a group known to every other.
fn introduce(group: &[Term], kin: &mut HashMap<Term, Vec<Term>>) {
    for word in group {
        let known = kin.entry(*word).or_default();
        for other in group {
            if other != word && !known.contains(other) {
                known.push(*other);
            }
        }
    }
}

/// Returns the term under which a word of the table is indexed.
fn term(word: &str) -> Option<Term> {
    let mut found = None;
    tokens(word, |kind, text| {
        if matches!(kind, Kind::Word | Kind::Pair) {
            found.get_or_insert(Term::token(text));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tokens::is_spaceless;

    #[test]
    fn every_word_of_the_table_is_one_token() {
        for word in GROUPS.split_whitespace() {
            assert!(term(word).is_some(), "{word} is a stop word or no word");
            let spaceless = word.chars().filter(|letter| is_spaceless(*letter)).count();
            assert!(spaceless == 0 || spaceless == 2, "{word} must stand by two characters");
        }
    }

    #[test]
    fn a_chinese_word_knows_the_english_ones() {
        for (chinese, english) in [("拼接", "stitch"), ("图片", "imag"), ("天气", "weather")]
        {
            let others = synonyms(Term::token(chinese));
            assert!(others.contains(&Term::token(english)), "{chinese} misses {english}");
        }
    }
}

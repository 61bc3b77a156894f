//! Cuts English words to their stems, after Porter's algorithm of 1980.

/// Cuts a lower-case ASCII word to its stem; short words and words with digits stay as they are.
pub(super) fn stem(word: &mut String) {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    plurals(word);
    past_and_progressive(word);
    final_y(word);
    long_endings(word);
    last_endings(word);
    final_e(word);
}

/// The long endings that shrink while something of the word stays before them.
const LONG: [(&str, &str); 24] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("icate", "ic"),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
];

/// The endings that fall when enough of the word stays before them; longer before shorter.
const LAST: [&str; 19] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
];

fn plurals(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        cut(word, 2);
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") {
        cut(word, 1);
    }
}

fn past_and_progressive(word: &mut String) {
    if let Some(before) = word.strip_suffix("eed") {
        if measure(before) > 0 {
            cut(word, 1);
        }
        return;
    }
    let ending = ["ed", "ing"].into_iter().find(|ending| {
        word.strip_suffix(ending).is_some_and(|before| before.len() > 1 && has_vowel(before))
    });
    let Some(ending) = ending else { return };
    cut(word, ending.len());
    if word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz") {
        word.push('e');
    } else if ends_double(word) && !word.ends_with(['l', 's', 'z']) {
        cut(word, 1);
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

fn final_y(word: &mut String) {
    if word.strip_suffix('y').is_some_and(has_vowel) {
        cut(word, 1);
        word.push('i');
    }
}

fn long_endings(word: &mut String) {
    // A word may shrink twice: "generalizations" loses "ization" first and "alize" after it.
    for _ in 0..2 {
        let found = LONG.iter().find(|(ending, _)| {
            word.strip_suffix(ending).is_some_and(|before| measure(before) > 0)
        });
        let Some((ending, shorter)) = found else { break };
        cut(word, ending.len());
        word.push_str(shorter);
    }
    for ending in ["ness", "ful", "ative"] {
        if word.strip_suffix(ending).is_some_and(|before| measure(before) > 0) {
            cut(word, ending.len());
        }
    }
}

fn last_endings(word: &mut String) {
    let Some(ending) = LAST.into_iter().find(|ending| word.ends_with(ending)) else { return };
    let before = word.strip_suffix(ending).unwrap_or_default();
    let after_ion = ending != "ion" || before.ends_with(['s', 't']);
    if measure(before) > 1 && after_ion {
        cut(word, ending.len());
    }
}

fn final_e(word: &mut String) {
    if let Some(before) = word.strip_suffix('e') {
        let measured = measure(before);
        if measured > 1 || (measured == 1 && !ends_short(before)) {
            cut(word, 1);
        }
    }
    if measure(word) > 1 && word.ends_with("ll") {
        cut(word, 1);
    }
}

/// Drops the last bytes of an ASCII word.
fn cut(word: &mut String, count: usize) {
    word.truncate(word.len().saturating_sub(count));
}

/// Counts how often a vowel is followed by a consonant, Porter's measure of a word.
fn measure(word: &str) -> usize {
    let mut count = 0;
    let mut after_vowel = false;
    for vowel in vowels(word) {
        if after_vowel && !vowel {
            count += 1;
        }
        after_vowel = vowel;
    }
    count
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|vowel| vowel)
}

/// Tells of each letter whether it sounds as a vowel; `y` does after a consonant.
fn vowels(word: &str) -> impl Iterator<Item = bool> {
    word.bytes().scan(true, |before, byte| {
        let vowel = match byte {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => !*before,
            _ => false,
        };
        *before = vowel;
        Some(vowel)
    })
}

fn ends_double(word: &str) -> bool {
    let mut last = word.bytes().rev();
    let (end, before) = (last.next(), last.next());
    end.is_some() && end == before && vowels(word).last() == Some(false)
}

/// Tells whether a word ends in consonant, vowel, consonant, as "hop" does.
fn ends_short(word: &str) -> bool {
    let sounds: Vec<bool> = vowels(word).collect();
    sounds.ends_with(&[false, true, false]) && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use super::stem;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for forms in [
            &["convert", "converts", "converted", "converting"][..],
            &["image", "images", "imaging"],
            &["city", "cities"],
            &["translate", "translated", "translation", "translations"],
            &["stop", "stopped", "stopping"],
            &["calculate", "calculates", "calculator", "calculation"],
            &["generalization", "generalizations"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stemmed(form)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{forms:?} became {stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for (one, other) in [("status", "state"), ("file", "fill"), ("map", "mop")] {
            assert_ne!(stemmed(one), stemmed(other), "{one} and {other}");
        }
    }

    #[test]
    fn words_with_digits_and_other_scripts_stay() {
        for word in ["mp3s", "größe", "погода", "as", ""] {
            assert_eq!(stemmed(word), word);
        }
    }
}

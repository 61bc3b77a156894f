//! Near names: what someone probably meant.

/// How alike two words must be, from 0 to 1.
const ALIKE: f64 = 0.7;

/// Returns up to three candidates that look like the word, the nearest first.
///
/// ```
/// assert_eq!(toolsmith_core::nearest("ech", ["calculator", "echo"]), ["echo"]);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // Longer words are no slip of a finger, and comparing them with many names would take long.
    if word.is_empty() || word.len() > 64 {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let mut near: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let likeness = likeness(&lower, candidate);
            (likeness >= ALIKE).then_some((likeness, candidate))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    near.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// Returns `Did you mean …?` for the near candidates, or nothing when none is near.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = nearest(word, candidates);
    let (last, rest) = near.split_last()?;
    let quoted: Vec<String> = rest.iter().map(|name| format!("`{name}`")).collect();
    Some(if quoted.is_empty() {
        format!("Did you mean `{last}`?")
    } else {
        format!("Did you mean {} or `{last}`?", quoted.join(", "))
    })
}

/// How alike two words are, from 0 to 1: typing slips count little, a shared part counts.
fn likeness(word: &str, candidate: &str) -> f64 {
    let (short, long) = (word.len().min(candidate.len()), word.len().max(candidate.len()));
    let is_part = word.len() >= 3 && contains(candidate, word);
    // Each missing letter is a slip: words of very different lengths cannot be alike.
    let comparable = short * 10 >= long * 7;
    let edits = if comparable {
        strsim::normalized_damerau_levenshtein(word, &candidate.to_lowercase())
    } else {
        0.0
    };
    if is_part { edits.max(0.75) } else { edits }
}

fn contains(candidate: &str, word: &str) -> bool {
    let (candidate, word) = (candidate.as_bytes(), word.as_bytes());
    candidate.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_forgiven() {
        let names = ["echo", "calculator", "read_file", "write_file"];
        assert_eq!(nearest("ech", names), ["echo"]);
        assert_eq!(nearest("calcualtor", names), ["calculator"]);
        assert_eq!(nearest("ReadFile", names), ["read_file"]);
        assert_eq!(nearest("file", names), ["read_file", "write_file"]);
        assert!(nearest("zzz", names).is_empty());
    }

    #[test]
    fn a_suggestion_reads_as_a_question() {
        assert_eq!(suggestion("ech", ["echo"]).unwrap(), "Did you mean `echo`?");
        assert!(suggestion("zzz", ["echo"]).is_none());
    }
}

//! Names of tools and of arguments: legal, unique, and the same in every run.

use std::collections::{HashMap, HashSet};

use toolsmith_core::ToolName;

use super::{
    ImportError,
    model::{Named, Operation},
};

/// The longest name of a tool, and of an argument: what the strictest model provider accepts.
const LONGEST: usize = 64;

/// Reads what names begin with; a separator is added where it has none.
pub(super) fn prefix(given: Option<&str>) -> Result<String, ImportError> {
    let Some(prefix) = given.filter(|prefix| !prefix.is_empty()) else { return Ok(String::new()) };
    if prefix.len() > 32 || ToolName::new(prefix).is_err() || !prefix.starts_with(is_beginning) {
        return Err(ImportError::new(format!(
            "the prefix `{}` does not do: it begins with a letter and has at most 32 letters, \
             digits, `_`, `.` and `-`",
            prefix.chars().take(40).collect::<String>()
        )));
    }
    let end = if prefix.ends_with(['_', '-', '.']) { "" } else { "_" };
    Ok(format!("{prefix}{end}"))
}

/// Gives each operation a name of its own.
///
/// The name follows from the operation alone, not from its place in the document. Operations that
/// would share one all get a suffix made of their method and path, so that none depends on which
/// comes first.
pub(super) fn assign<'a>(operations: Vec<Operation<'a>>, prefix: &str) -> Vec<Named<'a>> {
    let wished: Vec<String> = operations.iter().map(|operation| wish(operation, prefix)).collect();
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in &wished {
        *uses.entry(name.to_lowercase()).or_default() += 1;
    }
    let is_shared = |name: &String| uses.get(&name.to_lowercase()).is_some_and(|count| *count > 1);
    let mut taken: HashSet<String> =
        wished.iter().filter(|name| !is_shared(name)).map(|name| name.to_lowercase()).collect();
    let named = operations.into_iter().zip(wished).map(|(operation, name)| {
        let name = if is_shared(&name) { distinguish(&operation, &name, &mut taken) } else { name };
        Named { name, operation }
    });
    named.collect()
}

/// Returns a text that can be an argument: what is not a letter, digit, `_`, `.` or `-` goes.
pub(super) fn argument(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && name.len() <= LONGEST && name.chars().all(is_legal) {
        return name.to_owned();
    }
    let name = clean(name, '_');
    let is_fine = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match name.is_empty() {
        true => "value".to_owned(),
        false if is_fine => shorten(&name, LONGEST),
        false => shorten(&format!("_{name}"), LONGEST),
    }
}

/// Writes words in capitals with `_` between them, as variables of the environment are.
pub(super) fn variable(text: &str) -> String {
    let words = clean(text, '_').replace(['.', '-'], "_").to_ascii_uppercase();
    let words: Vec<&str> = words.split('_').filter(|word| !word.is_empty()).collect();
    let name = words.join("_");
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Replaces what is illegal in a name, and takes separators off its ends.
pub(super) fn clean(text: &str, instead: char) -> String {
    let mut name = String::new();
    for c in text.chars().take(1_000) {
        let c = if is_legal(c) { c } else { instead };
        if c != instead || !name.ends_with(instead) {
            name.push(c);
        }
    }
    // A file whose name begins with a dot is not read, and a dash is taken for an option.
    let name = name.trim_matches(['.', '-']).trim_matches(instead);
    name.trim_matches(['.', '-']).to_owned()
}

/// Makes a number of a text that is the same on every machine and in every version (FNV-1a).
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn is_beginning(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

/// Returns the name that an operation would have alone.
fn wish(operation: &Operation<'_>, prefix: &str) -> String {
    let id = operation.text("operationId");
    let of_id = clean(id, '_').trim_start_matches('_').to_owned();
    let of_path = || format!("{} {}", operation.method.to_lowercase(), operation.path);
    let name = if of_id.is_empty() { clean(&of_path(), '_') } else { of_id };
    shorten(&format!("{prefix}{name}"), LONGEST)
}

fn distinguish(operation: &Operation<'_>, name: &str, taken: &mut HashSet<String>) -> String {
    let whole = hash(&format!("{} {}", operation.method, operation.path));
    let candidates = [format!("{:08x}", whole & 0xffff_ffff), format!("{whole:016x}")];
    let mut numbers = (2_u64..).map(|number| format!("{whole:016x}_{number}"));
    let mut candidates = candidates.into_iter().chain(numbers.by_ref());
    loop {
        let Some(suffix) = candidates.next() else { return name.to_owned() };
        let room = LONGEST.saturating_sub(suffix.len() + 1);
        let start: String = name.chars().take(room).collect();
        let candidate = format!("{start}_{suffix}");
        if taken.insert(candidate.to_lowercase()) {
            return candidate;
        }
    }
}

/// Cuts a name, with a suffix that stands for the whole; names are ASCII here.
fn shorten(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    let start = name.get(..longest.saturating_sub(9)).unwrap_or(name);
    format!("{}_{:08x}", start.trim_end_matches(['_', '.', '-']), hash(name) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Map, Value, json};

    use super::*;

    fn names(list: &[(&'static str, &str, &str)], prefix: &str) -> Vec<String> {
        let shared = Map::new();
        let own: Vec<Value> = list.iter().map(|(_, _, id)| json!({ "operationId": id })).collect();
        let operations = list.iter().zip(&own).map(|((method, path, _), own)| Operation {
            method,
            path,
            shared: &shared,
            own: own.as_object().unwrap(),
        });
        let named = assign(operations.collect(), prefix);
        named.into_iter().map(|named| named.name).collect()
    }

    #[test]
    fn names_follow_from_the_identifier_or_from_method_and_path() {
        let list = [
            ("GET", "/a", "listPets"),
            ("GET", "/pets/{id}.json", ""),
            ("POST", "/b", "pets/add (new)"),
            ("GET", "/c", "../../etc/passwd"),
            ("GET", "/d", "__private"),
            ("GET", "/e", "宠物"),
        ];
        assert_eq!(
            names(&list, ""),
            ["listPets", "get_pets_id_.json", "pets_add_new", "etc_passwd", "private", "get_e"]
        );
        assert_eq!(names(&list[..1], "pet_"), ["pet_listPets"]);
    }

    #[test]
    fn names_that_would_be_one_are_told_apart_whatever_their_order() {
        let mut list = vec![
            ("GET", "/a", "do it"),
            ("PUT", "/a", "do.it"),
            ("GET", "/b", "Do_it"),
            ("GET", "/c", "do-it"),
        ];
        let first = names(&list, "");
        assert_eq!(first[1..2], ["do.it"]);
        let distinct: HashSet<&String> = first.iter().collect();
        assert_eq!(distinct.len(), 4);
        list.reverse();
        let mut second = names(&list, "");
        second.reverse();
        assert_eq!(first, second);
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let long = "x".repeat(100);
        let (one, two) = (format!("{long}1"), format!("{long}2"));
        let names = names(&[("GET", "/a", &one), ("GET", "/b", &two)], "");
        assert!(names.iter().all(|name| ToolName::new(name).is_ok()), "{names:?}");
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn a_hundred_thousand_operations_of_one_name_are_told_apart() {
        let paths: Vec<String> = (0..100_000).map(|n| format!("/{n}")).collect();
        let list: Vec<(&'static str, &str, &str)> =
            paths.iter().map(|path| ("GET", path.as_str(), "same")).collect();
        let names = names(&list, "");
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), 100_000);
    }

    #[test]
    fn arguments_and_variables_are_legal() {
        for (name, legal) in [
            ("page", "page"),
            ("filter[status]", "filter_status"),
            ("X-Trace-Id", "X-Trace-Id"),
            ("$top", "top"),
            ("2fa", "_2fa"),
            ("id*", "id"),
            ("名", "value"),
        ] {
            assert_eq!(argument(name), legal);
        }
        assert_eq!(argument(&"a".repeat(99)).len(), 64);
        assert_eq!(variable("Pet store (v2)"), "PET_STORE_V2");
        assert_eq!(variable("1forge"), "_1FORGE");
        assert!(prefix(Some("a b")).is_err() && prefix(Some("_x")).is_err());
        assert_eq!(prefix(Some("pets")).unwrap(), "pets_");
        assert_eq!(prefix(Some("pets.")).unwrap(), "pets.");
    }
}

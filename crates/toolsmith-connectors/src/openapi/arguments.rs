//! Parameters of every place in one list of arguments, each with a name of its own.

use std::collections::HashSet;

use super::{
    model::{Location, Parameter},
    names,
};

/// A parameter with the name that a call gives it.
#[derive(Clone, Debug)]
pub(super) struct Argument<'a> {
    pub(super) name: String,
    pub(super) parameter: Parameter<'a>,
}

/// Names the arguments.
///
/// Where two places have a parameter of one name, the path keeps it, then the body, the query, the
/// headers, the cookies; the others get their place as a suffix.
pub(super) fn name_all(parameters: Vec<Parameter<'_>>) -> Vec<Argument<'_>> {
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    // A name that is legal as it is comes before one that had to be changed.
    let key = |place: &usize| {
        parameters.get(*place).map(|parameter| {
            let is_changed = names::argument(parameter.name) != parameter.name;
            (parameter.location, is_changed, parameter.name)
        })
    };
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut taken: HashSet<String> = HashSet::new();
    let mut named: Vec<Option<String>> = vec![None; parameters.len()];
    for place in order {
        let Some(parameter) = parameters.get(place) else { continue };
        let name = unique(parameter.name, parameter.location, &mut taken);
        if let Some(slot) = named.get_mut(place) {
            *slot = Some(name);
        }
    }
    let pairs = parameters.into_iter().zip(named);
    pairs.filter_map(|(parameter, name)| Some(Argument { name: name?, parameter })).collect()
}

/// Finds a name for one more argument.
pub(super) fn another(wish: &str, arguments: &[Argument<'_>], location: Location) -> String {
    let mut taken = arguments.iter().map(|argument| argument.name.clone()).collect();
    unique(wish, location, &mut taken)
}

fn unique(wish: &str, location: Location, taken: &mut HashSet<String>) -> String {
    let plain = names::argument(wish);
    let suffixed = names::argument(&format!("{plain}_{}", location.as_str()));
    let numbered = (2_u64..).map(|number| names::argument(&format!("{suffixed}_{number}")));
    let candidates = [plain.clone(), suffixed.clone()].into_iter().chain(numbered);
    for candidate in candidates {
        if taken.insert(candidate.clone()) {
            return candidate;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::model::Style;

    #[test]
    fn names_that_clash_get_their_place_as_a_suffix() {
        let parameter = |name, location| Parameter {
            name,
            location,
            is_required: false,
            description: "",
            schema: None,
            style: Style::usual(location),
            file: None,
            around: None,
        };
        let list = vec![
            parameter("id", Location::Query),
            parameter("id", Location::Path),
            parameter("id", Location::Header),
            parameter("a[]", Location::Query),
            parameter("a", Location::Query),
            parameter("id", Location::Body),
        ];
        let named = name_all(list.clone());
        let names: Vec<&str> = named.iter().map(|argument| argument.name.as_str()).collect();
        assert_eq!(names, ["id_query", "id", "id_header", "a_query", "a", "id_body"]);
        let mut turned = list;
        turned.reverse();
        let turned = name_all(turned);
        let mut again: Vec<&str> = turned.iter().map(|argument| argument.name.as_str()).collect();
        again.reverse();
        assert_eq!(names, again);
    }
}

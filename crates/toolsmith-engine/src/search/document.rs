//! What is indexed of a tool, and how much each word says about it.

use super::{
    terms::Term,
    tokens::{self, Kind},
};

/// The texts of a tool under which it is found.
#[derive(Clone, Debug, Default)]
pub struct Document<'a> {
    /// The name, such as `get_weather`.
    pub name: &'a str,
    /// The title for people.
    pub title: &'a str,
    /// The tags, the category and whatever else groups tools.
    pub tags: Vec<&'a str>,
    /// What the tool does.
    pub description: &'a str,
    /// Name and description of each parameter; allowed values may follow the description.
    pub parameters: Vec<(&'a str, &'a str)>,
}

/// How a field counts: BM25F with fixed lengths.
///
/// A fixed usual length in place of the catalogue's average makes the weight of a word in a tool a
/// constant: one more tool changes nothing in the others. It also ranks better on the public sets.
struct Field {
    /// How much a word counts here, against one in the description.
    weight: f32,
    /// The usual number of words.
    usual: f32,
    /// How far a longer text makes each of its words count less, from 0 to 1.
    slope: f32,
    /// How many bytes are read; a longer text says nothing more about its tool.
    longest: usize,
}

const NAME: Field = Field { weight: 4.0, usual: 4.0, slope: 0.75, longest: 256 };
const TITLE: Field = Field { weight: 3.0, usual: 4.0, slope: 0.75, longest: 512 };
const TAGS: Field = Field { weight: 2.0, usual: 4.0, slope: 0.75, longest: 1_024 };
const DESCRIPTION: Field = Field { weight: 1.0, usual: 20.0, slope: 0.75, longest: 8_192 };
const PARAMETER_NAMES: Field = Field { weight: 1.0, usual: 6.0, slope: 0.5, longest: 2_048 };
const PARAMETER_TEXTS: Field = Field { weight: 0.5, usual: 40.0, slope: 0.5, longest: 8_192 };

/// How soon more of the same word stops saying more (`k1` of BM25).
const SATURATION: f32 = 2.0;

/// Returns the terms of a document with their impacts; `spelt` hears every word.
pub(super) fn weigh(document: &Document<'_>, mut spelt: impl FnMut(Term, &str)) -> Vec<(Term, u8)> {
    let parameters = &document.parameters;
    let mut scale = Scale { found: Vec::new(), spelt: &mut spelt };
    scale.name(document.name);
    scale.field(&NAME, [document.name]);
    scale.field(&TITLE, [document.title]);
    scale.field(&TAGS, document.tags.iter().copied());
    scale.field(&DESCRIPTION, [document.description]);
    scale.field(&PARAMETER_NAMES, parameters.iter().map(|(name, _)| *name));
    scale.field(&PARAMETER_TEXTS, parameters.iter().map(|(_, description)| *description));
    scale.impacts()
}

/// Collects the weight of each term over the fields.
struct Scale<'a, F> {
    found: Vec<(Term, f32)>,
    spelt: &'a mut F,
}

impl<F: FnMut(Term, &str)> Scale<'_, F> {
    /// Adds the whole name and its pairs of neighbouring words.
    fn name(&mut self, name: &str) {
        let name = start_of(name, NAME.longest);
        let mut compact = String::new();
        tokens::compact(name, &mut compact);
        if !compact.is_empty() {
            self.found.push((Term::name(&compact), NAME.weight));
        }
        let mut before = None;
        tokens::tokens(name, |kind, text| {
            if kind == Kind::Word {
                let word = Term::token(text);
                if let Some(before) = before.replace(word) {
                    self.found.push((Term::pair(before, word), NAME.weight));
                }
            }
        });
    }

    fn field<'t>(&mut self, field: &Field, texts: impl IntoIterator<Item = &'t str>) {
        let first = self.found.len();
        let mut length = 0.0;
        let mut left = field.longest;
        for text in texts {
            let text = start_of(text, left);
            left -= text.len();
            tokens::tokens(text, |kind, token| {
                let term = Term::token(token);
                if matches!(kind, Kind::Word | Kind::Compound) {
                    (self.spelt)(term, token);
                }
                if kind != Kind::Compound {
                    length += 1.0;
                }
                self.found.push((term, 0.0));
            });
        }
        let weight = field.weight / (1.0 - field.slope + field.slope * length / field.usual);
        for (_, found) in self.found.iter_mut().skip(first) {
            *found = weight;
        }
    }

    fn impacts(mut self) -> Vec<(Term, u8)> {
        self.found.sort_unstable_by_key(|(term, _)| *term);
        self.found
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter_map(|same| {
                let (term, _) = same.first()?;
                let weight = same.iter().map(|(_, weight)| weight).sum::<f32>();
                Some((*term, rounded(weight / (SATURATION + weight))))
            })
            .collect()
    }
}

/// Returns as much of the start of a text as fits into so many bytes.
pub(super) fn start_of(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the share lies between 0 and 1"
)]
fn rounded(share: f32) -> u8 {
    (share * 255.0).round().max(1.0) as u8
}

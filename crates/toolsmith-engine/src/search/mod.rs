//! Finds tools by free text, in English and Chinese, without a model.
//!
//! Text becomes tokens (`tokens`, `stem`), tokens become terms (`terms`), a document becomes terms
//! with weights (`document`), and the index keeps for each term the tools that hold it (`index`,
//! `postings`). A query becomes concepts, each a term with its kin (`query`, `synonyms`,
//! `spellings`), and the tools that answer most of them come first (`rank`).

mod document;
mod index;
mod postings;
mod query;
mod rank;
mod spellings;
mod stem;
mod synonyms;
mod terms;
#[cfg(test)]
mod tests;
mod tokens;

pub use document::Document;
pub use index::Index;
pub use rank::Hit;

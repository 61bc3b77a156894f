//! The inverted index: for each term the tools that hold it, kept up to date tool by tool.

use std::{
    collections::HashMap,
    fmt::{self, Debug, Formatter},
};

use super::{
    document::{Document, weigh},
    postings::{Posting, Postings, SLOTS},
    query, rank,
    rank::Hit,
    spellings::Spellings,
    terms::Term,
};

/// A search index over tools, each under a number of the caller's.
///
/// It holds up to 16 million tools; what is put beyond that is not found.
#[derive(Default)]
pub struct Index {
    slots: HashMap<u32, u32>,
    tools: Vec<Tool>,
    free_slots: Vec<u32>,
    terms: HashMap<Term, u32>,
    lists: Vec<List>,
    free_lists: Vec<u32>,
    spellings: Spellings,
}

/// What is kept of a tool: its number and where its postings are.
#[derive(Default)]
struct Tool {
    id: u32,
    lists: Box<[u32]>,
}

/// A term and who holds it.
struct List {
    term: Term,
    postings: Postings,
}

impl Debug for Index {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Index")
            .field("tools", &self.slots.len())
            .field("terms", &self.terms.len())
            .finish_non_exhaustive()
    }
}

impl Index {
    /// Adds a tool, in place of the one of the same number if there is one.
    pub fn put(&mut self, id: u32, document: &Document<'_>) {
        self.remove(id);
        let Some(slot) = self.claim_slot(id) else { return };
        let (terms, spellings) = (&self.terms, &mut self.spellings);
        let weighed = weigh(document, |term, word| {
            if !terms.contains_key(&term) {
                spellings.add(word);
            }
        });
        let lists = weighed
            .into_iter()
            .filter_map(|(term, impact)| self.add(term, Posting::new(slot, impact)))
            .collect();
        if let Some(tool) = self.tools.get_mut(slot as usize) {
            tool.lists = lists;
        }
    }

    /// Takes a tool out; a number that is not there is no error.
    pub fn remove(&mut self, id: u32) {
        let Some(slot) = self.slots.remove(&id) else { return };
        let tool = self.tools.get_mut(slot as usize).map(std::mem::take).unwrap_or_default();
        let gone = tool.lists.iter().filter(|list| self.take_out(**list, slot)).count();
        let terms = &self.terms;
        self.spellings.forget(gone, |word| terms.contains_key(&Term::token(word)));
        self.free_slots.push(slot);
    }

    /// Returns the tools that answer a query best, the best first, of those that `keep` accepts.
    ///
    /// A tool whose whole name is the query comes before all others, whatever its case and
    /// separators. Equal tools come in the order of their numbers.
    pub fn search(&self, query: &str, limit: usize, keep: impl Fn(u32) -> bool) -> Vec<Hit> {
        let query = query::read(query, self);
        rank::best(self, &query, limit, keep)
    }

    /// Returns how many tools there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Tells whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns how many slots there are, free ones too.
    pub(super) fn width(&self) -> usize {
        self.tools.len()
    }

    /// Returns the number of the tool in a slot.
    pub(super) fn id_in(&self, slot: usize) -> Option<u32> {
        self.tools.get(slot).map(|tool| tool.id)
    }

    /// Returns who holds a term; nobody gives an empty slice.
    pub(super) fn holders(&self, term: Term) -> &[Posting] {
        let list = self.terms.get(&term).and_then(|list| self.lists.get(*list as usize));
        list.map_or(&[], |list| list.postings.as_slice())
    }

    /// Returns the terms that a word nobody holds may have meant.
    pub(super) fn guesses(&self, strange: &str) -> Vec<Term> {
        let is_held = |word: &str| self.terms.contains_key(&Term::token(word));
        self.spellings.near(strange, is_held).into_iter().map(Term::token).collect()
    }

    fn claim_slot(&mut self, id: u32) -> Option<u32> {
        let slot = match self.free_slots.pop() {
            Some(slot) => slot,
            None => u32::try_from(self.tools.len()).ok().filter(|slot| *slot < SLOTS)?,
        };
        let tool = Tool { id, lists: Box::default() };
        match self.tools.get_mut(slot as usize) {
            Some(free) => *free = tool,
            None => self.tools.push(tool),
        }
        self.slots.insert(id, slot);
        Some(slot)
    }

    /// Adds a posting to a term's list and returns which list that is.
    fn add(&mut self, term: Term, posting: Posting) -> Option<u32> {
        if let Some(list) = self.terms.get(&term) {
            self.lists.get_mut(*list as usize)?.postings.add(posting);
            return Some(*list);
        }
        let list = self.free_lists.pop().or_else(|| u32::try_from(self.lists.len()).ok())?;
        let fresh = List { term, postings: Postings::One(posting) };
        match self.lists.get_mut(list as usize) {
            Some(free) => *free = fresh,
            None => self.lists.push(fresh),
        }
        self.terms.insert(term, list);
        Some(list)
    }

    /// Takes a tool out of a list and tells whether nobody holds its term any more.
    fn take_out(&mut self, list: u32, slot: u32) -> bool {
        let Some(held) = self.lists.get_mut(list as usize) else { return false };
        held.postings.remove(slot);
        if !held.postings.as_slice().is_empty() {
            return false;
        }
        self.terms.remove(&held.term);
        self.free_lists.push(list);
        true
    }
}

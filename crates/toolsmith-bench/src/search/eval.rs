//! Judges the search by public sets of tools and questions, beside plain BM25 in the same run.

use std::io::{self, Write};

use anyhow::Result;
use toolsmith_engine::search::{Document, Index};

use super::{
    folder,
    judge::{Figures, Half, judge},
    plain, sample,
    sets::{Set, Values},
};

/// `eval-search`: prints a table of every set.
pub(crate) fn eval() -> Result<()> {
    let text = report(&Set::load_all(&folder()?)?);
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Writes the tables of all sets.
fn report(sets: &[Set]) -> String {
    let mut text = String::from(
        "set                          side           questions  recall@1    @5   @10  any@5   p50 µs   p99 µs\n",
    );
    for set in sets {
        compare(set, &mut text);
    }
    text
}

fn compare(set: &Set, text: &mut String) {
    let plain = plain::Bm25::new(set);
    let index = index(set, Values::Left);
    let plain = |question: &str| plain.search(question);
    let ours = |question: &str| top(&index, question);
    for (name, half) in [("", Half::Both), (" half A", Half::First), (" half B", Half::Second)] {
        let label = format!("{}{name}", set.name);
        line(text, &label, "plain BM25", &judge(set, half, plain));
        line(text, &label, "ours", &judge(set, half, ours));
    }
    if set.questions.len() > sample::SIZE {
        let sampled = set.sampled();
        let label = format!("{} ({} sampled)", set.name, sample::SIZE);
        line(text, &label, "plain BM25", &judge(&sampled, Half::Both, plain));
        line(text, &label, "ours", &judge(&sampled, Half::Both, ours));
    }
    if set.has_values() {
        let index = self::index(set, Values::Indexed);
        let label = format!("{}, allowed values too", set.name);
        line(text, &label, "ours", &judge(set, Half::Both, |question| top(&index, question)));
    }
    if let Some(chinese) = set.asked_in_chinese() {
        let index = self::index(&chinese, Values::Left);
        let label = format!("{}, titles asked 中文", set.name);
        line(text, &label, "ours", &judge(&chinese, Half::Both, |question| top(&index, question)));
    }
}

/// Builds our index of a set; a tool's number is its place.
fn index(set: &Set, values: Values) -> Index {
    let mut index = Index::default();
    for (tool, id) in set.tools.iter().zip(0..) {
        let texts: Vec<(&str, String)> = tool.parameters(values).collect();
        let parameters = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let document = Document {
            name: &tool.name,
            title: &tool.title,
            tags: Vec::new(),
            description: &tool.description,
            parameters,
        };
        index.put(id, &document);
    }
    index
}

fn top(index: &Index, question: &str) -> Vec<u32> {
    index.search(question, 10, |_| true).into_iter().map(|hit| hit.id).collect()
}

fn line(text: &mut String, set: &str, side: &str, figures: &Figures) {
    let Figures { questions, recall, any, median, slow } = figures;
    let [one, five, ten] = recall;
    text.push_str(set);
    text.push_str(&" ".repeat(29_usize.saturating_sub(set.chars().count())));
    let row = format!(
        "{side:<14} {questions:>9}  {one:>8.3} {five:>5.3} {ten:>5.3}  {any:>5.3} {median:>8.0} {slow:>8.0}\n"
    );
    text.push_str(&row);
}

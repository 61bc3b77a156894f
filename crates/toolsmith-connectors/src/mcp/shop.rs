//! What is known of what servers offer besides tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::watch;
use toolsmith_core::Editions;

use super::{news::Heard, offer::Offer, settings::ServerSettings, stock::Stock};

/// What is known of what servers offer besides tools.
#[derive(Debug)]
pub(super) struct Shop {
    shelves: Mutex<Shelves>,
    /// Counts what has changed, for who listens.
    pub(super) editions: watch::Sender<Editions>,
}

#[derive(Debug, Default)]
struct Shelves {
    stocks: BTreeMap<String, Stock>,
    offer: Arc<Offer>,
    /// What the log has been told.
    told: BTreeSet<String>,
}

impl Shop {
    /// Takes what is remembered of servers.
    pub(super) fn new<'a>(
        stocks: BTreeMap<String, Stock>,
        settings: impl Iterator<Item = &'a ServerSettings> + Clone,
    ) -> Self {
        let mut shelves = Shelves { stocks, ..Shelves::default() };
        shelves.arrange(settings);
        Self { shelves: Mutex::new(shelves), editions: watch::Sender::default() }
    }

    /// Returns what is offered.
    pub(super) fn offer(&self) -> Arc<Offer> {
        Arc::clone(&self.shelves.lock().offer)
    }

    /// Returns what a server offers.
    pub(super) fn stock(&self, server: &str) -> Stock {
        self.shelves.lock().stocks.get(server).cloned().unwrap_or_default()
    }

    /// Takes what a server offers from now on, and what it says is new.
    pub(super) fn put<'a>(
        &self,
        server: &str,
        stock: Stock,
        heard: &Heard,
        settings: impl Iterator<Item = &'a ServerSettings> + Clone,
    ) {
        let mut shelves = self.shelves.lock();
        let before = Arc::clone(&shelves.offer);
        shelves.stocks.insert(server.to_owned(), stock);
        shelves.arrange(settings);
        let now = Arc::clone(&shelves.offer);
        drop(shelves);
        // What a list does not show may be new as well.
        let has_resources = heard.resources
            || before.resources != now.resources
            || before.templates != now.templates;
        let has_prompts = heard.prompts || before.prompts != now.prompts;
        self.editions.send_if_modified(|editions| {
            editions.resources += u64::from(has_resources);
            editions.prompts += u64::from(has_prompts);
            has_resources || has_prompts
        });
    }
}

impl Shelves {
    /// Plans what is offered, and tells the log what it has not been told.
    fn arrange<'a>(&mut self, settings: impl Iterator<Item = &'a ServerSettings> + Clone) {
        let stocks = settings
            .filter_map(|settings| Some((settings, self.stocks.get(&settings.name)?)))
            .collect::<Vec<_>>();
        let offer = Offer::of(stocks.iter().copied());
        for warning in offer.warnings.difference(&self.told) {
            tracing::warn!("{warning}");
        }
        self.told.clone_from(&offer.warnings);
        self.offer = Arc::new(offer);
    }
}

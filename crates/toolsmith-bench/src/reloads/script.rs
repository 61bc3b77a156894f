//! What is done to the files: what editors, deployments and mistakes do to them.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::{self, Write},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::{Stage, place::Place, spread};

/// How long a change may take to be in service before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a file may be gone, empty or half written: less than the rest that the watch asks for.
const SHORT: Duration = Duration::from_millis(45);

/// What one player did, or all of them.
#[derive(Default)]
pub(super) struct Deeds {
    counts: BTreeMap<&'static str, u64>,
    /// From the write of a definition to its being in service.
    delays: Vec<Duration>,
    /// What was never followed.
    pub(super) stuck: Vec<String>,
    /// The rounds in which a moment became long, because this machine was busy elsewhere.
    pub(super) slow: HashSet<(String, u64)>,
}

impl Deeds {
    pub(super) fn add(&mut self, other: Self) {
        for (deed, count) in other.counts {
            *self.counts.entry(deed).or_default() += count;
        }
        self.delays.extend(other.delays);
        self.stuck.extend(other.stuck);
        self.slow.extend(other.slow);
    }

    pub(super) fn report(&self) -> Value {
        json!({
            "deeds": self.counts,
            "total": self.counts.values().sum::<u64>(),
            "ms_until_live": spread(self.delays.clone()),
            "not_followed": self.stuck.len(),
            "forgiven_rounds": self.slow.len(),
        })
    }
}

/// Something that can be done to a file.
type Deed = (&'static str, fn(&mut Player<'_>) -> Result<()>);

const DEEDS: [Deed; 8] = [
    ("rewritten", |player| player.rewrite()),
    ("renamed_over", |player| player.rename_over()),
    ("deleted_and_made_anew", |player| player.dance()),
    ("half_written", |player| player.write_in_halves()),
    ("emptied_for_a_moment", |player| player.empty()),
    ("broken_for_a_moment", |player| player.flicker()),
    ("broken", |player| player.break_it()),
    ("deleted_and_restored", |player| player.delete()),
];

/// Does one thing after the other to a file for so long.
pub(super) fn play(stage: &Stage, number: usize, length: Duration) -> Result<Deeds> {
    let place = stage.places.get(number).ok_or_else(|| anyhow!("there is no place {number}"))?;
    let mut player = Player { stage, place, round: 0, broken: 0, deeds: Deeds::default() };
    let began = Instant::now();
    while began.elapsed() < length {
        let (name, deed) = DEEDS[fastrand::usize(..DEEDS.len())];
        player.round = place.next_round();
        deed(&mut player)?;
        *player.deeds.counts.entry(name).or_default() += 1;
        sleep(Duration::from_millis(fastrand::u64(..700)));
    }
    Ok(player.deeds)
}

/// Somebody who plays with one file.
struct Player<'a> {
    stage: &'a Stage,
    place: &'a Place,
    round: u64,
    broken: u64,
    deeds: Deeds,
}

impl Player<'_> {
    fn rewrite(&mut self) -> Result<()> {
        let generation = self.place.write_next()?;
        self.await_live(generation);
        Ok(())
    }

    fn rename_over(&mut self) -> Result<()> {
        let (generation, text) = self.place.next();
        let beside = self.place.file.with_extension("tmp");
        fs::write(&beside, text)?;
        fs::rename(&beside, &self.place.file)?;
        self.await_live(generation);
        Ok(())
    }

    fn dance(&mut self) -> Result<()> {
        self.shortly(|file| fs::remove_file(file), Duration::from_millis(5))
    }

    fn empty(&mut self) -> Result<()> {
        self.shortly(|file| fs::write(file, ""), Duration::from_millis(20))
    }

    fn flicker(&mut self) -> Result<()> {
        let (_, text) = self.next_broken();
        fs::write(&self.place.file, text)?;
        sleep(Duration::from_millis(fastrand::u64(..80)));
        self.rewrite()
    }

    fn write_in_halves(&mut self) -> Result<()> {
        let (generation, text) = self.place.next();
        let (first, second) = text.split_at(fastrand::usize(..text.len()));
        let began = Instant::now();
        let mut file = File::create(&self.place.file)?;
        file.write_all(first.as_bytes())?;
        sleep(Duration::from_millis(fastrand::u64(..20)));
        file.write_all(second.as_bytes())?;
        drop(file);
        self.note_time(began);
        self.await_live(generation);
        Ok(())
    }

    /// Leaves the file broken until that was told; its tool stays in service.
    fn break_it(&mut self) -> Result<()> {
        let (above, text) = self.next_broken();
        fs::write(&self.place.file, text)?;
        let (ear, file) = (&self.stage.ear, &self.place.file);
        self.wait("its bad state was never told", || ear.has_heard(file, above));
        self.rewrite()
    }

    /// Takes the file away until its tool is gone, and brings it back.
    fn delete(&mut self) -> Result<()> {
        self.place.turn();
        fs::remove_file(&self.place.file)?;
        let (registry, name) = (self.stage.engine.registry(), &self.place.name);
        self.wait("its tool never went", || !registry.has(name));
        sleep(Duration::from_millis(fastrand::u64(..100)));
        self.rewrite()?;
        self.place.turn();
        Ok(())
    }

    /// Does something to the file, and writes a good one a moment later.
    fn shortly(
        &mut self,
        deed: impl FnOnce(&std::path::Path) -> io::Result<()>,
        moment: Duration,
    ) -> Result<()> {
        let began = Instant::now();
        deed(&self.place.file)?;
        let millis = u64::try_from(moment.as_millis())?;
        sleep(Duration::from_millis(fastrand::u64(..millis)));
        let generation = self.place.write_next()?;
        self.note_time(began);
        self.await_live(generation);
        Ok(())
    }

    /// Remembers when a moment became too long, on a machine that was busy elsewhere.
    fn note_time(&mut self, began: Instant) {
        if began.elapsed() > SHORT {
            self.deeds.slow.insert((self.place.name.clone(), self.round));
        }
    }

    fn next_broken(&mut self) -> (u64, String) {
        self.broken += 1;
        self.place.broken(self.broken)
    }

    fn await_live(&mut self, generation: u64) {
        let began = Instant::now();
        let (registry, name) = (self.stage.engine.registry(), &self.place.name);
        let is_live = || {
            registry
                .get(name)
                .is_some_and(|entry| Place::generation_of(&entry.spec) == Some(generation))
        };
        if self.wait("its new generation was never in service", is_live) {
            self.place.is_live(generation);
            self.deeds.delays.push(began.elapsed());
        }
    }

    /// Waits for something, within bounds; tells whether it came.
    fn wait(&mut self, otherwise: &str, is_there: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        while !is_there() {
            if began.elapsed() > PATIENCE {
                self.deeds.stuck.push(format!("{}: {otherwise}", self.place.name));
                return false;
            }
            sleep(Duration::from_millis(2));
        }
        true
    }
}

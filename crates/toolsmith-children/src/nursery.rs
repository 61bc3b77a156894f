//! The thread that ends children early: asks them, waits a little, kills what is left.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::{
    keeper::{Control, Heard},
    ward::{Fate, Remains, Ward},
};

/// How long closing waits for children that cannot be killed.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the thread is asked to do.
#[derive(Debug)]
pub(crate) enum Order {
    End(Remains),
    /// Ends what these guards stay with, and then the thread.
    Close(Vec<Control>),
}

/// How orders reach the thread.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    orders: mpsc::Sender<Order>,
    bell: Arc<OwnedFd>,
}

impl Line {
    /// Sends an order; when the thread is gone, so are its children.
    pub(crate) fn send(&self, order: Order) {
        if self.orders.send(order).is_ok() {
            // The bell counts, so it cannot be rung in vain; it is full only when it rings already.
            rustix::io::write(&*self.bell, &1_u64.to_ne_bytes()).ok();
        }
    }
}

/// Starts the thread.
pub(crate) fn open() -> io::Result<(Line, thread::JoinHandle<()>)> {
    let bell = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    let (sender, orders) = mpsc::channel();
    let line = Line { orders: sender, bell: Arc::clone(&bell) };
    let (wards, parted) = (Vec::new(), Vec::new());
    let nursery = Nursery { orders, bell, wards, parted, closing: None };
    let thread = thread::Builder::new().name("toolsmith-children".to_owned());
    Ok((line, thread.spawn(move || nursery.run())?))
}

struct Nursery {
    orders: mpsc::Receiver<Order>,
    bell: Arc<OwnedFd>,
    wards: Vec<Ward>,
    /// The guards of children that were ended; they hang up when nothing is left to guard.
    parted: Vec<Control>,
    closing: Option<Instant>,
}

impl Nursery {
    fn run(mut self) {
        loop {
            let heard = self.wait();
            let now = Instant::now();
            self.tend(&heard, now);
            while let Ok(order) = self.orders.try_recv() {
                self.obey(order, now);
            }
            let is_empty = self.wards.is_empty() && self.parted.is_empty();
            if self.closing.is_some_and(|until| is_empty || now >= until) {
                return;
            }
        }
    }

    /// Waits for an order, an end or the time to act; returns which children were heard of.
    fn wait(&mut self) -> Vec<bool> {
        // Whoever was heard to the end has nothing more to say, or would be ready for ever.
        let living = self.wards.iter().filter(|ward| !ward.has_exited());
        let files = std::iter::once(self.bell.as_fd())
            .chain(living.map(|ward| ward.control().as_fd()))
            .chain(self.parted.iter().map(AsFd::as_fd));
        let mut polled: Vec<PollFd<'_>> =
            files.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)).collect();
        let timeout = self.wards.iter().map(Ward::due).chain(self.closing).min().map(until);
        if poll(&mut polled, timeout.as_ref()).is_err() {
            // Interrupted: whatever is ready will be found by the next wait.
            return Vec::new();
        }
        // The bell is emptied before the orders are read, so that none is left unheard.
        rustix::io::read(&*self.bell, &mut [0; 8]).ok();
        let is_ready = polled.iter().skip(1).map(|polled| !polled.revents().is_empty());
        let mut is_ready = is_ready.collect::<Vec<_>>().into_iter();
        let mut next = || is_ready.next().unwrap_or_default();
        let heard = self.wards.iter().map(|ward| !ward.has_exited() && next()).collect();
        self.parted.retain_mut(|control| !next() || !matches!(control.hear(), Heard::End));
        heard
    }

    fn tend(&mut self, heard: &[bool], now: Instant) {
        let mut heard = heard.iter();
        let mut wards = Vec::with_capacity(self.wards.len());
        for mut ward in self.wards.drain(..) {
            let mut fate = Fate::Watched;
            if heard.next() == Some(&true) {
                fate = ward.heed(now);
            }
            if fate == Fate::Watched && ward.due() <= now {
                fate = ward.kill(now);
            }
            match fate {
                Fate::Watched => wards.push(ward),
                Fate::Parted => self.parted.push(ward.into_control()),
            }
        }
        self.wards = wards;
    }

    fn obey(&mut self, order: Order, now: Instant) {
        match order {
            Order::End(remains) => self.wards.push(Ward::end(remains, now)),
            Order::Close(left) => {
                self.closing = Some(now + PATIENCE);
                left.iter().for_each(Control::end);
                self.parted.extend(left);
            }
        }
    }
}

/// Returns how long to wait, rounded up, so that the time has come when the wait is over.
fn until(instant: Instant) -> Timespec {
    let left = instant.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}

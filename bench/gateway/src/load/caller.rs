//! One connection of the load.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering::Relaxed},
};

use anyhow::{Context, Result};
use tokio::time::Instant;

use super::{
    Plan, Speech,
    client::Client,
    request::{self, Request},
};

/// Where all connections are.
pub(super) const WARMING: u8 = 0;
pub(super) const MEASURING: u8 = 1;
pub(super) const OVER: u8 = 2;

/// One connection and what it sends.
pub(super) struct Caller {
    client: Client,
    request: Request,
    next: u32,
}

impl Caller {
    /// Connects and, where the protocol wants it, says hello.
    pub(super) async fn connect(plan: &Plan, number: usize) -> Result<Self> {
        let mut client = Client::connect(plan.address).await?;
        let mut session = None;
        if plan.speech == Speech::Mcp2025 {
            let hello = request::initialize(plan);
            let answer = client.exchange(&hello).await.context("`initialize` failed")?;
            answer.must_be_good()?;
            session = answer.header("mcp-session-id").map(ToOwned::to_owned);
            let told = request::initialized(plan, session.as_deref());
            client.exchange(&told).await.context("`notifications/initialized` failed")?;
        }
        let request = Request::of_call(plan, session.as_deref())?;
        // Numbers of eight digits, apart for each connection.
        let next = 10_000_000 + 100_000 * u32::try_from(number)?;
        Ok(Self { client, request, next })
    }

    /// Calls until it is over; returns how long the measured calls took, in nanoseconds.
    pub(super) async fn call_on(mut self, phase: Arc<AtomicU8>) -> Result<Vec<u64>> {
        let mut times = Vec::with_capacity(1 << 12);
        let mut started = Instant::now();
        loop {
            self.request.number(self.next);
            self.next += 1;
            let before = phase.load(Relaxed);
            if before == OVER {
                return Ok(times);
            }
            let answer = self.client.exchange(self.request.bytes()).await?;
            self.request.check(&answer)?;
            let ended = Instant::now();
            // A call counts that ended within the time, whenever it began.
            if phase.load(Relaxed) == MEASURING {
                times.push(u64::try_from((ended - started).as_nanos())?);
            }
            started = ended;
        }
    }
}

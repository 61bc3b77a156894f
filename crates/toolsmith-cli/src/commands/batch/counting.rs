//! How far a batch is, for people who wait.

use std::{pin::pin, time::Instant};

use toolsmith_core::EventKind;
use toolsmith_engine::{Engine, Heard};

use crate::{progress::Spinner, wording::counted};

/// Counts the calls of a batch; the spinner appears half a second after the whole began.
#[derive(Debug)]
pub(super) struct Counting {
    began: Instant,
    done: u64,
}

impl Counting {
    /// Begins to count.
    pub(super) fn begin() -> Self {
        Self { began: Instant::now(), done: 0 }
    }

    /// Waits for that many calls, and shows how many of the whole batch are done.
    pub(super) async fn wait<T>(
        &mut self,
        engine: &Engine,
        calls: u64,
        work: impl Future<Output = T>,
    ) -> T {
        let spinner = Spinner::start_since(self.began, message(self.done));
        let result = if spinner.has_reader() {
            // Calls that tools make end too, and are not calls of the batch.
            let say = |ended: u64| spinner.say(message(self.done + ended.min(calls)));
            listen(engine, work, say).await
        } else {
            work.await
        };
        self.done += calls;
        result
    }
}

fn message(done: u64) -> String {
    format!("running the calls, {} done", counted(done, "call"))
}

/// Waits for some work of the engine, and tells how many calls have ended.
async fn listen<T>(engine: &Engine, work: impl Future<Output = T>, mut say: impl FnMut(u64)) -> T {
    let mut work = pin!(work);
    let mut events = engine.subscribe();
    let mut ended = 0;
    loop {
        tokio::select! {
            biased;
            Some(heard) = events.next() => {
                if is_end(&heard) {
                    ended += 1;
                    say(ended);
                }
            }
            result = &mut work => return result,
        }
    }
}

fn is_end(heard: &Heard) -> bool {
    let Heard::Event(event) = heard else { return false };
    matches!(event.kind, EventKind::ExecutionCompleted | EventKind::ExecutionFailed)
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Call, json};

    use super::*;

    #[tokio::test]
    async fn every_call_that_ends_is_counted() {
        let engine = Engine::builder().tools(toolsmith_builtins::all().unwrap()).build().unwrap();
        let work = async {
            for tool in ["echo", "nowhere", "echo"] {
                engine.call(Call::new(tool, json!({"message": "hi"}))).await;
                tokio::task::yield_now().await;
            }
        };
        let mut said = Vec::new();
        listen(&engine, work, |ended| said.push(ended)).await;
        assert_eq!(said, [1, 2, 3]);
    }

    #[tokio::test]
    async fn the_count_goes_on_from_chunk_to_chunk() {
        let engine = Engine::builder().build().unwrap();
        let mut counting = Counting::begin();
        counting.wait(&engine, 1_000, async {}).await;
        counting.wait(&engine, 200, async {}).await;
        assert_eq!(message(counting.done), "running the calls, 1200 calls done");
    }
}

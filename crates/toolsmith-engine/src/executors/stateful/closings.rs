//! The count of objects that are being closed, for those who wait for the last of them.

use tokio::sync::watch;

/// Counts what is being closed; any number of tasks may wait until nothing is.
#[derive(Debug, Default)]
pub(super) struct Closings(watch::Sender<usize>);

impl Closings {
    /// Counts one more, until what is returned is dropped.
    pub(super) fn begin(&self) -> Closing {
        self.0.send_modify(|count| *count += 1);
        Closing(self.0.clone())
    }

    pub(super) async fn none_left(&self) {
        self.0.subscribe().wait_for(|count| *count == 0).await.ok();
    }
}

/// One object on its way out; counted down by its drop, so that a lost task is not waited for.
pub(super) struct Closing(watch::Sender<usize>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

//! What goes on with a task while nobody asks for it.

use std::sync::Arc;

use toolsmith_core::StreamItem;

use super::task::Task;
use crate::{
    Gateway,
    mcp::{
        following::{Done, Following, Heard},
        refusal::Refusal,
    },
    underway::{Enrolled, Place},
};

/// Makes a call a task, and returns it; the call goes on by itself.
pub(crate) fn drive(following: Box<Following>, enrolled: Enrolled, place: Place) -> Arc<Task> {
    let gateway = following.gateway.clone();
    let task = Arc::new(Task::new(
        (enrolled.id(), following.subject.visitor.clone()),
        gateway.0.engine.now(),
        following.answering.clone(),
        Arc::clone(&following.asking),
    ));
    // Known before it is promised: a client may ask for it right away.
    gateway.0.mcp.tasks.add(Arc::clone(&task));
    gateway.0.tasks.spawn(run(gateway.clone(), following, Arc::clone(&task), (enrolled, place)));
    task
}

async fn run(
    gateway: Gateway,
    mut following: Box<Following>,
    task: Arc<Task>,
    held: (Enrolled, Place),
) {
    let engine = &gateway.0.engine;
    let done = loop {
        match following.hear().await {
            Heard::Item(StreamItem::Progress { done, total, message }) => {
                let told = progress(done, total, &message);
                task.change(engine.now(), |state| state.message = Some(told));
                gateway.0.mcp.tasks.tell(&task);
            }
            // Chunks are parts of the output, which is told at the end.
            Heard::Item(_) => {}
            Heard::Posed(posed) => {
                if let Some(answer) = task.asking.take(&posed.name) {
                    posed.answer.send(answer).ok();
                } else {
                    task.change(engine.now(), |state| state.open.push(posed));
                    gateway.0.mcp.tasks.tell(&task);
                }
            }
            Heard::Done(done) => break done,
        }
    };
    let broken = match done {
        Done::Call(outcome) => {
            // Kept before it leaves the table, so that it can be found at every moment.
            gateway.0.underway.keep(task.id, task.owner.clone(), *outcome);
            None
        }
        Done::Item(_) | Done::Missing => {
            Some(Refusal::internal("The call ended without an outcome."))
        }
    };
    drop(held);
    task.end(engine.now(), broken);
    gateway.0.mcp.tasks.tell(&task);
    gateway.0.mcp.tasks.end(task.id);
}

fn progress(done: f64, total: Option<f64>, message: &str) -> String {
    let far = match total {
        Some(total) => format!("{done} of {total}"),
        None => done.to_string(),
    };
    if message.is_empty() { far } else { format!("{far}: {message}") }
}

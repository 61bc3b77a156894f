//! The library's transport over HTTP, joined by what calls hear beside it.

use std::sync::Arc;

use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{StreamableHttpClientTransport, Transport},
};
use tokio::sync::mpsc;

use super::{
    answers::Message,
    calls::Calls,
    wire::{HttpError, Wire},
};

/// How many messages that calls have heard may wait for the library.
const AHEAD: usize = 16;

/// The transport of a session: the library's own streams, and those of calls.
pub(super) struct Joined {
    transport: StreamableHttpClientTransport<Wire>,
    heard: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
    ends: Ends,
}

/// What calls share with the transport.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    /// The calls that wait; their answers may come on any stream.
    pub(super) calls: Arc<Calls>,
    /// Takes what the library is to hear.
    pub(super) heard: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
}

impl Joined {
    pub(super) fn new(transport: StreamableHttpClientTransport<Wire>) -> Self {
        let (tell, heard) = mpsc::channel(AHEAD);
        Self { transport, heard, ends: Ends { calls: Arc::default(), heard: tell } }
    }

    /// Returns what calls share with the transport.
    pub(super) fn ends(&self) -> Ends {
        self.ends.clone()
    }
}

impl Transport<RoleClient> for Joined {
    type Error = HttpError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), HttpError>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = tokio::select! {
                message = self.transport.receive() => message,
                Some(message) = self.heard.recv() => return Some(message),
            };
            match message.map(Message::from) {
                Some(Message::Answer(number, answer)) => self.ends.calls.answer(number, answer),
                Some(Message::Other(message)) => return Some(message),
                None => {
                    self.ends.calls.end();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), HttpError> {
        self.ends.calls.end();
        self.transport.close().await
    }
}

/// Nobody answers a call when the session is gone.
impl Drop for Joined {
    fn drop(&mut self) {
        self.ends.calls.end();
    }
}

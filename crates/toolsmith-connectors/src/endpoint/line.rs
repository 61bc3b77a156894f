//! A service that is reached by HTTP.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tokio::{
    io::AsyncReadExt,
    net::{TcpStream, UnixStream},
    time::{sleep, timeout},
};
use toolsmith_children::Doors;
use toolsmith_core::{BoxFuture, Value};

use super::Endpoint;
use crate::life::{Failure, Line};

/// How soon a service that is being started is asked again; the pause grows.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// How long a service may take to say whether it is well.
const PATIENCE: Duration = Duration::from_secs(2);

/// How soon a connection is closed that leads to nobody.
const AT_ONCE: Duration = Duration::from_millis(100);

/// A service that is reached by HTTP.
#[derive(Clone, Debug)]
pub(crate) struct HttpLine {
    pub(crate) endpoint: Endpoint,
    /// What is asked for by GET to know whether it is well.
    pub(crate) health: Option<String>,
    pub(crate) door: Door,
}

/// Where a service accepts connections.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    Port(SocketAddr),
    /// A port at which somebody accepts for the service, whether or not it is there.
    Forwarded(SocketAddr),
    Socket(PathBuf),
    /// A port of a network that is not ours.
    Inside(Doors, u16),
}

impl HttpLine {
    /// Waits until the service is well.
    pub(crate) async fn wait_until_well(&self) {
        let mut pause = FIRST_PAUSE;
        while self.ask().await.is_err() {
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Asks whether it is well; without a health check a connection is enough.
    ///
    /// It never takes long: one that accepts a connection and says nothing is not well.
    pub(crate) async fn ask(&self) -> Result<(), String> {
        let silent = || match &self.health {
            Some(path) => format!("its health check `{path}` gave no answer"),
            None => "it accepts no connections".to_owned(),
        };
        timeout(PATIENCE, self.look()).await.unwrap_or_else(|_| Err(silent()))
    }

    async fn look(&self) -> Result<(), String> {
        match (&self.health, &self.door) {
            (Some(path), _) => self.endpoint.probe(path).await,
            (None, Door::Port(address)) => match TcpStream::connect(address).await {
                Ok(_) => Ok(()),
                Err(_) => Err(format!("nothing accepts connections on port {}", address.port())),
            },
            (None, Door::Forwarded(address)) if stays(*address).await => Ok(()),
            (None, Door::Forwarded(address)) => {
                Err(format!("nothing answers behind port {}", address.port()))
            }
            (None, Door::Socket(path)) => match UnixStream::connect(path).await {
                Ok(_) => Ok(()),
                Err(_) => Err("nothing accepts connections on its socket".to_owned()),
            },
            (None, Door::Inside(doors, port)) => match doors.knock(*port).await {
                Ok(()) => Ok(()),
                Err(_) => Err(format!("nothing accepts connections on port {port}")),
            },
        }
    }
}

/// Tells whether a connection is made and not closed at once, as it is when nobody is behind it.
async fn stays(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    match timeout(AT_ONCE, stream.read(&mut [0])).await {
        Ok(Ok(count)) => count > 0,
        Ok(Err(_)) => false,
        Err(_) => true,
    }
}

impl Line for HttpLine {
    fn call(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(async move { self.endpoint.call(&input).await })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.ask())
    }
}

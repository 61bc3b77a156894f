//! The way back from a login: one request to a port of this machine.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use url::Url;

/// The longest head of a request that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// How long a browser may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a login brought.
pub(super) struct Redirected {
    pub(super) code: String,
    pub(super) issuer: Option<String>,
}

/// Returns what the address of a login says that the way back must repeat.
pub(super) fn state(url: &str) -> Option<String> {
    parameter(&Url::parse(url).ok()?, "state")
}

/// Waits for the way back; the reason why not, when the login was refused.
///
/// Any page and any program can knock at the port: only who repeats the state is heard.
pub(super) async fn wait(listener: &TcpListener, state: &str) -> Result<Redirected, String> {
    loop {
        let Ok((mut stream, _)) = listener.accept().await else { continue };
        let Ok(Some(url)) = timeout(PATIENCE, read(&mut stream)).await else { continue };
        let is_ours = !state.is_empty() && parameter(&url, "state").as_deref() == Some(state);
        let (answer, status, said) = match (is_ours, parameter(&url, "code")) {
            (false, _) => (None, "400 Bad Request", "This is not the login that is waited for."),
            (true, Some(code)) => {
                let issuer = parameter(&url, "iss");
                (
                    Some(Ok(Redirected { code, issuer })),
                    "200 OK",
                    "Logged in. This page can be closed.",
                )
            }
            (true, None) => {
                let why = match parameter(&url, "error").as_deref() {
                    Some("access_denied") | None => "access was denied".to_owned(),
                    Some(error) => error.chars().filter(char::is_ascii_graphic).take(80).collect(),
                };
                (Some(Err(why)), "200 OK", "The login was refused. This page can be closed.")
            }
        };
        timeout(PATIENCE, reply(&mut stream, status, said)).await.ok();
        if let Some(answer) = answer {
            return answer;
        }
    }
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Reads the head of a request; the address when it is one for us.
async fn read(stream: &mut TcpStream) -> Option<Url> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > LONGEST || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let target = head.strip_prefix("GET ")?.split(' ').next()?;
    let url = Url::parse("http://127.0.0.1").ok()?.join(target).ok()?;
    (url.path() == "/callback").then_some(url)
}

async fn reply(stream: &mut TcpStream, status: &str, said: &str) -> std::io::Result<()> {
    let length = said.len();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{said}"
    );
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

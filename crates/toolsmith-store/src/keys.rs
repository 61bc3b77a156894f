//! Keys of callers: random, shown once, kept as digests that are worth nothing without the seal.

use std::{
    fmt, fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;
use toolsmith_core::{AllowList, Allowance, Role, Secret, Text, Timestamp};

use crate::{Store, StoreError, sqlite::key};

/// What every key begins with, so that people and scanners know one when they see it.
const MARK: &str = "tsk_";

/// How long the secret part of a key is, and the seal.
const SECRET_BYTES: usize = 32;

/// The file of the seal, beside the database but not in it: who steals one has not the other.
const SEAL_FILE: &str = "keys.seal";

/// A key of a caller, without the key itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// What names it, also in records: the part of the key that is no secret.
    pub id: Text,
    /// Whose it is, or what for.
    pub name: Text,
    /// What its holder may do.
    pub role: Role,
    /// The tools that its holder may see and use; all when there is no list.
    pub tools: Option<AllowList>,
    /// How often its holder may call.
    pub allowance: Allowance,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
    #[serde(skip)]
    pub(crate) digest: Vec<u8>,
}

/// What a new key shall be good for.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Whose it is, or what for.
    pub name: Text,
    /// What its holder may do.
    pub role: Role,
    /// The tools that its holder may see and use; all when there is no list.
    pub tools: Option<AllowList>,
    /// How often its holder may call.
    pub allowance: Allowance,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
}

impl Key {
    /// Tells whether it opens the door at that moment.
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Finds the part of a key that names it; nothing when the text is no key.
    pub fn id_of(text: &str) -> Option<&str> {
        let (id, secret) = text.strip_prefix(MARK)?.split_once('_')?;
        (!id.is_empty() && !secret.is_empty()).then_some(id)
    }
}

/// What turns keys into digests; without it, digests cannot be tried out.
#[derive(Clone)]
pub struct Seal(Hmac<Sha256>);

impl Seal {
    /// Reads the seal of a data folder, or makes one.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(SEAL_FILE);
        let failed = |source| StoreError::Folder { path: path.clone(), source };
        let secret = match fs::read(&path) {
            Ok(secret) if secret.len() == SECRET_BYTES => secret,
            Ok(_) => return Err(failed(io::Error::other("the seal of the keys is damaged"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(folder).map_err(failed)?;
                make_seal(&path).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        };
        let sealed = Hmac::new_from_slice(&secret);
        sealed.map(Self).map_err(|error| failed(io::Error::other(error)))
    }

    /// Tells whether a text is the key; takes as long whether it is or not.
    pub fn fits(&self, key: &Key, text: &str) -> bool {
        self.sealing(text).verify_slice(&key.digest).is_ok()
    }

    fn digest(&self, text: &str) -> Vec<u8> {
        self.sealing(text).finalize().into_bytes().to_vec()
    }

    fn sealing(&self, text: &str) -> Hmac<Sha256> {
        let mut sealing = self.0.clone();
        sealing.update(text.as_bytes());
        sealing
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(***)")
    }
}

/// Makes the seal; of two processes that make it at once, one wins and both use that.
fn make_seal(path: &PathBuf) -> io::Result<Vec<u8>> {
    let secret = random::<SECRET_BYTES>()?;
    let unfinished = path.with_extension(format!("{}.part", random_name()?));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    // A link, unlike a rename, does not replace what another process has made.
    let linked = fs::hard_link(&unfinished, path);
    fs::remove_file(&unfinished)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::read(path),
    }
}

/// Returns a name that nobody else has: twelve digits.
fn random_name() -> io::Result<String> {
    let number = u64::from_be_bytes(random()?) >> 16;
    Ok(format!("{number:012x}"))
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

impl Store {
    /// Makes a key; the text of it is not kept anywhere.
    pub async fn create_key(
        &self,
        seal: &Seal,
        new: NewKey,
        now: Timestamp,
    ) -> Result<(Key, Secret<String>), StoreError> {
        let failed = |source| StoreError::Folder { path: self.folder().to_owned(), source };
        let id = random_name().map_err(failed)?;
        let secret = BASE64_URL_SAFE_NO_PAD.encode(random::<SECRET_BYTES>().map_err(failed)?);
        let text = format!("{MARK}{id}_{secret}");
        let key = Key {
            id: id.into(),
            name: new.name,
            role: new.role,
            tools: new.tools,
            allowance: new.allowance,
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
            digest: seal.digest(&text),
        };
        let kept = key.clone();
        self.write(move |db| Box::pin(key::add(db, kept))).await?;
        Ok((key, Secret::new(text)))
    }

    /// Returns every key, the oldest first, also those that no longer open anything.
    pub async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let mut reader = self.reader().await?;
        let found = key::all(&mut reader.db).await;
        reader.give_back(found)
    }

    /// Takes a key back; tells whether there was one that could be.
    pub async fn revoke_key(&self, id: Text, now: Timestamp) -> Result<bool, StoreError> {
        self.write(move |db| Box::pin(key::revoke(db, id, now))).await
    }
}

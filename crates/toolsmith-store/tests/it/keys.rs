//! Keys of callers.

use std::fs;

use toolsmith_core::{AllowList, Allowance, Quota, Role, Timestamp};
use toolsmith_store::{Key, NewKey, Seal, Store, StoreConfig};

fn now() -> Timestamp {
    Timestamp::from_millis(1_763_164_800_000)
}

fn new_key() -> NewKey {
    NewKey {
        name: "team".into(),
        role: Role::Caller,
        tools: Some(AllowList::new(["*_file"])),
        allowance: Allowance {
            quota: Some(Quota { calls: 3, per: std::time::Duration::from_mins(1) }),
            ..Allowance::default()
        },
        expires_at: Some(now().plus(std::time::Duration::from_secs(10))),
    }
}

#[tokio::test]
async fn a_key_is_known_again_and_its_text_is_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreConfig::at(folder.path())).await.unwrap();
    let seal = Seal::open(folder.path()).unwrap();
    let (made, text) = store.create_key(&seal, new_key(), now()).await.unwrap();
    let text = text.expose();
    assert_eq!(Key::id_of(text), Some(made.id.as_str()));
    store.close().await;
    let store = Store::open(StoreConfig::at(folder.path())).await.unwrap();
    let seal = Seal::open(folder.path()).unwrap();
    let [kept] = &store.keys().await.unwrap()[..] else { panic!("not one key") };
    assert_eq!(*kept, made);
    assert!(seal.fits(kept, text));
    for wrong in [&text[..text.len() - 1], &format!("{text}x"), ""] {
        assert!(!seal.fits(kept, wrong));
    }
    store.close().await;
    let secret = text.rsplit_once('_').unwrap().1.as_bytes();
    for file in fs::read_dir(folder.path()).unwrap() {
        let content = fs::read(file.unwrap().path()).unwrap();
        assert!(!content.windows(secret.len()).any(|part| part == secret));
    }
}

#[tokio::test]
async fn a_key_ends_by_itself_or_when_it_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreConfig::at(folder.path())).await.unwrap();
    let seal = Seal::open(folder.path()).unwrap();
    let (key, _) = store.create_key(&seal, new_key(), now()).await.unwrap();
    assert!(key.is_good(now()) && !key.is_good(key.expires_at.unwrap()));
    assert!(store.revoke_key(key.id.clone(), now()).await.unwrap());
    assert!(!store.revoke_key(key.id.clone(), now()).await.unwrap());
    assert!(!store.revoke_key("nobody".into(), now()).await.unwrap());
    assert!(!store.keys().await.unwrap()[0].is_good(now()));
}

#[test]
fn the_seal_is_one_for_all_and_readable_by_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let path = folder.path().to_owned();
            std::thread::spawn(move || Seal::open(&path).unwrap())
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["keys.seal"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder.path().join("keys.seal")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    fs::write(folder.path().join("keys.seal"), "short").unwrap();
    assert!(Seal::open(folder.path()).unwrap_err().to_string().contains("damaged"));
}

//! Places beneath a folder by both ways of walking: what stands in the way is told, and nothing leads out.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the tests build what they look at")]

mod attack;
mod mount;
mod put;
mod race;

use super::*;
use std::fs;
use std::path::PathBuf;

const WALKS: [Walk; 2] = [Walk::Kernel, Walk::Looked];

/// A folder with a root and something outside of it, gone at the end. In memory where there is a folder for that.
struct Stand(PathBuf);

impl Stand {
    fn new(name: &str, walk: Walk) -> Self {
        let name = format!("rehearsal-beneath-{name}-{walk:?}-{}", std::process::id());
        let memory = Path::new("/dev/shm").join(&name);
        let path = match fs::create_dir(&memory) {
            Ok(()) => memory,
            Err(_) => std::env::temp_dir().join(&name),
        };
        fs::create_dir_all(path.join("root/sub")).unwrap();
        fs::create_dir_all(path.join("outside/deep")).unwrap();
        fs::write(path.join("outside/secret"), "secret").unwrap();
        fs::write(path.join("root/a"), "old a").unwrap();
        fs::write(path.join("root/sub/b"), "old b").unwrap();
        Self(path)
    }

    fn at(&self, below: &str) -> PathBuf {
        self.0.join("root").join(below)
    }

    fn root(&self, walk: Walk) -> Place {
        Place::root_by(&self.at(""), walk).unwrap()
    }

    /// Nothing outside was made, removed or changed.
    fn assert_untouched(&self, after: &str) {
        let outside = self.0.join("outside");
        let mut names: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["deep", "secret"], "{after}");
        assert_eq!(fs::read_dir(outside.join("deep")).unwrap().count(), 0, "{after}");
        assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret", "{after}");
        let mut names: Vec<_> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "link" && name != "aside");
        names.sort();
        assert_eq!(names, ["outside", "root"], "{after}");
    }

    /// No file of our own is left in a folder.
    fn assert_clean(&self, below: &str) {
        for entry in fs::read_dir(self.at(below)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.starts_with(OURS), "{name}");
        }
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Whether something is to be hidden behind a name before it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Nameless,
    Hidden,
}

/// Writes as a caller does who takes whatever regular file stands there.
fn write(root: &Place, path: &str, bytes: &[u8], by: By) -> Result<Seen, Hindrance> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut place = root.again()?;
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        place = match place.enter(part)? {
            Some(next) => next,
            None => place.make(part)?.0,
        };
    }
    let seen = place.look(name)?;
    let held = seen.map(|seen| usable(&seen).and_then(|()| place.writable(name, &seen))).transpose()?;
    held.iter().try_for_each(|held| usable(held.seen()))?;
    let prepared = match by {
        By::Nameless => place.prepare(bytes, 0o640)?,
        By::Hidden => place.prepare_hidden(bytes, 0o640)?,
    };
    place.put(prepared, name, held.as_ref())
}

fn usable(seen: &Seen) -> Result<(), Hindrance> {
    let met = match seen.kind {
        Kind::Link if seen.is_magic => Met::Magiclink,
        Kind::Link => Met::Link,
        _ if seen.is_elsewhere => Met::Elsewhere,
        Kind::File if seen.links == 1 => return Ok(()),
        Kind::File => Met::Changed,
        Kind::Folder | Kind::Other => Met::Unfit,
    };
    Err(met.into())
}

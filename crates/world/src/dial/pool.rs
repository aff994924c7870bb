//! Connections that wait to be used again.

use super::link::Link;
use super::url::Origin;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most connections that wait for one origin.
const MOST: usize = 64;
/// Longest time that one waits. Peers close idle connections after some more than this, most often.
const LONGEST: Duration = Duration::from_secs(15);

/// The connections of one client.
#[derive(Debug)]
pub(super) struct Pool {
    most: usize,
    longest: Duration,
    idle: Mutex<HashMap<Origin, Shelf>>,
}

/// The connections of one origin, longest waiting first.
type Shelf = VecDeque<(Instant, Link)>;

impl Pool {
    pub(super) fn new() -> Self {
        Self::of(MOST, LONGEST)
    }

    /// With other limits, for tests that cannot wait.
    pub(super) fn of(most: usize, longest: Duration) -> Self {
        Self { most, longest, idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, HashMap<Origin, Shelf>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that was used last and is still good.
    pub(super) fn take(&self, origin: &Origin) -> Option<Link> {
        let mut idle = self.idle();
        let shelf = idle.get_mut(origin)?;
        self.clear(shelf);
        while let Some((_, link)) = shelf.pop_back() {
            if link.is_quiet() {
                return Some(link);
            }
        }
        None
    }

    /// Keeps a connection for the next request.
    pub(super) fn put(&self, origin: &Origin, link: Link) {
        let mut idle = self.idle();
        let shelf = match idle.get_mut(origin) {
            Some(shelf) => shelf,
            None => idle.entry(origin.clone()).or_default(),
        };
        self.clear(shelf);
        if shelf.len() >= self.most {
            shelf.pop_front();
        }
        shelf.push_back((Instant::now(), link));
    }

    /// Closes those that waited too long.
    fn clear(&self, shelf: &mut Shelf) {
        let Some((since, _)) = shelf.front() else { return };
        let now = Instant::now();
        if now.duration_since(*since) >= self.longest {
            shelf.retain(|(since, _)| now.duration_since(*since) < self.longest);
        }
    }
}

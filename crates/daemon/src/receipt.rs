//! Receipts: what was answered under an idempotency key, to be answered again.

use crate::v2::Reply;
use std::collections::{BTreeMap, VecDeque};

/// Most receipts that are kept; the oldest go first.
const MOST: usize = 100_000;

/// One receipt.
#[derive(Clone, Debug)]
struct Receipt {
    /// What it was for: a start, or a message to one run.
    scope: String,
    digest: [u8; 32],
    /// None while the work is under way.
    reply: Option<Reply>,
}

/// All receipts by key, or by operation and key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receipts {
    all: BTreeMap<(String, String), Receipt>,
    order: VecDeque<(String, String)>,
}

/// What is known of a key.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// Nothing.
    New,
    /// It is being worked on.
    Pending,
    /// This was answered.
    Same(Reply),
    /// It was used for something else.
    Other,
}

impl Receipts {
    /// What is known of a key in a space. A scope of `None` counts as that of the receipt.
    pub(crate) fn find(&self, space: &str, key: &str, scope: Option<&str>, digest: &[u8; 32]) -> Found {
        let Some(receipt) = self.all.get(&(space.to_owned(), key.to_owned())) else { return Found::New };
        if receipt.digest != *digest || scope.is_some_and(|scope| scope != receipt.scope) {
            return Found::Other;
        }
        receipt.reply.clone().map_or(Found::Pending, Found::Same)
    }

    /// Keeps what was answered, or that it is being worked on.
    pub(crate) fn keep(
        &mut self,
        space: &str,
        key: &str,
        scope: &str,
        digest: [u8; 32],
        reply: Option<Reply>,
    ) {
        let place = (space.to_owned(), key.to_owned());
        let receipt = Receipt { scope: scope.to_owned(), digest, reply };
        if self.all.insert(place.clone(), receipt).is_none() {
            self.order.push_back(place);
        }
        while self.all.len() > MOST {
            let Some(oldest) = self.order.pop_front() else { return };
            match self.all.get(&oldest) {
                // One that is being worked on must not be begun again.
                Some(Receipt { reply: None, .. }) => self.order.push_back(oldest),
                _ => drop(self.all.remove(&oldest)),
            }
        }
    }

    /// Forgets a key whose work came to nothing, so that it can be tried again.
    pub(crate) fn forget(&mut self, space: &str, key: &str) {
        let place = (space.to_owned(), key.to_owned());
        self.all.remove(&place);
        self.order.retain(|known| *known != place);
    }
}

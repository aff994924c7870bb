//! Makes the driver of `drive` from what the command line says: the endpoint, the tree, the journal, the budget.

use super::{endpoint, proof, work};
use crate::failure::Failure;
use crate::terminal;
use rehearsal_driver::book::Book;
use rehearsal_driver::endpoint::ask::Dialled;
use rehearsal_driver::endpoint::config::Endpoint;
use rehearsal_driver::endpoint_driver::EndpointDriver;
use rehearsal_driver::probe::Kept;
use rehearsal_driver::roles::{Models, Role};
use rehearsal_driver::worker::ownership::Protection;
use rehearsal_driver::worker::proof::bench::Base;
use rehearsal_world::dial::Client;
use std::sync::{Arc, Mutex};

/// What the command line says of all work.
pub(super) struct Hands<'a> {
    pub(super) models: Models,
    pub(super) asked: &'a endpoint::Arguments,
    pub(super) shared: &'a work::Arguments,
    pub(super) proved: &'a proof::Arguments,
    pub(super) protection: &'a Protection,
}

impl Hands<'_> {
    /// A driver that proves nothing yet. Whatever an earlier worker was killed at is ended first.
    pub(super) fn driver(&self, endpoint: Endpoint) -> Result<EndpointDriver<Dialled>, Failure> {
        let budget = Arc::new(self.proved.budget()?);
        let transport = Dialled::new(Client::new(self.asked.trust()?));
        let model = self.models.of(Role::Worker);
        // What cannot be read counts as not measured, and says so where it is asked for.
        let known = Kept::load(&self.shared.data, &endpoint, model).ok().flatten();
        let known = known.unwrap_or_else(|| Kept::nothing(&endpoint, model));
        let ground = Arc::new(self.shared.ground()?);
        for note in &endpoint.notes {
            terminal::complain(&format!("rehearsal: {note}"));
        }
        let book = Book::open(&ground.record, super::PROGRAM);
        Ok(EndpointDriver {
            manner: self.asked.manner(),
            transport,
            models: self.models.clone(),
            format: self.shared.format,
            budget,
            ground,
            book: book.map_err(|error| Failure::World(error.to_string()))?,
            base: None,
            known,
            learned: Mutex::default(),
            endpoint,
        })
    }

    /// The same, with what clean copies are made of where anything is to be proved.
    pub(super) async fn proving(
        &self,
        driver: EndpointDriver<Dialled>,
        proves: bool,
    ) -> Result<EndpointDriver<Dialled>, Failure> {
        if !proves {
            return Ok(driver);
        }
        let bench = self.proved.bench(self.shared.data_in_tree(), &self.asked.key_env)?;
        let base = Base::read(&driver.ground.tree, self.protection, &bench).await.map_err(Failure::World)?;
        Ok(EndpointDriver { base: Some(base), ..driver })
    }
}

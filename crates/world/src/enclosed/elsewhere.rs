//! Systems without network namespaces: everything says so.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;

use super::EnclosedError;
use crate::listen::Listener;
use crate::process::{Launch, Running};

/// Cannot be had here.
#[derive(Debug)]
pub struct Enclosure(Infallible);

impl Enclosure {
    /// Cannot be called here.
    pub fn wrap(&mut self, launch: Launch) -> Launch {
        match self.0 {}
    }

    /// Cannot be called here.
    ///
    /// # Errors
    /// None.
    pub async fn listeners(self, _: &Running) -> Result<Vec<Listener>, EnclosedError> {
        match self.0 {}
    }
}

/// Says that it is not possible here.
///
/// # Errors
/// Always.
pub async fn possible(_: &Path) -> Result<(), String> {
    Err(EnclosedError::NotSupported.to_string())
}

/// Says that it is not possible here.
///
/// # Errors
/// Always.
pub fn prepare(_: &Path, _: &[u16]) -> Result<Enclosure, EnclosedError> {
    Err(EnclosedError::NotSupported)
}

/// Says that it is not possible here.
///
/// # Errors
/// Always.
pub fn try_here() -> Result<(), String> {
    Err(EnclosedError::NotSupported.to_string())
}

/// Says that it is not possible here.
#[must_use]
pub fn enter(_: &str, _: &[u16], _: &[OsString]) -> String {
    EnclosedError::NotSupported.to_string()
}

//! The files by which clients find a daemon: its token and its descriptor, both for this user alone from the moment they exist.

use crate::disk::Disk;
use rehearsal_journal::digest;
use rehearsal_world::vault::{Folder, VaultError};
use rehearsal_world::{files, ids};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// Why a daemon cannot be installed.
#[derive(Debug, Error)]
pub enum InstallError {
    /// Its folders cannot be used.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The folder of runs cannot be made.
    #[error("cannot use {path} for runs: {source}")]
    Runs {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no token without random bytes.
    #[error(transparent)]
    NoRandom(#[from] ids::NoRandom),
    /// A path that no JSON text can hold.
    #[error("{0} is not UTF-8 text")]
    NotText(PathBuf),
}

/// The folders of a daemon, owned by this process.
#[derive(Debug)]
pub struct Installed {
    /// `<config dir>/daemon`: who has its lock is the daemon.
    daemon: Folder,
    pub(crate) disk: Disk,
    /// What stands in the folder of runs from earlier processes.
    pub(crate) earlier: Vec<String>,
    /// The folder of runs, absolute.
    pub runs: String,
    /// The secret that clients need.
    pub token: String,
    token_path: String,
}

impl Installed {
    /// Takes a configuration folder over, and makes a new token.
    ///
    /// # Errors
    /// When another daemon has it ([`VaultError::InUse`]), or something cannot be written.
    pub fn open(config: &Path, runs: Option<&Path>) -> Result<Self, InstallError> {
        let config = files::absolute(config);
        let daemon = Folder::own(&config.join("daemon"))?;
        let runs = runs.map_or_else(|| config.join("runs"), files::absolute);
        files::private_folders(&runs).map_err(|source| InstallError::Runs { path: runs.clone(), source })?;
        let folder = Folder::look_into(&runs)?;
        let earlier = folder.names()?;
        let disk = Disk {
            runs: Some(folder),
            records: daemon.folder("edits")?,
            own: vec![config.join("daemon"), runs.clone()],
            editing: Arc::default(),
        };
        let secret = digest::text(&digest::of((ids::case_token()? + &ids::case_token()?).as_bytes()));
        let token = format!("fake-daemon-token-{}", secret.get(..32).unwrap_or(&secret));
        let token_path = text(&config.join("daemon").join("token"))?;
        Ok(Self { daemon, disk, earlier, runs: text(&runs)?, token, token_path })
    }

    /// Writes the token and where the daemon listens. Clients find it from now on.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn announce(&self, port: u16) -> Result<(), InstallError> {
        self.daemon.replace("token", self.token.as_bytes(), false)?;
        let descriptor = json!({"host": "127.0.0.1", "port": port, "tokenPath": self.token_path});
        self.daemon.replace("control-api.json", format!("{descriptor}\n").as_bytes(), false)?;
        Ok(())
    }
}

fn text(path: &Path) -> Result<String, InstallError> {
    path.to_str().map(str::to_owned).ok_or_else(|| InstallError::NotText(path.to_owned()))
}

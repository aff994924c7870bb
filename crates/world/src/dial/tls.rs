//! TLS to a provider, always verified: whom to trust, the configuration, the handshake.

use super::socket::Socket;
use super::{BaseUrl, DialError};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use std::io;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Whose certificates are trusted: the system's roots, and more if wished.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    more: Vec<CertificateDer<'static>>,
}

/// Why certificates cannot be trusted.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TrustError {
    /// Nothing between `BEGIN CERTIFICATE` and `END CERTIFICATE`.
    #[error("there is no certificate in PEM form")]
    NoCertificate,
    /// The PEM form is broken.
    #[error("the PEM form of certificate {0} is broken")]
    BadPem(usize),
    /// What is inside is no certificate. They are counted from 1.
    #[error("certificate {0} cannot be read")]
    BadCertificate(usize),
}

impl Trust {
    /// The roots that the system trusts, as OpenSSL would find them (also by `SSL_CERT_FILE` and `SSL_CERT_DIR`).
    #[must_use]
    pub fn system() -> Self {
        Self::default()
    }

    /// Trusts the certificates of a PEM file as well.
    ///
    /// # Errors
    /// [`TrustError`] where there is none, or one that cannot be read.
    pub fn and_pem(mut self, pem: &[u8]) -> Result<Self, TrustError> {
        let mut read = RootCertStore::empty();
        for (number, certificate) in (1..).zip(CertificateDer::pem_slice_iter(pem)) {
            let certificate = certificate.map_err(|_| TrustError::BadPem(number))?;
            read.add(certificate.clone()).map_err(|_| TrustError::BadCertificate(number))?;
            self.more.push(certificate);
        }
        if read.is_empty() { Err(TrustError::NoCertificate) } else { Ok(self) }
    }
}

/// Makes the TLS of connections. What that needs is read when the first one is made.
#[derive(Debug)]
pub(super) struct Tls {
    trust: Trust,
    connector: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    pub(super) fn new(trust: Trust) -> Self {
        Self { trust, connector: OnceCell::new() }
    }

    /// Shakes hands and verifies the peer.
    pub(super) async fn shake(
        &self,
        base: &BaseUrl,
        socket: Socket,
    ) -> Result<Box<TlsStream<Socket>>, DialError> {
        let config = self.connector.get_or_try_init(|| configure(self.trust.clone())).await?;
        let name = ServerName::try_from(base.host().to_owned()).map_err(|_| DialError::WrongName)?;
        let shaken = TlsConnector::from(Arc::clone(config)).connect(name, socket).await;
        shaken.map(Box::new).map_err(failed)
    }
}

/// Reads the system's roots, some hundred files at worst, on a thread for such work.
async fn configure(trust: Trust) -> Result<Arc<ClientConfig>, DialError> {
    let built = tokio::task::spawn_blocking(move || build(trust)).await;
    let config = built.map_err(io::Error::other).and_then(|built| built.map_err(io::Error::other));
    config.map(Arc::new).map_err(DialError::Handshake)
}

fn build(trust: Trust) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    // Roots of the system that cannot be read are not trusted; all else works without them.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots.add_parsable_certificates(trust.more);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Sorts what can go wrong in a handshake.
fn failed(error: io::Error) -> DialError {
    let inside = error.get_ref().and_then(|inside| inside.downcast_ref::<rustls::Error>());
    match inside {
        Some(rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => DialError::WrongName,
        Some(rustls::Error::InvalidCertificate(_)) => DialError::Untrusted(error),
        Some(_) | None => DialError::Handshake(error),
    }
}

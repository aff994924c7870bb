//! TLS against peers with certificates made for the test.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use std::sync::Arc;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

type Authority = CertifiedIssuer<'static, KeyPair>;
type Tls = StreamOwned<ServerConnection, Peer>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A peer for these names, certified by this authority.
struct Server<'a> {
    authority: &'a Authority,
    names: &'a [&'a str],
    expired: bool,
    versions: &'a [&'static SupportedProtocolVersion],
}

impl<'a> Server<'a> {
    fn new(authority: &'a Authority) -> Self {
        Self { authority, names: &["127.0.0.1"], expired: false, versions: rustls::ALL_VERSIONS }
    }

    fn config(&self) -> Arc<ServerConfig> {
        let names: Vec<String> = self.names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        if self.expired {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(2001, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, self.authority).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(self.versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Arc::new(config)
    }

    /// Plays each connection; hands out how many there were and what the client chose to speak.
    fn serve(&self, play: fn(&mut Tls)) -> (BaseUrl, Receiver<Option<Vec<u8>>>) {
        let config = self.config();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = BaseUrl::parse(&format!("https://{}/v1", listener.local_addr().unwrap())).unwrap();
        let (tell, told) = channel();
        thread::spawn(move || {
            while let Ok((socket, _)) = listener.accept() {
                let mut tls = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket);
                play(&mut tls);
                let _told = tell.send(tls.conn.alpn_protocol().map(<[u8]>::to_vec));
            }
        });
        (base, told)
    }
}

fn answer_all(tls: &mut Tls) {
    while next_request(tls).is_some() {
        tls.write_all(OK).unwrap();
        tls.flush().unwrap();
    }
}

/// A client that trusts this authority, too.
fn trusting(authority: &Authority) -> Client {
    Client::new(Trust::system().and_pem(authority.pem().as_bytes()).unwrap())
}

async fn ask_once(client: &Client, base: &BaseUrl) -> Result<Vec<u8>, DialError> {
    client.connect(base, LIMITS, false).await?.ask(get("/x")).await?.whole().await
}

#[test]
fn a_trusted_peer_is_asked_in_both_versions_and_its_connection_is_used_again() {
    let authority = authority();
    for versions in [&[&rustls::version::TLS12][..], &[&rustls::version::TLS13]] {
        let (base, told) = Server { versions, ..Server::new(&authority) }.serve(answer_all);
        let client = trusting(&authority);
        run(async {
            for _ in 0..3 {
                assert_eq!(ask_once(&client, &base).await.unwrap(), b"ok");
            }
        });
        drop(client);
        assert_eq!(told.recv_timeout(LIMITS.total), Ok(Some(b"http/1.1".to_vec())));
        assert!(told.try_recv().is_err(), "one connection did");
    }
}

#[test]
fn a_peer_without_a_trusted_certificate_is_not_asked() {
    let (trusted, other) = (authority(), authority());
    for server in [Server::new(&other), Server { expired: true, ..Server::new(&trusted) }] {
        let (base, _told) = server.serve(|tls| assert_eq!(next_request(tls), None));
        let failed = run(ask_once(&trusting(&trusted), &base));
        assert!(matches!(failed, Err(DialError::Untrusted(_))), "{failed:?}");
    }
    let (base, _told) = Server::new(&other).serve(|tls| assert_eq!(next_request(tls), None));
    let failed = run(ask_once(&Client::new(Trust::system()), &base));
    assert!(matches!(failed, Err(DialError::Untrusted(_))), "{failed:?}");
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let authority = authority();
    let (base, _told) = Server { names: &["localhost", "127.0.0.2"], ..Server::new(&authority) }
        .serve(|tls| assert_eq!(next_request(tls), None));
    let failed = run(ask_once(&trusting(&authority), &base));
    assert!(matches!(failed, Err(DialError::WrongName)), "{failed:?}");
}

#[test]
fn a_peer_that_speaks_no_tls_fails_the_handshake() {
    for words in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"", b"\x15\x03\x01\x00\x02\x02\x28"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = BaseUrl::parse(&format!("https://{}", listener.local_addr().unwrap())).unwrap();
        thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.write_all(words).unwrap();
            socket.shutdown(std::net::Shutdown::Write).unwrap();
            while socket.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
        });
        let failed = run(ask_once(&Client::new(Trust::system()), &base));
        assert!(matches!(failed, Err(DialError::Handshake(_))), "{failed:?}");
    }
}

#[test]
fn a_handshake_that_never_ends_is_no_connection_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = BaseUrl::parse(&format!("https://{}", listener.local_addr().unwrap())).unwrap();
    let limits = Limits { connect: Duration::from_millis(300), ..LIMITS };
    let client = Client::new(Trust::system());
    let failed = run(client.connect(&base, limits, true)).map(|_| ());
    assert!(matches!(failed, Err(DialError::ConnectTimeout(_))), "{failed:?}");
}

#[test]
fn a_body_to_the_end_of_the_connection_is_cut_unless_tls_says_that_it_ended() {
    fn unframed(tls: &mut Tls) {
        read_request(tls);
        tls.write_all(b"HTTP/1.1 200 OK\r\n\r\nok").unwrap();
        tls.flush().unwrap();
    }
    let authority = authority();
    let (base, _told) = Server::new(&authority).serve(|tls| {
        unframed(tls);
        tls.conn.send_close_notify();
        tls.flush().unwrap();
    });
    assert_eq!(run(ask_once(&trusting(&authority), &base)).unwrap(), b"ok");
    let (base, _told) = Server::new(&authority).serve(unframed);
    let failed = run(ask_once(&trusting(&authority), &base));
    assert!(matches!(failed, Err(DialError::Cut)), "{failed:?}");
}

#[test]
fn only_certificates_in_pem_form_are_trusted() {
    let good = authority().pem();
    let junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (text, wanted) in [
        (String::new(), TrustError::NoCertificate),
        ("no certificate".to_owned(), TrustError::NoCertificate),
        (junk.to_owned(), TrustError::BadCertificate(1)),
        (format!("{good}{junk}"), TrustError::BadCertificate(2)),
        (junk.replace("AAAA", "%%%%"), TrustError::BadPem(1)),
    ] {
        assert_eq!(Trust::system().and_pem(text.as_bytes()).map(|_| ()), Err(wanted), "{text}");
    }
    assert!(Trust::system().and_pem(format!("# a comment\n{good}{good}").as_bytes()).is_ok());
}

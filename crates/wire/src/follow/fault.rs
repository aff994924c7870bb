//! What RFC 9112 forbids in a request head.

/// What RFC 9112 forbids in a head though a lax server may let it pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadFault {
    /// Not `METHOD SP target SP version`.
    RequestLine,
    /// The version is not `HTTP/` digit `.` digit.
    Version,
    /// A version of HTTP that is not 1.x.
    UnsupportedVersion,
    /// A header line without a colon.
    NoColon,
    /// White space between a header's name and its colon.
    SpaceBeforeColon,
    /// A header line that goes on with white space on the next one (obs-fold).
    Folded,
    /// A header name that is empty or holds what no token may.
    HeaderName,
    /// A control character in a header's value.
    HeaderValue,
    /// A `Content-Length` that is not digits only.
    LengthNotDigits,
    /// A `Content-Length` beyond 64 bits.
    LengthTooLarge,
    /// Several `Content-Length` headers that differ.
    LengthsDiffer,
    /// `Content-Length` together with `Transfer-Encoding`.
    LengthAndEncoding,
    /// `Transfer-Encoding` whose last coding is not `chunked`, or in HTTP/1.0.
    Encoding,
    /// HTTP/1.1 without `Host`.
    HostMissing,
    /// More than one `Host`.
    HostDoubled,
}

impl HeadFault {
    /// The HTTP status of the refusal.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::UnsupportedVersion => 505,
            Self::LengthTooLarge => 413,
            Self::RequestLine
            | Self::Version
            | Self::NoColon
            | Self::SpaceBeforeColon
            | Self::Folded
            | Self::HeaderName
            | Self::HeaderValue
            | Self::LengthNotDigits
            | Self::LengthsDiffer
            | Self::LengthAndEncoding
            | Self::Encoding
            | Self::HostMissing
            | Self::HostDoubled => 400,
        }
    }

    /// Whether the end of the request can no longer be told.
    pub(super) fn breaks_framing(self) -> bool {
        match self {
            Self::RequestLine
            | Self::Version
            | Self::UnsupportedVersion
            | Self::NoColon
            | Self::SpaceBeforeColon
            | Self::Folded
            | Self::HeaderName
            | Self::HeaderValue
            | Self::LengthNotDigits
            | Self::LengthTooLarge
            | Self::LengthsDiffer
            | Self::LengthAndEncoding
            | Self::Encoding => true,
            Self::HostMissing | Self::HostDoubled => false,
        }
    }
}

impl std::fmt::Display for HeadFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::RequestLine => {
                "the request line must be a method, a target and a version with one space between them"
            }
            Self::Version => "the version in the request line must be HTTP/1.1 or HTTP/1.0",
            Self::UnsupportedVersion => "only HTTP/1.1 and HTTP/1.0 are spoken here",
            Self::NoColon => "a header line has no colon",
            Self::SpaceBeforeColon => "white space stands between a header's name and its colon",
            Self::Folded => "a header line is folded onto the next one",
            Self::HeaderName => "a header name is empty or holds a character that no name may hold",
            Self::HeaderValue => "a header value holds a control character",
            Self::LengthNotDigits => "Content-Length must be digits only",
            Self::LengthTooLarge => "Content-Length is too large",
            Self::LengthsDiffer => "several Content-Length headers differ",
            Self::LengthAndEncoding => "Content-Length and Transfer-Encoding exclude each other",
            Self::Encoding => "the last Transfer-Encoding must be chunked, in HTTP/1.1",
            Self::HostMissing => "HTTP/1.1 requires a Host header",
            Self::HostDoubled => "there may be only one Host header",
        })
    }
}

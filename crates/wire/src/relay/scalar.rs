//! The grammar of JSON numbers and words, byte by byte. `NaN` and `Infinity` are taken too: Python's writer makes them.

/// Where in a number or a word a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// Behind the minus sign.
    Minus,
    /// Behind a leading zero.
    Zero,
    /// In the digits before the point.
    Whole,
    /// Behind the point.
    Point,
    /// In the digits behind the point.
    Fraction,
    /// Behind the `e`.
    E,
    /// Behind the sign of the exponent.
    Sign,
    /// In the digits of the exponent.
    Exponent,
    /// In a word, with what is missing of it.
    Word(&'static [u8]),
}

impl Scalar {
    /// What a first byte begins.
    pub(super) fn begun(byte: u8) -> Option<Self> {
        Some(match byte {
            b'-' => Self::Minus,
            b'0' => Self::Zero,
            b'1'..=b'9' => Self::Whole,
            b't' => Self::Word(b"rue"),
            b'f' => Self::Word(b"alse"),
            b'n' => Self::Word(b"ull"),
            b'N' => Self::Word(b"aN"),
            b'I' => Self::Word(b"nfinity"),
            _ => return None,
        })
    }

    /// The place after one more byte; `None` where the byte does not go on with it.
    pub(super) fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Self::Whole,
            (Self::Minus, b'I') => Self::Word(b"nfinity"),
            (Self::Zero | Self::Whole, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Self::E,
            (Self::E, b'+' | b'-') => Self::Sign,
            (Self::E | Self::Sign | Self::Exponent, b'0'..=b'9') => Self::Exponent,
            (Self::Word([next, rest @ ..]), byte) if *next == byte => Self::Word(rest),
            _ => return None,
        })
    }

    /// Whether it may end here.
    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Zero | Self::Whole | Self::Fraction | Self::Exponent => true,
            Self::Minus | Self::Point | Self::E | Self::Sign => false,
            Self::Word(rest) => rest.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn takes_what_the_grammar_takes() {
        let whole = |text: &str| {
            let mut place = Scalar::begun(text.as_bytes()[0])?;
            for byte in text.bytes().skip(1) {
                place = place.after(byte)?;
            }
            Some(place.is_whole())
        };
        for good in [
            "0",
            "-0",
            "10",
            "-1.5",
            "1e5",
            "1E+05",
            "0.0e-0",
            "true",
            "false",
            "null",
            "NaN",
            "Infinity",
            "-Infinity",
        ] {
            assert_eq!(whole(good), Some(true), "{good}");
        }
        for cut in ["-", "1.", "1e", "1e+", "tru", "-Inf"] {
            assert_eq!(whole(cut), Some(false), "{cut}");
        }
        for bad in ["01", "-a", "1.e", "1..", "x", "+1", "truee", "-N", "1e5.0"] {
            assert_eq!(whole(bad), None, "{bad}");
        }
    }
}

//! One escape inside a JSON string, byte by byte; two of them where they are the halves of a surrogate pair.

/// What is written of an escape so far: nothing, or up to eleven bytes from its backslash on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Escape {
    raw: [u8; 12],
    len: usize,
}

/// What a byte did to an escape.
#[derive(Debug)]
pub(super) enum Taken {
    /// It belongs to it, and more is to come.
    More,
    /// It ends it.
    Whole(Unit),
    /// What was half of a pair stands alone; the byte was not looked at yet.
    Alone(Unit),
    /// No escape has this byte.
    Broken,
}

/// What an escape stands for, and how it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    decoded: [u8; 4],
    width: usize,
    raw: [u8; 12],
    len: usize,
}

impl Unit {
    /// A character in UTF-8; half a pair in the three bytes that the same rule gives, which are no UTF-8 and so equal nothing.
    fn new(unit: u32, raw: [u8; 12], len: usize) -> Self {
        let mut decoded = [0; 4];
        let width = match char::from_u32(unit) {
            Some(letter) => letter.encode_utf8(&mut decoded).len(),
            None => {
                let tail = |bits: u32| 0x80 | (bits & 0x3F) as u8;
                decoded = [0xE0 | (unit >> 12 & 0x0F) as u8, tail(unit >> 6), tail(unit), 0];
                3
            }
        };
        Self { decoded, width, raw, len }
    }

    pub(super) fn decoded(&self) -> &[u8] {
        &self.decoded[..self.width]
    }

    pub(super) fn raw(&self) -> &[u8] {
        &self.raw[..self.len]
    }
}

/// Bytes of `\uXXXX`.
const UNIT: usize = 6;

impl Escape {
    /// Begins with a backslash.
    pub(super) fn begin(&mut self) {
        self.raw[0] = b'\\';
        self.len = 1;
    }

    /// What was written so far.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw[..self.len]
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Looks at the next byte.
    pub(super) fn take(&mut self, byte: u8) -> Taken {
        let fits = match self.len {
            1 => b"bfnrt\"\\/u".contains(&byte),
            UNIT => byte == b'\\',
            7 => byte == b'u',
            // Only a second half goes on: U+DC00 to U+DFFF.
            8 => matches!(byte, b'd' | b'D'),
            9 => matches!(byte, b'c'..=b'f' | b'C'..=b'F'),
            _ => byte.is_ascii_hexdigit(),
        };
        if !fits {
            return if self.len < UNIT { Taken::Broken } else { self.alone() };
        }
        self.raw[self.len] = byte;
        self.len += 1;
        match self.len {
            2 if byte != b'u' => self.whole(short(byte)),
            UNIT => match self.unit(0) {
                0xD800..0xDC00 => Taken::More,
                unit => self.whole(unit),
            },
            12 => {
                let (high, low) = (self.unit(0), self.unit(UNIT));
                self.whole(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
            }
            _ => Taken::More,
        }
    }

    fn unit(&self, at: usize) -> u32 {
        self.raw[at + 2..at + UNIT]
            .iter()
            .fold(0, |sum, &digit| sum * 16 + char::from(digit).to_digit(16).unwrap_or(0))
    }

    fn whole(&mut self, unit: u32) -> Taken {
        let len = std::mem::take(&mut self.len);
        Taken::Whole(Unit::new(unit, self.raw, len))
    }

    /// The first six bytes are half a pair without its other half; what was written after them begins anew.
    fn alone(&mut self) -> Taken {
        let unit = Unit::new(self.unit(0), self.raw, UNIT);
        self.raw.copy_within(UNIT..self.len, 0);
        self.len -= UNIT;
        Taken::Alone(unit)
    }
}

fn short(letter: u8) -> u32 {
    u32::from(match letter {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        other => other,
    })
}

//! gzip (RFC 1952): heads, deflate, and the sums behind it.

use super::inflate::inflate;
use super::{Sink, Stop};
use flate2::{Crc, Decompress};

/// Any number of members. What follows the last one and is none is passed over.
#[derive(Debug)]
pub(super) struct Gzip {
    place: Place,
    /// The flags of the head, less those whose fields are behind us.
    flags: u8,
    stream: Decompress,
    sum: Crc,
    /// A member was whole.
    whole: bool,
}

#[derive(Debug)]
enum Place {
    /// So many bytes of the fixed head were read.
    Head(usize),
    /// In the length of the extra field: its bytes so far.
    ExtraLength(Option<u8>),
    /// So many bytes of the extra field are to come.
    Extra(u16),
    /// In the name or the comment, up to a zero byte.
    Words,
    /// So many bytes of the head's sum are to come.
    HeadSum(u8),
    Body,
    /// The sums behind the body, as far as they were read.
    Sums(Vec<u8>),
    /// Behind the last member.
    Behind,
}

const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const HEAD_SUM: u8 = 2;
const RESERVED: u8 = 0xE0;

impl Default for Gzip {
    fn default() -> Self {
        let (stream, sum) = (Decompress::new(false), Crc::new());
        Self { place: Place::Head(0), flags: 0, stream, sum, whole: false }
    }
}

impl Gzip {
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let mut taken = 1;
            match &mut self.place {
                Place::Head(read) => {
                    let read = *read;
                    self.head(read, byte)?;
                }
                Place::ExtraLength(None) => self.place = Place::ExtraLength(Some(byte)),
                Place::ExtraLength(Some(low)) => {
                    self.place = Place::Extra(u16::from_le_bytes([*low, byte]));
                    self.skip_empty();
                }
                Place::Extra(left) => {
                    *left -= 1;
                    self.skip_empty();
                }
                Place::Words if byte == 0 => self.next_field(),
                Place::Words => {}
                Place::HeadSum(left) => {
                    *left -= 1;
                    if *left == 0 {
                        self.place = Place::Body;
                    }
                }
                Place::Body => {
                    let sum = &mut self.sum;
                    let put = |part: &[u8]| {
                        sum.update(part);
                        sink.put(part)
                    };
                    let (used, ended) = inflate(&mut self.stream, rest, put)?;
                    if ended {
                        self.place = Place::Sums(Vec::new());
                    }
                    taken = if ended { used } else { rest.len() };
                }
                Place::Sums(sums) => {
                    sums.push(byte);
                    if sums.len() == 8 {
                        let wanted = [self.sum.sum().to_le_bytes(), self.sum.amount().to_le_bytes()].concat();
                        if *sums != wanted {
                            return Err(Stop::Broken);
                        }
                        self.whole = true;
                        self.place = Place::Head(0);
                    }
                }
                Place::Behind => taken = rest.len(),
            }
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// Whether the bytes so far end with a member.
    pub(super) fn is_whole(&self) -> bool {
        self.whole && matches!(self.place, Place::Head(0) | Place::Behind)
    }

    fn head(&mut self, read: usize, byte: u8) -> Result<(), Stop> {
        let fits = match read {
            0 => byte == 0x1F,
            1 => byte == 0x8B,
            2 => byte == 8,
            3 => byte & RESERVED == 0,
            _ => true,
        };
        if !fits {
            if !self.whole {
                return Err(Stop::Broken);
            }
            self.place = Place::Behind;
            return Ok(());
        }
        if read == 3 {
            self.flags = byte;
        }
        self.place = Place::Head(read + 1);
        if read == 9 {
            self.stream.reset(false);
            self.sum.reset();
            self.next_field();
        }
        Ok(())
    }

    fn skip_empty(&mut self) {
        if matches!(self.place, Place::Extra(0)) {
            self.next_field();
        }
    }

    /// Goes on to the next field of the head that its flags name, or to the body.
    fn next_field(&mut self) {
        let fields = [
            (EXTRA, Place::ExtraLength(None)),
            (NAME, Place::Words),
            (COMMENT, Place::Words),
            (HEAD_SUM, Place::HeadSum(2)),
        ];
        self.place = Place::Body;
        for (flag, place) in fields {
            if self.flags & flag != 0 {
                self.flags &= !flag;
                self.place = place;
                return;
            }
        }
    }
}

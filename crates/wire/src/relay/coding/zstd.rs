//! Zstandard (RFC 8878), block by block.
//!
//! The library gives out what lies behind the window only, or all once a frame has ended; a stream must not wait for that.
//! So its frame is told to have ended at once (an empty last block), all is taken out after each push, and what later blocks
//! may refer to is put back as raw blocks, which touch nothing else of its state. Reading heads is ours, for their lengths.

use super::{Sink, Stop};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// The largest window: what RFC 9659 allows for HTTP.
const MAX_WINDOW: u64 = 8 << 20;

/// The largest block, before and after.
const MAX_BLOCK: usize = 128 << 10;

/// Within one push all is taken out when so much is new, or as much as has to be put back.
const ROUND: usize = 1 << 20;

/// Any number of frames. What follows the last one and is none is passed over.
pub(super) struct Zstd {
    decoder: FrameDecoder,
    place: Place,
    /// Bytes of a head or block that is not whole.
    input: Vec<u8>,
    /// The end of what came out of this frame, as far as its window reaches; it is in the decoder too.
    history: Vec<u8>,
    /// Bytes in the decoder that whole blocks gave.
    good: usize,
    window: usize,
    /// A sum follows this frame.
    summed: bool,
    /// A frame was whole.
    whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before a frame.
    Frame,
    /// So many bytes of a frame that holds no content are to come.
    Skipped(usize),
    /// Before a block.
    Block,
    /// Before the sum of a frame.
    Sum,
    /// Behind the last frame.
    Behind,
}

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Zstd {
    pub(super) fn new() -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        let (input, history) = (Vec::new(), Vec::new());
        Self { decoder, place: Place::Frame, input, history, good: 0, window: 0, summed: false, whole: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut input = std::mem::take(&mut self.input);
        input.extend_from_slice(bytes);
        let mut at = 0;
        let result = loop {
            match self.step(&input[at..], sink) {
                Ok(0) => break Ok(()),
                Ok(used) => at += used,
                Err(stop) => break Err(stop),
            }
        };
        input.drain(..at);
        self.input = input;
        self.give_out(sink)?;
        result
    }

    pub(super) fn is_whole(&self) -> bool {
        self.place == Place::Behind || self.place == Place::Frame && self.whole && self.input.is_empty()
    }

    /// Takes one part off the bytes; gives its length, or 0 where it is not whole.
    fn step(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<usize, Stop> {
        match self.place {
            Place::Frame => self.frame(bytes),
            Place::Skipped(left) => {
                let used = left.min(bytes.len());
                self.place = if used == left { Place::Frame } else { Place::Skipped(left - used) };
                Ok(used)
            }
            Place::Block => self.block(bytes, sink),
            Place::Sum if bytes.len() < 4 => Ok(0),
            Place::Sum => {
                self.frame_ended();
                Ok(4)
            }
            Place::Behind => Ok(bytes.len()),
        }
    }

    fn frame(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        let Some((magic, rest)) = bytes.split_first_chunk::<4>() else { return Ok(0) };
        match u32::from_le_bytes(*magic) {
            0xFD2F_B528 => {}
            0x184D_2A50..=0x184D_2A5F => {
                let Some(length) = rest.first_chunk::<4>() else { return Ok(0) };
                let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| Stop::Broken)?;
                self.whole = true;
                self.place = if length == 0 { Place::Frame } else { Place::Skipped(length) };
                return Ok(8);
            }
            _ if self.whole => {
                self.place = Place::Behind;
                return Ok(bytes.len());
            }
            _ => return Err(Stop::Broken),
        }
        let Some(&flags) = rest.first() else { return Ok(0) };
        let single = flags & 0x20 != 0;
        let content = [usize::from(single), 2, 4, 8][usize::from(flags >> 6)];
        let dictionary = [0, 1, 2, 4][usize::from(flags & 3)];
        let length = 5 + usize::from(!single) + dictionary + content;
        let Some(head) = bytes.get(..length) else { return Ok(0) };
        let mut head = head.to_vec();
        self.summed = flags & 4 != 0;
        head[4] &= !4;
        self.decoder.reset(&head[..]).map_err(|_| Stop::Broken)?;
        let window = if single {
            self.decoder.content_size()
        } else {
            let base = 1u64 << (10 + (head[5] >> 3));
            base + base / 8 * u64::from(head[5] & 7)
        };
        self.window = usize::try_from(window).map_err(|_| Stop::Broken)?;
        self.decode(&[1, 0, 0])?;
        self.place = Place::Block;
        Ok(length)
    }

    fn block(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<usize, Stop> {
        let Some(head) = bytes.first_chunk::<3>() else { return Ok(0) };
        let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
        let size = (head >> 3) as usize;
        let length = match head >> 1 & 3 {
            0 | 2 => 3 + size,
            1 => 4,
            _ => return Err(Stop::Broken),
        };
        if size > MAX_BLOCK {
            return Err(Stop::Broken);
        }
        let Some(block) = bytes.get(..length) else { return Ok(0) };
        let mut block = block.to_vec();
        block[0] &= !1;
        self.decode(&block)?;
        let new = self.good.saturating_sub(self.history.len());
        if new as u64 > *sink.room || new > self.history.len().max(ROUND) {
            self.give_out(sink)?;
        }
        if head & 1 == 1 {
            self.give_out(sink)?;
            self.place = Place::Sum;
            if !self.summed {
                self.frame_ended();
            }
        }
        Ok(length)
    }

    fn frame_ended(&mut self) {
        self.history.clear();
        self.good = 0;
        self.whole = true;
        self.place = Place::Frame;
    }

    fn decode(&mut self, block: &[u8]) -> Result<(), Stop> {
        let one = BlockDecodingStrategy::UptoBlocks(1);
        self.decoder.decode_blocks(block, one).map_err(|_| Stop::Broken)?;
        self.good = self.decoder.can_collect();
        Ok(())
    }

    /// Takes out what is new, and puts back what later blocks may refer to.
    fn give_out(&mut self, sink: &mut Sink<'_>) -> Result<(), Stop> {
        if self.good <= self.history.len() {
            return Ok(());
        }
        let mut all = self.decoder.collect().unwrap_or_default();
        all.truncate(self.good);
        sink.put(all.get(self.history.len()..).unwrap_or_default())?;
        all.drain(..all.len().saturating_sub(self.window));
        for part in all.chunks(MAX_BLOCK.min(self.window.max(1))) {
            let head = u32::try_from(part.len() << 3).unwrap_or(0).to_le_bytes();
            self.decode(&[&head[..3], part].concat())?;
        }
        self.history = all;
        Ok(())
    }
}

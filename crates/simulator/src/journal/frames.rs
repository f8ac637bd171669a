//! The frames of the file, one after the other: head and content.
//!
//! A frame is handed out where it was read to, without a copy of its own.

use std::fs::File;
use std::io::{self, Read};

/// Length, the same again with every bit turned, checksum: a length that rotted must not pass for
/// a frame that was cut.
pub(super) const HEAD: usize = 12;

/// A frame of one call; a longer one is not ours.
const MAX_FRAME: usize = 64 << 20;

/// What is read at once: little enough to stay in the processor's cache.
const READ_AHEAD: usize = 128 << 10;

/// What comes next in the file.
pub(super) enum Frame<'b> {
    Whole(&'b [u8]),
    /// Nothing, or a frame that was not written to its end.
    Cut,
    Wrong,
}

/// What is left of a file.
pub(super) struct Frames<'f> {
    file: &'f File,
    buffer: Vec<u8>,
    /// What was read and not yet handed out.
    ready: std::ops::Range<usize>,
    left: u64,
}

impl<'f> Frames<'f> {
    /// The frames from where the file stands; `left` is how long it is from there.
    pub(super) fn new(file: &'f File, left: u64) -> Self {
        Self { file, buffer: vec![0; READ_AHEAD], ready: 0..0, left }
    }

    /// The next bytes, all of them or fewer at the end of the file.
    pub(super) fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        let count = self.reach(count)?;
        let start = self.ready.start;
        self.ready.start += count;
        self.left = self.left.saturating_sub(count as u64);
        Ok(&self.buffer[start..start + count])
    }

    /// The next frame.
    pub(super) fn next(&mut self) -> io::Result<Frame<'_>> {
        let left = self.left;
        let head = self.take(HEAD)?;
        let Some((head, _)) = head.split_first_chunk::<HEAD>() else {
            return Ok(Frame::Cut);
        };
        let head = *head;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, turned, sum) = (word(0), word(4), word(8));
        if length == 0 && turned == 0 && sum == 0 {
            // Space that the file system gave and nothing was written to, if it is that to the end.
            return Ok(if self.rest_is_noughts()? { Frame::Cut } else { Frame::Wrong });
        }
        let length = length as usize;
        if word(0) != !turned || length == 0 || length > MAX_FRAME {
            return Ok(Frame::Wrong);
        }
        let is_last = left <= (HEAD + length) as u64;
        let content = self.take(length)?;
        Ok(match content.len() {
            short if short < length => Frame::Cut,
            _ if checksum(content) == sum => Frame::Whole(content),
            // The same space, in the middle of the last frame.
            _ if is_last && content.ends_with(&[0; 32]) => Frame::Cut,
            _ => Frame::Wrong,
        })
    }

    /// Whether nothing but noughts follows.
    fn rest_is_noughts(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.take(READ_AHEAD)?;
            if bytes.is_empty() {
                return Ok(true);
            }
            if bytes.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
        }
    }

    /// Reads on until so many bytes are ready, or the file ends; gives how many of them are.
    fn reach(&mut self, count: usize) -> io::Result<usize> {
        if self.ready.len() >= count {
            return Ok(count);
        }
        self.buffer.copy_within(self.ready.clone(), 0);
        self.ready = 0..self.ready.len();
        if self.buffer.len() < count {
            self.buffer.resize(count, 0);
        }
        while self.ready.end < count {
            match self.file.read(&mut self.buffer[self.ready.end..]) {
                Ok(0) => break,
                Ok(read) => self.ready.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count.min(self.ready.end))
    }
}

/// Fills in the head of a frame whose content stands behind it.
pub(super) fn seal(frame: &mut [u8]) {
    let (head, content) = frame.split_at_mut(HEAD);
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..8].copy_from_slice(&(!length).to_le_bytes());
    head[8..].copy_from_slice(&checksum(content).to_le_bytes());
}

/// Tells a cut or garbled frame from a whole one. FNV-1a in four lanes, each over every fourth word
/// of eight bytes, because one multiplication need not wait for another then: it is a tenth of a
/// start with many resources.
fn checksum(bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(PRIME);
        mixed ^ (mixed >> 29)
    };
    let first = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    let mut lanes = [first, first ^ 1, first ^ 2, first ^ 3];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mix(*lane, u64::from_le_bytes(*word));
        }
    }
    let hash = lanes[1..].iter().fold(lanes[0], |hash, lane| mix(hash, *lane));
    let hash = rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)));
    u32::try_from((hash ^ (hash >> 32)) & 0xffff_ffff).unwrap_or(0)
}

//! SHA-1 (FIPS 180-4), only for the GUIDs that are defined by it; nothing is kept safe with it.
//!
//! It is written out here because the crate stays free of what could read randomness, and `uuid` can.

/// The digest of some pieces, one after the other.
pub(super) fn sha1(pieces: &[&[u8]]) -> [u8; 20] {
    let mut message = pieces.concat();
    let bits = (message.len() as u64).wrapping_mul(8);
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend(bits.to_be_bytes());

    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in message.chunks_exact(64) {
        let after = rounds(state, block);
        for (word, more) in state.iter_mut().zip(after) {
            *word = word.wrapping_add(more);
        }
    }
    let mut digest = [0; 20];
    for (place, word) in digest.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[expect(clippy::many_single_char_names, reason = "the standard names the five words so")]
fn rounds(state: [u32; 5], block: &[u8]) -> [u32; 5] {
    let mut schedule = [0_u32; 80];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..80 {
        let mixed = schedule[at - 3] ^ schedule[at - 8] ^ schedule[at - 14] ^ schedule[at - 16];
        schedule[at] = mixed.rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = state;
    for (at, word) in schedule.into_iter().enumerate() {
        let (choice, constant) = match at {
            0..20 => (b & c | !b & d, 0x5a82_7999),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let next = a
            .rotate_left(5)
            .wrapping_add(choice)
            .wrapping_add(e)
            .wrapping_add(constant)
            .wrapping_add(word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    [a, b, c, d, e]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: [u8; 20]) -> String {
        let bytes = digest.iter().map(|it| format!("{it:02x}"));
        bytes.collect::<Vec<_>>().concat()
    }

    #[test]
    fn the_examples_of_the_standard_come_out() {
        for (message, digest) in [
            ("abc".to_owned(), "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (String::new(), "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".to_owned(),
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            ),
            ("a".repeat(1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ] {
            assert_eq!(hex(sha1(&[message.as_bytes()])), digest);
        }
    }
}

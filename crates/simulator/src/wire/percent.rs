//! Percent encoding as RFC 3986 has it, shared by the signature and the form body.

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Encodes everything but the unreserved characters, in upper-case hex as signatures want it.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            text.push('%');
            text.push(char::from(HEX[usize::from(byte >> 4)]));
            text.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    text
}

/// Decodes `%XX`; nothing where an escape is cut short or not hex.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let [high, low, after @ ..] = after else { return None };
            decoded.push(nibble(*high)? << 4 | nibble(*low)?);
            rest = after;
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    Some(decoded)
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_encoding() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encode(&bytes).as_bytes()), Some(bytes));
        assert_eq!(encode("a b/é~".as_bytes()), "a%20b%2F%C3%A9~");
    }

    #[test]
    fn a_broken_escape_is_refused() {
        for text in ["%", "%4", "%zz", "a%4g"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}

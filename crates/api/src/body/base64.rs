//! Base64 as RFC 4648 has it in section 4: padded, of one line, and with one spelling for each content.

/// What a text stands for, or why it stands for nothing.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for (index, byte) in digits.bytes().enumerate() {
        let Some(value) = value(byte) else {
            return Err(format!("its byte {index} is not a base64 character"));
        };
        held = held << 6 | value;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            let [.., whole] = (held >> bits).to_be_bytes();
            decoded.push(whole);
            held &= (1 << bits) - 1;
        }
    }
    if !text.len().is_multiple_of(4) || padding > 2 {
        return Err(String::from(
            "it is incomplete: its length, padded with `=`, must be a multiple of 4",
        ));
    }
    if held != 0 {
        return Err(String::from("its last character has more bits than the last byte needs"));
    }
    Ok(decoded)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc_decode() {
        for (text, content) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decode(text).unwrap(), content.as_bytes(), "{text}");
        }
        assert_eq!(decode("+/8A/w==").unwrap(), [0xfb, 0xff, 0x00, 0xff]);
    }

    #[test]
    fn what_is_not_base64_is_refused() {
        for text in
            ["Z", "Zg", "Zg=", "Zm9v=", "====", "Z===", "Zg==Zg==", "Z g=", "Zm9\n", "-_8A", "Zh=="]
        {
            assert!(decode(text).is_err(), "{text}");
        }
    }
}

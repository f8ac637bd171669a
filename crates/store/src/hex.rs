//! Bytes as lower-case hexadecimal text, the form of keys, hashes and page tokens.

/// Two digits for each byte.
///
/// ```
/// assert_eq!(hangar_store::hex::encode(&[0, 0x1f, 0xff]), "001fff");
/// ```
pub fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes, if the text is digits in pairs, of either case.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_nothing_else_is_read() {
        assert_eq!(encode(&[0, 0x1f, 0xff]), "001fff");
        assert_eq!(decode("001fFF"), Some(vec![0, 0x1f, 0xff]));
        assert_eq!(decode(""), Some(vec![]));
        for text in ["0", "0g", "0x", "é", "00 "] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}

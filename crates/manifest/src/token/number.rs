//! Tokens as numbers: doubles whose two highest bytes are a mark and whose lowest ones are an index.

use super::{Family, Form, RawToken};

/// The digits that every such double begins with, for indexes that a program reaches, and whose it is.
const BEGINNINGS: [(&str, Family); 4] = [
    ("-1.888", Family::AwsCdk),
    ("-1888", Family::AwsCdk),
    ("-8.109", Family::Cdktf),
    ("-8109", Family::Cdktf),
];

const fn mark(family: Family) -> u64 {
    match family {
        Family::AwsCdk => 0xfbff,
        Family::Cdktf => 0xfdff,
    }
}

pub(super) fn find(text: &str, found: &mut Vec<RawToken>) {
    let mut at = 0;
    while let Some(next) = text[at..].find('-') {
        let start = at + next;
        at = start + 1;
        let Some((_, family)) =
            BEGINNINGS.iter().find(|(begin, _)| text[start..].starts_with(begin))
        else {
            continue;
        };
        let length = length(&text.as_bytes()[start..]);
        // Only its bits are asked for, and they survive being printed: the shortest text of a double is its own.
        let Ok(double) = text[start..start + length].parse::<f64>() else { continue };
        let (mark_found, index) = (double.to_bits() >> 48, double.to_bits() & 0xffff_ffff_ffff);
        if mark_found == mark(*family) && u32::try_from(index).is_ok() {
            let name = index.to_string();
            let range = start..start + length;
            at = range.end;
            found.push(RawToken { range, form: Form::Number, family: *family, name });
        }
    }
}

/// How many bytes the number has that begins with a sign.
fn length(bytes: &[u8]) -> usize {
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = 1 + digits(1);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = digits(end + 1 + sign);
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    end
}

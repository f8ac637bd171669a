//! Takes secrets out of what others say: whole, cut short, and as JSON quotes them.

use serde_json::Value;

/// `text` without any of the secrets.
pub(crate) fn take_out(mut secrets: Vec<String>, text: &str) -> String {
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let mut shown = text.to_owned();
    for secret in &secrets {
        shown = without(&shown, secret);
        // As JSON quotes it, and as JSON within JSON does.
        let escaped = quoted(secret);
        shown = without(&shown, &escaped);
        shown = without(&shown, &quoted(&escaped));
        // As Terraform's `jsonencode` does.
        let in_html = escaped.replace('<', "\\u003c").replace('>', "\\u003e");
        shown = without(&shown, &in_html.replace('&', "\\u0026"));
    }
    shown
}

/// A text as JSON writes it, without the quotes around it.
fn quoted(text: &str) -> String {
    let whole = Value::from(text).to_string();
    whole.get(1..whole.len() - 1).unwrap_or_default().to_owned()
}

/// So much of a secret may stand in a message that is cut short.
const TELLING: usize = 8;

/// `text` without `secret`, whole or cut short at either end.
fn without(text: &str, secret: &str) -> String {
    let reversed = |text: &str| text.chars().rev().collect::<String>();
    let from_the_front = cut_out(text, secret, "«secret»");
    if secret.chars().count() <= TELLING {
        return from_the_front;
    }
    let backwards = cut_out(&reversed(&from_the_front), &reversed(secret), "»terces«");
    reversed(&backwards)
}

/// `text` without what begins as `secret` does.
fn cut_out(text: &str, secret: &str, sign: &str) -> String {
    let telling: String = secret.chars().take(TELLING).collect();
    if telling.chars().count() < 4 {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&telling) {
        shown.push_str(&rest[..at]);
        shown.push_str(sign);
        let found = &rest[at..];
        let same = found.chars().zip(secret.chars()).take_while(|(a, b)| a == b);
        let length: usize = same.map(|(character, _)| character.len_utf8()).sum();
        rest = &found[length..];
    }
    shown + rest
}

/// Every text and number in a value.
pub(crate) fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|it| collect_texts(it, texts)),
        Value::Bool(_) | Value::Null => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_taken_out_whole_cut_short_and_escaped() {
        assert_eq!(without("bad hunter2hunter2!", "hunter2hunter2"), "bad «secret»!");
        assert_eq!(without("bad hunter2hun…", "hunter2hunter2"), "bad «secret»…");
        assert_eq!(without("bad …er2hunter2", "hunter2hunter2"), "bad …«secret»");
        assert_eq!(without("bad abc", "abc"), "bad abc");
        assert_eq!(without("ünïcode-pass ünïcode-paß", "ünïcode-pass"), "«secret» «secret»ß");
    }
}

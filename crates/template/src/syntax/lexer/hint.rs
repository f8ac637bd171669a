//! What to do next at an error of the lexer: one clause, computed from the code and the text around it.

use hangar_diag::{Code, Span};

use crate::codes;

pub(super) fn hint_for(text: &str, code: Code, span: Span) -> Option<String> {
    let found = text.get(span.start..span.end).unwrap_or_default();
    let hint = match code {
        codes::DOUBLE_QUOTE => "write `'` instead of `\"`",
        codes::UNKNOWN_CHARACTER => return Some(unknown(found)),
        codes::OPEN_COMMENT => "write `*/` at the end of the comment",
        codes::OPEN_STRING_AT_END | codes::OPEN_STRING_AT_NEW_LINE => open_string(text, span),
        codes::OPEN_MULTILINE_STRING => "write `'''` at the end of the string",
        codes::OPEN_ESCAPE | codes::UNKNOWN_ESCAPE => "write `\\\\` for a backslash",
        codes::BAD_UNICODE_ESCAPE => "write the code in braces, as in `\\u{00e9}`",
        codes::NAME_TOO_LONG => "shorten the name to 255 characters",
        codes::NO_CODE_TO_DISABLE => {
            "write a code after it, as in `#disable-next-line no-unused-params`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

fn unknown(found: &str) -> String {
    let meant = match found {
        "&" => "write `&&`",
        "`" | "\u{2018}" | "\u{2019}" | "\u{201c}" | "\u{201d}" => {
            "strings must be in single quotes: write `'`"
        }
        "#" => "write `//` to start a comment",
        ";" => "remove it: a statement ends at the end of the line",
        "$" => "write the interpolation in a string, as in `'${name}'`",
        "\\" => "remove it: a statement continues on the next line inside brackets",
        "~" => "write `=~` to compare strings ignoring case",
        "\u{a0}" | "\u{200b}" | "\u{feff}" => "replace it with a space",
        _ => return format!("remove `{}`, or put it in a string", found.escape_debug()),
    };
    meant.to_owned()
}

/// A quote that follows a letter is an apostrophe more often than the begin of a text.
fn open_string(text: &str, span: Span) -> &'static str {
    let before = text.get(..span.start).and_then(|it| it.chars().next_back());
    if before.is_some_and(char::is_alphanumeric) {
        "write `\\'` for a quote inside a string"
    } else {
        "write `'` at the end of the string; use `'''` for a string of several lines"
    }
}

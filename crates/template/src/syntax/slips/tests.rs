//! Text in, messages out.

use hangar_diag::position_of;

use super::*;

fn said(text: &str) -> Vec<String> {
    let found = parse_mended(text, Dialect::Template).parsed.diagnostics;
    let line = |it: Diagnostic| {
        let at = position_of(text, it.span().unwrap().start);
        format!("{}:{} {} {} ({})", at.line, at.column, it.code, it.message, it.hints.join("; "))
    };
    found.into_iter().map(line).collect()
}

const HEAD: &str = "resource q 'AWS.SQS/Queue@default' = ";

#[test]
fn a_comparison_with_one_equals_sign_is_one_message() {
    for (condition, column) in [("a = 'x'", 44), ("a='x'", 43), ("a =b", 44), ("(a = b) && c", 45)]
    {
        let text = format!("{HEAD}if ({condition}) {{\n  alias: 'q'\n}}\nvar c = 1\n");
        let expected = format!(
            "1:{column} BCP018 `=` does not compare values (write `==` to compare two values)"
        );
        assert_eq!(said(&text), [expected], "{condition}");
    }
    assert_eq!(
        said("var a = b = 1 ? 2 : 3\n"),
        ["1:11 BCP019 `=` does not compare values (write `==` to compare two values)"]
    );
}

#[test]
fn a_string_in_double_quotes_is_one_message() {
    let message = "BCP103 strings must be in single quotes (write `'` instead of `\"`)";
    for text in
        ["var a = \"x\"\n", "var a = \"x-${b}\"\n", "var a = \"it's\"\n", "var a = { b: \"x\" }\n"]
    {
        assert_eq!(said(text).len(), 1, "{text}: {:?}", said(text));
    }
    assert_eq!(
        said("var a = [\n  \"x\"\n  \"y\"\n]\nvar b = (\"z\")\n"),
        [format!("2:3 {message}"), format!("3:3 {message}"), format!("5:10 {message}")]
    );
}

#[test]
fn a_missing_brace_is_one_message_where_it_is_missing() {
    let body = "{\n  alias: 'q'\n  properties: {\n    QueueName: 'a'\n";
    let expected = |place: &str| format!("{place} BCP018 expected `}}` here (close it with `}}`)");
    for rest in
        ["", "var a = 1\n", "@description('x')\nparam p string\n", "resource r 'A.B/C@d' = {\n}\n"]
    {
        assert_eq!(said(&format!("{HEAD}{body}}}\n{rest}")), [expected("4:19")], "{rest}");
        assert_eq!(said(&format!("{HEAD}{body}  }}\n{rest}")), [expected("5:4")], "{rest}");
    }
    assert_eq!(
        said("var a = [\n  1\nvar b = 2\n"),
        ["2:4 BCP018 expected `]` here (close it with `]`)"]
    );
    assert_eq!(
        said("var a = concat(1, 2\nvar b = 2\n"),
        ["1:20 BCP018 expected `)` here (close it with `)`)"]
    );
}

#[test]
fn separators_of_other_languages_are_one_message_each() {
    assert_eq!(
        said("var a = {\n  b: 1,\n  c = 2\n};\n"),
        [
            "2:7 BCP238 unexpected comma at the end of the line (remove the comma: items on separate lines \
             do not need one)",
            "3:5 BCP018 a property must be set with `:` (write `:` instead of `=`)",
            "4:2 BCP001 unexpected `;` at the end of the statement (remove the `;`)",
        ]
    );
}

#[test]
fn what_cannot_be_mended_is_one_message_per_statement() {
    let found =
        said("resorce q 'A.B/C@d' = {\n  a: 1\n}\nvar b = )\nvar c = (1 2 3)\noutput o int = 1\n");
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].ends_with("(did you mean `resource`?)"), "{found:#?}");
}

#[test]
fn a_text_without_a_mistake_is_read_as_it_is() {
    let text = "var a = 'x'\n";
    assert_eq!(said(text), Vec::<String>::new());
    assert_eq!(parse_mended(text, Dialect::Template).parsed.tree.text(), text);
}

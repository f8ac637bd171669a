//! What to do next at a syntax error: one clause, computed from the code, the token found and the tokens before it.

use hangar_diag::{Code, Span};

use super::{Dialect, Parser, TokenKind};
use crate::codes;
use crate::syntax::token::Token;

/// How many tokens before an error are searched for an open bracket.
const MOST_TOKENS_BACK: usize = 2_000;

/// How many characters of a token are repeated in a hint.
const MOST_SHOWN: usize = 30;

impl Parser<'_> {
    /// The hint for a token that is missing at the current one.
    pub(super) fn hint_for_token(&self, wanted: TokenKind) -> Option<String> {
        let here = Here::at(self, self.at);
        match wanted {
            TokenKind::Assign => Some(here.assign()),
            TokenKind::Colon => Some(here.colon()),
            TokenKind::RightBrace | TokenKind::RightSquare | TokenKind::RightParen => {
                Some(here.closing(wanted))
            }
            TokenKind::Greater => Some("close the `<` with `>`".to_owned()),
            TokenKind::Arrow => {
                let found = here.shown()?;
                Some(if here.found.kind == TokenKind::Assign {
                    "write `=>` instead of `=`".to_owned()
                } else if here.is_line_end() {
                    "write `=>` and the result after the type, as in `=> '${name}-logs'`".to_owned()
                } else {
                    format!("write `=>` before {found}")
                })
            }
            TokenKind::LeftParen => Some(match here.before().map(|it| self.text_of(it)) {
                Some("if") => "put the condition in parentheses, as in `if (isProd) {`".to_owned(),
                _ => "write the parameters in parentheses, as in `(name string)`".to_owned(),
            }),
            TokenKind::LeftBrace if here.is_line_end() => {
                Some("write the body in braces: `{ … }`".to_owned())
            }
            TokenKind::LeftBrace => Some(format!("write `{{` before {}", here.shown()?)),
            _ => None,
        }
    }

    /// The hint for a keyword that is missing at the current token.
    pub(super) fn hint_for_keyword(&self, keyword: &str) -> Option<String> {
        let here = Here::at(self, self.at);
        let hint = match keyword {
            "for" => "write a loop as `[for item in list: { … }]`",
            "in" if here.is_line_end() => "write `in` and the array to loop over, as in `in zones`",
            "in" => return Some(format!("write `in` before {}", here.shown()?)),
            "from" => "write `from` and the path of the file, as in `from 'types.bicep'`",
            "as" => "write `as` and a name, as in `import * as types from 'types.bicep'`",
            "resource" => "in a body, a decorator is only allowed before a nested `resource`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// The hint for any other fault, by its code and place.
    pub(super) fn hint_for(&self, code: Code, span: Span) -> Option<String> {
        let at = self.tokens.partition_point(|it| (it.start as usize) < span.start);
        let here = Here::at(self, at.min(self.tokens.len() - 1));
        match code {
            codes::EXPECTED_EXPRESSION => Some(here.expression()),
            codes::UNKNOWN_STATEMENT | codes::NOT_IN_PARAMETERS_FILE => Some(here.statement()),
            codes::EXPECTED_NEW_LINE => Some(here.new_line()),
            codes::EXPECTED_SEPARATOR => Some(here.separator()),
            codes::EXPECTED_MEMBER_NAME => Some(here.member()),
            codes::EXPECTED_PROPERTY_NAME => Some(here.property_name()),
            codes::EXPECTED_TYPE => Some(here.type_name()),
            codes::PARAMETER_CONTINUATION => {
                Some(format!("write `=` before {} to make it the default", here.shown()?))
            }
            codes::EXPECTED_PARAMETER_NAME => Some(here.name("param name string")),
            codes::EXPECTED_VARIABLE_NAME => Some(here.name("var name = 'logs'")),
            codes::EXPECTED_OUTPUT_NAME => Some(here.name("output name string = 'logs'")),
            codes::EXPECTED_RESOURCE_NAME => {
                Some(here.name("resource logs 'AWS.S3/Bucket@default' = {"))
            }
            codes::EXPECTED_MODULE_NAME => Some(here.name("module network 'network.bicep' = {")),
            codes::EXPECTED_METADATA_NAME => Some(here.name("metadata owner = 'team-a'")),
            codes::EXPECTED_TYPE_NAME => Some(here.name("type size = 'small' | 'large'")),
            codes::EXPECTED_ASSERT_NAME => Some(here.name("assert isLong = length(name) > 3")),
            codes::EXPECTED_TEST_NAME => Some(here.name("test first 'main.bicep' = {")),
            codes::EXPECTED_LOOP_VARIABLE => Some(here.name("[for item in list: item]")),
            codes::EXPECTED_ALIAS => Some(here.name("as types")),
            codes::EXPECTED_RESOURCE_TYPE => Some(here.quoted("AWS.S3/Bucket@default")),
            codes::EXPECTED_MODULE_PATH | codes::EXPECTED_TEST_PATH => {
                Some(here.quoted("network.bicep"))
            }
            codes::EXPECTED_FILE_PATH => Some(here.quoted("main.bicep")),
            codes::EXPECTED_EXTENSION => Some("write its name, as in `extension aws`".to_owned()),
            codes::EXPECTED_NESTED_NAME => {
                Some("write the name of a resource in its body after the `::`".to_owned())
            }
            codes::EMPTY_INDEX => Some("write an index, such as `0` or `'name'`".to_owned()),
            codes::EXPECTED_BODY | codes::EXPECTED_LOOP_BODY => Some(here.body()),
            codes::EXPECTED_DECORATOR => Some(
                "write a decorator after the `@`, as in `@description('…')`, or remove the `@`"
                    .to_owned(),
            ),
            codes::NEW_LINE_AFTER_COMMA => {
                Some("remove the comma: items on separate lines do not need one".to_owned())
            }
            codes::NUMBER_TOO_LARGE => {
                Some(format!("write a number up to {}, or a string: `'{}'`", i64::MAX, here.text()))
            }
            codes::MORE_IN_HOLE => Some(format!(
                "remove {}, or write it in a separate interpolation: `${{…}}`",
                here.shown()?
            )),
            codes::TWO_LOOP_VARIABLES => {
                Some("write `(item, index)`, or one name without parentheses".to_owned())
            }
            codes::TOO_DEEP => {
                Some("move an inner part to a `var`, and use the variable".to_owned())
            }
            _ => None,
        }
    }
}

/// The tokens around an error.
struct Here<'p, 'a> {
    parser: &'p Parser<'a>,
    at: usize,
    found: Token,
}

impl<'p, 'a> Here<'p, 'a> {
    fn at(parser: &'p Parser<'a>, at: usize) -> Self {
        Self { parser, at, found: parser.tokens[at] }
    }

    fn text(&self) -> &'p str {
        self.parser.text_of(self.found)
    }

    fn is_line_end(&self) -> bool {
        matches!(self.found.kind, TokenKind::NewLine | TokenKind::EndOfFile)
    }

    /// The token found, as it is written, in code quotes; nothing at the end of a line.
    fn shown(&self) -> Option<String> {
        let text = self.text();
        if self.is_line_end() || text.is_empty() {
            return Some("the end of the line".to_owned());
        }
        let line = text.lines().next().unwrap_or_default();
        let short: String = line.chars().take(MOST_SHOWN).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        Some(format!("`{short}{more}`"))
    }

    /// The token before the error, on the same line or an earlier one.
    fn before(&self) -> Option<Token> {
        let tokens = self.parser.tokens[..self.at].iter().rev();
        tokens.copied().find(|it| it.kind != TokenKind::NewLine)
    }

    /// The tokens of the line, before the error.
    fn line(&self) -> &'p [Token] {
        let tokens = &self.parser.tokens[..self.at];
        let start = tokens.iter().rposition(|it| it.kind == TokenKind::NewLine);
        &tokens[start.map_or(0, |it| it + 1)..]
    }

    /// The first word of the line.
    fn keyword(&self) -> &'p str {
        self.line().first().map_or("", |it| self.parser.text_of(*it))
    }

    /// The name that the line declares.
    fn declared(&self) -> Option<&'p str> {
        let name = self.line().get(1).filter(|it| it.kind == TokenKind::Identifier)?;
        Some(self.parser.text_of(*name))
    }

    /// What the line has before the error, short enough to be repeated.
    fn written(&self) -> Option<&'p str> {
        let line = self.line();
        let (first, last) = (line.first()?, line.last()?);
        let text = self.parser.text.get(first.start as usize..last.end as usize)?;
        (text.len() <= MOST_SHOWN).then_some(text)
    }

    fn assign(&self) -> String {
        let example = match self.keyword() {
            "resource" | "module" | "test" => "{ … }",
            "type" => "string",
            "output" => "vpc.properties.VpcId",
            "targetScope" => "'resourceGroup'",
            "assert" => "length(name) > 3",
            _ => "'text'",
        };
        match (self.found.kind, self.written()) {
            (TokenKind::Colon, _) => "write `=` instead of `:`".to_owned(),
            (TokenKind::Equal, _) => "write one `=`: `==` compares two values".to_owned(),
            (TokenKind::Unknown, _) => format!("write `=` instead of `{}`", self.text()),
            (_, Some(written)) if self.is_line_end() => {
                format!("write the value after it, as in `{written} = {example}`")
            }
            _ if self.is_line_end() => format!("write the value after it, as in `= {example}`"),
            _ => format!("write `=` before {}", self.shown().unwrap_or_default()),
        }
    }

    fn colon(&self) -> String {
        let line = self.line();
        let is_word = |it: &Token, word: &str| {
            it.kind == TokenKind::Identifier && self.parser.text_of(*it) == word
        };
        if self.found.kind == TokenKind::Assign {
            return "write `:` instead of `=`".to_owned();
        }
        if line.iter().any(|it| it.kind == TokenKind::Question) {
            return "write `:` and the value for a false condition, as in `isProd ? 3 : 1`"
                .to_owned();
        }
        if line.iter().any(|it| is_word(it, "for")) && line.iter().any(|it| is_word(it, "in")) {
            return "write `:` and the value for each item, as in `[for item in list: item]`"
                .to_owned();
        }
        match self.before().map(|it| self.parser.text_of(it)) {
            Some(name) if self.is_line_end() && name.len() <= MOST_SHOWN => {
                format!("write the value after it, as in `{name}: 'text'`")
            }
            _ if self.is_line_end() => "write `:` and the value after the name".to_owned(),
            _ => format!("write `:` before {}", self.shown().unwrap_or_default()),
        }
    }

    /// A closing bracket that is missing: which bracket is open.
    fn closing(&self, wanted: TokenKind) -> String {
        let open = match wanted {
            TokenKind::RightBrace => TokenKind::LeftBrace,
            TokenKind::RightSquare => TokenKind::LeftSquare,
            _ => TokenKind::LeftParen,
        };
        let mut closed = 0_usize;
        let mut opener = None;
        let tokens = &self.parser.tokens[..self.at];
        for (at, token) in tokens.iter().enumerate().rev().take(MOST_TOKENS_BACK) {
            if token.kind == wanted {
                closed += 1;
            } else if token.kind == open {
                if closed == 0 {
                    opener = Some(at);
                    break;
                }
                closed -= 1;
            }
        }
        let place = opener.and_then(|at| {
            let name = tokens.get(at.checked_sub(1)?)?;
            let is_name =
                matches!(name.kind, TokenKind::Identifier) && open != TokenKind::LeftBrace;
            is_name.then(|| self.parser.text_of(*name))
        });
        let line = opener
            .map(|at| 1 + self.parser.text[..tokens[at].start as usize].matches('\n').count());
        let before = if self.is_line_end() {
            "at the end of the line".to_owned()
        } else {
            format!("before {}", self.shown().unwrap_or_default())
        };
        match (place, line) {
            (Some(name), _) if name.len() <= MOST_SHOWN => {
                format!("close the {open} after `{name}` with {wanted} {before}")
            }
            (_, Some(line)) => format!("close the {open} on line {line} with {wanted} {before}"),
            _ => format!("write {wanted} {before}"),
        }
    }

    fn expression(&self) -> String {
        let found = self.shown().unwrap_or_default();
        let before = self.before();
        let is_end = self.is_line_end();
        let kind = before.map_or(TokenKind::EndOfFile, |it| it.kind);
        match (kind, self.found.kind) {
            (
                _,
                TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Plus
                | TokenKind::Percent
                | TokenKind::DoubleAmpersand
                | TokenKind::DoublePipe
                | TokenKind::DoubleQuestion
                | TokenKind::Less
                | TokenKind::Greater
                | TokenKind::LessOrEqual
                | TokenKind::GreaterOrEqual
                | TokenKind::EqualIgnoringCase
                | TokenKind::NotEqualIgnoringCase,
            ) => {
                format!("write a value on the left of {found}, or remove {found}")
            }
            (TokenKind::Assign, TokenKind::Assign) => {
                "remove one `=`, or write `==` to compare two values".to_owned()
            }
            (_, TokenKind::Assign) => {
                "remove the `=`, or write `==` to compare two values".to_owned()
            }
            (TokenKind::Bang | TokenKind::Minus, TokenKind::Bang | TokenKind::Minus) => {
                "put the second one in parentheses, as in `!(!isProd)`".to_owned()
            }
            (TokenKind::Assign, _) if is_end => self.value_of_declaration(),
            (TokenKind::Question, _) if is_end => {
                "write the value for a true condition after the `?`".to_owned()
            }
            (TokenKind::Colon, _) if is_end => self.value_after_colon(),
            (TokenKind::Arrow, _) if is_end => "write the result after the `=>`".to_owned(),
            (TokenKind::Ellipsis, _) => "write an object or an array after the `...`".to_owned(),
            (TokenKind::StringLeft | TokenKind::StringMiddle, _) => {
                "write an expression between `${` and `}`, or remove both".to_owned()
            }
            (TokenKind::Comma, TokenKind::RightParen) => {
                "remove the `,`, or write one more value after it".to_owned()
            }
            (_, TokenKind::Comma) => "remove the `,`, or write a value before it".to_owned(),
            (_, TokenKind::Arrow) => {
                "write the variable of the lambda before the `=>`, as in `item => item.name`"
                    .to_owned()
            }
            (_, TokenKind::Ellipsis) => {
                "write the `...` inside an array or an object, as in `[...zones]`".to_owned()
            }
            (TokenKind::Identifier, _)
                if before.is_some_and(|it| self.parser.text_of(it) == "in") =>
            {
                "write the array to loop over after `in`".to_owned()
            }
            (_, TokenKind::RightParen | TokenKind::RightSquare | TokenKind::RightBrace) => {
                format!("write a value before the {found}")
            }
            (
                TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Percent
                | TokenKind::Bang
                | TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessOrEqual
                | TokenKind::Greater
                | TokenKind::GreaterOrEqual
                | TokenKind::DoubleAmpersand
                | TokenKind::DoublePipe
                | TokenKind::DoubleQuestion
                | TokenKind::EqualIgnoringCase
                | TokenKind::NotEqualIgnoringCase,
                _,
            ) => {
                format!("write a value on the right of {kind}, or remove the {kind}")
            }
            _ if is_end => {
                "write a value here, or remove the unfinished expression before it".to_owned()
            }
            _ => format!("replace {found} with a value, such as `'text'`, `1` or a declared name"),
        }
    }

    fn value_of_declaration(&self) -> String {
        let after = |name: &str| format!("write the value of `{name}` after the `=`");
        match (self.keyword(), self.declared()) {
            ("param", Some(name)) if self.parser.dialect == Dialect::Template => {
                format!("write the default of `{name}` after the `=`, or remove the `=`")
            }
            (_, Some(name)) => after(name),
            _ => "write the value after the `=`".to_owned(),
        }
    }

    fn value_after_colon(&self) -> String {
        let line = self.line();
        if line.iter().any(|it| it.kind == TokenKind::Question) {
            return "write the value for a false condition after the `:`".to_owned();
        }
        match line {
            [.., name, _] if matches!(name.kind, TokenKind::Identifier | TokenKind::String) => {
                let name = self.parser.text_of(*name).trim_matches('\'');
                format!("write the value of `{name}` after the `:`, or remove the property")
            }
            _ => "write a value after the `:`".to_owned(),
        }
    }

    /// A line that begins no statement.
    fn statement(&self) -> String {
        let word = self.text();
        let next = self.parser.tokens.get(self.at + 1).map_or(TokenKind::EndOfFile, |it| it.kind);
        let meant = match word {
            "let" | "const" | "local" | "locals" | "variable" | "variables" => Some("var"),
            "parameter" | "parameters" | "input" => Some("param"),
            "function" | "fn" | "def" => Some("func"),
            "outputs" | "return" => Some("output"),
            "resources" | "data" => Some("resource"),
            "include" | "require" => Some("module"),
            "struct" | "interface" | "enum" => Some("type"),
            _ => None,
        };
        if let Some(meant) = meant {
            return format!("write `{meant}` instead of `{word}`");
        }
        match (self.found.kind, next) {
            (TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightSquare, _) => {
                format!("remove the {}: there is no open bracket here", self.found.kind)
            }
            (TokenKind::Identifier, TokenKind::Assign) => {
                let keyword = match self.parser.dialect {
                    Dialect::Template => "var",
                    Dialect::Parameters => "param",
                };
                format!("write `{keyword}` before it: `{keyword} {word} = …`")
            }
            (TokenKind::Identifier, TokenKind::Colon) => {
                format!("move `{word}:` into the braces of a resource, module or object")
            }
            (TokenKind::Identifier, TokenKind::LeftParen) => {
                format!(
                    "write `@` before it if `{word}` is a decorator, otherwise write `var name = ` before it"
                )
            }
            _ => "start the line with a keyword, or write `//` before it to make it a comment"
                .to_owned(),
        }
    }

    /// Whether a text ends right before the token: its quote was meant as an apostrophe.
    fn is_after_apostrophe(&self) -> bool {
        self.found.kind == TokenKind::Identifier
            && self.before().is_some_and(|it| {
                matches!(it.kind, TokenKind::String | TokenKind::StringRight)
                    && it.end == self.found.start
            })
    }

    fn new_line(&self) -> String {
        let found = self.shown().unwrap_or_default();
        if self.is_after_apostrophe() {
            return "write `\\'` for a quote inside a string".to_owned();
        }
        match (self.found.kind, self.text()) {
            (TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightSquare, _) => {
                format!("remove the {found}: there is no open bracket here")
            }
            (TokenKind::Identifier, "and") => "write `&&` instead of `and`".to_owned(),
            (TokenKind::Identifier, "or") => "write `||` instead of `or`".to_owned(),
            (TokenKind::Identifier, "is" | "eq") => format!("write `==` instead of {found}"),
            (TokenKind::Pipe, _) => "write `||` instead of `|`".to_owned(),
            (TokenKind::Assign, _) => "write `==` to compare two values".to_owned(),
            (TokenKind::Colon, _) => {
                "remove the `:`, or write `=` instead of it in a declaration".to_owned()
            }
            (TokenKind::String | TokenKind::StringLeft | TokenKind::Identifier, _)
                if self.before().is_some_and(|it| {
                    matches!(it.kind, TokenKind::String | TokenKind::StringRight)
                        || self.found.kind != TokenKind::Identifier
                }) =>
            {
                format!("start a new line before {found}, or join strings as in `'${{a}}${{b}}'`")
            }
            (TokenKind::Identifier | TokenKind::Number, _) => {
                format!(
                    "start a new line before {found}, or write an operator between the two values"
                )
            }
            _ => format!("remove {found}, or start a new line before it"),
        }
    }

    fn separator(&self) -> String {
        let found = self.shown().unwrap_or_default();
        if self.is_after_apostrophe() {
            return "write `\\'` for a quote inside a string".to_owned();
        }
        match (self.found.kind, self.text()) {
            (TokenKind::Unknown, ";") => "write `,` instead of `;`, or start a new line".to_owned(),
            (TokenKind::Assign, _) => "write `==` to compare two values".to_owned(),
            (TokenKind::Identifier, "and") => "write `&&` instead of `and`".to_owned(),
            (TokenKind::Identifier, "or") => "write `||` instead of `or`".to_owned(),
            _ => format!("write `,` before {found}, or start a new line there"),
        }
    }

    fn member(&self) -> String {
        let found = self.shown().unwrap_or_default();
        match self.found.kind {
            TokenKind::Number => format!("write `[{}]` to read an item of an array", self.text()),
            TokenKind::String | TokenKind::StringLeft => {
                format!("remove the `.` and write {found} in brackets, as in `tags['Name']`")
            }
            TokenKind::LeftSquare => "remove the `.` before the `[`".to_owned(),
            _ if self.is_line_end() => {
                "write the name of a property after the `.`, or remove the `.`".to_owned()
            }
            _ => format!("write the name of a property before {found}, or remove the `.`"),
        }
    }

    fn property_name(&self) -> String {
        let found = self.shown().unwrap_or_default();
        match self.found.kind {
            TokenKind::Number => format!("write the name in quotes: `'{}'`", self.text()),
            TokenKind::Colon | TokenKind::Assign => format!("write a name before the {found}"),
            TokenKind::Unknown => format!("remove {found}, or write the name in quotes: `'…'`"),
            _ => format!("write `name: value`, or remove {found}"),
        }
    }

    fn type_name(&self) -> String {
        let next =
            self.parser.tokens.get(self.at + 1).map(|it| (it.kind, self.parser.text_of(*it)));
        let guessed = match next {
            Some((TokenKind::String | TokenKind::StringLeft | TokenKind::MultilineString, _)) => {
                Some("string")
            }
            Some((TokenKind::Number | TokenKind::Minus, _)) => Some("int"),
            Some((TokenKind::Identifier, "true" | "false") | (TokenKind::Bang, _)) => Some("bool"),
            Some((TokenKind::LeftBrace, _)) => Some("object"),
            Some((TokenKind::LeftSquare, _)) => Some("array"),
            _ => None,
        };
        let written = self.written().filter(|_| matches!(self.keyword(), "param" | "output"));
        match (self.found.kind, guessed, written) {
            (TokenKind::Assign, Some(guessed), Some(written)) => {
                format!("write the type before the `=`: `{written} {guessed} = …`")
            }
            (TokenKind::Assign, _, Some(written)) => {
                format!("write the type before the `=`, as in `{written} string = …`")
            }
            (_, _, Some(written)) if self.is_line_end() => {
                format!("write the type after the name, as in `{written} string`")
            }
            _ if self.is_line_end() => {
                "write a type, such as `string`, `int`, `bool`, `string[]` or `'a' | 'b'`"
                    .to_owned()
            }
            _ => {
                let found = self.shown().unwrap_or_default();
                format!("replace {found} with a type, such as `string`, `int` or `'a' | 'b'`")
            }
        }
    }

    /// A name that is missing, with a statement that has one.
    fn name(&self, example: &str) -> String {
        let found = self.shown().unwrap_or_default();
        match self.found.kind {
            TokenKind::String => {
                format!("write a name without quotes before {found}, as in `{example}`")
            }
            TokenKind::Number => {
                format!("a name must start with a letter or `_`: write `_{}`", self.text())
            }
            _ if self.is_line_end() => format!("write a name, as in `{example}`"),
            _ => format!("write a name before {found}, as in `{example}`"),
        }
    }

    /// A text in quotes that is missing.
    fn quoted(&self, example: &str) -> String {
        match self.found.kind {
            TokenKind::Identifier => {
                format!("write it in single quotes, as in `'{example}'`")
            }
            _ if self.is_line_end() => format!("write it in single quotes, as in `'{example}'`"),
            _ => {
                let found = self.shown().unwrap_or_default();
                format!("write it in single quotes before {found}, as in `'{example}'`")
            }
        }
    }

    fn body(&self) -> String {
        let what = match self.keyword() {
            "module" => "{ params: { … } }",
            _ => "{ alias: 'logs', properties: { … } }",
        };
        if self.is_line_end() {
            return format!("write the body in braces, as in `{what}`");
        }
        format!("replace {} with a body in braces: `{what}`", self.shown().unwrap_or_default())
    }
}

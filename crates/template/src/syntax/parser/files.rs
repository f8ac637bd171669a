//! The file: statements with their decorators, one a line; and the statements that name files.

use super::{Dialect, NodeKind, Parser, Rule, TokenKind, Voice};
use crate::codes;

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        let mark = self.mark();
        while !self.at(TokenKind::EndOfFile) {
            if self.eat(TokenKind::NewLine) {
                continue;
            }
            self.recover(Voice::Loud, &[], Self::statement);
            self.recover(Voice::Loud, &[], |parser| {
                if parser.at_line_end() {
                    return Ok(());
                }
                parser.fault(codes::EXPECTED_NEW_LINE, "expected a new line here")
            });
        }
        // The end owns the trivia before it.
        self.builder.token(self.at);
        self.finish(NodeKind::File, mark);
    }

    fn statement(&mut self) -> Rule {
        let mark = self.mark();
        let decorated = self.at(TokenKind::At);
        self.decorators();
        let word = match self.kind() {
            TokenKind::Identifier => self.text_of(self.current()),
            _ => "",
        };
        let (kind, rule): (NodeKind, fn(&mut Self)) = match (word, self.dialect) {
            ("var", _) => (NodeKind::Var, Self::var),
            ("type", _) => (NodeKind::TypeAlias, Self::type_alias),
            ("func", _) => (NodeKind::Func, Self::func),
            ("import", _) => return self.import(mark),
            ("extension" | "provider", _) => (NodeKind::Extension, Self::extension),
            ("param", Dialect::Template) => (NodeKind::Param, Self::param),
            ("param", Dialect::Parameters) => (NodeKind::ParamAssignment, Self::param_assignment),
            ("using", Dialect::Parameters) => (NodeKind::Using, Self::using),
            ("extends", Dialect::Parameters) => (NodeKind::Extends, Self::extends),
            ("extensionConfig", Dialect::Parameters) => {
                (NodeKind::ExtensionConfig, Self::extension)
            }
            ("targetScope", Dialect::Template) => (NodeKind::TargetScope, Self::target_scope),
            ("metadata", Dialect::Template) => (NodeKind::Metadata, Self::metadata),
            ("resource", Dialect::Template) => (NodeKind::Resource, Self::resource),
            ("module", Dialect::Template) => (NodeKind::Module, Self::module),
            ("output", Dialect::Template) => (NodeKind::Output, Self::output),
            ("assert", Dialect::Template) => (NodeKind::Assert, Self::assert),
            ("test", Dialect::Template) => (NodeKind::Test, Self::test),
            _ if decorated && self.at(TokenKind::EndOfFile) => {
                self.finish(NodeKind::LooseDecorators, mark);
                return Ok(());
            }
            _ => return self.unknown_statement(),
        };
        rule(self);
        self.finish(kind, mark);
        Ok(())
    }

    fn unknown_statement(&self) -> Rule {
        match self.dialect {
            Dialect::Template => self.fault(
                codes::UNKNOWN_STATEMENT,
                "unknown statement; expected `param`, `var`, `resource`, `module`, `output`, `type`, \
                `func`, `import`, `extension`, `metadata`, `assert` or `targetScope`",
            ),
            Dialect::Parameters => self.fault(
                codes::NOT_IN_PARAMETERS_FILE,
                "this statement is not allowed in a parameter file; expected `using`, `extends`, `param`, \
                `var`, `type`, `func` or `import`",
            ),
        }
    }

    /// All decorators here, each with the new lines after it.
    pub(super) fn decorators(&mut self) {
        while self.at(TokenKind::At) {
            let mark = self.mark();
            self.bump();
            self.recover(Voice::Loud, &[], |parser| {
                if !parser.at(TokenKind::Identifier) {
                    let message = "expected the name of a decorator here";
                    return parser.fault(codes::EXPECTED_DECORATOR, message);
                }
                parser.deeper(Self::postfix_expression)
            });
            self.eat_new_lines();
            self.finish(NodeKind::Decorator, mark);
        }
    }

    /// `import {a as b} from 'path'`, `import * as x from 'path'`; else an old extension.
    fn import(&mut self, mark: super::Mark) -> Rule {
        let next = self.ahead(1).kind;
        if !matches!(next, TokenKind::LeftBrace | TokenKind::Star) {
            self.extension();
            self.finish(NodeKind::Extension, mark);
            return Ok(());
        }
        self.bump();
        let voice = self.recover(Voice::Loud, &[], |parser| match parser.kind() {
            TokenKind::Star => parser.import_all(),
            _ => parser.import_list(),
        });
        self.recover(voice, &[], |parser| {
            let mark = parser.mark();
            parser.expect_keyword("from")?;
            parser.string_or(codes::EXPECTED_FILE_PATH, "expected the path of a file here")?;
            parser.finish(NodeKind::FromClause, mark);
            Ok(())
        });
        self.finish(NodeKind::Import, mark);
        Ok(())
    }

    fn import_all(&mut self) -> Rule {
        let mark = self.mark();
        self.bump();
        self.as_clause()?;
        self.finish(NodeKind::ImportAll, mark);
        Ok(())
    }

    fn import_list(&mut self) -> Rule {
        let mark = self.mark();
        self.items(TokenKind::RightBrace, Self::import_item)?;
        self.finish(NodeKind::ImportList, mark);
        Ok(())
    }

    fn import_item(&mut self) -> Rule {
        let mark = self.mark();
        // An exported name that is no identifier is written as a string.
        if self.at(TokenKind::String) {
            self.string()?;
        } else {
            let message = "expected the name of an import here".to_owned();
            self.name_rule(codes::EXPECTED_VARIABLE_NAME, message)?;
        }
        if self.at_keyword("as") {
            self.as_clause()?;
        }
        self.finish(NodeKind::ImportItem, mark);
        Ok(())
    }

    fn as_clause(&mut self) -> Rule {
        let mark = self.mark();
        self.expect_keyword("as")?;
        self.name_rule(codes::EXPECTED_ALIAS, "expected a name after `as`".to_owned())?;
        self.finish(NodeKind::AsClause, mark);
        Ok(())
    }

    /// `extension name with {} as alias`; `import` and `provider` are its older spellings.
    pub(super) fn extension(&mut self) {
        self.bump();
        self.recover(Voice::Loud, &[], |parser| {
            if parser.at(TokenKind::Identifier) {
                parser.name_rule(codes::EXPECTED_EXTENSION, String::new())
            } else {
                parser.string_or(codes::EXPECTED_EXTENSION, "expected an extension here")
            }
        });
        self.with_clause();
        if self.at_keyword("as") {
            self.recover(Voice::Loud, &[], Self::as_clause);
        }
    }

    fn with_clause(&mut self) {
        if self.at_keyword("with") {
            self.recover(Voice::Loud, &[], |parser| {
                let mark = parser.mark();
                parser.bump();
                parser.deeper(Self::object)?;
                parser.finish(NodeKind::WithClause, mark);
                Ok(())
            });
        }
    }

    /// `using 'path'` or `using none`.
    pub(super) fn using(&mut self) {
        self.bump();
        if self.at_keyword("none") {
            self.bump();
        } else {
            self.recover(Voice::Loud, &[], |parser| {
                parser.string_or(codes::EXPECTED_FILE_PATH, "expected the path of a template here")
            });
        }
        self.with_clause();
    }

    pub(super) fn extends(&mut self) {
        self.bump();
        self.recover(Voice::Loud, &[], |parser| {
            let message = "expected the path of a parameter file here";
            parser.string_or(codes::EXPECTED_FILE_PATH, message)
        });
    }
}

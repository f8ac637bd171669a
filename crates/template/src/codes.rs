//! The codes of this crate's diagnostics: Bicep's where the meaning is the same, else our own.

use hangar_diag::Code;

/// Declares the codes and lists them with their meaning.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $code:literal;)+) => {
        $($(#[doc = $meaning])+ pub const $name: Code = Code::new($code);)+

        /// Every code with what it stands for.
        pub const ALL: &[(Code, &str)] = &[$(($name, concat!($($meaning),+))),+];
    };
}

codes! {
    /// A character begins no token.
    UNKNOWN_CHARACTER = "BCP001";
    /// A block comment has no end.
    OPEN_COMMENT = "BCP002";
    /// A string has no end before the end of the file.
    OPEN_STRING_AT_END = "BCP003";
    /// A string has no end before the end of its line.
    OPEN_STRING_AT_NEW_LINE = "BCP004";
    /// An escape sequence is cut by the end of the file.
    OPEN_ESCAPE = "BCP005";
    /// A backslash is followed by a character that it cannot escape.
    UNKNOWN_ESCAPE = "BCP006";
    /// A statement begins with no known keyword.
    UNKNOWN_STATEMENT = "BCP007";
    /// A parameter goes on with neither `=` nor a new line.
    PARAMETER_CONTINUATION = "BCP008";
    /// An expression is missing.
    EXPECTED_EXPRESSION = "BCP009";
    /// A number does not fit 64 bits.
    NUMBER_TOO_LARGE = "BCP010";
    /// A keyword is missing.
    EXPECTED_KEYWORD = "BCP012";
    /// A parameter has no name.
    EXPECTED_PARAMETER_NAME = "BCP013";
    /// A variable has no name.
    EXPECTED_VARIABLE_NAME = "BCP015";
    /// An output has no name.
    EXPECTED_OUTPUT_NAME = "BCP016";
    /// A resource has no name.
    EXPECTED_RESOURCE_NAME = "BCP017";
    /// A certain token is missing.
    EXPECTED_TOKEN = "BCP018";
    /// A statement is followed by something other than a new line.
    EXPECTED_NEW_LINE = "BCP019";
    /// A dot is not followed by a name.
    EXPECTED_MEMBER_NAME = "BCP020";
    /// A property has no name.
    EXPECTED_PROPERTY_NAME = "BCP022";
    /// A `::` is not followed by a name.
    EXPECTED_NESTED_NAME = "BCP023";
    /// A name is longer than 255 characters.
    NAME_TOO_LONG = "BCP024";
    /// A hole of a string holds more than one expression.
    MORE_IN_HOLE = "BCP064";
    /// A resource has no type.
    EXPECTED_RESOURCE_TYPE = "BCP068";
    /// A module has no name.
    EXPECTED_MODULE_NAME = "BCP096";
    /// A module has no path.
    EXPECTED_MODULE_PATH = "BCP097";
    /// A string is begun with a double quote.
    DOUBLE_QUOTE = "BCP103";
    /// An index is empty.
    EMPTY_INDEX = "BCP117";
    /// A resource or module has no body.
    EXPECTED_BODY = "BCP118";
    /// An `@` is not followed by the name of a decorator.
    EXPECTED_DECORATOR = "BCP123";
    /// A Unicode escape is not `\u{…}` with a valid code point.
    BAD_UNICODE_ESCAPE = "BCP133";
    /// A multi-line string has no end.
    OPEN_MULTILINE_STRING = "BCP140";
    /// A loop has no variable.
    EXPECTED_LOOP_VARIABLE = "BCP162";
    /// A loop over resources or modules has no body.
    EXPECTED_LOOP_BODY = "BCP167";
    /// An extension has no specification.
    EXPECTED_EXTENSION = "BCP201";
    /// An `as` is not followed by a name.
    EXPECTED_ALIAS = "BCP202";
    /// `#disable-next-line` names no code.
    NO_CODE_TO_DISABLE = "BCP226";
    /// A loop in parentheses has other than two variables.
    TWO_LOOP_VARIABLES = "BCP249";
    /// A file that is used, extended or imported has no path.
    EXPECTED_FILE_PATH = "BCP257";
    /// An item is followed by neither a new line nor a comma.
    EXPECTED_SEPARATOR = "BCP236";
    /// A comma is followed by a new line.
    NEW_LINE_AFTER_COMMA = "BCP238";
    /// Parentheses hold anything but one expression.
    ONE_IN_PARENTHESES = "BCP243";
    /// A metadata statement has no name.
    EXPECTED_METADATA_NAME = "BCP266";
    /// A type is missing.
    EXPECTED_TYPE = "BCP279";
    /// A type alias has no name.
    EXPECTED_TYPE_NAME = "BCP325";
    /// A statement has no place in a parameters file.
    NOT_IN_PARAMETERS_FILE = "BCP337";
    /// An assertion has no name.
    EXPECTED_ASSERT_NAME = "BCP344";
    /// A test has no name.
    EXPECTED_TEST_NAME = "BCP346";
    /// A test has no path.
    EXPECTED_TEST_PATH = "BCP347";
    /// Expressions or bodies are nested deeper than the parser follows.
    TOO_DEEP = "TMPL0001";
    /// A file is larger than the parser reads.
    TOO_LARGE = "TMPL0002";
}

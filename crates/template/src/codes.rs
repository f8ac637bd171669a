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
    /// A property is written twice in one object.
    DUPLICATE_PROPERTY = "BCP025";
    /// A name is declared twice.
    DUPLICATE_NAME = "BCP028";
    /// A resource's type is not of the form `Vendor.Service/Type@version`.
    BAD_RESOURCE_TYPE = "BCP029";
    /// No resource type has this name.
    UNKNOWN_RESOURCE_TYPE = "BCP081";
    /// A value must be written out, without names or calls.
    NOT_CONSTANT = "BCP032";
    /// A value is of another type than the one that is declared.
    WRONG_TYPE = "BCP033";
    /// A property is of another type than the one that is declared for it.
    WRONG_PROPERTY = "BCP036";
    /// A path of a file is empty.
    EMPTY_PATH = "BCP050";
    /// A path of a file begins at the root.
    ABSOLUTE_PATH = "BCP051";
    /// `variables()` is called as in ARM's JSON.
    VARIABLES_FUNCTION = "BCP060";
    /// `parameters()` is called as in ARM's JSON.
    PARAMETERS_FUNCTION = "BCP061";
    /// A function of ARM's JSON is called that the language has an operator for.
    OPERATOR_FUNCTION = "BCP069";
    /// `if()` is called as in ARM's JSON.
    IF_FUNCTION = "BCP100";
    /// `createArray()` is called as in ARM's JSON.
    ARRAY_FUNCTION = "BCP101";
    /// `createObject()` is called as in ARM's JSON.
    OBJECT_FUNCTION = "BCP102";
    /// `nameof()` is called with something that has no name.
    NAME_OF = "BCP408";
    /// A value that `@allowed()` lists is of another type than the parameter.
    ALLOWED_TYPE = "BCP034";
    /// A path of a file holds a character that paths cannot hold.
    BAD_PATH = "BCP085";
    /// A path of a file ends with a space or a dot.
    BAD_PATH_END = "BCP086";
    /// A path of a file is computed.
    COMPUTED_PATH = "BCP092";
    /// A file names itself.
    FILE_NAMES_ITSELF = "BCP094";
    /// Files name each other.
    FILE_CIRCLE = "BCP095";
    /// A path of a file holds a backslash.
    BACKSLASH_IN_PATH = "BCP098";
    /// A decorator does not go before a module.
    NOT_BEFORE_MODULE = "BCP128";
    /// A path is one of a folder.
    PATH_OF_FOLDER = "BCP275";
    /// A value is used as a type.
    VALUE_AS_TYPE = "BCP287";
    /// A type is used as a value.
    TYPE_AS_VALUE = "BCP288";
    /// The name of a type's property is computed.
    COMPUTED_TYPE_PROPERTY = "BCP296";
    /// A decorator does not go before a type.
    NOT_BEFORE_TYPE = "BCP297";
    /// A type holds itself for ever.
    TYPE_HOLDS_ITSELF = "BCP298";
    /// Types hold each other for ever.
    TYPE_CIRCLE = "BCP299";
    /// A name is not exported by the file that it is imported from.
    NOT_EXPORTED = "BCP360";
    /// A member of a union is no literal.
    UNION_MEMBER = "BCP293";
    /// The members of a union are literals of several kinds.
    UNION_KINDS = "BCP294";
    /// A discriminator stands before something other than a union of objects.
    DISCRIMINATOR_TYPE = "BCP363";
    /// A member of a union has no literal for the discriminator.
    NO_DISCRIMINATOR = "BCP364";
    /// Two members of a union have the same literal for the discriminator.
    SAME_DISCRIMINATOR = "BCP365";
    /// A member of a union is told apart by another member than the union.
    OTHER_DISCRIMINATOR = "BCP366";
    /// What is exported hangs on a parameter, a resource or a module.
    EXPORT_NOT_CONSTANT = "BCP372";
    /// A type has no type for members that are not named.
    NO_OTHER_PROPERTIES = "BCP389";
    /// `assert` is written, which Hangar does not support.
    ASSERTION = "BCP349";
    /// `test` is written, which Hangar does not support.
    TEST = "BCP348";
    /// The type of a whole resource is used, not a part of it.
    WHOLE_RESOURCE_TYPE = "BCP394";
    /// A type is no list of one kind of items.
    NO_ITEMS = "BCP390";
    /// A property that is needed is missing.
    MISSING_MEMBER = "BCP035";
    /// A body has a member that such bodies do not have.
    UNKNOWN_MEMBER = "BCP037";
    /// An operator is applied to a value of a kind that it does not take.
    WRONG_OPERAND = "BCP044";
    /// An operator is applied to two values of kinds that it does not take.
    WRONG_OPERANDS = "BCP045";
    /// A condition is neither true nor false.
    WRONG_CONDITION = "BCP046";
    /// A resource's type has a hole.
    COMPUTED_RESOURCE_TYPE = "BCP047";
    /// An object has no property, so none of that name.
    EMPTY_OBJECT = "BCP052";
    /// An object has no property of that name.
    NO_SUCH_PROPERTY = "BCP053";
    /// A property is read of what is no object.
    NO_PROPERTIES = "BCP055";
    /// A name is not declared.
    UNDECLARED = "BCP057";
    /// What is called is no function.
    NOT_A_FUNCTION = "BCP059";
    /// A function or namespace stands where a value should.
    NOT_A_VALUE = "BCP063";
    /// A function is called outside of a parameter's default.
    ONLY_IN_DEFAULT = "BCP065";
    /// A function cannot be called on a value.
    NO_METHODS = "BCP067";
    /// An argument is of a kind that the parameter does not take.
    WRONG_ARGUMENT = "BCP070";
    /// A function has too few or too many arguments.
    ARGUMENT_COUNT = "BCP071";
    /// A parameter's default reads a resource.
    RESOURCE_IN_DEFAULT = "BCP072";
    /// An index into a list is no number.
    LIST_INDEX = "BCP074";
    /// An index into an object is no string.
    OBJECT_INDEX = "BCP075";
    /// What is indexed is neither a list nor an object.
    NOT_INDEXED = "BCP076";
    /// A declaration reads itself.
    SELF_REFERENCE = "BCP079";
    /// Declarations read each other in a circle.
    CYCLE = "BCP080";
    /// A name is not declared, and one like it is.
    UNDECLARED_NEAR = "BCP082";
    /// An object has no property of that name, and one like it.
    NO_SUCH_PROPERTY_NEAR = "BCP083";
    /// A body has a member that such bodies do not have, and a name like it is one.
    UNKNOWN_MEMBER_NEAR = "BCP089";
    /// A file cannot be read.
    UNREADABLE_FILE = "BCP091";
    /// `@allowed()` lists nothing.
    NOTHING_ALLOWED = "BCP099";
    /// A namespace has no function of that name.
    NO_SUCH_FUNCTION = "BCP107";
    /// A namespace has no function of that name, and one like it.
    NO_SUCH_FUNCTION_NEAR = "BCP108";
    /// A value must be known before anything is deployed.
    NOT_KNOWN_AT_START = "BCP120";
    /// The target scope is stated twice.
    SECOND_TARGET_SCOPE = "BCP112";
    /// A decorator does not go with the type of what follows it.
    DECORATOR_TYPE = "BCP124";
    /// A decorator does not go before a parameter.
    NOT_BEFORE_PARAMETER = "BCP125";
    /// A decorator does not go before a variable.
    NOT_BEFORE_VARIABLE = "BCP126";
    /// A decorator does not go before a resource.
    NOT_BEFORE_RESOURCE = "BCP127";
    /// A decorator does not go before an output.
    NOT_BEFORE_OUTPUT = "BCP129";
    /// No decorator goes here.
    NO_DECORATORS = "BCP130";
    /// A decorator stands before nothing.
    LOOSE_DECORATOR = "BCP132";
    /// A loop goes over something other than a list.
    LOOP_OVER = "BCP137";
    /// A loop stands where none can.
    LOOP_HERE = "BCP138";
    /// A decorator is not called.
    DECORATOR_NOT_CALLED = "BCP141";
    /// A loop of resources is read as if it were one.
    COLLECTION_READ = "BCP144";
    /// An output or a metadata entry is declared twice.
    DUPLICATE_OUTPUT = "BCP145";
    /// A function is no decorator.
    NOT_A_DECORATOR = "BCP152";
    /// A batch has fewer than one resource.
    BATCH_SIZE = "BCP154";
    /// `@batchSize()` stands before something that is no loop.
    BATCH_WITHOUT_LOOP = "BCP155";
    /// A nested resource is looked for in something that is no resource.
    NOT_A_PARENT = "BCP158";
    /// A resource has no nested one of that name.
    NO_SUCH_NESTED = "BCP159";
    /// A resource is nested in a loop.
    NESTED_IN_LOOP = "BCP160";
    /// A decorator stands twice.
    DUPLICATE_DECORATOR = "BCP166";
    /// A length is less than nothing.
    NEGATIVE_LENGTH = "BCP168";
    /// A condition must be known before anything is deployed.
    CONDITION_NOT_KNOWN_AT_START = "BCP177";
    /// What a loop goes over must be known before anything is deployed.
    LIST_NOT_KNOWN_AT_START = "BCP178";
    /// `any()` stands where a resource, a module or a scope is named.
    ANY_HERE = "BCP176";
    /// The name or alias of what a loop makes is the same in each round.
    SAME_IN_LOOP = "BCP179";
    /// An extension is not known.
    UNKNOWN_EXTENSION = "BCP204";
    /// A lambda stands where none can.
    LAMBDA_HERE = "BCP242";
    /// A parameter has neither a value nor a default.
    MISSING_PARAMETER = "BCP258";
    /// A value is given for a parameter that is not declared.
    UNDECLARED_PARAMETER = "BCP259";
    /// The value that is given for a parameter is of another type.
    WRONG_PARAMETER = "BCP260";
    /// A parameters file names no template.
    NO_USING = "BCP261";
    /// A parameters file names two templates.
    SECOND_USING = "BCP262";
    /// A name is no type.
    UNKNOWN_TYPE = "BCP302";
    /// A list has no item at an index.
    NO_SUCH_ITEM = "BCP311";
    /// A property is read of null.
    NULL_READ = "BCP318";
    /// A number is larger than allowed.
    TOO_GREAT = "BCP327";
    /// A number is smaller than allowed.
    TOO_SMALL = "BCP328";
    /// A text or list is longer than allowed.
    TOO_LONG = "BCP332";
    /// A text or list is shorter than allowed.
    TOO_SHORT = "BCP333";
    /// A spread stands where none can.
    SPREAD_HERE = "BCP401";
    /// An environment variable is not set and has no default.
    NO_ENVIRONMENT_VARIABLE = "BCP427";
    /// Expressions or bodies are nested deeper than the parser follows.
    TOO_DEEP = "TMPL0001";
    /// A file is larger than the parser reads.
    TOO_LARGE = "TMPL0002";
    /// Evaluation goes too deep, takes too many steps or makes too large a value.
    TOO_MUCH = "TMPL0003";
    /// A template comes to too many resources.
    TOO_MANY_RESOURCES = "TMPL0004";
    /// A number does not fit 64 bits, or something is divided by zero.
    ARITHMETIC = "TMPL0005";
    /// A function cannot do what it is asked.
    FUNCTION_FAILED = "TMPL0006";
    /// An output holds a secret and is not declared `@secure()`.
    SECRET_OUTPUT = "TMPL0007";
    /// A resource has no alias.
    MISSING_ALIAS = "TMPL0008";
    /// An alias is no text that can be one.
    BAD_ALIAS = "TMPL0009";
    /// A part of the language is not supported yet.
    NOT_SUPPORTED = "TMPL0010";
    /// A resource is of a kind that Hangar cannot deploy yet.
    CANNOT_DEPLOY = "TMPL0011";
    /// A resource that is left out, for Hangar cannot deploy it, is read.
    LEFT_OUT_READ = "TMPL0012";
    /// An AWS resource is declared without `extension aws`.
    NO_AWS_EXTENSION = "TMPL0013";
    /// Two resources of one type have one alias.
    DUPLICATE_ALIAS = "TMPL0014";
    /// A list in a body holds null.
    NULL_IN_LIST = "TMPL0015";
    /// A statement is written as it was in older versions.
    OLD_SPELLING = "TMPL0016";
    /// `dependsOn` holds something other than names of resources.
    DEPENDS_ON = "TMPL0017";
    /// What an extension is configured with is wrong.
    EXTENSION_CONFIGURATION = "TMPL0018";
    /// A value that is not allowed.
    NOT_ALLOWED = "TMPL0019";
    /// What a recipe states of itself is wrong.
    RECIPE_BODY = "TMPL0020";
    /// A decorator sets a minimum above the maximum.
    EMPTY_RANGE = "TMPL0023";
    /// The module of a recipe is not there, or is none.
    RECIPE_MODULE = "TMPL0021";
    /// A recipe's parameters are not those that its module takes.
    RECIPE_PARAMETERS = "TMPL0022";
    /// A module is in a registry.
    REGISTRY = "TMPL0040";
    /// Modules stand too deep in each other, or are too many.
    TOO_MANY_MODULES = "TMPL0041";
    /// A module is deployed to another scope.
    MODULE_SCOPE = "TMPL0042";
    /// Files of parameters extend each other.
    EXTENDS = "TMPL0043";
    /// A file that should be JSON is none.
    BAD_JSON = "TMPL0050";
    /// ARM JSON is not as templates are.
    BAD_TEMPLATE = "TMPL0051";
    /// A text in brackets is no expression.
    BAD_EXPRESSION = "TMPL0052";
    /// The file is written for another tool: CloudFormation, Terraform, Kubernetes.
    OTHER_LANGUAGE = "TMPL0241";
    /// A text does not match the pattern of a resource's type.
    TEXT_RULE = "TMPL0203";
    /// A `bicepconfig.json` is none.
    BAD_CONFIG = "TMPL0060";
    /// A `bicepconfig.json` sets a rule that there is not.
    UNKNOWN_RULE = "TMPL0061";
    /// A parameter is never used.
    NO_UNUSED_PARAMS = "no-unused-params";
    /// A variable is never used.
    NO_UNUSED_VARS = "no-unused-vars";
    /// A type is never used.
    NO_UNUSED_TYPES = "no-unused-types";
    /// What is imported is never used.
    NO_UNUSED_IMPORTS = "no-unused-imports";
    /// An existing resource is read for nothing.
    NO_UNUSED_EXISTING = "no-unused-existing-resources";
    /// `dependsOn` names what the body reads already.
    NO_UNNECESSARY_DEPENDS_ON = "no-unnecessary-dependson";
    /// Texts are put together with `concat()`.
    PREFER_INTERPOLATION = "prefer-interpolation";
    /// A text holds nothing but the name of a text.
    SIMPLIFY_INTERPOLATION = "simplify-interpolation";
    /// The name of a property is quoted and needs no quotes.
    PREFER_UNQUOTED = "prefer-unquoted-property-names";
    /// A secure parameter has a default that is there for all to read.
    SECURE_DEFAULT = "secure-parameter-default";
    /// A parameter looks like a secret and is not secure.
    SECURE_SECRETS_IN_PARAMS = "secure-secrets-in-params";
    /// An output looks like a secret and is not secure.
    OUTPUT_SECRETS = "outputs-should-not-contain-secrets";
    /// An ARN has an account or a region written out.
    AWS_HARDCODED_ARN = "aws-hardcoded-arn";
    /// A secret of a resource is written out, or comes from a parameter that is not secure.
    AWS_SECRET_LITERAL = "aws-secret-not-secure";
    /// A policy lets everybody do everything.
    AWS_OPEN_POLICY = "aws-open-policy";
    /// A security group lets the whole internet reach what administers a machine.
    AWS_OPEN_INGRESS = "aws-open-ingress";
    /// A bucket is open to everybody.
    AWS_PUBLIC_BUCKET = "aws-public-bucket";
    /// An alias is made of a generated value.
    AWS_UNSTABLE_ALIAS = "aws-unstable-alias";
}

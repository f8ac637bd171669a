"""Errors of the JavaScript of the package as exceptions with their details."""

import contextlib
import typing

import jsii


class Problem(typing.NamedTuple):
    """A value that cannot be written."""

    object: str
    pointer: str
    path: str
    what: str
    hint: str
    item: typing.Optional[str] = None


class UnresolvedTokensError(RuntimeError):
    """Values of an app cannot be written; no manifest was written."""

    def __init__(self, message: str, problems: typing.Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class TokenError(RuntimeError):
    """A value cannot become a reference."""

    def __init__(self, message: str, what: str = '', hint: str = '') -> None:
        super().__init__(message)
        self.what = what
        self.hint = hint


class _Errors(metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.Errors'):
    @jsii.member(jsii_name='details')
    @classmethod
    def details(cls, message: str) -> typing.Any:
        return jsii.sinvoke(cls, 'details', [message])


@contextlib.contextmanager
def typed_errors() -> typing.Iterator[None]:
    """Raises the exceptions above in place of the RuntimeError of jsii."""
    try:
        yield
    except RuntimeError as error:
        details = None if isinstance(error, (UnresolvedTokensError, TokenError)) else _Errors.details(str(error))
        if details is None:
            raise
        if 'problems' in details:
            problems = [Problem(**it) for it in details['problems']]
            raise UnresolvedTokensError(details['message'], problems) from error.__cause__
        raise TokenError(details['message'], details['what'], details['hint']) from error.__cause__

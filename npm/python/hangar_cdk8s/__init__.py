"""All of cdk8s, with ``resolver`` for App and Chart, and resolvers for tokens of the AWS CDK and CDKTF.

A program that imports this module cannot write a token into a manifest.
"""

import typing

import cdk8s
import constructs
import jsii
from cdk8s import *  # noqa: F403

from . import _jsii
from ._errors import Problem, TokenError, UnresolvedTokensError, typed_errors
from ._resolver import IValueResolver, ValueResolver, attach

__all__ = [
    *cdk8s.__all__,
    'App',
    'AwsCdkOutputResolver',
    'AwsCdkResolver',
    'AwsCdkTokenResolver',
    'CdkTfResolver',
    'CdkTfTokenResolver',
    'CdktfResolver',
    'Chart',
    'HangarResolver',
    'IValueResolver',
    'Problem',
    'TokenError',
    'UnresolvedTokensError',
    'ValueResolver',
]

_Mode = typing.Literal['defer', 'eager']
_Resolver = typing.Union[IValueResolver, cdk8s.IResolver]


class App(cdk8s.App):
    """The App of cdk8s with ``resolver``, which replaces values of all charts."""

    def __init__(self, *, resolver: typing.Optional[_Resolver] = None, **props: typing.Any) -> None:
        super().__init__(**props)
        attach(self, 'App', resolver)

    def synth(self) -> None:
        with typed_errors():
            super().synth()

    def synth_yaml(self) -> str:
        with typed_errors():
            return super().synth_yaml()


class Chart(cdk8s.Chart):
    """The Chart of cdk8s with ``resolver``, which replaces values of its objects."""

    def __init__(
        self, scope: constructs.Construct, id: str, *, resolver: typing.Optional[_Resolver] = None, **props: typing.Any
    ) -> None:
        super().__init__(scope, id, **props)
        attach(self, 'Chart', resolver)


_KEEP: typing.Any = object()


@jsii.implements(cdk8s.IResolver)
class HangarResolver(metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.HangarResolver'):
    """Writes references instead of tokens; ``mode='eager'`` writes values."""

    def __init__(self, *, mode: typing.Optional[_Mode] = None) -> None:
        jsii.create(self.__class__, self, [mode])

    @jsii.member(jsii_name='resolve')
    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any = _KEEP) -> typing.Any:
        """Returns the reference for a value that holds tokens. Without a value, replaces that of the context."""
        with typed_errors():
            return jsii.invoke(self, 'resolve', [context] if value is _KEEP else [context, value])


class AwsCdkResolver(HangarResolver, metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.AwsCdkResolver'):
    """Writes values of deployed AWS CDK stacks. Outputs are not required."""


class CdkTfTokenResolver(HangarResolver, metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.CdkTfTokenResolver'):
    """Writes values of Terraform states. ``stack`` is not used: each token names its stack."""

    def __init__(self, stack: typing.Any = None, *, mode: typing.Optional[_Mode] = None) -> None:
        super().__init__(mode=mode)


class CdktfResolver(HangarResolver, metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.CdktfResolver'):
    """Replaces the class with this name of the published resolver. ``app`` is not used: each token names its stack."""

    def __init__(self, *, app: typing.Any = None, mode: typing.Optional[_Mode] = None) -> None:
        super().__init__(mode=mode)


# The other names that RFC 002 of cdk8s has for them.
AwsCdkOutputResolver = AwsCdkResolver
AwsCdkTokenResolver = AwsCdkResolver
CdkTfResolver = CdkTfTokenResolver

"""Resolvers that are written in Python, and their adapters for JavaScript."""

import inspect
import typing

import cdk8s
import jsii


class IValueResolver(typing.Protocol):
    """Replaces values of manifests.

    An optional method ``finalize(context, value)`` is called with final values, just before they are written.
    """

    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
        """Returns the value to write; None keeps it. Cloud values are still tokens at this point."""
        ...


class ValueResolver:
    """Base class for resolvers; methods that are not overridden keep the value."""

    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
        return value


class _Properties(metaclass=jsii.JSIIMeta, jsii_type='hangar-cdk8s.Properties'):
    @jsii.member(jsii_name='attach')
    @classmethod
    def attach(cls, construct: typing.Any, owner: str, resolver: typing.Any) -> None:
        jsii.sinvoke(cls, 'attach', [construct, owner, resolver])


@jsii.interface(jsii_type='hangar-cdk8s.IValueResolver')
class _JsiiResolver(typing.Protocol):
    @jsii.member(jsii_name='resolve')
    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any: ...


@jsii.interface(jsii_type='hangar-cdk8s.IFinalizingResolver')
class _JsiiFinalizingResolver(typing.Protocol):
    @jsii.member(jsii_name='resolve')
    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any: ...

    @jsii.member(jsii_name='finalize')
    def finalize(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any: ...


@jsii.implements(_JsiiResolver)
class _Resolver:
    def __init__(self, target: typing.Any) -> None:
        self._target = target

    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
        return _call(getattr(self._target, 'resolve', None), context, value)


@jsii.implements(_JsiiFinalizingResolver)
class _FinalizingResolver:
    def __init__(self, target: typing.Any) -> None:
        self._target = target

    def resolve(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
        return _call(getattr(self._target, 'resolve', None), context, value)

    def finalize(self, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
        return _call(self._target.finalize, context, value)


# JavaScript holds them by number only.
_attached: typing.List[typing.Any] = []


def attach(construct: typing.Any, owner: str, resolver: typing.Any) -> None:
    """Attaches a resolver to an app or a chart."""
    _Properties.attach(construct, owner, None if resolver is None else _for_javascript(resolver, owner))


def _for_javascript(resolver: typing.Any, owner: str) -> typing.Any:
    if isinstance(type(resolver), jsii.JSIIMeta):
        adapted = resolver
    elif callable(getattr(resolver, 'finalize', None)):
        adapted = _FinalizingResolver(resolver)
    elif callable(getattr(resolver, 'resolve', None)):
        adapted = _Resolver(resolver)
    else:
        kind = type(resolver).__name__
        raise TypeError(f'the resolver of {owner} is of type {kind}; pass an object with a method resolve(context, value)')
    _attached.append(adapted)
    return adapted


def _call(method: typing.Any, context: cdk8s.ResolutionContext, value: typing.Any) -> typing.Any:
    if method is None:
        return None
    # A resolver as cdk8s has them takes the value from the context, and gives another one to it.
    count = sum(it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD) for it in inspect.signature(method).parameters.values())
    takes_value = count >= 2 or any(it.kind == it.VAR_POSITIONAL for it in inspect.signature(method).parameters.values())
    return method(context, value) if takes_value else method(context)

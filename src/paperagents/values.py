"""Dataclasses that cost little to define: a program that starts for one command defines many and uses few.

The standard library compiles six methods for each frozen class when it is defined, which took a third of the time
that ``paper run`` needed. Here ``__init__`` is compiled when the first value is made, and the others are shared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  what a type checker sees is the standard's
else:

    def dataclass(*, frozen: bool = False, kw_only: bool = False, slots: bool = False, eq: bool = True) -> Any:
        """As that of the standard library, which makes those whose values are not named."""
        if not kw_only:
            return dataclasses.dataclass(frozen=frozen, kw_only=kw_only, slots=slots, eq=eq)

        def decorate(cls: type) -> type:
            # Without words the standard library writes the signature, for which it loads a tokenizer.
            cls.__doc__ = cls.__doc__ or cls.__name__
            made = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=True, slots=slots)(cls)
            _add(made, "__init__", _make_first_init(made))
            for method in (__repr__, __setattr__, __delattr__) if frozen else (__repr__,):
                _add(made, method.__name__, method)
            if slots and frozen:
                made.__getstate__, made.__setstate__ = __getstate__, __setstate__
            if eq:
                _add_comparison(made, can_be_key=frozen)
            return made

        return decorate


def _add(cls: type, name: str, method: Callable[..., Any]) -> None:
    if name not in cls.__dict__:
        setattr(cls, name, method)


def _make_first_init(cls: Any) -> Callable[..., None]:
    def __init__(self: Any, /, **values: Any) -> None:  # noqa: N807  the one of the class
        cls.__init__ = _compile_init(cls)
        cls.__init__(self, **values)

    return __init__


def _compile_init(cls: Any) -> Callable[..., None]:
    """Straight code without a loop: values are made by the hundred thousand."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    parameters, lines = [], []
    for each in dataclasses.fields(cls):
        if each.default is not dataclasses.MISSING:
            names[f"_default_{each.name}"] = each.default
            parameters.append(f"{each.name}=_default_{each.name}")
        elif each.default_factory is not dataclasses.MISSING:
            names[f"_make_{each.name}"] = each.default_factory
            parameters.append(f"{each.name}=_missing")
            lines.append(f"if {each.name} is _missing: {each.name} = _make_{each.name}()")
        else:
            parameters.append(each.name)
        lines.append(f"_set(self, {each.name!r}, {each.name})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(["self", *(["*", *parameters] if parameters else [])])
    exec("\n ".join([f"def __init__({head}):", *lines, "return None"]), names)  # noqa: S102  names of our own fields
    method: Callable[..., None] = names["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    return method


def _add_comparison(cls: Any, *, can_be_key: bool) -> None:
    compared = [each.name for each in dataclasses.fields(cls) if each.compare]
    key: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda _: ()

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807  as above
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807  as above
        return hash(key(self))

    has_hash = cls.__dict__.get("__hash__") is not None
    _add(cls, "__eq__", __eq__)
    if not has_hash:
        cls.__hash__ = __hash__ if can_be_key else None


def __repr__(self: Any) -> str:  # noqa: N807  shared by all classes
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807, ARG001  as above
    raise dataclasses.FrozenInstanceError(name)


def __delattr__(self: Any, name: str) -> None:  # noqa: N807, ARG001  as above
    raise dataclasses.FrozenInstanceError(name)


def __getstate__(self: Any) -> list[Any]:  # noqa: N807  as above
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def __setstate__(self: Any, state: list[Any]) -> None:  # noqa: N807  as above
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)

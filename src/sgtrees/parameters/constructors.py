"""Classes whose constructors and docstrings are generated from parameters."""

import difflib
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, dataclass_transform

from sgtrees.parameters.parameter import NOTHING, CoreOption, Interval, Parameter

AnyClass = TypeVar("AnyClass", bound=type)

_OWN = "_own_parameters"
# The entry of a docstring that is replaced by the parameters.
_PLACE = re.compile(r"^( *)\*\*parameters\n(?:\1 +\S.*\n)+", re.MULTILINE)


@dataclass(frozen=True)
class _Changed:
    """What a class changes in a parameter that it inherits."""

    changes: Mapping[str, Any]


def parameter(
    *,
    default: Any,
    help: str,  # noqa: A002 - what it is
    text: str = "",
    shown_type: str = "",
    paper: Any = NOTHING,
    interval: Interval | None = None,
    option: CoreOption | None = None,
    flag: str = "",
    metavar: str | None = None,
) -> Any:
    """Return a parameter, to be assigned to a name with a type; see `Parameter`."""
    return Parameter(
        "", None, default, help, text, shown_type, paper, interval, option, flag, metavar
    )


def changed(*, default: Any, **changes: Any) -> Any:
    """Return what is different in a parameter that the class inherits."""
    return _Changed({"default": default, **changes})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, changed))
def with_parameters(cls: AnyClass) -> AnyClass:
    """Give a class a constructor that takes its parameters, and those that it inherits, by name.

    Type checkers see the same constructor, as they do for dataclasses. A method ``__post_init__``
    is called at its end.

    Examples
    --------
    >>> @with_parameters
    ... class Example:
    ...     n_bins: int = parameter(default=32, help="Number of bins.")
    >>> Example().n_bins, Example(n_bins=64).n_bins
    (32, 64)
    """
    own = {
        name: value for name, value in vars(cls).items() if isinstance(value, Parameter | _Changed)
    }
    for name, value in own.items():
        delattr(cls, name)
        if isinstance(value, Parameter):
            own[name] = replace(value, name=name, type=cls.__annotations__[name])
    setattr(cls, _OWN, own)
    cls.__init__ = _constructor(parameters_of(cls))  # type: ignore[misc]
    return cls


def documented(cls: AnyClass) -> AnyClass:
    """Put the description of a class's parameters where its docstring has ``**parameters``."""
    if cls.__doc__:
        parameters = parameters_of(cls)
        cls.__doc__ = _PLACE.sub(lambda place: _described(parameters, place[1]), cls.__doc__)
    return cls


def parameters_of(cls: type) -> dict[str, Parameter]:
    """Return the parameters of a class by name, those that it inherits first."""
    found: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).get(_OWN, {}).items():
            if isinstance(value, Parameter):
                found[name] = value
            elif name in found:
                found[name] = replace(found[name], **value.changes)
    return found


def paper_settings(cls: type) -> dict[str, Any]:
    """Return the paper's values of the parameters that the paper has."""
    return {
        name: parameter.paper
        for name, parameter in parameters_of(cls).items()
        if parameter.paper is not NOTHING
    }


def _constructor(parameters: Mapping[str, Parameter]) -> Callable[..., None]:
    def __init__(self: Any, **given: Any) -> None:  # noqa: N807 - it becomes a method
        for name, parameter in parameters.items():
            setattr(self, name, given.pop(name, parameter.default))
        if given:
            name = next(iter(given))
            near = difflib.get_close_matches(name, parameters, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(
                f"{type(self).__name__} got the unknown parameter {name!r}{meant}; "
                f"it has {', '.join(parameters)}"
            )
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    keyword = inspect.Parameter.KEYWORD_ONLY
    arguments = [
        inspect.Parameter(name, keyword, default=parameter.default, annotation=parameter.type)
        for name, parameter in parameters.items()
    ]
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([this, *arguments], return_annotation=None)
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _described(parameters: Mapping[str, Parameter], indent: str) -> str:
    """Return the entries of a docstring."""
    lines = []
    for name, parameter in parameters.items():
        lines.append(f"{indent}{name} : {parameter.described_type}")
        text = f"{parameter.help} {parameter.text}".strip()
        lines.extend(_wrapped(text, indent + "    "))
    return "\n".join(lines) + "\n"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        100,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )

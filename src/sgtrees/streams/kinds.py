"""Which column is the target, which are features, and of which kind: as found, and as said."""

import difflib
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sgtrees.streams.errors import StreamError


class Kind(Enum):
    """What a column's values are."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    BOOLEAN = "boolean"
    """Nominal, with the categories False and True."""
    TIME = "time"
    """Dates and times: no feature as they are, but numbers where it is said so."""
    OTHER = "other"
    """Lists, structures and other things that no feature can be."""


@dataclass(frozen=True)
class Found:
    """A column as a source has it.

    Attributes
    ----------
    kind : Kind
        What its values are, by the source's types or its first block.
    type_name : str
        What the source calls it, for messages.
    categories : tuple of str or None
        Its categories, where the source declares them.
    """

    kind: Kind
    type_name: str = ""
    categories: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Said:
    """What the user says of columns, by their names or by patterns like ``"soil_*"``.

    Attributes
    ----------
    target : str, int or None
        The column that is to be predicted, by name or place (-1 is the last).
    weight : str or None
        The column of the rows' weights.
    nominal, numeric, drop : tuple of str
        Columns that are nominal, numeric, or not to be read at all.
    needs_target : bool
        Whether a source without the target will not do.
    only : tuple of str or None
        All features, in their order; other columns are left out.
    """

    target: str | int | None = None
    weight: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    needs_target: bool = True
    only: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Plan:
    """What is read of a source.

    Attributes
    ----------
    found : mapping from str to Found
        The columns that are read, features first, as the first source has them.
    kinds : mapping from str to Kind
        What each of them is read as: numeric, nominal or boolean.
    features : tuple of str
        The features.
    target, weight : str or None
        The columns that are no features.
    dropped : frozenset of str
        The columns that are not read.
    takes_others : bool
        Whether further columns of later files are left out too, and not refused.
    """

    found: Mapping[str, Found]
    kinds: Mapping[str, Kind]
    features: tuple[str, ...]
    target: str | None
    weight: str | None
    dropped: frozenset[str]
    takes_others: bool = False


def make_plan(found: Mapping[str, Found], said: Said, file: str) -> Plan:
    """Settle what is read, or say what cannot be.

    Parameters
    ----------
    found : mapping from str to Found
        The source's columns, in their order.
    said : Said
        What the user says of them.
    file : str
        The source's name, for messages.

    Examples
    --------
    >>> found = {"id": Found(Kind.NOMINAL), "size": Found(Kind.NUMERIC), "y": Found(Kind.NUMERIC)}
    >>> plan = make_plan(found, Said(target="y", drop=("id",)), "a.csv")
    >>> plan.features, plan.target
    (('size',), 'y')
    """
    names = list(found)
    target = _find_target(names, said, file)
    weight = None if said.weight is None else _find(names, said.weight, "weight", file)
    only = [_find(names, name, "feature", file) for name in said.only or ()]
    nominal = _matching(names, said.nominal, "nominal", file)
    numeric = _matching(names, said.numeric, "numeric", file)
    dropped = _matching(names, said.drop, "drop", file)
    both = nominal & numeric
    if both:
        raise StreamError(f"{min(both)!r} is said to be both nominal and numeric")
    if target in dropped:
        raise StreamError(f"the target {target!r} is also among the columns to drop")
    features = tuple(n for n in names if n not in dropped and n not in (target, weight))
    if said.only is not None:
        features = tuple(only)
        dropped = set(names) - {*features, target, weight}
    if not features:
        raise StreamError(f"{file} has no column to learn from besides the target")
    read = [*features, *(n for n in (target, weight) if n is not None)]
    said_kinds = dict.fromkeys(nominal, Kind.NOMINAL) | dict.fromkeys(numeric, Kind.NUMERIC)
    if weight is not None:
        said_kinds[weight] = Kind.NUMERIC
    kinds = {name: _settle(name, found[name], said_kinds.get(name), file) for name in read}
    return Plan(
        {name: found[name] for name in read},
        kinds,
        features,
        target,
        weight,
        frozenset(dropped),
        takes_others=said.only is not None,
    )


def check_columns(names: Sequence[str], plan: Plan, file: str, first: str) -> None:
    """Refuse a file that has not the columns of the first one."""
    absent = [name for name in plan.kinds if name not in names]
    if absent:
        raise StreamError(
            f"{file} has no column {absent[0]!r}, which {first} has{_nearest(absent[0], names)}; "
            "all files of a stream must have the same columns"
        )
    more = [name for name in names if name not in plan.kinds and name not in plan.dropped]
    if more and not plan.takes_others:
        raise StreamError(
            f"{file} has the column {more[0]!r}, which {first} has not; "
            f"all files of a stream must have the same columns (drop it: drop={more!r}, "
            f"--drop {more[0]})"
        )


def _settle(name: str, found: Found, said: Kind | None, file: str) -> Kind:
    if said is not None and found.kind is not Kind.OTHER:
        return said
    if found.kind is Kind.TIME:
        raise StreamError(
            f"{file}: column {name!r} holds dates or times, which cannot be learned as they are; "
            f"leave it out (drop=[{name!r}], --drop {name}) or read it as seconds since 1970 "
            f"(numeric=[{name!r}], --numeric {name})"
        )
    if found.kind is Kind.OTHER:
        raise StreamError(
            f"{file}: column {name!r} holds {found.type_name}, which cannot be learned; "
            f"leave it out (drop=[{name!r}], --drop {name})"
        )
    return found.kind


def _find_target(names: Sequence[str], said: Said, file: str) -> str | None:
    target = said.target
    if target is None or (not said.needs_target and target not in names):
        return None
    if isinstance(target, int):
        if not -len(names) <= target < len(names):
            raise StreamError(f"target is {target}, but {file} has {len(names)} columns")
        return names[target]
    return _find(names, target, "target", file)


def _find(names: Sequence[str], name: str, role: str, file: str) -> str:
    if name in names:
        return name
    raise StreamError(
        f"{file} has no column {name!r} ({role}){_nearest(name, names)}; "
        f"its columns are {_listed(names)}"
    )


def _matching(names: Sequence[str], patterns: Sequence[str], role: str, file: str) -> set[str]:
    chosen: set[str] = set()
    for pattern in patterns:
        # A name is a name first, whatever characters it has.
        hits = [pattern] if pattern in names else fnmatch.filter(names, pattern)
        if not hits:
            _find(names, pattern, role, file)
        chosen.update(hits)
    return chosen


def _nearest(name: str, names: Sequence[str]) -> str:
    by_lower = {other.lower(): other for other in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

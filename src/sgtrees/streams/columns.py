"""Which column is the target, which are features, and how each is read."""

import difflib
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sgtrees.streams.block import Column
from sgtrees.streams.errors import StreamError


class ColumnKind(Enum):
    """The kind of a column's values."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    BOOLEAN = "boolean"
    """Nominal, with the categories False and True."""
    TIME = "time"
    """Dates and times: read only as numbers, and only if the user declares them numeric."""
    OTHER = "other"
    """Lists, structures and other types that cannot be features."""


@dataclass(frozen=True)
class SourceColumn:
    """A column as its source declares it.

    Attributes
    ----------
    kind : ColumnKind
        The kind of its values, by the source's types or its first block.
    type_name : str
        The source's name of that type, for messages.
    categories : tuple of str or None
        Its categories, if the source declares them.
    """

    kind: ColumnKind
    type_name: str = ""
    categories: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ColumnOptions:
    """The user's options for columns, by their names or by patterns like ``"soil_*"``.

    Attributes
    ----------
    target : str, int or None
        The column to predict, by name or position (-1 is the last).
    weight : str or None
        The column of the rows' weights.
    nominal, numeric, drop : tuple of str
        Columns to read as nominal, to read as numeric, or not to read.
    needs_target : bool
        Whether a source without the target is an error.
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
class ColumnPlan:
    """The columns that are read from a source.

    Attributes
    ----------
    sources : mapping from str to SourceColumn
        The columns that are read, features first, as the first source declares them.
    kinds : mapping from str to ColumnKind
        How each of them is read: numeric, nominal or boolean.
    features : tuple of str
        The features.
    target, weight : str or None
        The columns that are not features.
    dropped : frozenset of str
        The columns that are not read.
    ignores_others : bool
        Whether further columns of later files are ignored; otherwise they are an error.
    """

    sources: Mapping[str, SourceColumn]
    kinds: Mapping[str, ColumnKind]
    features: tuple[str, ...]
    target: str | None
    weight: str | None
    dropped: frozenset[str]
    ignores_others: bool = False

    def column(self, name: str) -> Column:
        """Return the description of a column that is read."""
        nominal = self.kinds[name] is not ColumnKind.NUMERIC
        return Column(name, nominal, self.sources[name].categories if nominal else None)


def plan_columns(
    sources: Mapping[str, SourceColumn], options: ColumnOptions, file: str
) -> ColumnPlan:
    """Decide which columns are read and how; raise a `StreamError` if that is impossible.

    Parameters
    ----------
    sources : mapping from str to SourceColumn
        The source's columns, in their order.
    options : ColumnOptions
        The user's options.
    file : str
        The source's name, for messages.

    Examples
    --------
    >>> number = SourceColumn(ColumnKind.NUMERIC)
    >>> sources = {"id": SourceColumn(ColumnKind.NOMINAL), "size": number, "y": number}
    >>> plan = plan_columns(sources, ColumnOptions(target="y", drop=("id",)), "a.csv")
    >>> plan.features, plan.target
    (('size',), 'y')
    """
    names = list(sources)
    target = _find_target(names, options, file)
    weight = None if options.weight is None else _find(names, options.weight, "weight", file)
    only = [_find(names, name, "feature", file) for name in options.only or ()]
    nominal = _matching(names, options.nominal, "nominal", file)
    numeric = _matching(names, options.numeric, "numeric", file)
    dropped = _matching(names, options.drop, "drop", file)
    both = nominal & numeric
    if both:
        raise StreamError(f"{min(both)!r} is given as both nominal and numeric")
    if target in dropped:
        raise StreamError(f"the target {target!r} is also among the columns to drop")
    features = tuple(n for n in names if n not in dropped and n not in (target, weight))
    if options.only is not None:
        features = tuple(only)
        dropped = set(names) - {*features, target, weight}
    if not features:
        raise StreamError(f"{file} has no column to learn from besides the target")
    read = [*features, *(n for n in (target, weight) if n is not None)]
    given_kinds = dict.fromkeys(nominal, ColumnKind.NOMINAL) | dict.fromkeys(
        numeric, ColumnKind.NUMERIC
    )
    if weight is not None:
        given_kinds[weight] = ColumnKind.NUMERIC
    kinds = {name: _kind_of(name, sources[name], given_kinds.get(name), file) for name in read}
    return ColumnPlan(
        {name: sources[name] for name in read},
        kinds,
        features,
        target,
        weight,
        frozenset(dropped),
        ignores_others=options.only is not None,
    )


def check_columns(names: Sequence[str], plan: ColumnPlan, file: str, first: str) -> None:
    """Raise if a file does not have the columns of the first one."""
    absent = [name for name in plan.kinds if name not in names]
    if absent:
        raise StreamError(
            f"{file} has no column {absent[0]!r}, which {first} has{_nearest(absent[0], names)}; "
            "all files of a stream must have the same columns"
        )
    more = [name for name in names if name not in plan.kinds and name not in plan.dropped]
    if more and not plan.ignores_others:
        raise StreamError(
            f"{file} has the column {more[0]!r}, which {first} does not have; "
            f"all files of a stream must have the same columns (drop it: drop={more!r}, "
            f"--drop {more[0]})"
        )


def _kind_of(name: str, source: SourceColumn, given: ColumnKind | None, file: str) -> ColumnKind:
    if given is not None and source.kind is not ColumnKind.OTHER:
        return given
    if source.kind is ColumnKind.TIME:
        raise StreamError(
            f"{file}: column {name!r} holds dates or times, which cannot be learned as they are; "
            f"leave it out (drop=[{name!r}], --drop {name}) or read it as seconds since 1970 "
            f"(numeric=[{name!r}], --numeric {name})"
        )
    if source.kind is ColumnKind.OTHER:
        raise StreamError(
            f"{file}: column {name!r} holds {source.type_name}, which cannot be learned; "
            f"leave it out (drop=[{name!r}], --drop {name})"
        )
    return source.kind


def _find_target(names: Sequence[str], options: ColumnOptions, file: str) -> str | None:
    target = options.target
    if target is None or (not options.needs_target and target not in names):
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
        # An exact name wins, even if it has the characters of a pattern.
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

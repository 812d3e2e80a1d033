"""Which column is the target, which are features, and how each is read."""

import difflib
import fnmatch
import shlex
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
    """Dates and times, whose parts are features; durations."""
    KEPT = "kept"
    """Of any type, and passed on as it is: no feature."""
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
    time : tuple of str
        Columns to read as dates and times.
    keep : tuple of str
        Columns to pass on as they are, if they are no features.
    may_lack : tuple of str
        Features of ``only`` that the source may lack.
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
    time: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    may_lack: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnPlan:
    """The columns that are read from a source.

    Attributes
    ----------
    sources : mapping from str to SourceColumn
        The columns that are read, features first, as the first source declares them.
    kinds : mapping from str to ColumnKind
        How each of them is read.
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
        nominal = self.kinds[name] in (ColumnKind.NOMINAL, ColumnKind.BOOLEAN)
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
    absent = {name for name in options.may_lack if name not in names}
    dropped = _matching(names, options.drop, "drop", file)
    if target in dropped:
        raise StreamError(f"the target {target!r} is also among the columns to drop")
    features = tuple(n for n in names if n not in dropped and n not in (target, weight))
    if options.only is not None:
        needed = (name for name in options.only if name not in absent)
        features = tuple(_find(names, name, "feature", file) for name in needed)
        dropped = set(names) - {*features, *options.keep, target, weight}
    if not features:
        raise StreamError(f"{file} has no column to learn from besides the target")
    given_kinds = _given_kinds(names, options, absent, file)
    kept = [_find(names, name, "keep", file) for name in options.keep]
    read = list(dict.fromkeys([*features, *(n for n in (target, weight) if n is not None), *kept]))
    given_kinds |= dict.fromkeys((n for n in kept if n not in features), ColumnKind.KEPT)
    if weight is not None:
        given_kinds[weight] = ColumnKind.NUMERIC
    if target is not None and target not in given_kinds:
        _check_target(target, sources[target], file)
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


def _given_kinds(
    names: Sequence[str], options: ColumnOptions, absent: set[str], file: str
) -> dict[str, ColumnKind]:
    """Return the kinds that the user declares."""
    kinds: dict[str, ColumnKind] = {}
    for kind, patterns in (
        (ColumnKind.NOMINAL, options.nominal),
        (ColumnKind.NUMERIC, options.numeric),
        (ColumnKind.TIME, options.time),
    ):
        known = [pattern for pattern in patterns if pattern not in absent]
        for name in sorted(_matching(names, known, kind.value, file)):
            if name in kinds:
                raise StreamError(f"{name!r} is given as both {kinds[name].value} and {kind.value}")
            kinds[name] = kind
    return kinds


def _check_target(name: str, source: SourceColumn, file: str) -> None:
    if source.kind is ColumnKind.TIME:
        raise StreamError(
            f"{file}: the target {name!r} holds dates or times, which cannot be predicted; read it "
            f"as seconds since 1970 (numeric=[{name!r}], --numeric {option_text(name)})"
        )


def check_columns(names: Sequence[str], plan: ColumnPlan, file: str, first: str) -> None:
    """Raise if a file does not have the columns of the first one."""
    absent = [name for name in plan.kinds if name not in names]
    if absent:
        raise StreamError(
            f"{file} has no column {absent[0]!r}, which {first} has; all files of a stream must "
            f"have the same columns{_nearest(absent[0], names)}"
        )
    more = [name for name in names if name not in plan.kinds and name not in plan.dropped]
    if more and not plan.ignores_others:
        raise StreamError(
            f"{file} has the column {more[0]!r}, which {first} does not have; "
            f"all files of a stream must have the same columns (drop it: drop={more!r}, "
            f"--drop {option_text(more[0])})"
        )


def _kind_of(name: str, source: SourceColumn, given: ColumnKind | None, file: str) -> ColumnKind:
    if given is ColumnKind.KEPT or (given is not None and source.kind is not ColumnKind.OTHER):
        return given
    if source.kind is ColumnKind.OTHER:
        raise StreamError(
            f"{file}: column {name!r} holds {source.type_name}, which cannot be learned; "
            f"leave it out (drop=[{name!r}], --drop {option_text(name)})"
        )
    return source.kind


def _find_target(names: Sequence[str], options: ColumnOptions, file: str) -> str | None:
    target = options.target
    if target is None or (not options.needs_target and target not in names):
        return None
    if isinstance(target, str) and target not in names and target.lstrip("-").isdigit():
        target = int(target)
    if isinstance(target, int):
        if not -len(names) <= target < len(names):
            raise StreamError(f"target is {target}, but {file} has {len(names)} columns")
        return names[target]
    return _find(names, target, "target", file)


def _find(names: Sequence[str], name: str, role: str, file: str) -> str:
    if name in names:
        return name
    raise StreamError(
        f"{file} has no column {name!r} ({role}); its columns are {_listed(names)}"
        f"{_nearest(name, names)}"
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


def option_text(name: str) -> str:
    """Return a name as it is given to an option of the command: quoted if it must be.

    Examples
    --------
    >>> print(option_text("size"), option_text("size, m"))
    size '"size, m"'
    """
    quoted = '"' + name.replace('"', '""') + '"' if set(name) & {",", '"'} else name
    return shlex.quote(quoted)


def _nearest(name: str, names: Sequence[str]) -> str:
    by_lower = {other.lower(): other for other in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    if not near:
        return ""
    found = by_lower[near[0]]
    how = f" (on the command line {option_text(found)})" if "," in found else ""
    return f"; did you mean {found!r}{how}?"


def _listed(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"

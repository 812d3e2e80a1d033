"""Modules that few commands use, but that are imported because other ones ask for them.

scikit-learn imports `scipy.stats`, for example.
"""

import sys
import threading
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_LOADING = threading.RLock()


class _LazyModule(ModuleType):
    """A module that has been found, and is loaded when something is asked of it.

    `importlib.util.LazyLoader` makes modules that a second ``import`` loads, as that asks for their
    ``__spec__``.
    """

    def __getattr__(self, name: str) -> Any:
        with _LOADING:
            spec = self.__spec__
            if spec is not None and isinstance(spec.loader, _LazyLoader):
                lazy = spec.loader
                self.__loader__ = spec.loader = lazy.of_module
                try:
                    spec.loader.exec_module(self)
                except BaseException:  # the next one who asks gets the same error
                    self.__loader__ = spec.loader = lazy
                    raise
                # Only now: other threads that ask for a name wait above.
                self.__class__ = ModuleType  # type: ignore[assignment]
            elif type(self) is _LazyModule:
                # The module itself asks for a name that it does not have yet.
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self, name)


class _LazyLoader(Loader):
    def __init__(self, of_module: Loader) -> None:
        self.of_module = of_module

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.of_module.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _LazyModule


class _LazyFinder(MetaPathFinder):
    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _LazyLoader(spec.loader)
        return spec


def load_lazily(*names: str) -> None:
    """Let modules be loaded when something of them is first used, not when they are imported.

    Parameters
    ----------
    *names : str
        The modules; for those that are loaded already, or are not there, nothing changes.

    Examples
    --------
    >>> load_lazily("graphlib")
    >>> import graphlib  # takes no time
    >>> graphlib.TopologicalSorter().__class__.__name__  # loads it
    'TopologicalSorter'
    """
    sys.meta_path.insert(0, _LazyFinder(names))

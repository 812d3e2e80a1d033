"""Where the model of a server comes from: it learns itself, or follows another one."""

from typing import Any, Protocol, TypeAlias

from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.served_model import ServedModel

Gauges: TypeAlias = dict[str, tuple[str, float]]
"""Numbers for those who watch: a name, its meaning, the value now."""


class Source(Protocol):
    """What a server asks of it."""

    @property
    def model(self) -> ServedModel:
        """The model of this moment."""

    @property
    def errors(self) -> LiveErrors:
        """The errors since the process started."""

    @property
    def queued_rows(self) -> int:
        """How many rows wait to be learned."""

    @property
    def failure(self) -> str | None:
        """Why the process has to be started again."""

    def why_not_learning(self) -> str | None:
        """Return why nothing can be learned; None if it can."""

    def notes(self) -> dict[str, Any]:
        """Return what else the description of the model says."""

    def gauges(self) -> Gauges:
        """Return numbers for those who watch."""

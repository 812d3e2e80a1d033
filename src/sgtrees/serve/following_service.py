"""The service that follows another one: it predicts, and learns nothing."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sgtrees.serve.access import Access
from sgtrees.serve.errors import RequestError
from sgtrees.serve.follower import Follower
from sgtrees.serve.interface import Interface
from sgtrees.serve.limits import Limits
from sgtrees.serve.rows import Rows


class FollowingService(Interface):
    """A model behind HTTP that another server has learned.

    Parameters
    ----------
    follower : Follower
        The model.
    access : Access
        Who may do what.
    limits : Limits
        What is taken.
    learner : str, optional
        The URL of the server that learns, for those who ask the wrong one.
    """

    def __init__(
        self, follower: Follower, access: Access, limits: Limits, learner: str | None = None
    ) -> None:
        super().__init__(follower, access, limits)
        self.follower = follower
        self._learner = learner or f"the server of {follower.folder}"

    def learning_routes(self) -> list[Route]:
        """Return routes that refuse."""
        paths = ("/learn", "/learn_predict", "/labels", "/checkpoint")
        return [self.route(path, "POST", None, self._refuse) for path in paths]

    async def _refuse(self, _: Request) -> Response:
        raise RequestError(
            403, "follower", f"this server only predicts; send what is to be learned to "
            f"{self._learner}",
        )  # fmt: skip

    def kept(
        self,
        ids: Sequence[str] | None,  # noqa: ARG002 - nothing is kept
        features: Rows,  # noqa: ARG002
        predicted: Sequence[Any],  # noqa: ARG002
    ) -> dict[str, Any]:
        """Say that rows cannot wait here."""
        return {
            "not_kept": f"rows wait for their labels at the server that learns: {self._learner}"
        }

    def begin(self) -> None:
        """Begin to follow."""
        self.follower.start()

    def finish(self) -> None:
        """End."""
        self.follower.stop()

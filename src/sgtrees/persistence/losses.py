"""Losses as documents: built-in ones by name; of others the name alone is kept, never the code."""

from typing import Any, NoReturn

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BY_NAME, BuiltInLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, TWICE_LOGISTIC, Link, read_link
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields, read_number

_LINKS = {link.name: link for link in (IDENTITY, EXP, LOGISTIC, TWICE_LOGISTIC)}


def is_own(loss: Any) -> bool:
    """Whether a loss, as an estimator's parameter or a model's, is code that cannot be saved."""
    # A subclass of a built-in loss may have changed anything.
    return not isinstance(loss, str) and type(loss) not in BY_NAME.values()


def loss_to_document(loss: Any) -> Any:
    """Return a loss as it was given to an estimator, or as a model has it."""
    if isinstance(loss, str):
        return loss
    if not is_own(loss):
        return {"name": loss.name, "parameters": _numbers(loss)}
    return {"own": _name(loss)[:200], "link": _name_of_link(loss)}


def _name_of_link(loss: Any) -> str | None:
    """Return the name of a link of the library."""
    link = read_link(loss.link) if isinstance(loss, Loss) else None
    return next((name for name, known in _LINKS.items() if known == link), None)


def _name(loss: Any) -> str:
    # No repr of whatever it is: that of a function changes from process to process.
    if isinstance(loss, Loss):
        return repr(loss)
    return str(getattr(loss, "__name__", type(loss).__name__))


def _numbers(loss: BuiltInLoss) -> Document:
    return {
        name: value if value is None else float(value) for name, value in loss.get_params().items()
    }


def name_of_own_loss(document: Any) -> str | None:
    """Return what a model's or an estimator's loss was called where it is not in its document."""
    loss = document.get("loss") if isinstance(document, dict) else None
    return str(loss["own"]) if isinstance(loss, dict) and "own" in loss else None


def has_known_link(document: Any) -> bool:
    """Whether a model's document tells how predictions are made of raw scores."""
    loss = document.get("loss") if isinstance(document, dict) else None
    return isinstance(loss, dict) and ("own" not in loss or loss.get("link") is not None)


def loss_from_document(value: Any, where: str, given: Any = None) -> Any:
    """Return the loss of a document.

    Parameters
    ----------
    value : object
        The document.
    where : str
        Its place.
    given : Loss or callable, optional
        What takes the place of a loss of one's own.
    """
    if isinstance(value, str):
        return value
    fields = Fields(value, where)
    if "own" not in fields:
        return _built_in(fields)
    own, link = fields.text("own"), fields.maybe("link", lambda name: fields.text(name, _LINKS))
    fields.finish()
    if given is not None:
        return given
    return MissingLoss(own, None if link is None else _LINKS[link])


def _built_in(fields: Fields) -> BuiltInLoss:
    name = fields.text("name", BY_NAME)
    values = fields.fields("parameters")
    fields.finish()
    parameters = {
        key: value if value is None else read_number(value, values.place(key))
        for key, value in values.rest().items()
    }
    try:
        loss = BY_NAME[name](**parameters)
        loss.core_loss()
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{fields.where} is no loss: {error}") from None
    return loss


class MissingLoss(Loss):
    """Stands for a loss of one's own in a model that was saved to predict only, and its link.

    Parameters
    ----------
    own : str
        What the loss was called.
    link : Link, optional
        Its link, where that is one of the library's.
    """

    def __init__(self, own: str, link: Link | None) -> None:
        self.own = own
        self.link = self._no_link if link is None else link

    def check_y(self, y: Floats) -> None:  # noqa: ARG002
        """Refuse to learn, before anything is tried."""
        self._refuse("learn")

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Refuse to learn."""
        self._refuse("learn")

    def _no_link(self, raw: Floats) -> Floats:  # noqa: ARG002
        self._refuse("predict")

    def _refuse(self, what: str) -> NoReturn:
        raise ModelFileError(
            f"to {what} this model needs its loss, {self.own}, which is code and is not in the "
            "file; give it when loading: sgtrees.load(path, loss=...)"
        )

    def __repr__(self) -> str:
        return self.own

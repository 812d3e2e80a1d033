"""Losses as documents. Built-in ones are saved whole; of user-defined ones only name and link."""

from typing import Any, NoReturn

from sgtrees.losses.base import Loss
from sgtrees.losses.built_in import BY_NAME, BuiltInLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import EXP, IDENTITY, LOGISTIC, TWICE_LOGISTIC, Link, read_link
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields, read_number

_LINKS = {link.name: link for link in (IDENTITY, EXP, LOGISTIC, TWICE_LOGISTIC)}


def is_own(loss: Any) -> bool:
    """Whether a loss is user-defined: code, which cannot be saved."""
    # A subclass of a built-in loss counts too: it may differ in anything.
    return not isinstance(loss, str) and type(loss) not in BY_NAME.values()


def loss_to_document(loss: Any) -> Any:
    """Return a loss, an estimator's parameter or a model's, as a document."""
    if isinstance(loss, str):
        return loss
    if not is_own(loss):
        return {"name": loss.name, "parameters": _numbers(loss)}
    return {"own": _name(loss)[:200], "link": _name_of_link(loss)}


def _name_of_link(loss: Any) -> str | None:
    """Return the name of a loss's link; None if the link is user-defined."""
    link = read_link(loss.link) if isinstance(loss, Loss) else None
    return next((name for name, known in _LINKS.items() if known == link), None)


def _name(loss: Any) -> str:
    # Not the repr: that of a function is different in every process.
    if isinstance(loss, Loss):
        return repr(loss)
    return str(getattr(loss, "__name__", type(loss).__name__))


def _numbers(loss: BuiltInLoss) -> Document:
    return {
        name: value if value is None else float(value) for name, value in loss.get_params().items()
    }


def name_of_own_loss(document: Any) -> str | None:
    """Return the name of the user-defined loss of a document of a model or of parameters."""
    loss = document.get("loss") if isinstance(document, dict) else None
    return str(loss["own"]) if isinstance(loss, dict) and "own" in loss else None


def has_known_link(document: Any) -> bool:
    """Whether a model's document has the link, which predictions need."""
    loss = document.get("loss") if isinstance(document, dict) else None
    return isinstance(loss, dict) and ("own" not in loss or loss.get("link") is not None)


def loss_from_document(value: Any, where: str, given: Any = None) -> Any:
    """Return the loss of a document.

    Parameters
    ----------
    value : dict or str
        The document, or the name of a built-in loss.
    where : str
        Its position.
    given : Loss or callable, optional
        The loss to use if the document's is user-defined.
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
        raise ModelFileError(f"{fields.where} is not a loss: {error}") from None
    return loss


class MissingLoss(Loss):
    """The user-defined loss of a model that was loaded without it, and so can only predict.

    Parameters
    ----------
    own : str
        The name of the loss.
    link : Link, optional
        Its link, if that is one of the library's.
    """

    def __init__(self, own: str, link: Link | None) -> None:
        self.own = own
        self.link = self._no_link if link is None else link

    def check_y(self, y: Floats) -> None:  # noqa: ARG002
        """Refuse to learn, before the loss is tried on the first rows."""
        self._refuse("learn")

    def gradient_hessian(self, y: Floats, raw: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Refuse to learn."""
        self._refuse("learn")

    def _no_link(self, raw: Floats) -> Floats:  # noqa: ARG002
        self._refuse("predict")

    def _refuse(self, what: str) -> NoReturn:
        raise ModelFileError(
            f"to {what} this model needs its loss, {self.own}, which is code and not in the file; "
            "pass it when loading: sgtrees.load(path, loss=...)"
        )

    def __repr__(self) -> str:
        return self.own

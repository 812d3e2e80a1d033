"""An estimator's parameters as a document."""

from collections.abc import Collection, Mapping
from typing import Any

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.losses import loss_from_document, loss_to_document
from sgtrees.persistence.python_values import from_json, to_json


def parameters_to_document(parameters: Mapping[str, Any]) -> Document:
    """Return what ``get_params`` returned as a document."""
    return {
        name: loss_to_document(value) if name == "loss" else to_json(value, f"parameter {name!r}")
        for name, value in parameters.items()
    }


def parameters_from_document(
    fields: Fields, known: Collection[str], own_loss: Any = None
) -> dict[str, Any]:
    """Return the parameters of a document; missing ones have their defaults.

    Parameters
    ----------
    fields : Fields
        The document.
    known : collection of str
        The names of the estimator's parameters.
    own_loss : Loss or callable, optional
        The loss to use if the document's is user-defined.
    """
    parameters = {}
    for name, value in fields.rest().items():
        if name not in known:
            raise ModelFileError(
                f"{fields.where} has a parameter {name[:40]!r}, which this version of sgtrees does "
                "not have"
            )
        place = fields.place(name)
        parameters[name] = (
            loss_from_document(value, place, own_loss)
            if name == "loss"
            else from_json(value, place)
        )
    return parameters

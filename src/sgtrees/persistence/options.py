"""The core's options that a model started with, as a document."""

from collections.abc import Mapping
from typing import Any

from sgtrees.parameters.parameter import NOTHING, CoreOption
from sgtrees.parameters.settings import CORE_OPTIONS
from sgtrees.persistence.document import Document, Fields, read_number


def options_to_document(options: Mapping[str, Any]) -> Document:
    """Return the arguments of ``_core.Options`` as a document."""
    return dict(sorted(options.items()))


def options_from_document(fields: Fields) -> dict[str, Any]:
    """Return the arguments of ``_core.Options``, which checks their ranges."""
    options = {option.name: _read(option, fields) for option in CORE_OPTIONS}
    fields.finish()
    return options


def _read(option: CoreOption, fields: Fields) -> Any:
    if option.name not in fields and option.absent is not NOTHING:
        return option.absent
    if option.is_list:
        return [read_number(value, place) for value, place in fields.items(option.name)]
    if option.type is str:
        return fields.text(option.name)
    readers = {int: fields.integer, float: fields.number, bool: fields.boolean}
    read = readers[option.type]
    return fields.maybe(option.name, read) if option.may_be_none else read(option.name)

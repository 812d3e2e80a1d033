"""Features and declarations of documents: what they hold is kept, what is unknown refused."""

import pytest

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields
from sgtrees.persistence.features import (
    declaration_from_document,
    declaration_to_document,
    schema_from_document,
)

DECLARED = {"from_dtype": False, "names": ["colour"], "columns": [2, 5], "mask_length": None}


def test_a_declaration_comes_back():
    declaration = declaration_from_document(Fields(DECLARED, "here"))
    assert declaration_to_document(declaration) == DECLARED


@pytest.mark.parametrize("columns", [[-1], [1.5], [0, -3]])
def test_columns_are_numbered_from_0_on(columns):
    with pytest.raises(ModelFileError, match="must be a list of column numbers"):
        declaration_from_document(Fields(DECLARED | {"columns": columns}, "here"))


def test_an_unknown_field_of_a_declaration_is_refused():
    with pytest.raises(ModelFileError, match="here has an unknown field 'more'"):
        declaration_from_document(Fields(DECLARED | {"more": 1}, "here"))


@pytest.mark.parametrize("closed", [{}, {"is_closed": False}, {"is_closed": True}])
def test_whether_a_feature_takes_no_more_categories_is_kept_and_older_files_do_not_say(closed):
    feature = {"name": "colour", "kind": "strings", "categories": ["red"], **closed}
    schema = schema_from_document(Fields({"named": True, "features": [feature]}, "here"))
    (found,) = schema.features
    assert found.categories.is_closed is closed.get("is_closed", False)


def test_an_unknown_field_of_a_feature_is_refused():
    for feature in ({"name": "a"}, {"name": "a", "kind": "strings", "categories": ["red"]}):
        fields = Fields({"named": True, "features": [feature | {"more": 1}]}, "here")
        with pytest.raises(ModelFileError, match=r"features\[0\] has an unknown field 'more'"):
            schema_from_document(fields)

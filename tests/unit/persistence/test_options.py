import pytest

from sgtrees import SGTClassifier
from sgtrees.parameters.settings import CORE_OPTIONS, checked_options
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields
from sgtrees.persistence.options import options_from_document, options_to_document


@pytest.fixture
def options():
    return checked_options(SGTClassifier(max_leaves=7).get_params())


def test_options_are_the_same_after_a_round_trip(options):
    document = options_to_document(options)
    assert options_from_document(Fields(document, "options")) == options


@pytest.mark.parametrize("name", [option.name for option in CORE_OPTIONS])
def test_a_file_must_have_every_option(options, name):
    document = options_to_document(options)
    del document[name]
    with pytest.raises(ModelFileError, match=f"options has no field '{name}'"):
        options_from_document(Fields(document, "options"))

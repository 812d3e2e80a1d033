import pytest

from sgtrees import SGTClassifier
from sgtrees.parameters.parameter import NOTHING
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


@pytest.mark.parametrize("option", CORE_OPTIONS, ids=lambda option: option.name)
def test_a_file_may_lack_only_options_that_have_a_value_for_it(options, option):
    document = options_to_document(options)
    del document[option.name]
    fields = Fields(document, "options")
    if option.absent is NOTHING:
        with pytest.raises(ModelFileError, match=f"options has no field '{option.name}'"):
            options_from_document(fields)
    else:
        assert options_from_document(fields) == options | {option.name: option.absent}

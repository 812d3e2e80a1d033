import inspect

import pytest
from sklearn.base import clone

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor
from sgtrees.parameters.constructors import (
    changed,
    documented,
    parameter,
    parameters_of,
    with_parameters,
)


@with_parameters
class Base:
    first: int = parameter(default=1, help="The first.", text="And more of it.")
    second: str = parameter(default="b", help="The second.")


@documented
@with_parameters
class Derived(Base):
    """An example.

    Parameters
    ----------
    **parameters
        Are put here.

    Notes
    -----
    None.
    """

    third: float | None = parameter(default=None, help="The third.")
    first: int = changed(default=7)

    def __post_init__(self):
        self.ready = True


def test_parameters_are_taken_by_name_and_have_defaults():
    assert vars(Base()) == {"first": 1, "second": "b"}
    derived = Derived(second="c", third=0.5)
    assert vars(derived) == {"first": 7, "second": "c", "third": 0.5, "ready": True}
    with pytest.raises(TypeError):
        Base(1)
    with pytest.raises(TypeError, match="Derived got the unknown parameter 'fourth'; it has first"):
        Derived(fourth=4)
    with pytest.raises(TypeError, match="parameter 'secnd'; did you mean 'second'"):
        Derived(secnd="c")


def test_what_is_changed_keeps_its_place_and_its_text():
    rows = parameters_of(Derived)
    assert list(rows) == ["first", "second", "third"]
    assert (rows["first"].default, rows["first"].help) == (7, "The first.")
    assert parameters_of(Base)["first"].default == 1


def test_the_signature_has_types_and_defaults():
    signature = inspect.signature(Derived)
    assert str(signature) == (
        "(*, first: int = 7, second: str = 'b', third: float | None = None) -> None"
    )


def test_the_docstring_describes_the_parameters():
    assert inspect.getdoc(Derived).splitlines()[2:12] == [
        "Parameters",
        "----------",
        "first : int, default=7",
        "    The first. And more of it.",
        'second : str, default="b"',
        "    The second.",
        "third : float, optional",
        "    The third.",
        "",
        "Notes",
    ]


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier])
def test_estimators_document_all_their_parameters_and_can_be_cloned(estimator):
    rows = parameters_of(estimator)
    assert sorted(rows) == sorted(estimator().get_params())
    document = inspect.getdoc(estimator)
    for name, row in rows.items():
        assert f"\n{name} : {row.described_type}\n" in document
    changed_one = estimator(n_bins=7)
    assert clone(changed_one).get_params() == changed_one.get_params()

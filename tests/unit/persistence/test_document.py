"""Fields of JSON documents: right ones are taken, wrong ones refused by their position."""

import pytest

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields, read_number


def fields(**values):
    return Fields(values, "here")


@pytest.mark.parametrize(
    ("read", "value", "result"),
    [
        (lambda f: f.take("a"), [1], [1]),
        (lambda f: f.boolean("a"), True, True),
        (lambda f: f.text("a"), "x", "x"),
        (lambda f: f.text("a", ("x", "y")), "y", "y"),
        (lambda f: f.integer("a"), 0, 0),
        (lambda f: f.number("a"), 2, 2.0),
        (lambda f: f.maybe("a", f.integer), None, None),
        (lambda f: f.maybe("a", f.integer), 3, 3),
        (lambda f: list(f.items("a")), ["x"], [("x", "here.a[0]")]),
        (lambda f: f.fields("a").integer("b"), {"b": 4}, 4),
        (lambda f: f.rest(), 5, {"a": 5}),
    ],
)
def test_a_field_is_taken_once(read, value, result):
    document = fields(a=value)
    assert read(document) == result
    document.finish()
    with pytest.raises(ModelFileError, match="here has no field 'a'"):
        document.take("a")


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (lambda f: f.boolean("a"), 1, "here.a is 1; it must be true or false"),
        (lambda f: f.text("a"), 1, "here.a is 1; it must be a string"),
        (lambda f: f.text("a", ("x", "y")), "z", "here.a is 'z'; it must be one of 'x', 'y'"),
        (lambda f: f.integer("a"), -1, "here.a is -1; it must be an integer of at least 0"),
        (lambda f: f.integer("a", lowest=2), True, "it must be an integer of at least 2"),
        (lambda f: f.integer("a"), 10**30, "an integer of at least 0, below"),
        (lambda f: f.number("a"), True, "here.a is True; it must be a number"),
        (lambda f: f.number("a"), 10**400, "it must be a finite number"),
        (lambda f: f.maybe("a", f.integer), "x", "here.a is 'x'; it must be an integer"),
        (lambda f: f.items("a"), {}, "here.a is {}; it must be a list"),
        (lambda f: f.fields("a"), [], r"here.a is \[\]; it must be an object"),
        (lambda f: f.fields("a").text("b"), {"b": 0}, "here.a.b is 0; it must be a string"),
    ],
)
def test_a_wrong_field_is_refused_by_its_position(read, value, message):
    with pytest.raises(ModelFileError, match=message):
        read(fields(a=value))


def test_fields_that_are_left_are_refused():
    with pytest.raises(ModelFileError, match="here has an unknown field 'b'"):
        fields(b=1).finish()


def test_long_values_are_cut_in_messages():
    with pytest.raises(ModelFileError, match=r"^it is 'x{59}\.\.\.; it must be a number$"):
        read_number("x" * 1000, "it")
    with pytest.raises(ModelFileError, match=r"^it is 'x{58}'; it must be a number$"):
        read_number("x" * 58, "it")

import json
import tracemalloc

import pytest

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.json_text import parse_json

# Each would take many times the memory of its text, or the whole stack.
BOMBS = {
    "lists": "[" + "[]," * 3_000_000 + "[]]",
    "objects": "[" + "{}," * 3_000_000 + "{}]",
    "values": "[" + "1," * 12_000_000 + "1]",
    "depth": "[" * 100_000 + "]" * 100_000,
    "depth of objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "no end": '"' + '\\"' * 3_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_is_parsed(name):
    text = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=r"its header (has|is nested|is not JSON)"):
            parse_json(text, "header")
        assert tracemalloc.get_traced_memory()[1] < 3 * len(text) + 1_000_000
    finally:
        tracemalloc.stop()


def test_a_text_may_be_nested_a_hundred_levels_deep_and_no_deeper():
    # Many lists beside each other are no deeper than one of them.
    beside = "[" * 98 + ",".join(["[[]]"] * 200) + "]" * 98
    assert parse_json(beside, "document") is not None
    with pytest.raises(ModelFileError, match="nested too deeply; the limit is 100"):
        parse_json(f"[{beside}]", "document")
    # Nor do those that have ended make room for deeper ones.
    with pytest.raises(ModelFileError, match="nested too deeply; the limit is 100"):
        parse_json("[" + "[]," * 200 + "[" * 100 + "]" * 101, "document")


def test_brackets_and_commas_in_strings_do_not_count():
    value = {'a"\\': "[" * 5_000, "b": ["{" * 5_000 + '\\"', "," * 11_000_000]}
    assert parse_json(json.dumps(value), "document") == value


def test_as_many_categories_as_a_million_can_be_read():
    value = {"categories": [str(number) for number in range(1_000_000)]}
    assert parse_json(json.dumps(value), "document") == value

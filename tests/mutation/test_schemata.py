from pathlib import Path

import pytest

from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.schemata import VARIABLE, compatible, rewrite

FILE = Path("a.cpp")


def the_change(source: str, before: str, text: str) -> Mutant:
    (found,) = [m for m in mutants_of(FILE, source) if (m.before, m.text) == (before, text)]
    return found


@pytest.mark.parametrize(
    ("source", "before", "text", "expected"),
    [
        ("if (a < b && c) f();", "<", "<=", "if (({} ? (a <= b && c) : (a < b && c))) f();"),
        ("if (a) return b + c;", "+", "-", "if (a) return ({} ? (b - c) : (b + c));"),
        ("else x = y + z;", "+", "-", "else x = ({} ? (y - z) : (y + z));"),
        ("x += 2;", "+=", "-=", "({} ? (void)(x -= 2) : (void)(x += 2));"),
        ("f(a, b * c, d);", "*", "/", "f(a, ({} ? (b / c) : (b * c)), d);"),
        (
            "for (auto i = a; i + 1 < n; ++i) g(i);",
            "<",
            "<=",
            "for (auto i = a; ({} ? (i + 1 <= n) : (i + 1 < n)); ++i) g(i);",
        ),
        ("for (; a; ++i) g(i);", "++", "--", "for (; a; ({} ? (--i) : (++i))) g(i);"),
        ("if (a) continue;", "continue", "break", "if (a) if ({}) break; else continue;"),
        ("case 7: return a || b;", "||", "&&", "case 7: return ({} ? (a && b) : (a || b));"),
        ("if (a) {{ b(); }}\nx = y[3];", "3", "4", "if (a) {{ b(); }}\nx = y[({} ? (4) : (3))];"),
    ],
)
def test_what_surrounds_a_change_is_written_twice(
    source: str, before: str, text: str, expected: str
) -> None:
    source = "    " + source.format() + "\n"
    change = the_change(source, before, text)
    head, changed = rewrite(source, {17: change}).text.split("\n", 1)
    assert head == '#include "mutation_switch.hpp"'
    assert changed == "    " + expected.format(f"{VARIABLE}(17)") + "\n"


def test_a_call_is_left_out() -> None:
    source = "    account(leaf, context);\n"
    changed = rewrite(source, {3: the_change(source, "account(leaf, context);", ";")}).text
    assert f"({VARIABLE}(3) ? (void)(0) : (void)(account(leaf, context)));" in changed


def test_changes_of_one_expression_share_it() -> None:
    source = "    x = a + b * c;\n"
    found = rewrite(source, dict(enumerate(mutants_of(FILE, source), 1))).text
    assert (
        f"x = ({VARIABLE}(2) ? (a + b / c) : ({VARIABLE}(1) ? (a - b * c) : (a + b * c)));" in found
    )


def test_a_change_within_another_one_is_not_made_beside_it() -> None:
    source = "    if (f(a + b)) return;\n"
    inner, outer = the_change(source, "+", "-"), the_change(source, "f(a + b)", "!(f(a + b))")
    assert compatible(source, [inner, outer]) == [inner]
    assert compatible(source, [outer, inner]) == [outer]


def test_the_compilers_messages_point_to_changes() -> None:
    source = "    x = a + b;\n\n    y = c + d;\n"
    schema = rewrite(source, dict(enumerate(mutants_of(FILE, source), 1)))
    assert schema.blamed("core/a.cpp:2:9: error: no", "core/a.cpp") == {1}
    assert schema.blamed("core/b.cpp:2:9: error: no", "core/a.cpp") == set()
    assert schema.blamed("core/a.cpp:4:1: error: no", "core/a.cpp") == {2}

from pathlib import Path

from tests.mutation.mutants import mutants_of


def changes(name: str, source: str) -> list[str]:
    return [mutant.apply(source) for mutant in mutants_of(Path(name), source)]


def test_operators_words_and_numbers_are_changed_one_at_a_time() -> None:
    found = changes("a.cpp", "    if (a < b && done) x = std::min(y, 3);\n")
    assert "    if (a <= b && done) x = std::min(y, 3);\n" in found
    assert "    if (a < b || done) x = std::min(y, 3);\n" in found
    assert "    if (!(a < b && done)) x = std::min(y, 3);\n" in found
    assert "    if (a < b && done) x = std::max(y, 3);\n" in found
    assert "    if (a < b && done) x = std::min(y, 4);\n" in found


def test_calls_are_left_out() -> None:
    assert "    ;\n" in changes("a.cpp", "    account(leaf, context);\n")
    assert "    pass\n" in changes("a.py", "    self.model.apply(additions)\n")


def test_comments_strings_templates_and_declarations_stay() -> None:
    for source in (
        "// a < b\n",
        'log("a < b and 3");\n',
        "std::vector<double> values;\n",
        "#include <a + b>\n",
        "constexpr int kMost = 3;\n",
    ):
        assert not changes("a.cpp", source), source
    for source in ('"""1 < 2."""\n', "# a + b\n", "import a\n", "raise ValueError(1 + 1)\n"):
        assert not changes("a.py", source), source


def test_a_change_knows_its_line() -> None:
    (mutant,) = mutants_of(Path("a.py"), "# one\n\nx = a + b\n")
    assert mutant.line == 3
    assert str(mutant) == "a.py:3: `+` -> `-`"


def test_equal_lines_are_told_apart() -> None:
    first, second = mutants_of(Path("a.py"), "x = a + b\ny = 0.5\nx = a + b\n")
    assert first.key == "a.py: x = a + b: 6: + -> -"
    assert second.key == "a.py: x = a + b (2): 6: + -> -"

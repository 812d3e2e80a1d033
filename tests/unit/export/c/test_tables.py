from sgtrees.export.c.tables import c_comment, c_string


def test_strings_in_c_are_escaped():
    assert c_string('a"b\\c\n') == r'"a\042b\134c\012"'
    assert c_comment("/* a */ b") == "/* /* a * / b */"

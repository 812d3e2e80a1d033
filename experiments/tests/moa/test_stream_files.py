def test_what_was_written_is_read(stream, files):
    again = files.read()
    assert (again.X == stream.X).all()
    assert (again.y == stream.y).all()
    assert (again.cardinalities, again.classes, again.nominal) == ([0, 0, 4], 2, [2])

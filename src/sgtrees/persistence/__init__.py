"""Models as files: bytes to state and back, without pickle and without running any code."""


class ModelFileError(ValueError):
    """A file, or the bytes of one, from which no model can be loaded; the message says why."""


class NewerFormatError(ModelFileError):
    """A file that is in order, but was written by a version that is newer than this one."""

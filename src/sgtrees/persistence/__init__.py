"""Models as files, without pickle: reading a file checks everything in it and runs no code."""


class ModelFileError(ValueError):
    """A file, or bytes, from which no model can be loaded; the message gives the reason."""


class NewerFormatError(ModelFileError):
    """A model file in a format that is newer than this version of sgtrees."""

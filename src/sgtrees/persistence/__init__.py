"""Models as files: bytes to state and back, without pickle and without running any code."""

from sgtrees.persistence.errors import ModelFileError

__all__ = ["ModelFileError"]

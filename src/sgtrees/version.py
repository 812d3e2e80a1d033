"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("sgtrees")
except PackageNotFoundError:
    # The package is used from its sources, without having been installed.
    VERSION = "0+unknown"

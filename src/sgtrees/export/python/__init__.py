"""Models as Python source."""

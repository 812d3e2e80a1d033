"""Models as C source."""

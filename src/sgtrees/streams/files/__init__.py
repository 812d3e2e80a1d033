"""Streams of files: paths, bytes, and one module per format."""

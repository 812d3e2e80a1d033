"""Synthetic streams: endless, seeded, and the same however they are cut into blocks."""

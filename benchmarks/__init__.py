"""Benchmarks of sgtrees against its peers, side by side in one run."""

"""The losses on real streams: `python -m benchmarks.losses_on_real_data` writes a page of docs/."""

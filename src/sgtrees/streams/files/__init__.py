"""Files as streams: what they are, their bytes, and their formats."""

"""The peers: MOA's trees in a Java loop, river's in a Python loop, in their own environment."""

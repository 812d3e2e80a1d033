"""Ensembles beside a single tree and the ensembles of MOA."""

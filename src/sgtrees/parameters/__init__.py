"""The estimators' parameters: one table, from which everything else about them is made.

`table` has a row for each parameter. Constructors, checks, docstrings, the core's options, model
files, the command's options, river's and Dask's estimators and ``docs/parameters.md`` come from it.
"""

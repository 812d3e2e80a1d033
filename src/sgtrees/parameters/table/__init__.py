"""The table of parameters: a row for each, in classes that the estimators inherit.

A module has the rows of one group: `trees` (how trees grow), `streams` (learning row by row),
`fitting` (passes and rounds), `targets` (classes or numbers, and their losses), `bags`, and
`ensembles`. `rows` has them all.
"""

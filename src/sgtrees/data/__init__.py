"""From what callers pass to the core's rows of numbers: columns, features, categories, weights."""

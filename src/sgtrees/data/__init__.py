"""X and weights as callers pass them, converted to the rows of numbers that the core learns."""

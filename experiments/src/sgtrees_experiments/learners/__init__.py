"""The learners that are compared, and one run of each."""

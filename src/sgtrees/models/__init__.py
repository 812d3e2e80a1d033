"""Models of the estimators: the core's learner with its loss, schema and labels."""

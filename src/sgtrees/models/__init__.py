"""What an estimator holds: the core's learner, its loss, schema and labels."""

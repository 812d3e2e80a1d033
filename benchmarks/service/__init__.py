"""The figures of the served model and of brokers: ``python -m benchmarks.service``."""

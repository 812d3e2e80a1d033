"""The scikit-learn estimators and their parameters."""

"""One interface to models of this library, of river and of scikit-learn."""

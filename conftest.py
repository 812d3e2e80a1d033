"""What pytest does not collect: modules that need a library of their own environment."""

# Importing CapyMOA starts a Java machine; tests/conformance runs this module's examples apart.
collect_ignore = ["src/sgtrees/interop/capymoa.py"]

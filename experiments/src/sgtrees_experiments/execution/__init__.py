"""What is to be run, and the processes that run it."""

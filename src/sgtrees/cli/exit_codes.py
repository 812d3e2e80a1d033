"""With what code a command ends.

0 where all went well, 1 where something failed, 2 where the command line is wrong (all three are
click's own), and 130 where it was interrupted, as shells expect it.
"""

INTERRUPTED = 130

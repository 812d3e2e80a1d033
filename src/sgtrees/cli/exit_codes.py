"""With what code a command ends.

0 where all went well, 1 where something failed, 2 where the command line is wrong (all three are
click's own), 3 where a part of what was asked for could not be had and the rest was done, and 130
where it was interrupted, as shells expect it.
"""

PARTIAL = 3
INTERRUPTED = 130

"""With what code a command ends.

0 where all went well, 1 where something failed (a full disk, say), 2 where the command line or the
configuration is wrong, 3 where the data cannot be used, 4 where a model file cannot be, 5 where a
part of what was asked for could not be had and the rest was done, and 130 where it was interrupted,
as shells expect it. 0, 1 and 2 are click's own.
"""

FAILED = 1
WRONG_DATA = 3
WRONG_MODEL = 4
PARTIAL = 5
INTERRUPTED = 130

"""The exit codes of the commands, besides click's own.

0: success. 1: failure, such as a full disk. 2: wrong command line or configuration. 3: invalid
data. 4: invalid model file. 5: a part of the work could not be done. 130: interrupted.
"""

DATA_ERROR = 3
MODEL_ERROR = 4
PARTIAL = 5
INTERRUPTED = 130

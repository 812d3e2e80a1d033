"""A model that learns while it serves: ``sgtrees serve``; see ``docs/service.md``.

A request to learn is written to the log and to the disk before it is learned and answered; a start
reads the last checkpoint and learns the rest of the log again. So the model is at any time, bit for
bit, that of the logged rows in their order.
"""

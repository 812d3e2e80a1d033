"""A served model in a folder, and requests to it."""

import json
import threading

import numpy as np

from sgtrees import SGTClassifier
from sgtrees.persistence.savable import contents_of
from sgtrees.serve.learner import Learner, call_here
from sgtrees.serve.limits import Limits
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.records import Record
from sgtrees.serve.rows import read_rows
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.state_folder import StateFolder


def begin():
    return ServedModel(SGTClassifier(grace_period=50, warm_up=20), "kind")


def record_of(*events, request_id=None, time=0.0):
    body = json.dumps(events).encode()
    return Record(read_rows(body, "json"), "json", body, request_id, time)


def events_of(numbers):
    return [
        {"size": (n * 7 % 13) / 13, "colour": "rgb"[n % 3], "kind": "ab"[(n * 7 % 13) > 6]}
        for n in numbers
    ]


class Running:
    """A learner whose requests are waited for."""

    def __init__(self, folder, call=call_here, **limits):
        self.state = StateFolder(folder, begin, Limits(**limits))
        self.errors = LiveErrors(self.state.model.task)
        self.learner = Learner(self.state, self.errors, self.deliver, call, checkpoint_seconds=1e9)
        self.learner.start()

    def deliver(self, requests):
        for request in requests:
            request.caller.append(request.result)
            request.caller.done.set()

    def submit(self, record, **how):
        waiting = Waiting()
        self.learner.submit(record, waiting, **how)
        return waiting

    def learn(self, record):
        return self.submit(record).result()

    def stop(self):
        self.learner.stop()
        self.state.close()


class Waiting(list):
    def __init__(self):
        super().__init__()
        self.done = threading.Event()

    def result(self):
        assert self.done.wait(30)
        return self[0]


def same(one, other):
    first, second = contents_of(one.estimator), contents_of(other.estimator)
    return first.document == second.document and all(
        np.array_equal(first.arrays[name], second.arrays[name]) for name in first.arrays
    )

"""What can be seen of a server: metrics for Prometheus, and the latest refused requests."""

import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from sgtrees.serve.errors import RequestError
from sgtrees.serve.source import Source

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_KEPT_REFUSALS = 50
_KEPT_SECONDS = 2000


class Monitoring:
    """The counters of a server.

    Parameters
    ----------
    source : Source
        Where the model comes from.
    """

    def __init__(self, source: Source) -> None:
        self.registry = CollectorRegistry()
        self._counters: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        self.started = time.time()
        self.n_learned = self.n_predicted = self.n_requests = 0
        self.latest_seconds: deque[float] = deque(maxlen=_KEPT_SECONDS)
        self.refused: deque[dict[str, Any]] = deque(maxlen=_KEPT_REFUSALS)
        ProcessCollector(registry=self.registry)
        self.registry.register(_State(source))
        self.requests = Counter(
            "sgtrees_requests", "Requests by path and status", ["path", "status"],
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "sgtrees_request_seconds", "Time from a request to its reply", ["path"],
            buckets=_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self.learned = Counter(
            "sgtrees_learned_rows", "Rows learned by this process", registry=self.registry
        )
        self.predicted = Counter(
            "sgtrees_predicted_rows", "Rows predicted by this process", registry=self.registry
        )

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        counters = self._counters.get((path, status))
        if counters is None:
            # Looking for them takes longer than counting.
            counters = self.requests.labels(path, str(status)), self.seconds.labels(path)
            self._counters[path, status] = counters
        requests, all_seconds = counters
        requests.inc()
        all_seconds.observe(seconds)
        self.n_requests += 1
        self.latest_seconds.append(seconds)

    def count_learned(self, n_rows: int) -> None:
        """Count rows that were learned."""
        self.learned.inc(n_rows)
        self.n_learned += n_rows

    def count_predicted(self, n_rows: int) -> None:
        """Count rows that were predicted."""
        self.predicted.inc(n_rows)
        self.n_predicted += n_rows

    def refuse(self, path: str, error: RequestError) -> None:
        """Keep a refused request for those who look."""
        self.refused.append(
            {
                "time": time.time(),
                "path": path,
                "status": error.status,
                "name": error.name,
                "message": error.message[:300],
            }
        )


class _State(Collector):
    """Gauges that are read when somebody asks."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def collect(self) -> Iterator[GaugeMetricFamily]:
        source = self._source
        model = source.model
        values = source.gauges() | {
            "model_rows": ("Rows that the model has learned", model.rows),
            "learning": ("1 if rows can be learned", float(source.why_not_learning() is None)),
        }
        if not model.is_new:
            estimator = model.estimator
            values |= {
                "model_leaves": ("Leaves of all trees", estimator.n_leaves_),
                "model_nodes": ("Nodes of all trees", estimator.n_nodes_),
                "model_memory_bytes": ("Memory of the trees", estimator.memory_bytes_),
                "model_drifts": ("Drift events that are kept", len(estimator.drifts_)),
            }
        for name, (text, value) in values.items():
            yield GaugeMetricFamily(f"sgtrees_{name}", text, value=float(value))
        error = GaugeMetricFamily(
            "sgtrees_error",
            f"Error ({source.errors.metric.name}) of the model and the baselines",
            labels=["who", "rows"],
        )
        for who, now in source.errors.now().items():
            error.add_metric([who, "all"], now.total)
            error.add_metric([who, "latest"], now.window)
        yield error

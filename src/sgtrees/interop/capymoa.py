"""Stochastic gradient trees as CapyMOA learners (needs the extra ``capymoa``, and Java)."""

from typing import Any, ClassVar

import numpy as np
from capymoa.base import Classifier, Regressor
from capymoa.core import Instance, LabeledInstance, RegressionInstance
from capymoa.stream import Schema
from numpy.typing import NDArray

import sgtrees


class _Wrapper:
    """What all learners share."""

    _wrapped_class: ClassVar[Any]

    def __init__(self, schema: Schema, random_seed: int = 1, **parameters: Any) -> None:
        super().__init__(schema=schema, random_seed=random_seed)  # type: ignore[call-arg]
        self.estimator = self._wrapped_class(**self._own_parameters(random_seed) | parameters)
        self._events = _EventReader(schema)
        self._given = parameters

    def _own_parameters(self, random_seed: int) -> dict[str, Any]:  # noqa: ARG002 - single trees
        """Return the parameters that follow from CapyMOA's."""
        return {}

    def get_params(self) -> dict[str, Any]:
        """Return the parameters that were given, without schema and seed."""
        return dict(self._given)


class SGTClassifier(_Wrapper, Classifier):
    """Stochastic gradient trees for classification, as a CapyMOA classifier.

    Parameters
    ----------
    schema : capymoa.stream.Schema
        The stream's schema; its nominal attributes are nominal features.
    random_seed : int, default=1
        Part of CapyMOA's interface; it changes nothing.
    **parameters
        See `sgtrees.SGTClassifier`.

    Examples
    --------
    >>> from capymoa.evaluation import prequential_evaluation
    >>> from capymoa.stream.generator import SEA
    >>> from sgtrees.interop.capymoa import SGTClassifier
    >>> stream = SEA()
    >>> learner = SGTClassifier(stream.get_schema(), warm_up=200)
    >>> prequential_evaluation(stream, learner, max_instances=5000).accuracy() > 70
    True
    """

    _wrapped_class = sgtrees.SGTClassifier

    def train(self, instance: LabeledInstance) -> None:
        """Learn one instance; one without a label is ignored."""
        if instance.y_index >= 0:
            self.estimator.learn_one(self._events.read(instance), int(instance.y_index))

    def predict_proba(self, instance: Instance) -> NDArray[np.float64] | None:
        """Predict the probability of each label index; None before any has been learned."""
        by_label = self.estimator.predict_proba_one(self._events.read(instance))
        if not by_label:
            return None
        probabilities = np.zeros(self.schema.get_num_classes())
        for index, probability in by_label.items():
            probabilities[int(index)] = probability
        return probabilities

    def predict(self, instance: Instance) -> int | None:
        """Predict the label index; None before any has been learned."""
        label = self.estimator.predict_one(self._events.read(instance))
        return None if label is None else int(label)


class SGTRegressor(_Wrapper, Regressor):
    """A stochastic gradient tree for regression, as a CapyMOA regressor.

    Its arguments are those of `SGTClassifier`, with the parameters of `sgtrees.SGTRegressor`.

    Examples
    --------
    >>> from capymoa.evaluation import prequential_evaluation
    >>> from capymoa.stream.generator import HyperPlaneRegression
    >>> from sgtrees.interop.capymoa import SGTRegressor
    >>> stream = HyperPlaneRegression()
    >>> learner = SGTRegressor(stream.get_schema(), warm_up=200)
    >>> results = prequential_evaluation(stream, learner, max_instances=5000)
    >>> results.cumulative.r2() > 0
    True
    """

    _wrapped_class = sgtrees.SGTRegressor

    def train(self, instance: RegressionInstance) -> None:
        """Learn one instance; one without a target is ignored."""
        target = float(instance.y_value)
        if not np.isnan(target):
            self.estimator.learn_one(self._events.read(instance), target)

    def predict(self, instance: Instance) -> float:
        """Predict the target; 0.0 before any instance has been learned."""
        return float(self.estimator.predict_one(self._events.read(instance)))


class _EnsembleWrapper(_Wrapper):
    """What all ensembles share."""

    def _own_parameters(self, random_seed: int) -> dict[str, Any]:
        return {"random_state": random_seed}


class SGTBoostingClassifier(_EnsembleWrapper, SGTClassifier):
    """Gradient boosting of stochastic gradient trees, as a CapyMOA classifier.

    Its arguments are those of `SGTClassifier`, with the parameters of
    `sgtrees.SGTBoostingClassifier`; ``random_seed`` is its ``random_state``.
    """

    _wrapped_class = sgtrees.SGTBoostingClassifier


class SGTForestClassifier(_EnsembleWrapper, SGTClassifier):
    """A forest of stochastic gradient trees, as a CapyMOA classifier.

    Its arguments are those of `SGTClassifier`, with the parameters of
    `sgtrees.SGTForestClassifier`; ``random_seed`` is its ``random_state``.
    """

    _wrapped_class = sgtrees.SGTForestClassifier


class SGTBoostingRegressor(_EnsembleWrapper, SGTRegressor):
    """Gradient boosting of stochastic gradient trees, as a CapyMOA regressor.

    Its arguments are those of `SGTRegressor`, with the parameters of
    `sgtrees.SGTBoostingRegressor`; ``random_seed`` is its ``random_state``.
    """

    _wrapped_class = sgtrees.SGTBoostingRegressor


class SGTForestRegressor(_EnsembleWrapper, SGTRegressor):
    """A forest of stochastic gradient trees, as a CapyMOA regressor.

    Its arguments are those of `SGTRegressor`, with the parameters of
    `sgtrees.SGTForestRegressor`; ``random_seed`` is its ``random_state``.
    """

    _wrapped_class = sgtrees.SGTForestRegressor


class _EventReader:
    """Reads an instance as an event: names to numbers, or to the strings of nominal values."""

    def __init__(self, schema: Schema) -> None:
        header = schema.get_moa_header()
        attributes = [
            header.attribute(place)
            for place in range(header.numAttributes())
            if place != header.classIndex()
        ]
        # Python's own strings: names from Java are objects of another type.
        self._names = [str(attribute.name()) for attribute in attributes]
        self._nominal = {
            str(attribute.name()): [str(value) for value in attribute.getAttributeValues()]
            for attribute in attributes
            if attribute.isNominal()
        }

    def read(self, instance: Instance) -> dict[str, Any]:
        event: dict[str, Any] = dict(zip(self._names, instance.x.tolist(), strict=True))
        for name, values in self._nominal.items():
            number = event[name]
            event[name] = None if np.isnan(number) else values[int(number)]
        return event

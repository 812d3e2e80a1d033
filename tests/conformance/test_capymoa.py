"""CapyMOA's prequential evaluation.

CapyMOA needs Java, and an older pandas than other tests: where it is installed elsewhere,
``SGTREES_CAPYMOA_PYTHON`` names the interpreter of that environment, which must have sgtrees too.
"""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

INTERPRETER = os.environ.get("SGTREES_CAPYMOA_PYTHON") or (
    sys.executable if importlib.util.find_spec("capymoa") else None
)

pytestmark = [
    pytest.mark.skipif(
        INTERPRETER is None,
        reason="CapyMOA is not installed here; see SGTREES_CAPYMOA_PYTHON above",
    ),
    pytest.mark.skipif(
        shutil.which("java") is None and "JAVA_HOME" not in os.environ,
        reason="CapyMOA needs Java, which is not here",
    ),
]

CLASSIFIER = """
from capymoa.evaluation import prequential_evaluation
from capymoa.stream.generator import RandomTreeGenerator
from sgtrees.interop.capymoa import SGTClassifier

stream = RandomTreeGenerator()
learner = SGTClassifier(stream.get_schema(), warm_up=200, grace_period=100)
assert learner.predict(stream.next_instance()) is None
assert learner.predict_proba(stream.next_instance()) is None
results = prequential_evaluation(stream, learner, max_instances=10_000)
assert results.accuracy() > 75, results.accuracy()
probabilities = learner.predict_proba(stream.next_instance())
assert len(probabilities) == 2 and abs(probabilities.sum() - 1) < 1e-9, probabilities
schema = learner.estimator._model.schema
assert schema.nominal == [True] * 5 + [False] * 5, schema.nominal
assert learner.get_params() == {"warm_up": 200, "grace_period": 100}
again = SGTClassifier.from_params(stream.get_schema(), learner.get_params())
assert again.estimator.grace_period == 100
one_tree = SGTClassifier(stream.get_schema(), warm_up=200, grace_period=100, multiclass="vector")
results = prequential_evaluation(stream, one_tree, max_instances=10_000)
assert results.accuracy() > 75, results.accuracy()
"""

REGRESSOR = """
from capymoa.evaluation import prequential_evaluation
from capymoa.stream.generator import HyperPlaneRegression
from sgtrees.interop.capymoa import SGTRegressor

stream = HyperPlaneRegression()
learner = SGTRegressor(stream.get_schema(), warm_up=200, grace_period=100)
assert learner.predict(stream.next_instance()) == 0.0
results = prequential_evaluation(stream, learner, max_instances=10_000)
assert results.cumulative.r2() > 0.2, results.cumulative.r2()
"""

ENSEMBLES = """
from capymoa.evaluation import prequential_evaluation
from capymoa.stream.generator import HyperPlaneRegression, RandomTreeGenerator
from sgtrees.interop import capymoa

for kind in (capymoa.SGTBoostingClassifier, capymoa.SGTForestClassifier):
    stream = RandomTreeGenerator()
    learner = kind(stream.get_schema(), random_seed=3, n_estimators=5)
    results = prequential_evaluation(stream, learner, max_instances=5_000)
    assert results.accuracy() > 70, results.accuracy()
    assert learner.estimator.random_state == 3
for kind in (capymoa.SGTBoostingRegressor, capymoa.SGTForestRegressor):
    stream = HyperPlaneRegression()
    learner = kind(stream.get_schema(), n_estimators=5, random_state=7)
    results = prequential_evaluation(stream, learner, max_instances=5_000)
    assert results.cumulative.r2() > 0, results.cumulative.r2()
    assert learner.estimator.random_state == 7
"""

# CapyMOA's ensembles run in Java, and make their members of the names of MOA's classes: no learner
# that is written in Python can be one, not even CapyMOA's own.
INSIDE = """
from capymoa.automl import BanditClassifier
from capymoa.classifier import (
    HoeffdingTree, LeveragingBagging, OnlineBagging, PassiveAggressiveClassifier,
)
from capymoa.evaluation import prequential_evaluation
from capymoa.stream.generator import SEA
from sgtrees.interop.capymoa import SGTClassifier

stream = SEA()
schema = stream.get_schema()
for ensemble in (OnlineBagging, LeveragingBagging):
    for base_learner in (PassiveAggressiveClassifier, SGTClassifier):
        try:
            ensemble(schema, base_learner=base_learner)
        except TypeError as error:
            assert "Unknown Type" in str(error), error
        else:
            raise AssertionError(f"{ensemble} takes {base_learner} now: say so in docs/guide.md")
bandit = BanditClassifier(schema=schema, base_classifiers=[SGTClassifier, HoeffdingTree])
results = prequential_evaluation(stream, bandit, max_instances=3_000)
assert results.accuracy() > 75, results.accuracy()
"""

EXAMPLES = """
import doctest
import sgtrees.interop.capymoa

outcome = doctest.testmod(sgtrees.interop.capymoa)
assert outcome.attempted and not outcome.failed, outcome
"""


def run(script):
    """Run a script with the interpreter that has CapyMOA."""
    done = subprocess.run(
        [str(INTERPRETER), "-c", script], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_classifier_is_evaluated():
    run(CLASSIFIER)


def test_a_regressor_is_evaluated():
    run(REGRESSOR)


def test_ensembles_are_evaluated():
    run(ENSEMBLES)


def test_learners_in_python_go_where_capymoa_takes_any():
    run(INSIDE)


def test_the_examples_of_the_adapters_run():
    run(EXAMPLES)

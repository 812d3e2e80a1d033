"""Learners of bags under cross-validation."""

import time
from typing import Any

from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sgtrees import SGTMultiInstanceClassifier
from sgtrees_experiments.datasets import Bags
from sgtrees_experiments.learners.runs import BagRun
from sgtrees_experiments.multi_instance import MITIClassifier, QDDIClassifier

FOLDS = 10
ESTIMATORS: dict[str, type[ClassifierMixin]] = {
    "sgt-bags": SGTMultiInstanceClassifier,
    "qddi": QDDIClassifier,
    "miti": MITIClassifier,
}


def run_bags(data: Bags, learner: str, settings: dict[str, Any], seed: int) -> BagRun:
    """Cross-validate a learner over bags, in stratified folds that the seed decides."""
    model: Any = ESTIMATORS[learner](**settings)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    began = time.process_time()
    accuracies = cross_val_score(model, data.bags, data.y, cv=folds, error_score="raise")
    return BagRun(time.process_time() - began, accuracies.tolist())

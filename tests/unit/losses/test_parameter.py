"""The parameter ``loss`` of estimators."""

import pytest

from sgtrees import SGTClassifier, SGTRegressor, losses


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        ("log_loss", ValueError, "loss == 'log_loss', must be 'squared_error', 'absolute_error'"),
        (losses.Focal(), ValueError, "is one for SGTClassifier"),
        (losses.Quantile, TypeError, r"give a loss: loss=Quantile\(\)"),
        (losses.Quantile(alpha=1.0), ValueError, "alpha is out of range"),
        (losses.Tweedie(power=2.0), ValueError, "power is out of range"),
        (losses.Huber(scale=-1.0), ValueError, "scale is out of range"),
        (losses.Huber(scale="1"), TypeError, "scale must be a number"),
        (7, ValueError, "loss == 7"),
    ],
)
def test_a_wrong_loss_is_refused(loss, error, message):
    model = SGTRegressor(loss=loss)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(error, match=message):
            learn([[1.0]], [1.0])
    assert model._model is None


def test_a_loss_for_numbers_is_refused_by_the_classifier():
    with pytest.raises(ValueError, match="is one for SGTRegressor"):
        SGTClassifier(loss=losses.Poisson()).fit([[1.0]], [1])
    with pytest.raises(ValueError, match="must be 'log_loss', 'focal', 'exponential'"):
        SGTClassifier(loss="poisson").fit([[1.0]], [1])

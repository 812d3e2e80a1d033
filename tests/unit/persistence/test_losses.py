"""User-defined losses are code and not in a file; built-in ones are saved with their parameters."""

import pickle
import warnings

import numpy as np
import pytest

import sgtrees
from sgtrees import SGTRegressor, losses
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.losses import MissingLoss
from tests.fingerprint import fingerprint
from tests.unit.persistence.round_trip import numbers, regressor, saved


def asymmetric(y, raw):
    cost = np.where(raw < y, 3.0, 1.0)
    return cost * (raw - y), cost


class Cubic(losses.Loss):
    """A loss with a link of its own."""

    def gradient_hessian(self, y, raw):
        return raw - y, np.ones_like(raw)

    def link(self, raw):
        return raw**3


def test_a_loss_that_is_code_must_be_given_again(tmp_path):
    model = regressor(loss=asymmetric)
    path = tmp_path / "model"
    with pytest.warns(UserWarning, match=r"asymmetric.* is code.*sgtrees.load\(path, loss=...\)"):
        model.save(path)
    with pytest.raises(
        ModelFileError, match=r"asymmetric.* is code.*sgtrees.load\(path, loss=...\)"
    ):
        sgtrees.load(path)
    again = sgtrees.load(path, loss=asymmetric)
    assert again.loss is asymmetric
    X, y = numbers(300, seed=1)
    assert fingerprint(again.partial_fit(X, y)) == fingerprint(model.partial_fit(X, y))


def test_a_loss_that_is_not_needed_is_refused(tmp_path):
    path = tmp_path / "model"
    regressor().save(path)
    with pytest.raises(ValueError, match="model's loss is in the file"):
        sgtrees.load(path, loss=asymmetric)


def test_a_loss_that_does_not_suit_the_model_is_refused(tmp_path):
    path = tmp_path / "model"
    with pytest.warns(UserWarning, match="is code"):
        regressor(loss=asymmetric).save(path)
    with pytest.raises(ValueError, match="SGTClassifier"):
        sgtrees.load(path, loss=losses.Focal())
    # The statistics of a built-in loss with a constant hessian are others.
    with pytest.raises(ModelFileError, match="does not fit the loss of the model"):
        sgtrees.load(path, loss=losses.SquaredError())


def test_to_predict_no_loss_is_needed_where_its_link_is_known(tmp_path):
    model = regressor(loss=losses.from_derivatives(asymmetric, link="exp"))
    path = tmp_path / "model"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(path, inference_only=True)
    again = sgtrees.load(path)
    X, _ = numbers()
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert "asymmetric" in repr(again.loss)
    with pytest.raises(ModelFileError, match=r"to learn .* needs its loss, from_derivatives"):
        again.fit(*numbers())
    once_more = saved(again, tmp_path)
    assert once_more.predict(X).tobytes() == model.predict(X).tobytes()


def test_a_link_that_is_code_is_needed_to_predict_too(tmp_path):
    model = regressor(loss=Cubic())
    X, _ = numbers()
    with pytest.warns(UserWarning, match=r"Cubic\(\) is code"):
        model.save(tmp_path / "model", inference_only=True)
    with pytest.raises(ModelFileError, match=r"Cubic\(\), is code"):
        sgtrees.load(tmp_path / "model")
    again = sgtrees.load(tmp_path / "model", loss=Cubic())
    assert again.predict(X).tobytes() == model.predict(X).tobytes()


def test_a_loss_that_was_not_given_says_what_it_is_needed_for():
    missing = MissingLoss("Cubic()", None)
    one = np.ones(1)
    with pytest.raises(ModelFileError, match=r"^to predict this model needs its loss, Cubic\(\)"):
        missing.link(one)
    for learn in (missing.check_y, lambda y: missing.gradient_hessian(y, one)):
        with pytest.raises(ModelFileError, match=r"^to learn this model needs its loss, Cubic\(\)"):
            learn(one)


def test_an_estimator_with_a_loss_of_its_own_that_has_learned_nothing_needs_it_too(tmp_path):
    with pytest.warns(UserWarning, match="asymmetric is code"):
        SGTRegressor(loss=asymmetric).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="is code"):
        sgtrees.load(tmp_path / "model")
    assert sgtrees.load(tmp_path / "model", loss=asymmetric).loss is asymmetric


def test_built_in_losses_keep_their_parameters(tmp_path):
    for loss in (losses.Quantile(alpha=0.9), losses.Huber(scale=np.float32(0.5)), "poisson"):
        again = saved(SGTRegressor(loss=loss), tmp_path)
        assert again.loss == loss
    quantile = saved(regressor(loss=losses.Quantile(alpha=0.9)), tmp_path)
    assert quantile._model.loss == losses.Quantile(alpha=0.9)


def test_a_subclass_of_a_built_in_loss_is_code(tmp_path):
    class Mine(losses.Huber):
        pass

    with pytest.warns(UserWarning, match="is code"):
        regressor(loss=Mine(scale=1.0)).save(tmp_path / "model")


def test_pickles_carry_losses_that_are_code():
    model = regressor(loss=asymmetric)
    again = pickle.loads(pickle.dumps(model))
    assert again._model.loss.function is asymmetric
    assert fingerprint(again) == fingerprint(model)

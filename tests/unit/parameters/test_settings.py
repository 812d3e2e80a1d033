import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.parameters.settings import check_parameters, core_options, read_memory


@pytest.mark.parametrize("estimator", [SGTClassifier(), SGTRegressor()])
def test_the_defaults_are_in_range(estimator):
    check_parameters(estimator.get_params())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_bins", 1),
        ("n_bins", 2.5),
        ("n_bins", True),
        ("n_bins", None),
        ("binning", "log"),
        ("warm_up", 0),
        ("grace_period", 1),
        ("kept_rows", -1),
        ("kept_rows", None),
        ("kept_rows", 2.5),
        ("thinning", "some"),
        ("following_rates", 0.1),
        ("following_rates", "0.1"),
        ("following_rates", (0.0,)),
        ("following_rates", (0.1, 1.5)),
        ("following_rates", (0.1, -0.1)),
        ("following_rates", (0.1, np.nan)),
        ("following_rates", None),
        ("following_rates", (0.1, "fast")),
        ("label_delay", -1),
        ("label_delay", 2.5),
        ("label_delay", 1_000_001),
        ("on_drift", "restart"),
        ("on_drift", None),
        ("drift_detector", "ddm"),
        ("drift_detector", 0.01),
        ("drift_delta", 0.0),
        ("drift_delta", 1.0),
        ("drift_delta", -0.01),
        ("drift_delta", np.nan),
        ("drift_delta", "small"),
        ("adaptive_ranges", "yes"),
        ("penalty_units", "row"),
        ("delta", 0.0),
        ("delta", 1.0),
        ("delta", "small"),
        ("reg_lambda", -0.1),
        ("reg_lambda", np.nan),
        ("lambda_scaling", "mean"),
        ("gamma", -1.0),
        ("gamma", np.inf),
        ("max_depth", -1),
        ("max_leaves", 0),
        ("start", "zero"),
        ("multiclass", "one-vs-rest"),
        ("epochs", 0),
        ("epochs", "many"),
        ("n_threads", 0),
        ("verbose", -1),
    ],
)
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises((TypeError, ValueError), match=f"^{name} "):
        check_parameters({name: value})


def test_the_papers_regressor_charges_in_units_of_the_loss():
    assert core_options(SGTRegressor().get_params())["units_of_leaf"] is True
    assert core_options(SGTRegressor.paper().get_params())["units_of_leaf"] is False


def test_numpy_numbers_are_numbers():
    check_parameters({"n_bins": np.int64(32), "delta": np.float32(0.1)})


def test_ranges_go_with_uniform_bins_only():
    with pytest.raises(ValueError, match="feature_ranges goes with binning='uniform' only"):
        check_parameters({"feature_ranges": (0, 1), "binning": "quantile"})


def test_options_are_the_cores():
    options = core_options(SGTClassifier(binning="quantile", max_memory="1KiB").get_params())
    assert options["quantile_bins"] is True
    assert options["lambda_per_row"] is True
    assert options["max_memory"] == 1024


@pytest.mark.parametrize(
    ("given", "n_bytes"),
    [("10", 10), ("64MB", 64_000_000), ("64 mb", 64_000_000), ("1.5GiB", 3 * 2**29), (99, 99)],
)
def test_memory_has_units(given, n_bytes):
    assert read_memory(given) == n_bytes


@pytest.mark.parametrize("given", ["much", "-1MB", "1 XB", 0, -5, 1.5, True])
def test_memory_that_is_none_is_refused(given):
    with pytest.raises((TypeError, ValueError), match=r"^max_memory "):
        read_memory(given)


def test_linear_leaves_and_rounds_exclude_each_other():
    with pytest.raises(ValueError, match="round_rows must be 1, got 1000"):
        SGTRegressor(leaf_model="linear", round_rows=1000).partial_fit([[1.0]], [1.0])

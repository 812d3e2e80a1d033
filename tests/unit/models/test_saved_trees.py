"""Model files with other numbers of trees than they say."""

import numpy as np
import pytest

from sgtrees import SGTBoostingRegressor, SGTForestClassifier, load
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.model_file import Contents, from_buffer, to_bytes

QUICK = {"warm_up": 50, "grace_period": 20, "n_estimators": 3, "random_state": 0}


def saved(tmp_path, kind):
    X = np.random.default_rng(0).random((300, 2))
    y = X[:, 0] if kind is SGTBoostingRegressor else np.digitize(X[:, 0], [0.3, 0.6])
    kind(**QUICK).partial_fit(X, y).save(tmp_path / "model")
    return from_buffer((tmp_path / "model").read_bytes())


def refusal(tmp_path, document, arrays):
    (tmp_path / "changed").write_bytes(to_bytes(Contents(document, arrays)))
    with pytest.raises(ModelFileError) as caught:
        load(tmp_path / "changed")
    return str(caught.value)


def copied(arrays, old, new):
    """Add the arrays of a tree or a member once more, under another number."""
    return {**arrays, **{k.replace(old, new): v for k, v in arrays.items() if k.startswith(old)}}


def without(arrays, beginning):
    return {name: values for name, values in arrays.items() if not name.startswith(beginning)}


KINDS = pytest.mark.parametrize("kind", [SGTBoostingRegressor, SGTForestClassifier])


@KINDS
@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_an_option_that_says_another_number_is_refused(tmp_path, kind, n):
    contents = saved(tmp_path, kind)
    contents.document["model"]["options"]["n_estimators"] = n
    message = refusal(tmp_path, contents.document, contents.arrays)
    assert "number of members" in message or "n_estimators must be from 1 to 10000" in message


@KINDS
@pytest.mark.parametrize("missing", ["member2/", "member2/tree", "member0/tree0/nodes"])
def test_members_and_trees_that_are_not_there_are_noticed(tmp_path, kind, missing):
    contents = saved(tmp_path, kind)
    assert "member" in refusal(tmp_path, contents.document, without(contents.arrays, missing))


@KINDS
def test_members_that_are_too_many_are_noticed(tmp_path, kind):
    contents = saved(tmp_path, kind)
    message = refusal(tmp_path, contents.document, copied(contents.arrays, "member2/", "member3/"))
    assert "it says that there are 3 members, and has an array 'member3/" in message


@KINDS
def test_trees_that_are_too_many_are_noticed(tmp_path, kind):
    contents = saved(tmp_path, kind)
    arrays = copied(contents.arrays, "member1/tree0/", "member1/tree7/")
    said = "it says that there is 1 tree, and has an array 'member1/tree7/"
    assert said in refusal(tmp_path, contents.document, arrays)

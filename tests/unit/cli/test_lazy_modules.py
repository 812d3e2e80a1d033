"""Modules that are loaded when something of them is used."""

import subprocess
import sys

import pytest
import sklearn
from sklearn.utils.fixes import parse_version


def in_a_new_process(code):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return run.stdout.split()


def test_a_module_is_loaded_when_it_is_used():
    code = """
import sys
import sgtrees.cli
import scipy.stats
print("scipy.optimize" in sys.modules)
print(scipy.stats.rankdata([3, 1, 2]).tolist() == [3.0, 1.0, 2.0])
print("scipy.optimize" in sys.modules)
"""
    assert in_a_new_process(code) == ["False", "True", "True"]


def test_names_can_be_imported_from_it():
    code = """
import sgtrees.cli
from scipy.stats import rankdata
print(rankdata([3, 1, 2]).tolist() == [3.0, 1.0, 2.0])
"""
    assert in_a_new_process(code) == ["True"]


def test_a_module_that_is_loaded_stays_as_it_is():
    code = """
import graphlib
from sgtrees.cli.lazy_modules import load_lazily
load_lazily("graphlib")
import graphlib as again
print(again is graphlib, type(again).__name__)
"""
    assert in_a_new_process(code) == ["True", "module"]


def test_a_module_that_cannot_be_loaded_says_why_each_time(tmp_path):
    (tmp_path / "broken_module.py").write_text("raise RuntimeError('it is broken')\n")
    code = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from sgtrees.cli.lazy_modules import load_lazily
load_lazily("broken_module")
import broken_module
for _ in range(2):
    try:
        broken_module.name
    except RuntimeError as error:
        print(str(error).replace(" ", "_"))
"""
    assert in_a_new_process(code) == ["it_is_broken"] * 2


def test_a_module_that_is_not_there_stays_away():
    code = """
from sgtrees.cli.lazy_modules import load_lazily
load_lazily("there_is_no_such_module")
try:
    import there_is_no_such_module
except ModuleNotFoundError:
    print("away")
"""
    assert in_a_new_process(code) == ["away"]


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.7"),
    reason="scikit-learn before 1.7 uses scipy.optimize itself",
)
def test_a_server_starts_without_what_it_does_not_use():
    pytest.importorskip("starlette")
    code = """
import sys
import sgtrees.cli
import sgtrees.serve.server
from sgtrees import SGTClassifier
SGTClassifier().learn_one({"size": 3.5}, "apple").predict_one({"size": 1.0})
wanted = {"scipy.optimize", "sklearn.model_selection._split", "sklearn.metrics._scorer",
          "numpy.ma.core", "matplotlib", "dask"}
print(sorted(wanted & set(sys.modules)))
"""
    assert in_a_new_process(code) == ["[]"]


def test_submodules_can_be_imported_before_it_is_used():
    code = """
import sys
import sgtrees.cli
import scipy.stats.mstats
print("scipy.optimize" in sys.modules, hasattr(scipy.stats, "norm"), scipy.stats.mstats.__name__)
"""
    assert in_a_new_process(code) == ["True", "True", "scipy.stats.mstats"]


def test_the_first_threads_that_use_it_all_find_it_whole():
    code = """
import sgtrees.cli
import scipy.stats
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda _: scipy.stats.ttest_ind.__name__, range(8)))
print(set(found) == {"ttest_ind"}, type(scipy.stats).__name__)
"""
    assert in_a_new_process(code) == ["True", "module"]

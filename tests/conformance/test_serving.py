"""The recipes of docs/operations.md for FastAPI and MLflow.

Where these are installed elsewhere, ``SGTREES_SERVING_PYTHON`` names the interpreter of that
environment, which must have sgtrees too.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BLOCK = re.compile(r"<!-- not run: needs (\w+);[^>]*-->\n```python\n(.*?)```", re.DOTALL)
RECIPES = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))

CHECKS = {
    "fastapi": """
from fastapi.testclient import TestClient

client = TestClient(app)
assert client.get("/health").json() == {"rows": 0}
assert client.post("/predict", json={"size": 1.0}).json() == {}
for number in range(600):
    event = {"size": float(number % 2), "colour": None}
    label = "plum" if number % 2 else "cherry"
    assert client.post(f"/learn/{label}", json=event).json() == {"rows": number + 1}
answer = client.post("/predict", json={"size": 1.0}).json()
assert answer["plum"] > 0.9, answer
assert client.get("/health").json()["rows"] == 600
assert client.post("/learn/plum", json={"size": [1]}).status_code == 422
checkpoints.save(model, 600)
assert Checkpoints(Path("checkpoints")).begin(resume=True).estimator.n_samples_seen_ == 600
""",
    "mlflow": """
assert loaded.predict(X[:2]).tolist() == ["cherry", "plum"]
assert mlflow.get_run(run.info.run_id).data.metrics["error"] < 0.3

from fastapi.testclient import TestClient
from mlflow.pyfunc.scoring_server import init

client = TestClient(init(loaded))
rows = {"dataframe_split": X[:2].to_dict(orient="split")}
assert client.post("/invocations", json=rows).json() == {"predictions": ["cherry", "plum"]}

uri = mlflow.sklearn.log_model(model, name="pickled", serialization_format="cloudpickle").model_uri
assert mlflow.sklearn.load_model(uri).predict(X[:2]).tolist() == ["cherry", "plum"]
""",
}


def interpreter(package: str) -> str | None:
    if os.environ.get("SGTREES_SERVING_PYTHON"):
        return os.environ["SGTREES_SERVING_PYTHON"]
    return sys.executable if importlib.util.find_spec(package) else None


@pytest.mark.parametrize("package", CHECKS)
def test_the_recipe_serves_a_model(tmp_path, package):
    python = interpreter(package)
    if python is None:
        pytest.skip(f"{package} is not installed here; see SGTREES_SERVING_PYTHON above")
    # Stored beside the script: that of earlier runs would be looked for elsewhere.
    environment = os.environ | {"MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path}/mlflow.db"}
    script = tmp_path / "recipe.py"
    script.write_text(RECIPES[package] + CHECKS[package])
    done = subprocess.run(
        [python, str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr

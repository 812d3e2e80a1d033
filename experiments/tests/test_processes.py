"""Child processes: their lines as they come, their failures, and their end."""

import sys

import pytest

from sgtrees_experiments.processes import ProcessError, output_lines


def test_a_failure_has_the_exit_code_and_the_last_line_of_the_standard_error():
    script = "import sys; print('one'); print('why\\nso', file=sys.stderr); sys.exit(3)"
    lines = output_lines([sys.executable, "-c", script])
    assert next(lines) == "one\n"
    with pytest.raises(ProcessError, match=r"^so$") as failure:
        next(lines)
    assert (failure.value.code, failure.value.stderr) == (3, "why\nso\n")


def test_a_failure_without_a_message_names_the_exit_code():
    with pytest.raises(ProcessError, match="it ended with code 4"):
        list(output_lines([sys.executable, "-c", "raise SystemExit(4)"]))


def test_closing_the_generator_ends_the_process():
    processes = []
    script = "import time; print('one', flush=True); time.sleep(600)"
    lines = output_lines([sys.executable, "-c", script], processes.append)
    assert next(lines) == "one\n"
    lines.close()
    (process,) = processes
    assert process.returncode != 0

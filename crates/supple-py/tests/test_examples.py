"""The examples run."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, tmp_path):
    done = subprocess.run([sys.executable, str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path):
    """The cells one after the other, without windows; kept without outputs."""
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    assert code and all(c["outputs"] == [] and c["execution_count"] is None for c in code)
    script = tmp_path / "cells.py"
    script.write_text("\n\n".join("".join(c["source"]) for c in code))
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr


def test_the_convergence_plot_is_drawn(tmp_path):
    subprocess.run([sys.executable, str(FOLDER / "convergence.py")], cwd=tmp_path, check=True, timeout=120)
    assert (tmp_path / "convergence.png").stat().st_size > 10_000


def test_there_are_examples():
    assert len(EXAMPLES) >= 5 and len(NOTEBOOKS) >= 2

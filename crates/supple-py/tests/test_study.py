"""Studies: designs, the store, engines, the command line."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import study_scene
import supple
from supple._study.design import sobol

HERE = pathlib.Path(__file__).resolve().parent
SCENES = HERE.parent.parent.parent / "scenes"
YOUNG = [1e4, 2e4, 4e4, 8e4]


def same(a, b):
    """Rows and arrays to the last bit, but for how long it took."""
    def rows(s):
        return [{k: v for k, v in r.items() if k != "seconds"} for r in s.table()]
    assert rows(a) == rows(b) and a.keys == b.keys
    for key in a.keys:
        x, y = a.arrays(key), b.arrays(key)
        assert x.keys() == y.keys() and all(np.array_equal(x[k], y[k]) for k in x)


def test_sobols_sequence_is_scipys():
    qmc = pytest.importorskip("scipy.stats").qmc
    for dimensions in (1, 2, 5, 10):
        ours = sobol(64, dimensions, 0)
        theirs = qmc.Sobol(dimensions, scramble=False).random(64)
        shift = (ours[:1] * 2**32).astype(np.uint64)
        plain = ((ours * 2**32).astype(np.uint64) ^ shift) / 2**32
        assert np.array_equal(plain, theirs)
    assert not np.array_equal(sobol(8, 2, 1), sobol(8, 2, 2))


def test_designs(tmp_path):
    def runs(parameters, **options):
        made = supple.study(study_scene.beam, parameters, store=tmp_path, start=False, frames=1, **options)
        return list(made._runs.values())
    assert runs({"young": [1, 2], "poisson": [0.1, 0.2]}) == [
        dict(young=y, poisson=p) for y in (1, 2) for p in (0.1, 0.2)
    ]
    assert runs({"young": [1, 2], "poisson": [0.1, 0.2]}, design="list") == [dict(young=1, poisson=0.1), dict(young=2, poisson=0.2)]
    for design in ("random", "sobol"):
        some = runs({"young": (1e3, 1e5, "log"), "poisson": (0.1, 0.4)}, design=design, samples=40, seed=3)
        assert some == runs({"young": (1e3, 1e5, "log"), "poisson": (0.1, 0.4)}, design=design, samples=40, seed=3)
        assert all(1e3 <= r["young"] < 1e5 and 0.1 <= r["poisson"] < 0.4 for r in some)
        assert 12 <= sum(r["young"] < 1e4 for r in some) <= 28
    for wrong in (dict(design="hexagon"), dict(design="list"), dict(design="sobol"), dict(samples=3), dict(engine="cloud"), dict(shard=(3, 2))):
        with pytest.raises(ValueError):
            runs({"young": [1, 2], "poisson": [0.1]}, **wrong)


def test_same_bits_with_any_workers_and_nothing_runs_twice(tmp_path):
    keep = {"lowest": study_scene.lowest, "heights": study_scene.heights}
    options = dict(keep=["last", "tip", "stress", "energy", "force", *keep.items()], frames=5, progress=False)
    here = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / "here", workers=0, **options)
    two = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / "two", workers=2, **options)
    same(here, two)
    assert len(here) == 4 and here.missing == 0 and here.failed == []
    row = here.table()[0]
    assert row["young"] == 1e4 and row["lowest"] == here.arrays(0)["positions"][:, 1].min()
    assert np.array_equal(here.arrays(0)["heights"], here.arrays(0)["positions"][:, 1])
    # Each run had its own stiffness.
    assert len({r["tip_way"] for r in here.table()}) == 4
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "two" / "runs").rglob("*.*")}
    more = supple.study(study_scene.beam, {"young": [*YOUNG, 1.6e5]}, store=tmp_path / "two", workers=0, **options)
    assert len(more) == 5 and more.keys[:4] == two.keys
    assert all(p.stat().st_mtime_ns == stamp for p, stamp in stamps.items())
    # Another number of frames is another run.
    other = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / "two", workers=0, start=False, **{**options, "frames": 6})
    assert other.missing == 4


def test_failures_are_kept_with_their_message(tmp_path):
    made = supple.study(study_scene.beam, {"young": [1e4, -1.0]}, store=tmp_path, frames=2, workers=1, progress=False)
    assert made.missing == 0 and len(made.failed) == 1
    assert made.failed[0]["parameters"] == {"young": -1.0} and "a stiffness below zero" in made.failed[0]["error"]
    assert "study_scene.py" in made.failed[0]["trace"]
    assert [r["error"] is None for r in made.table()] == [True, False]
    assert len(made.resume().failed) == 1 and len(made.resume(failed=True).failed) == 1


def test_a_process_that_is_killed_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_TEST_MARK", str(tmp_path / "mark"))
    made = supple.study(study_scene.dies, {"young": YOUNG}, store=tmp_path / "s", frames=2, workers=2, progress=False)
    assert (tmp_path / "mark").exists() and made.missing == 0 and made.failed == []


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import study_scene, supple
if __name__ == "__main__":
    supple.study(study_scene.slow, {{"young": [1e4 * (1 + k) for k in range(12)]}}, store={store!r}, frames=2, workers=2, progress=False)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_lost_when_it_is_stopped(tmp_path, how):
    store = tmp_path / "store"
    script = tmp_path / "go.py"
    script.write_text(SCRIPT.format(here=str(HERE), store=str(store)))
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    done = lambda: len(list((store / "runs").glob("[!.]*/result.json")))
    end = time.time() + 60
    while done() < 3 and time.time() < end:
        time.sleep(0.05)
    process.send_signal(how)
    process.wait(timeout=30)
    time.sleep(0.5)
    first = done()
    assert 3 <= first < 12
    stamps = {p: p.stat().st_mtime_ns for p in (store / "runs").glob("[!.]*/result.json")}
    young = [1e4 * (1 + k) for k in range(12)]
    made = supple.study(study_scene.slow, {"young": young}, store=store, frames=2, workers=2, progress=False)
    assert made.missing == 0 and made.failed == []
    assert all(p.stat().st_mtime_ns == stamp for p, stamp in stamps.items())


def test_shards_and_merging(tmp_path):
    options = dict(frames=2, workers=0, progress=False)
    whole = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / "whole", **options)
    for i in (1, 2, 3):
        supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / str(i), shard=(i, 3), **options)
    merged = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path / "1", start=False, **options)
    assert merged.missing == 2
    merged.merge(tmp_path / "2", tmp_path / "3")
    same(whole, merged)


def test_scene_files_and_the_command_line(tmp_path):
    scene = (SCENES / "stretched.toml").read_text() if (SCENES / "stretched.toml").exists() else None
    assert scene is not None
    (tmp_path / "beam.toml").write_text(BEAM)
    (tmp_path / "study.toml").write_text(
        'scene = "beam.toml"\nframes = 3\nkeep = ["tip", "every:2"]\nworkers = 1\n[parameters]\n"body.beam.material.young" = [1e5, 2e5]\n'
    )
    command = [sys.executable, "-m", "supple", "study", str(tmp_path / "study.toml"), "--quiet"]
    for shard in ("1/2", "2/2"):
        done = subprocess.run([*command, "--shard", shard], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([*command, "--report"], capture_output=True, text=True)
    assert done.returncode == 0 and "2 of 2 runs" in done.stdout, done.stdout + done.stderr
    store = tmp_path / "study"
    assert (store / "table.csv").exists() or (store / "table.parquet").exists()
    page = (store / "report.html").read_text()
    assert "<svg" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")
    there = supple.study(tmp_path / "beam.toml", {"body.beam.material.young": [1e5, 2e5]}, keep=["tip", "every:2"], frames=3, store=store, start=False)
    assert there.missing == 0 and there.arrays(0)["frames"].shape[0] == 1
    a, b = (r["tip_way"] for r in there.table())
    assert a != b
    # Another scene of the same name is another study.
    (tmp_path / "beam.toml").write_text(BEAM.replace("1000.0", "900.0"))
    other = supple.study(tmp_path / "beam.toml", {"body.beam.material.young": [1e5, 2e5]}, keep=["tip", "every:2"], frames=3, store=store, start=False)
    assert other.missing == 2
    (tmp_path / "study.toml").write_text('scene = "beam.toml"\nframess = 3\n[parameters]\n')
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "framess" in done.stderr


BEAM = """version = 1
[time]
dt = 0.04
frames = 5
[[body]]
name = "beam"
shape = { kind = "box", size = [1.0, 0.2, 0.2], cells = [4, 1, 1], split = 5 }
material = { kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000.0 }
[[pin]]
body = "beam"
select = { plane = { point = [0, 0, 0], normal = [-1, 0, 0] } }
"""


def test_pandas_and_tables(tmp_path):
    pandas = pytest.importorskip("pandas")
    made = supple.study(study_scene.beam, {"young": YOUNG}, store=tmp_path, frames=1, workers=0, progress=False)
    frame = made.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["young"]) == YOUNG and frame["error"].isna().all()
    try:
        import pyarrow.parquet as parquet
        again = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    except ImportError:
        again = pandas.read_csv(tmp_path / "table.csv", float_precision="round_trip").to_dict("records")
    assert [r["tip_way"] for r in again] == list(frame["tip_way"])
    text = json.loads((tmp_path / "study.json").read_text())
    assert text["runs"] == 4

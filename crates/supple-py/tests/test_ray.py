"""A study on a Ray cluster of two nodes on this machine; one worker process and then one node are killed on the way."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import study_scene
import supple

try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError as e:
    pytest.skip(f"Ray is not installed here: {e}", allow_module_level=True)

YOUNG = [1e4 * (1 + k / 10) for k in range(100)]


def test_nothing_is_lost_with_a_worker_and_a_node(tmp_path, monkeypatch):
    marks = tmp_path / "pids"
    marks.mkdir()
    monkeypatch.setenv("SUPPLE_TEST_PIDS", str(marks))
    options = dict(keep=["last", "tip"], frames=2, progress=False)
    local = supple.study(study_scene.told, {"young": YOUNG}, store=tmp_path / "local", workers=2, **options)
    for p in marks.iterdir():
        p.unlink()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        node = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False, runtime_env={"env_vars": {"SUPPLE_TEST_PIDS": str(marks)}})
        made = supple.study(study_scene.told, {"young": YOUNG}, store=tmp_path / "ray", engine="ray", start=False, **options)
        runner = threading.Thread(target=made.resume)
        runner.start()

        def wait(count):
            end = time.time() + 120
            while len(made) - made.missing < count and runner.is_alive() and time.time() < end:
                time.sleep(0.05)

        wait(10)
        victim = max(marks.iterdir(), key=lambda p: p.stat().st_mtime_ns)
        os.kill(int(victim.name), signal.SIGKILL)
        wait(40)
        assert made.missing > 0, "the node is killed before the end"
        cluster.remove_node(node, allow_graceful=False)
        runner.join(timeout=240)
        assert not runner.is_alive()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert made.missing == 0 and made.failed == [] and len(made.table()) == 100
    assert len(list(marks.iterdir())) >= 3, "the worker was replaced"
    for key in local.keys:
        a, b = local.arrays(key), made.arrays(key)
        assert np.array_equal(a["positions"], b["positions"]) and np.array_equal(a["velocities"], b["velocities"])

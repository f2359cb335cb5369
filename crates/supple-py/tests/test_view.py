"""The widget's side of the viewer: what its page asks for, and what it gets."""
import json
import struct

import numpy as np
import pytest
from conftest import beam

import supple

pytest.importorskip("anywidget", reason="anywidget is not installed")


class Page:
    """What the page would see."""

    def __init__(self, monkeypatch, scene, **options):
        from supple._view import View

        self.texts, self.frames = [], []
        monkeypatch.setattr(View, "send", lambda _, content, buffers=(): self.take(content, buffers))
        self.widget = supple.view(scene, **options)

    def take(self, content, buffers):
        if content:
            self.texts.append(json.loads(content))
        for b in buffers:
            assert b[:4] == b"SUPL" and struct.unpack_from("<H", b, 4) == (1,)
            kind, = struct.unpack_from("<H", b, 6)
            if kind == 1:
                length, = struct.unpack_from("<I", b, 12)
                self.model = json.loads(b[16:16 + length])
                self.numbers = np.frombuffer(b[16 + length:], "<u4")
            else:
                n, frame, time = *struct.unpack_from("<I", b, 12), *struct.unpack_from("<Qd", b, 16)
                self.status = b[44]
                assert kind == 2 and len(b) == 72 + 12 * n
                self.frames.append((frame, time, np.frombuffer(b[72:], "<f4").reshape(n, 3)))

    def tell(self, **command):
        self.widget._take(json.dumps(command))
        return self

    @property
    def state(self):
        return [t for t in self.texts if t["type"] == "state"][-1]


def test_hello_gives_model_state_and_frame(monkeypatch):
    scene, body, mesh = beam()
    page = Page(monkeypatch, scene, title="bar", threads=1).tell(type="hello")
    b, = page.model["bodies"]
    # All nodes of a box of one cell across are on its surface.
    assert b["vertices"] == len(mesh.vertices) and b["pins"] == 4 and page.model["scene"] == "bar"
    assert len(page.numbers) == b["drawn"] + 3 * b["triangles"] + 2 * b["edges"] + b["pins"] + b["anchors"]
    origin, triangles = page.numbers[:b["drawn"]], page.numbers[b["drawn"]:b["drawn"] + 3 * b["triangles"]]
    assert origin.max() < b["vertices"] and triangles.max() < b["drawn"]
    frame, time, x = page.frames[-1]
    assert (frame, time, page.status) == (0, 0.0, 0) and np.allclose(x, mesh.vertices, atol=1e-6)
    assert page.state["running"] is False and page.state["nodes"] == len(mesh.vertices)
    assert 'notebook</script>' in page.widget.page


def test_it_steps_when_it_is_asked_and_runs(monkeypatch):
    page = Page(monkeypatch, beam()[0], threads=1).tell(type="hello").tell(type="next")
    assert len(page.frames) == 1, "it does not run"
    page.tell(type="run", on=True).tell(type="next").tell(type="next").tell(type="step").tell(type="next")
    assert [f[0] for f in page.frames] == [0, 1, 2, 3] and page.status == 1 and page.state["running"] is False
    alone = beam()[0].build(threads=1)
    alone.step(3)
    assert np.allclose(page.frames[-1][2], alone.positions, atol=1e-6)
    page.tell(type="reset")
    assert page.frames[-1][0] == 0 and np.allclose(page.frames[-1][2], page.frames[0][2])


def test_pulling_moves_it_there_and_lets_go(monkeypatch):
    scene, body, mesh = beam()
    sim = scene.build(threads=1)
    page = Page(monkeypatch, sim).tell(type="hello")
    tip = int(np.argmax(mesh.vertices.sum(axis=1)))
    at = mesh.vertices[tip]
    page.tell(type="grab", vertices=[tip], at=at.tolist()).tell(type="drag", to=(at + [0, 0.1, 0]).tolist())
    assert page.state["held"] == 1
    page.tell(type="run", on=True)
    for _ in range(60):
        page.tell(type="next")
    free = beam()[0].build(threads=1)
    free.step(60)
    pulled = sim.positions[tip, 1]
    assert pulled > free.positions[tip, 1] + 0.02 and np.isfinite(sim.positions).all()
    page.tell(type="release")
    assert page.state["held"] == 0
    for _ in range(100):
        page.tell(type="next")
    assert sim.positions[tip, 1] < pulled - 0.02


def test_what_is_no_command_is_told(monkeypatch):
    page = Page(monkeypatch, beam()[0], threads=1).tell(type="hello")
    for number, command in enumerate([{"type": "scene", "name": "x"}, {"type": "grab", "vertices": [9999], "at": [0, 0, 0]},
                                      {"type": "drag", "to": [0, 0]}, {"type": "speed", "factor": -1}, {}]):
        page.tell(**command)
        assert page.state["note"]["number"] == number + 1 and page.state["note"]["text"]
    page.widget._take("no json")
    assert page.state["note"]["number"] == 6


def test_show_is_the_same(monkeypatch):
    from supple._view import View

    sim = beam()[0].build(threads=1)
    widget = sim.show(height=300)
    assert isinstance(widget, View) and widget.sim is sim and widget.height == 300
    with pytest.raises(TypeError, match="has been built"):
        supple.view(sim, threads=1)

"""The viewer's page as a widget in a notebook, with the kernel's simulation behind it."""
from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _supple
from ._play import _COLOURS, _drawn
from ._supple import Scene, Simulation

try:
    import anywidget  # type: ignore[import-not-found,import-untyped,unused-ignore]
    import traitlets  # type: ignore[import-not-found,import-untyped,unused-ignore]
except ImportError as e:
    raise ImportError("supple.view() and sim.show() need anywidget: pip install supple[notebook]; sim.plot() and supple.play() do without") from e

Array = npt.NDArray[np.float64]

#: Passes messages between the page, in a frame with an origin of its own, and the kernel.
_PASS = """
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.style.cssText = `width: 100%; border: 0; height: ${model.get("height")}px`;
    const up = (event) => {
      if (event.source === frame.contentWindow && typeof event.data === "string") model.send(event.data);
    };
    const down = (content, buffers) => {
      for (const b of buffers ?? []) {
        const bytes = new Uint8Array(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength).slice();
        frame.contentWindow?.postMessage(bytes.buffer, "*", [bytes.buffer]);
      }
      if (content) frame.contentWindow?.postMessage(content, "*");
    };
    window.addEventListener("message", up);
    model.on("msg:custom", down);
    frame.srcdoc = model.get("page");
    el.appendChild(frame);
    return () => {
      window.removeEventListener("message", up);
      model.off("msg:custom", down);
    };
  },
};
"""
_STATUS = ("start", "converged", "iteration_limit", "time_limit", "stalled", "diverged", "stopped", "infeasible")
#: How many steps it takes what is pulled to follow, and how far around the point nodes are pulled, as a share of the body.
_LAG, _AROUND = 4.0, 0.1


class _Stream:
    """Model and frames of a simulation as bytes (docs/stream-format.md)."""

    def __init__(self, sim: Simulation, title: str) -> None:
        self.sim, self.title = sim, title
        x = sim.positions
        #: Node of each vertex, body after body.
        self.nodes: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        pinned, about, arrays = sim.held.any(axis=1), list[dict[str, Any]](), list[npt.NDArray[np.int64]]()
        for k, (body, (faces, rods)) in enumerate(zip(sim.bodies, sim._seen())):
            used = np.unique(np.concatenate([faces.ravel(), rods.ravel()]))
            number = np.zeros(len(x), dtype=np.int64)
            number[used] = np.arange(len(used))
            faces, rods, pins = number[faces], number[rods], np.flatnonzero(pinned[used])
            origin, drawn = _drawn(x[used], faces) if faces.size else (np.zeros(0, dtype=np.int64), faces)
            about.append({
                "name": body.name, "obstacle": False, "colour": _COLOURS[k % len(_COLOURS)], "vertices": len(used), "drawn": len(origin),
                "triangles": len(drawn), "edges": len(rods), "pins": len(pins), "anchors": 0,
            })
            arrays += [origin, drawn.ravel(), rods.ravel(), pins]
            self.nodes = np.concatenate([self.nodes, used])
        low, high = x.min(axis=0), x.max(axis=0)
        margin = 0.5 * float(np.linalg.norm(high - low)) or 1.0
        text = json.dumps({
            "scene": title, "dt": float(sim.settings["dt"]) * sim.substeps, "view": [0.7, 0.5, 1.0], "floor": float(low[1]) - margin,
            "bounds": [(low - margin).tolist(), (high + margin).tolist()], "bodies": about,
        }).encode()
        text += b" " * (-len(text) % 4)
        self.model = b"SUPL" + struct.pack("<HHII", 1, 1, 1, len(text)) + text + np.concatenate(arrays).astype("<u4").tobytes()

    def frame(self) -> bytes:
        sim, report = self.sim, self.sim.last_report
        status = _STATUS.index(report.status) if report is not None else 0
        energy = report.energy if report is not None else {"elastic": 0.0, "kinetic": 0.0}
        numbers = (report.timings["total"] * 1e3, report.iterations, report.force_residual) if report is not None else (0.0, 0, 0.0)
        head = b"SUPL" + struct.pack(
            "<HHIIQdfIfBBHIIIffI", 1, 2, 1, len(self.nodes), sim.frame, sim.time, numbers[0], numbers[1], min(numbers[2], 3e38), status, 0, 0, 0,
            report.inverted if report is not None else 0, int(sim.settings["iterations"]), min(energy["elastic"], 3e38), energy["kinetic"], 0,
        )
        return head + sim.positions[self.nodes].astype("<f4").tobytes()


class _Pull:
    """Nodes around a point of a body, drawn to where the pointer is: critically damped, and never stiffer than steps allow."""

    def __init__(self, sim: Simulation, node: int, at: Array) -> None:
        body = next(b for b in sim.bodies if b.first_node <= node < b.first_node + b.node_count)
        x, rows = sim.positions, sim.body_slice(body)
        size = float(np.linalg.norm(np.ptp(x[rows], axis=0))) or 1.0
        away = np.linalg.norm(x[rows] - at, axis=1) / (_AROUND * size)
        away[node - body.first_node] = 0.0
        near = np.flatnonzero((away < 1.0) & ~sim.held[rows].any(axis=1))
        self.ids = near + body.first_node
        self.weight = (1.0 - away[near] ** 2) ** 2 * sim.masses[self.ids] * 4.0
        self.offset = x[self.ids] - at
        self.to = at

    def forces(self, sim: Simulation) -> Array:
        lag = _LAG * float(sim.settings["dt"])
        f = np.zeros((sim.node_count, 3))
        x, v = sim.positions[self.ids], sim.velocities[self.ids]
        f[self.ids] = self.weight[:, None] * ((self.to + self.offset - x) / lag**2 - 2.0 * v / lag)
        return f


class View(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
    """The viewer in a notebook: runs, pauses, steps, resets and pulls at the kernel's simulation.

    Pulling sets the forces of set_forces(); letting go sets them to zero. It takes a step whenever the page asks for a frame, so while a cell is
    at work it waits.
    """

    _esm = _PASS
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)

    def __init__(self, sim: Simulation, title: str = "supple", height: int = 480) -> None:
        before, after = _supple._report_page(title)
        super().__init__(page=f"{before}notebook</script>{after}", height=height)
        #: The simulation.
        self.sim = sim
        self._stream = _Stream(sim, title)
        self._running, self._speed = False, 1.0
        self._pull: _Pull | None = None
        self._error: str | None = None
        self._note = 0, ""
        self.on_msg(lambda _, content, __: self._take(content))

    def refresh(self) -> None:
        """Shows the state as it is, after it was changed in a cell."""
        self.send("", buffers=[self._stream.frame()])

    def _tell(self) -> None:
        sim = self.sim
        state = {
            "type": "state", "scene": self._stream.title, "scenes": [], "running": self._running, "speed": self._speed, "building": False,
            "held": int(self._pull is not None), "viewers": 1, "nodes": sim.node_count, "elements": sim.element_count, "threads": sim.threads,
            "values": None, "error": self._error, "note": {"number": self._note[0], "text": self._note[1]} if self._note[0] else None,
        }
        self.send(json.dumps(state))

    def _refuse(self, why: str) -> None:
        self._note = self._note[0] + 1, why
        self._tell()

    def _step(self) -> None:
        try:
            for _ in range(self.sim.substeps):
                if self._pull is not None:
                    self.sim.set_forces(self._pull.forces(self.sim))
                self.sim.step()
        except (RuntimeError, ValueError) as e:
            self._running, self._error = False, str(e)
            self._tell()
        self.refresh()

    def _release(self) -> None:
        if self._pull is not None:
            self._pull = None
            self.sim.set_forces(np.zeros((self.sim.node_count, 3)))

    def _take(self, content: Any) -> None:
        """A command of the page."""
        try:
            command = json.loads(content)
            kind = command["type"]
            if kind == "hello":
                self.send("", buffers=[self._stream.model])
                self._tell()
                self.refresh()
            elif kind == "next":
                if self._running:
                    self._step()
            elif kind == "run":
                self._running = bool(command["on"]) and self._error is None
                self._tell()
            elif kind == "step":
                self._running = False
                self._tell()
                self._step()
            elif kind == "reset":
                self._running, self._error = False, None
                self._release()
                self.sim.reset()
                self._tell()
                self.refresh()
            elif kind == "speed":
                speed = float(command["factor"])
                if not (speed == 0 or 1e-3 <= speed <= 1e3):
                    raise ValueError(f"the speed must be 0 or from 0.001 to 1000, not {speed}")
                self._speed = speed
                self._tell()
            elif kind == "grab":
                vertex, at = int(command["vertices"][0]), np.asarray(command["at"], dtype=float)
                if not 0 <= vertex < len(self._stream.nodes) or at.shape != (3,) or not np.isfinite(at).all():
                    raise ValueError("there is no such vertex or point")
                self._pull = _Pull(self.sim, int(self._stream.nodes[vertex]), at)
                self._tell()
            elif kind == "drag":
                to = np.asarray(command["to"], dtype=float)
                if to.shape != (3,) or not np.isfinite(to).all():
                    raise ValueError("there is no such point")
                if self._pull is not None:
                    self._pull.to = to
            elif kind == "release":
                self._release()
                self._tell()
            elif kind != "colour":
                self._refuse(f"`{kind}` is not for a notebook: change the scene in a cell")
        except (KeyError, TypeError, ValueError, IndexError) as e:
            self._refuse(f"this is no command: {e}")


def view(scene: Scene | Simulation, *, title: str = "supple", height: int = 480, **options: Any) -> View:
    """The viewer in a notebook, with the kernel's simulation behind it: a widget, which the last line of a cell shows.

    scene: a Scene, which is built with the options of Scene.build, or a Simulation. Needs anywidget (pip install supple[notebook]).
    """
    if isinstance(scene, Simulation):
        if options:
            raise TypeError("a Simulation has been built: options are for scenes")
        return View(scene, title, height)
    return View(scene.build(**options), title, height)

"""Recorded runs as a page that plays in a notebook, and in the notebook's file."""
from __future__ import annotations

import base64
import html
import json
import os
import pathlib
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _supple
from ._mesh import surface

_COLOURS = [
    (0.90, 0.38, 0.15), (0.12, 0.45, 0.72), (0.96, 0.70, 0.16), (0.06, 0.60, 0.50),
    (0.78, 0.47, 0.66), (0.40, 0.71, 0.90), (0.48, 0.30, 0.20), (0.66, 0.68, 0.72),
]
_SHARP = np.cos(np.radians(40.0))
"""Surfaces are drawn with an edge where they turn by more than 40 degrees."""


class Player:
    """A recorded run as one page: a notebook shows it; save() writes it as a file that plays from the disk."""

    def __init__(self, page: str, frames: int, height: int) -> None:
        self.page = page
        """The page: HTML without anything from outside."""
        self.frames = frames
        """How many frames it has."""
        self.height = height
        """Its height in a notebook, in pixels."""

    @property
    def size(self) -> int:
        """Bytes that it adds to a notebook's file."""
        return len(self._repr_html_().encode())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page as an HTML file."""
        pathlib.Path(path).write_text(self.page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # The frame has an origin of its own: what plays in it sees nothing of the notebook.
        page = html.escape(self.page, quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" style="width: 100%; height: {self.height}px; border: 0">'
            "</iframe>"
        )

    def __repr__(self) -> str:
        return f"<supple.Player of {self.frames} frames, {self.size / 1e6:.1f} MB>"


def _drawn(x: npt.NDArray[np.float64], triangles: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Vertices as drawn, split where the surface has an edge: (vertex of each, triangles by them)."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    mean = np.zeros_like(x)
    for k in range(3):
        np.add.at(mean, triangles[:, k], normals)

    def unit(v: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        ways: npt.NDArray[np.float64] = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)
        return ways

    flat = unit(normals)
    corners = triangles.ravel()
    side = np.repeat(flat, 3, axis=0)
    smooth = np.einsum("ij,ij->i", unit(mean)[corners], side) > _SHARP
    # A corner that differs much from its vertex's mean shares a drawn vertex with those that face the same way.
    way = np.where(smooth[:, None], 0.0, np.round(side * 4.0))
    _, first, of = np.unique(np.column_stack([corners, ~smooth, way]), axis=0, return_index=True, return_inverse=True)
    return corners[first], of.reshape(-1, 3)


def _triangles(name: str, value: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    array = np.asarray(value)
    if array.size == 0:
        return np.zeros((0, 3), dtype=np.int64)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be whole numbers in rows")
    if array.min() < 0 or array.max() >= n:
        raise ValueError(f"{name} name nodes from {array.min()} to {array.max()}, but there are {n}")
    return array.astype(np.int64)


def play(
    positions: npt.ArrayLike,
    triangles: npt.ArrayLike | _supple.Simulation | None = None,
    *,
    tets: npt.ArrayLike | None = None,
    edges: npt.ArrayLike | None = None,
    fps: float = 24.0,
    title: str = "supple",
    height: int = 480,
    most_megabytes: float = 32.0,
) -> Player:
    """A recorded run that plays in a notebook, also after it was saved and where no kernel runs.

    positions: (frames, n, 3) in m, as `supple.run` returns them. triangles: the Simulation that they are of; or what is seen of the bodies:
    triangles (k, 3), tets (m, 4), whose boundary is seen, and edges (l, 2), by nodes of all bodies. Each frame has six bytes per vertex that is seen: coordinates are rounded to a
    65535th of the box around all frames. most_megabytes: a larger page is an error; take fewer frames then, positions[::2] with fps / 2.

    Returns a Player: the last line of a cell shows it, save("run.html") writes it as a file.
    """
    x = np.asarray(positions, dtype=np.float64)
    if x.ndim == 2:
        x = x[None]
    if x.ndim != 3 or x.shape[2] != 3 or x.shape[0] == 0 or x.shape[1] == 0:
        raise ValueError(f"positions must have the shape (frames, n, 3), not {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError("positions must be finite")
    if not (np.isfinite(fps) and fps > 0):
        raise ValueError(f"fps must be positive, not {fps}")
    n = x.shape[1]
    if isinstance(triangles, _supple.Simulation):
        if tets is not None or edges is not None:
            raise TypeError("a simulation knows what is seen of its bodies: give it alone")
        shown = triangles._seen()
        triangles, edges = (np.concatenate([body[k] for body in shown]) for k in (0, 1))
    faces = [_triangles("triangles", triangles, n)] if triangles is not None else []
    if tets is not None:
        faces.append(np.asarray(surface(_triangles("tets", tets, n)), dtype=np.int64))
    seen = np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int64)
    rods = _triangles("edges", edges, n).reshape(-1, 2) if edges is not None else np.zeros((0, 2), dtype=np.int64)
    if not (seen.size or rods.size):
        raise ValueError("nothing is seen: give triangles, tets or edges")
    nodes = np.unique(np.concatenate([seen.ravel(), rods.ravel()]))
    number = np.zeros(n, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    seen, rods = number[seen], number[rods]
    x = x[:, nodes]
    size = len(x) * (96 + 6 * len(nodes)) * 4 / 3
    if size > most_megabytes * 1e6:
        raise ValueError(
            f"{len(x)} frames of {len(nodes)} vertices make a page of {size / 1e6:.0f} MB, more than {most_megabytes:g}: "
            "take fewer frames, or allow it with most_megabytes"
        )
    low, high = x.min(axis=(0, 1)), x.max(axis=(0, 1))
    step = np.where(high > low, (high - low) / 65535.0, 1.0)
    diagonal = float(np.linalg.norm(high - low)) or 1.0
    origin, drawn = _drawn(x[0], seen) if seen.size else (np.zeros(0, dtype=np.int64), seen)
    about = {
        "scene": title, "dt": 1.0 / fps, "view": [0.7, 0.5, 1.0], "floor": float(low[1]) - 0.01 * diagonal,
        "bounds": [low.tolist(), high.tolist()],
        "bodies": [{
            "name": title, "obstacle": False, "colour": _COLOURS[0], "vertices": len(nodes), "drawn": len(origin),
            "triangles": len(drawn), "edges": len(rods), "pins": 0, "anchors": 0,
        }],
    }
    text = json.dumps(about).encode()
    text += b" " * (-len(text) % 4)
    arrays = np.concatenate([origin, drawn.ravel(), rods.ravel()]).astype("<u4").tobytes()
    messages = [b"SUPL" + struct.pack("<HHII", 1, 1, 1, len(text)) + text + arrays]
    for k, frame in enumerate(x):
        head = b"SUPL" + struct.pack("<HHIIQdfIfBBHIIIffI", 1, 3, 1, len(nodes), k, k / fps, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        rounded = np.round((frame - low) / step).astype("<u2").tobytes()
        messages.append(head + struct.pack("<6d", *low, *step) + rounded + b"\0" * (-len(rounded) % 4))
    data = b"".join(struct.pack("<I", len(m)) + m for m in messages)
    before, after = _supple._report_page(title)
    return Player(before + base64.b64encode(data).decode() + "</script>" + after, len(x), height)

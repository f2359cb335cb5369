"""Pictures where there is no browser."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._play import _COLOURS

if TYPE_CHECKING:
    from ._supple import Simulation


def plot(sim: Simulation, ax: Any = None) -> Any:
    """Draws the present state with matplotlib: surfaces shaded, springs as lines, y upwards. Returns the axes."""
    try:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection  # type: ignore[import-untyped,unused-ignore]
        import matplotlib.pyplot as plt
    except ImportError as e:
        raise ImportError("matplotlib is needed for pictures: pip install matplotlib") from e
    if ax is None:
        ax = plt.figure().add_subplot(projection="3d")
    elif not hasattr(ax, "add_collection3d"):
        raise TypeError('ax must be three-dimensional axes: figure.add_subplot(projection="3d")')
    # matplotlib has z upwards.
    x = np.asarray(sim.positions)[:, [2, 0, 1]]
    for k, (triangles, edges) in enumerate(sim._seen()):
        colour = _COLOURS[k % len(_COLOURS)]
        if len(triangles):
            ax.add_collection3d(Poly3DCollection(x[triangles], facecolors=colour, edgecolors=colour, linewidths=0.2, shade=True))
        if len(edges):
            ax.add_collection3d(Line3DCollection(x[edges], colors=[colour]))
    low, high = x.min(axis=0), x.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9)
    for axis, m in zip("xyz", middle):
        getattr(ax, f"set_{axis}lim")(m - half, m + half)
    ax.set_box_aspect((1, 1, 1))
    ax.set_xlabel("z (m)")
    ax.set_ylabel("x (m)")
    ax.set_zlabel("y (m)")
    ax.set_title(f"{sim.time:.3g} s")
    return ax

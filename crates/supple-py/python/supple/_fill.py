"""Surfaces that become bodies, and skins that ride in them."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _supple


class Filled:
    """A body made of a surface by `fill`."""

    vertices: npt.NDArray[np.float64]
    """Positions of nodes in m: (n, 3)."""
    tets: npt.NDArray[np.int64]
    """Corners of tetrahedra: (m, 4)."""
    fill: npt.NDArray[np.float64]
    """Fill fraction of each tetrahedron, in (0, 1]: (m,). Give it to `Scene.add_solid(..., fill=...)`."""
    report: dict[str, Any]
    """What was done and what came out; `report["notes"]` says it in words. Angles in degrees, lengths in m, shares from 0 to 1."""

    def __init__(
        self,
        vertices: npt.NDArray[np.float64],
        tets: npt.NDArray[np.int64],
        fill: npt.NDArray[np.float64],
        report: dict[str, Any],
        triangles: npt.NDArray[np.int64],
        surface_vertices: int,
    ) -> None:
        self.vertices = vertices
        self.tets = tets
        self.fill = fill
        self.report = report
        self._triangles = triangles
        self._surface_vertices = surface_vertices

    def __repr__(self) -> str:
        return f"Filled({len(self.vertices)} nodes, {len(self.tets)} tets, {self.report['kind']!r})"


def fill(
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    size: float | None = None,
    tets: int | None = None,
    kind: str = "conform",
    *,
    cavities: str = "keep",
    parts: str = "all",
    threads: int = 0,
) -> Filled:
    """Fills a surface (vertices (n, 3) in m, triangles (k, 3)) with tetrahedra. Holes, overlaps, copies and turned triangles are taken.

    size: length of the lattice's long edges in m; or tets: about this number of tetrahedra; neither: a thirtieth of the bounding box's
    diagonal. kind: "conform" (nodes on the surface), "grow" (a little beyond it) or "cage" (whole lattice tetrahedra), the last two with
    fill fractions. cavities: "keep" or "fill". parts: "all" or "largest". threads: 0 takes all of the machine; the result does not depend on it.
    """
    corners = np.asarray(triangles)
    made = _supple.fill_surface(vertices, triangles, size, tets, kind, cavities, parts, threads)
    return Filled(*made, corners, len(np.asarray(vertices)))


class Skin:
    """Points of a detailed surface that ride in the tetrahedra of a body.

    filled: what `fill` returned, or anything with vertices and tets. vertices: (n, 3), at rest where the body is. For `normals`, either
    normals (n, 3) at rest or triangles; the vertices that were filled have theirs already. order: that of the body, as `Scene.add_solid` was told.
    """

    def __init__(
        self,
        filled: Any,
        vertices: npt.ArrayLike,
        *,
        triangles: npt.ArrayLike | None = None,
        normals: npt.ArrayLike | None = None,
        order: int = 1,
    ) -> None:
        if triangles is None and normals is None and isinstance(filled, Filled):
            if len(np.asarray(vertices)) == filled._surface_vertices:
                triangles = filled._triangles
        self._skin = _supple._Skin(filled.vertices, filled.tets, vertices, triangles, normals, order)

    @property
    def tets(self) -> npt.NDArray[np.int64]:
        """The tetrahedron of each point: (n,). Of order 2 one of the eight between an element's nodes: t // 8 is the element."""
        return self._skin.tets

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weights of its corners: (n, 4), rows sum to 1."""
        return self._skin.weights

    @property
    def outside(self) -> int:
        """How many points lie outside of all tetrahedra; their weights are extrapolated."""
        return self._skin.outside

    def positions(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Where the points are when the body's nodes are at x (m, 3)."""
        return self._skin.positions(x)

    def normals(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Normals of unit length when the body's nodes are at x (m, 3)."""
        return self._skin.normals(x)

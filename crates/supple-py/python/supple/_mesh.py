"""Meshes: files and built-in shapes."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _supple


class Mesh(NamedTuple):
    """A mesh: a tuple, so that `vertices, tets, *_ = mesh` works too."""

    vertices: npt.NDArray[np.float64]
    """Positions in m: (n, 3)."""
    tets: npt.NDArray[np.int64]
    """Corners of tetrahedra with positive volume: (m, 4); empty for a surface."""
    triangles: npt.NDArray[np.int64]
    """Triangles that the file lists: (k, 3)."""
    groups: dict[str, npt.NDArray[np.int64]]
    """Named parts: ids of their nodes."""
    notes: list[str]
    """What was repaired, simplified or ignored while reading."""

    def to_pyvista(self) -> Any:
        """The mesh for PyVista, which must be installed: an UnstructuredGrid of tetrahedra, or PolyData of triangles."""
        try:
            import pyvista  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError as e:
            raise ImportError("PyVista is needed: pip install pyvista") from e
        if len(self.tets):
            return pyvista.UnstructuredGrid({pyvista.CellType.TETRA: self.tets}, self.vertices)
        faces: Any = self.triangles
        return pyvista.PolyData.from_regular_faces(self.vertices, faces)

    def to_meshio(self) -> Any:
        """The mesh for meshio, which must be installed, with its groups as sets of points."""
        try:
            import meshio  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError as e:
            raise ImportError("meshio is needed: pip install meshio") from e
        cells = [(kind, rows) for kind, rows in (("tetra", self.tets), ("triangle", self.triangles)) if len(rows)]
        return meshio.Mesh(self.vertices, cells, point_sets=dict(self.groups))


def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Reads a mesh: TetGen, Gmsh 2.2 and 4.1, Medit, VTK, VTU; surfaces from OBJ, PLY, STL, glTF."""
    return Mesh(*_supple.read_mesh(path))


def write_mesh(
    path: str | os.PathLike[str],
    vertices: npt.ArrayLike | Mesh,
    tets: npt.ArrayLike | None = None,
    *,
    triangles: npt.ArrayLike | None = None,
) -> None:
    """Writes a mesh, or vertices (n, 3) with tets (m, 4) and triangles (k, 3); the extension says the format.

    Formats of surfaces take the boundary of the tetrahedra. A file that is there is replaced, whole or not at all.
    """
    if isinstance(vertices, Mesh):
        if tets is not None or triangles is not None:
            raise TypeError("write_mesh takes a Mesh or arrays, not both")
        vertices, tets, triangles = vertices[:3]
    _supple.write_mesh(path, vertices, tets, triangles)


def box_mesh(size: npt.ArrayLike = (1.0, 1.0, 1.0), cells: Sequence[int] = (4, 4, 4), *, split: int = 5) -> Mesh:
    """A box from the origin to size (m) with cells along x, y, z, each cut into split = 5 (mirrored from cell to cell), 6 or 24 tetrahedra."""
    return Mesh(*_supple.box_mesh(size, cells, split))


def ball_mesh(radius: float = 1.0, cells: int = 8) -> Mesh:
    """A ball around the origin; radius in m, an even number of cells across."""
    return Mesh(*_supple.ball_mesh(radius, cells))


def cylinder_mesh(radius: float = 0.5, length: float = 1.0, cells: int = 4, *, along: int = 8) -> Mesh:
    """A cylinder along x from the origin; radius and length in m, an even number of cells across, some along."""
    return Mesh(*_supple.cylinder_mesh(radius, length, cells, along))


def cloth_mesh(
    size: npt.ArrayLike = (1.0, 1.0), cells: Sequence[int] = (10, 10), *, normal: str = "y"
) -> Mesh:
    """A flat sheet from the origin: size (m) and cells along two axes, those after the axis normal ("y": z and x).

    Each cell is two triangles, whose diagonals alternate, so that no direction is preferred. Its triangles face along normal.
    """
    length = np.asarray(size, dtype=np.float64)
    if length.shape != (2,) or not (np.isfinite(length).all() and (length > 0).all()):
        raise ValueError(f"size must be two positive lengths, not {size!r}")
    p, q = (int(n) for n in cells)
    if p < 1 or q < 1 or normal not in ("x", "y", "z"):
        raise ValueError("cells must be two positive numbers, normal one of x, y, z")
    axis = "xyz".index(normal)
    u, v = np.meshgrid(np.linspace(0.0, length[0], p + 1), np.linspace(0.0, length[1], q + 1), indexing="ij")
    vertices = np.zeros(((p + 1) * (q + 1), 3))
    vertices[:, (axis + 1) % 3], vertices[:, (axis + 2) % 3] = u.ravel(), v.ravel()
    i, j = (a.ravel() for a in np.meshgrid(np.arange(p), np.arange(q), indexing="ij"))
    a, b = i * (q + 1) + j, (i + 1) * (q + 1) + j
    c, d = b + 1, a + 1
    even = ((i + j) % 2 == 0)[:, None]
    first = np.where(even, np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(even, np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    triangles = np.concatenate([first, second]).astype(np.int64)
    return Mesh(vertices, np.zeros((0, 4), dtype=np.int64), triangles, {}, [])


def surface(tets: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Boundary triangles (k, 3) of tetrahedra (m, 4), counter-clockwise from outside."""
    return _supple.surface(tets)

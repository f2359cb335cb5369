"""Matrices and vibrations of a simulation, for those who have SciPy."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._supple import Simulation


def _sparse() -> Any:
    try:
        import scipy.sparse  # type: ignore[import-untyped,unused-ignore]
    except ImportError as e:
        raise ImportError("SciPy is needed for sparse matrices: pip install scipy") from e
    return scipy.sparse


def hessian(sim: Simulation, projected: bool = False) -> Any:
    """Second derivatives of the energy at the present state: a sparse matrix (3n, 3n) in N/m."""
    sparse = _sparse()
    rows, columns, values = sim._hessian_entries(projected)
    n = 3 * sim.node_count
    return sparse.coo_matrix((values, (rows, columns)), shape=(n, n)).tocsr()


def mass(sim: Simulation) -> Any:
    """The mass matrix, diagonal: a sparse matrix (3n, 3n) in kg."""
    return _sparse().diags(np.repeat(sim.masses, 3)).tocsr()


def _below(matrix: Any) -> float:
    """A number below all eigenvalues: the matrix minus it has no negative pivot (Sylvester's law of inertia)."""
    import scipy.sparse.linalg  # type: ignore[import-untyped,unused-ignore]

    # Below zero, so that bodies that nothing holds have a factor too.
    shift = -1e-9 * matrix.diagonal().max()
    one = _sparse().identity(matrix.shape[0], format="csc")
    while True:
        options = {"SymmetricMode": True}
        factor = scipy.sparse.linalg.splu(
            matrix - shift * one, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options
        )
        if (factor.U.diagonal() > 0).all():
            return float(shift)
        shift *= 10.0


def modes(sim: Simulation, k: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The k lowest frequencies in Hz (k,) and shapes (k, n, 3), each with unit modal mass, of what is not pinned."""
    _sparse()
    import scipy.linalg  # type: ignore[import-untyped,unused-ignore]
    import scipy.sparse.linalg  # type: ignore[import-untyped,unused-ignore]

    free = np.flatnonzero(~np.asarray(sim.held).ravel())
    if not 1 <= k <= free.size:
        raise ValueError(f"k must lie between 1 and {free.size}, the number of free coordinates, not {k}")
    stiffness = hessian(sim)[free][:, free].tocsc()
    weight = np.repeat(sim.masses, 3)[free]
    # With the inverse root of the masses the problem is an ordinary one.
    root = _sparse().diags(1.0 / np.sqrt(weight))
    matrix = (root @ stiffness @ root).tocsc()
    matrix = (matrix + matrix.T) * 0.5
    if free.size <= 600 or 3 * k > free.size:
        values, vectors = scipy.linalg.eigh(matrix.toarray(), subset_by_index=(0, k - 1))
    else:
        shift = _below(matrix)
        values, vectors = scipy.sparse.linalg.eigsh(matrix, k, sigma=shift, which="LM", v0=np.ones(free.size))
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    shapes = np.zeros((k, 3 * sim.node_count))
    shapes[:, free] = (vectors / np.sqrt(weight)[:, None]).T
    frequencies = np.sign(values) * np.sqrt(np.abs(values)) / (2.0 * np.pi)
    return frequencies, shapes.reshape(k, sim.node_count, 3)

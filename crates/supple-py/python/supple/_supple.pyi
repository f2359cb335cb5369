import os
from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Literal, Protocol, TypeAlias, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

__version__: str

_Path: TypeAlias = str | os.PathLike[str]
_Reals: TypeAlias = npt.NDArray[np.float64]
_Integrator: TypeAlias = Literal["backward_euler", "bdf2"]
_Method: TypeAlias = Literal["admm", "projective", "position", "quasi_newton", "newton", "auto"]
_Status: TypeAlias = Literal["converged", "iteration_limit", "time_limit", "stalled", "infeasible", "diverged", "stopped"]
_WeightRule: TypeAlias = Literal["robust", "bulk", "auto", "shear"]
_Acceleration: TypeAlias = Literal["anderson", "over_relaxation", "chebyshev", "none"] | None
_Body: TypeAlias = Body | str | int

class _Law(Protocol):
    def density(self, stretches: Any, /) -> Any: ...
    def gradient(self, stretches: Any, /) -> Any: ...
    def hessian(self, stretches: Any, /) -> Any: ...

class BuildError(ValueError): ...
class StepError(RuntimeError): ...

@disjoint_base
class Material:
    def energy(self, F: npt.ArrayLike, /) -> Any: ...
    def stress(self, F: npt.ArrayLike, /) -> _Reals: ...
    def hessian(self, F: npt.ArrayLike, /) -> _Reals: ...
    def prox(self, F: npt.ArrayLike, k: npt.ArrayLike, /) -> _Reals: ...
    @staticmethod
    def preset(name: str, /) -> tuple[Material, float]: ...
    @property
    def young(self) -> float: ...
    @property
    def poisson(self) -> float: ...
    @property
    def lame(self) -> tuple[float, float]: ...
    @property
    def name(self) -> str: ...

@final
class Linear(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> Linear: ...

@final
class Corotated(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> Corotated: ...

@final
class NeoHookean(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> NeoHookean: ...

@final
class StVenantKirchhoff(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> StVenantKirchhoff: ...

@final
class StableNeoHookean(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> StableNeoHookean: ...

@final
class FixedCorotated(Material):
    def __new__(
        cls, *, young: float | None = None, poisson: float | None = None, lame: tuple[float, float] | None = None
    ) -> FixedCorotated: ...

@final
class MooneyRivlin(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        c10: float | None = None,
        c01: float | None = None,
        d1: float | None = None,
    ) -> MooneyRivlin: ...

@final
class Ogden(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        mu: Sequence[float] | None = None,
        alpha: Sequence[float] | None = None,
        kappa: float | None = None,
    ) -> Ogden: ...

@final
class Fung(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        b: float = 2.0,
    ) -> Fung: ...

@final
class Spline(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        curve: str | None = None,
        f: Sequence[Sequence[float]] | None = None,
        g: Sequence[Sequence[float]] | None = None,
        h: Sequence[Sequence[float]] | None = None,
        compression: float = 0.0,
    ) -> Spline: ...

@final
class Fibre(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        direction: Sequence[float] = ...,
        stiffness: float | None = None,
        contraction: float = 0.0,
        slack: bool = True,
        base: str = "neo_hookean",
    ) -> Fibre: ...

@final
class Arap(Material):
    def __new__(
        cls,
        *,
        young: float | None = None,
        poisson: float | None = None,
        lame: tuple[float, float] | None = None,
        stiffness: float | None = None,
    ) -> Arap: ...

@final
class PythonMaterial(Material):
    def __new__(
        cls, law: _Law, *, domain: Literal["barrier", "signed", "non_negative"] = "barrier"
    ) -> PythonMaterial: ...

@disjoint_base
class Obstacle:
    @property
    def friction(self) -> float: ...
    @property
    def thickness(self) -> float: ...
    def distance(self, points: npt.ArrayLike, /) -> _Reals: ...

@final
class HalfSpace(Obstacle):
    def __new__(
        cls, point: npt.ArrayLike, normal: npt.ArrayLike, friction: float = 0.0, *, thickness: float = 0.0
    ) -> HalfSpace: ...

@final
class Sphere(Obstacle):
    def __new__(
        cls, center: npt.ArrayLike, radius: float, friction: float = 0.0, *, thickness: float = 0.0
    ) -> Sphere: ...

@final
class Box(Obstacle):
    def __new__(
        cls, center: npt.ArrayLike, size: npt.ArrayLike, friction: float = 0.0, *, thickness: float = 0.0
    ) -> Box: ...

@final
class Capsule(Obstacle):
    def __new__(
        cls, a: npt.ArrayLike, b: npt.ArrayLike, radius: float, friction: float = 0.0, *, thickness: float = 0.0
    ) -> Capsule: ...

@final
class Cylinder(Obstacle):
    def __new__(
        cls, a: npt.ArrayLike, b: npt.ArrayLike, radius: float, friction: float = 0.0, *, thickness: float = 0.0
    ) -> Cylinder: ...

@final
class ClosedMesh(Obstacle):
    def __new__(
        cls, points: npt.ArrayLike, triangles: npt.ArrayLike, friction: float = 0.0, *, thickness: float = 0.0
    ) -> ClosedMesh: ...

@final
class DistanceGrid(Obstacle):
    def __new__(
        cls,
        origin: npt.ArrayLike,
        spacing: npt.ArrayLike,
        values: npt.ArrayLike,
        friction: float = 0.0,
        *,
        thickness: float = 0.0,
    ) -> DistanceGrid: ...

@final
class Body:
    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def first_node(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def corner_count(self) -> int: ...
    @property
    def slice(self) -> slice: ...
    def __index__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Scene:
    def __new__(
        cls,
        *,
        dt: float | EllipsisType = ...,
        gravity: npt.ArrayLike | EllipsisType = ...,
        integrator: _Integrator | EllipsisType = ...,
    ) -> Scene: ...
    def add_solid(
        self,
        vertices: npt.ArrayLike,
        tets: npt.ArrayLike,
        *,
        material: Material | _Law | Sequence[Material | _Law],
        density: npt.ArrayLike | None = None,
        masses: npt.ArrayLike | None = None,
        name: str | None = None,
        fill: npt.ArrayLike | None = None,
        order: Literal[1, 2] = 1,
        average: bool = False,
    ) -> Body: ...
    def add_cloth(
        self,
        vertices: npt.ArrayLike,
        triangles: npt.ArrayLike,
        *,
        material: Material | None = None,
        thickness: float = 0.001,
        density: float = 500.0,
        limit: tuple[float, float] | None = None,
        limit_along: Literal["stretches", "threads"] = "stretches",
        limit_stiffness: float | None = None,
        warp: tuple[float, float, float] = ...,
        threads: tuple[float, float] = ...,
        bending: Literal["plate", "none", "flat", "angle", "either_side"] = "plate",
        bending_stiffness: float | None = None,
        name: str | None = None,
    ) -> Body: ...
    def limit(self, body: _Body, limit: tuple[float, float], *, stiffness: float | None = None) -> None: ...
    def damp(self, body: _Body, *, mass: float = 0.0, stiffness: float = 0.0) -> None: ...
    def set_wind(
        self,
        velocity: npt.ArrayLike,
        *,
        air_density: float = 1.2,
        drag: float = 1.2,
        friction: float = 0.05,
        gust: float = 0.0,
        gust_time: float = 2.0,
        seed: int = 0,
    ) -> None: ...
    def add_springs(
        self,
        positions: npt.ArrayLike,
        edges: npt.ArrayLike,
        *,
        stiffness: npt.ArrayLike | None = None,
        masses: npt.ArrayLike,
        rest_length: npt.ArrayLike | None = None,
        kind: Literal["spring", "tension", "rod", "rope"] = "spring",
        name: str | None = None,
    ) -> Body: ...
    def pin(
        self, body: _Body, ids: npt.ArrayLike, *, axes: str | Sequence[str] | None = None
    ) -> None: ...
    def anchor(self, body: _Body, ids: npt.ArrayLike, *, stiffness: float) -> None: ...
    def slide(
        self,
        body: _Body,
        ids: npt.ArrayLike,
        *,
        plane: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        line: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        curve: npt.ArrayLike | None = None,
        closed: bool = False,
        surface: _Body | None = None,
        distance: float | None = None,
        breaking_force: float | None = None,
    ) -> int: ...
    def attach(
        self,
        body: _Body,
        ids: npt.ArrayLike,
        *,
        to: _Body | None = None,
        obstacle: int | None = None,
        breaking_force: float | None = None,
    ) -> int: ...
    def stitch(
        self,
        body: _Body,
        other: _Body,
        *,
        pairs: npt.ArrayLike | None = None,
        ids: npt.ArrayLike | None = None,
        breaking_force: float | None = None,
    ) -> int: ...
    def add_obstacle(self, obstacle: Obstacle, *, name: str | None = None) -> int: ...
    def collide(
        self,
        *,
        friction: float = 0.0,
        thickness: float = 0.0,
        self_contact: bool = False,
        pairs: Mapping[tuple[_Body, _Body], float] | None = None,
    ) -> None: ...
    def build(
        self,
        *,
        method: _Method | EllipsisType = ...,
        iterations: int | EllipsisType = ...,
        tolerance: float | EllipsisType = ...,
        time_budget: float | None | EllipsisType = ...,
        weight_rule: _WeightRule | EllipsisType = ...,
        weight_scale: float | EllipsisType = ...,
        acceleration: _Acceleration | EllipsisType = ...,
        start: Literal["best", "inertia"] | EllipsisType = ...,
        dual_start: Literal["stress", "zero"] | EllipsisType = ...,
        memory: int | EllipsisType = ...,
        relaxation: float | EllipsisType = ...,
        spectral_radius: float | EllipsisType = ...,
        history: int | EllipsisType = ...,
        first_hessian: Literal["matrix", "identity"] | EllipsisType = ...,
        sweep: Literal["gauss_seidel", "jacobi"] | EllipsisType = ...,
        contact: Literal["delassus", "potential", "local", "uzawa", "nodal"] | EllipsisType = ...,
        projections: int | EllipsisType = ...,
        threads: int | EllipsisType = ...,
    ) -> Simulation: ...
    @property
    def bodies(self) -> list[Body]: ...
    @property
    def integrator(self) -> _Integrator: ...
    @property
    def dt(self) -> float: ...
    @property
    def gravity(self) -> list[float]: ...
    @property
    def frames(self) -> int | None: ...

@final
class StepReport:
    @property
    def frame(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def status(self) -> _Status: ...
    @property
    def converged(self) -> bool: ...
    @property
    def method(self) -> _Method: ...
    @property
    def iterations(self) -> int: ...
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def force_residual(self) -> float: ...
    @property
    def step(self) -> float: ...
    @property
    def inverted(self) -> int: ...
    @property
    def violation(self) -> float: ...
    @property
    def contacts(self) -> int: ...
    @property
    def candidates(self) -> int: ...
    @property
    def max_penetration(self) -> float: ...
    @property
    def contact_residual(self) -> float: ...
    @property
    def cone_violation(self) -> float: ...
    @property
    def sweeps(self) -> int: ...
    @property
    def islands_shortened(self) -> int: ...
    @property
    def held(self) -> int: ...
    @property
    def held_way(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def contact_energy(self) -> float: ...
    @property
    def contact_offset(self) -> float: ...
    @property
    def stick_slip(self) -> float: ...
    @property
    def detections(self) -> int: ...
    @property
    def factored(self) -> int: ...
    @property
    def hessians(self) -> int: ...
    @property
    def link_gap(self) -> float: ...
    @property
    def links_broken(self) -> int: ...
    @property
    def energy(self) -> dict[str, float]: ...
    @property
    def timings(self) -> dict[str, float]: ...

@final
class Iteration:
    @property
    def index(self) -> int: ...
    @property
    def method(self) -> _Method: ...
    @property
    def positions(self) -> _Reals: ...
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def force_residual(self) -> float: ...
    @property
    def objective(self) -> float: ...
    @property
    def start_objective(self) -> float: ...
    @property
    def z(self) -> _Reals | None: ...
    @property
    def u(self) -> _Reals | None: ...

@final
class Iterations:
    def __iter__(self) -> Iterations: ...
    def __next__(self) -> Iteration: ...
    def close(self) -> None: ...
    @property
    def report(self) -> StepReport | None: ...

@final
class Simulation:
    def step(self, n: int = 1) -> StepReport: ...
    def iterations(self, *, local: bool = True) -> Iterations: ...
    @property
    def last_report(self) -> StepReport | None: ...
    @property
    def positions(self) -> _Reals: ...
    @property
    def velocities(self) -> _Reals: ...
    @property
    def time(self) -> float: ...
    @property
    def frame(self) -> int: ...
    def energy(self) -> dict[str, float]: ...
    @property
    def inverted(self) -> int: ...
    def set_state(self, positions: npt.ArrayLike, velocities: npt.ArrayLike | None = None) -> None: ...
    def set_forces(self, forces: npt.ArrayLike) -> None: ...
    def move_pins(self, body: _Body, ids: npt.ArrayLike, positions: npt.ArrayLike) -> None: ...
    def move_anchors(self, body: _Body, ids: npt.ArrayLike, positions: npt.ArrayLike) -> None: ...
    def contract(self, body: _Body, contraction: float, *, elements: npt.ArrayLike | None = None) -> None: ...
    def move_obstacle(
        self,
        obstacle: int | str,
        *,
        translation: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
        center: npt.ArrayLike | None = None,
    ) -> None: ...
    def move_link(
        self,
        link: int,
        *,
        translation: npt.ArrayLike | None = None,
        rotation: npt.ArrayLike | None = None,
        center: npt.ArrayLike | None = None,
    ) -> None: ...
    def equilibrium(
        self, *, load_steps: int | None = None, tolerance: float | None = None
    ) -> EquilibriumReport: ...
    def snapshot(self) -> Snapshot: ...
    def rewind(self, snapshot: Snapshot) -> None: ...
    def reset(self) -> None: ...
    @property
    def pin_forces(self) -> _Reals: ...
    @property
    def anchor_forces(self) -> _Reals: ...
    def contacts(self) -> dict[str, npt.NDArray[Any]]: ...
    def contact_sums(self) -> _Reals: ...
    def gradient(self) -> _Reals: ...
    def hessian(self, *, projected: bool = False) -> Any: ...
    def _hessian_entries(self, projected: bool) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], _Reals]: ...
    @property
    def mass(self) -> Any: ...
    def modes(self, k: int = 6) -> tuple[_Reals, _Reals]: ...
    @property
    def held(self) -> npt.NDArray[np.bool_]: ...
    def link_forces(self, link: int) -> _Reals: ...
    def broken_links(self, link: int) -> npt.NDArray[np.bool_]: ...
    @property
    def reactions(self) -> _Reals: ...
    def violations(self, most: int = 10) -> list[tuple[str, str, int, float]]: ...
    @property
    def obstacles(self) -> list[str]: ...
    def update(
        self,
        *,
        dt: float | EllipsisType = ...,
        gravity: npt.ArrayLike | EllipsisType = ...,
        integrator: _Integrator | EllipsisType = ...,
        method: _Method | EllipsisType = ...,
        iterations: int | EllipsisType = ...,
        tolerance: float | EllipsisType = ...,
        time_budget: float | None | EllipsisType = ...,
        weight_rule: _WeightRule | EllipsisType = ...,
        weight_scale: float | EllipsisType = ...,
        acceleration: _Acceleration | EllipsisType = ...,
        start: Literal["best", "inertia"] | EllipsisType = ...,
        dual_start: Literal["stress", "zero"] | EllipsisType = ...,
        memory: int | EllipsisType = ...,
        relaxation: float | EllipsisType = ...,
        spectral_radius: float | EllipsisType = ...,
        history: int | EllipsisType = ...,
        first_hessian: Literal["matrix", "identity"] | EllipsisType = ...,
        sweep: Literal["gauss_seidel", "jacobi"] | EllipsisType = ...,
        contact: Literal["delassus", "potential", "local", "uzawa", "nodal"] | EllipsisType = ...,
        projections: int | EllipsisType = ...,
    ) -> None: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    def save(self, path: _Path) -> None: ...
    @classmethod
    def restore(cls, scene: Scene, path: _Path) -> Simulation: ...
    @property
    def bodies(self) -> list[Body]: ...
    def body_slice(self, body: _Body) -> slice: ...
    @property
    def masses(self) -> _Reals: ...
    @property
    def pinned(self) -> npt.NDArray[np.bool_]: ...
    @property
    def weights(self) -> _Reals: ...
    def element_fields(self) -> _Reals: ...
    @property
    def node_count(self) -> int: ...
    @property
    def element_count(self) -> int: ...
    @property
    def substeps(self) -> int: ...
    @property
    def threads(self) -> int: ...
    def __reduce__(self) -> Any: ...

@final
class Snapshot:
    @property
    def frame(self) -> int: ...
    @property
    def time(self) -> float: ...

@final
class EquilibriumReport:
    @property
    def status(self) -> str: ...
    @property
    def converged(self) -> bool: ...
    @property
    def force_residual(self) -> float: ...
    @property
    def step(self) -> float: ...
    @property
    def load_steps(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    @property
    def rigid_modes(self) -> list[str]: ...
    @property
    def elastic(self) -> float: ...
    @property
    def contacts(self) -> int: ...
    @property
    def inverted(self) -> int: ...

def presets() -> dict[str, dict[str, Any]]: ...
def load(
    path: _Path, *, overrides: Mapping[str, Any] | None = None, allow_dirs: Sequence[_Path] = ...
) -> Scene: ...

_Mesh: TypeAlias = tuple[
    _Reals, npt.NDArray[np.int64], npt.NDArray[np.int64], dict[str, npt.NDArray[np.int64]], list[str]
]

def read_mesh(path: _Path) -> _Mesh: ...
def write_mesh(
    path: _Path, vertices: npt.ArrayLike, tets: npt.ArrayLike | None, triangles: npt.ArrayLike | None
) -> None: ...
def box_mesh(size: npt.ArrayLike, cells: Sequence[int], split: int) -> _Mesh: ...
def ball_mesh(radius: float, cells: int) -> _Mesh: ...
def cylinder_mesh(radius: float, length: float, cells: int, along: int) -> _Mesh: ...
def surface(tets: npt.ArrayLike) -> npt.NDArray[np.int64]: ...
def fill_surface(
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    size: float | None,
    tets: int | None,
    kind: str,
    cavities: str,
    parts: str,
    threads: int,
) -> tuple[_Reals, npt.NDArray[np.int64], _Reals, dict[str, Any]]: ...

@final
class _Skin:
    def __new__(
        cls,
        body: npt.ArrayLike,
        tets: npt.ArrayLike,
        vertices: npt.ArrayLike,
        triangles: npt.ArrayLike | None,
        normals: npt.ArrayLike | None,
    ) -> _Skin: ...
    @property
    def tets(self) -> npt.NDArray[np.int64]: ...
    @property
    def weights(self) -> _Reals: ...
    @property
    def outside(self) -> int: ...
    def positions(self, x: npt.ArrayLike) -> _Reals: ...
    def normals(self, x: npt.ArrayLike) -> _Reals: ...

def _poison(sim: Simulation, node: int) -> None: ...

"""Elastic bodies by implicit time integration with ADMM.

    import supple
    mesh = supple.box_mesh((1.0, 0.2, 0.2), (10, 2, 2))
    scene = supple.Scene(dt=1/24)
    beam = scene.add_solid(mesh.vertices, mesh.tets, material=supple.NeoHookean(young=1e5, poisson=0.4), density=1000.0)
    scene.pin(beam, mesh.vertices[:, 0] == 0)
    sim = scene.build()
    report = sim.step()
    print(report.status, sim.positions[-1])

Units are SI; arrays of nodes are float64 of shape (n, 3), all bodies in order of adding. BuildError (a ValueError) says which
input cannot be used, StepError (a RuntimeError) that a step failed and left the state as it was.
"""
from ._batch import Batch
from ._fill import Filled, Skin, fill
from ._fit import Fit, fit
from ._gradient import Gradients, Tape
from ._mesh import Mesh, ball_mesh, box_mesh, cloth_mesh, cylinder_mesh, read_mesh, surface, write_mesh
from ._play import Player, play
from ._run import run
from ._study import Study, study
from ._supple import (
    Arap,
    Body,
    Box,
    BuildError,
    Capsule,
    ClosedMesh,
    Corotated,
    Cylinder,
    DistanceGrid,
    EquilibriumReport,
    Fibre,
    FixedCorotated,
    Fung,
    HalfSpace,
    Iteration,
    Iterations,
    Linear,
    LinkHandle,
    Material,
    MooneyRivlin,
    NeoHookean,
    Obstacle,
    ObstacleHandle,
    Ogden,
    PythonMaterial,
    Scene,
    Simulation,
    Snapshot,
    Sphere,
    Spline,
    StVenantKirchhoff,
    StableNeoHookean,
    StepError,
    StepReport,
    load,
    presets,
    __version__,
)

__all__ = [
    "Arap",
    "Batch",
    "Body",
    "Box",
    "BuildError",
    "Capsule",
    "ClosedMesh",
    "Corotated",
    "Cylinder",
    "DistanceGrid",
    "EquilibriumReport",
    "Fibre",
    "Filled",
    "Fit",
    "FixedCorotated",
    "Fung",
    "Gradients",
    "HalfSpace",
    "Iteration",
    "Iterations",
    "Linear",
    "LinkHandle",
    "Material",
    "Mesh",
    "MooneyRivlin",
    "NeoHookean",
    "Obstacle",
    "ObstacleHandle",
    "Ogden",
    "Player",
    "PythonMaterial",
    "Scene",
    "Simulation",
    "Skin",
    "Snapshot",
    "Sphere",
    "Spline",
    "StVenantKirchhoff",
    "StableNeoHookean",
    "StepError",
    "StepReport",
    "Study",
    "Tape",
    "__version__",
    "ball_mesh",
    "box_mesh",
    "cloth_mesh",
    "cylinder_mesh",
    "fill",
    "fit",
    "load",
    "play",
    "presets",
    "read_mesh",
    "run",
    "study",
    "surface",
    "write_mesh",
]

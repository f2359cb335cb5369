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
from __future__ import annotations

from typing import Any

from ._batch import Batch
from ._fill import Filled, Skin, fill
from ._fit import Fit, fit
from ._gradient import Gradients, Tape
from ._mesh import Mesh, ball_mesh, box_mesh, cloth_mesh, cylinder_mesh, read_mesh, surface, write_mesh
from ._play import Player, play
from ._run import run
from ._scene import Scene, load
from ._sensitivity import Sensitivity, sensitivity
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
    Material,
    MooneyRivlin,
    NeoHookean,
    Obstacle,
    Ogden,
    PythonMaterial,
    Simulation,
    Snapshot,
    Sphere,
    Spline,
    StVenantKirchhoff,
    StableNeoHookean,
    StepError,
    StepReport,
    presets,
    __version__,
)


def view(scene: Scene | Simulation, **options: Any) -> Any:
    """The viewer in a notebook, with the kernel's simulation behind it: a widget, which the last line of a cell shows.

    scene: a Scene, which is built with the options of Scene.build, or a Simulation. title and height (480 pixels) of the widget. Needs anywidget
    (pip install supple[notebook]).
    """
    from ._view import view

    return view(scene, **options)


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
    "Material",
    "Mesh",
    "MooneyRivlin",
    "NeoHookean",
    "Obstacle",
    "Ogden",
    "Player",
    "PythonMaterial",
    "Scene",
    "Sensitivity",
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
    "sensitivity",
    "study",
    "surface",
    "view",
    "write_mesh",
]

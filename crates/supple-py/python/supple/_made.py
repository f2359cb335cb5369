"""From a scene file or a function, and parameters, to a simulation."""
from __future__ import annotations

import inspect
import os
import pathlib
from typing import Any, Callable, Mapping

from ._scene import load
from ._supple import Scene, Simulation


class Maker:
    """Makes what a scene file with overrides, or a function, gives for parameters."""

    def __init__(self, scene: Any) -> None:
        if not (callable(scene) or isinstance(scene, (str, os.PathLike))):
            raise TypeError(f"a scene is the path of a file or a function of the parameters, not {type(scene).__name__}")
        self.scene = scene

    @property
    def path(self) -> pathlib.Path | None:
        return None if callable(self.scene) else pathlib.Path(self.scene)

    def __call__(self, parameters: Mapping[str, Any]) -> Any:
        if callable(self.scene):
            return call(self.scene, parameters)
        return load(self.scene, overrides=dict(parameters))


def call(function: Callable[..., Any], parameters: Mapping[str, Any]) -> Any:
    """By name where the names of the parameters are those of the function's, else as one dict."""
    try:
        signature = inspect.signature(function)
        signature.bind(**parameters)
    except (TypeError, ValueError):
        return function(dict(parameters))
    return function(**parameters)


def simulation(made: Any, options: Mapping[str, Any]) -> Any:
    """A scene is built; a simulation, or what is none of both, stays."""
    if isinstance(made, Scene):
        return made.build(**options)
    if isinstance(made, Simulation) and options:
        raise TypeError("the function gives a Simulation, which has been built: options are for scenes")
    return made

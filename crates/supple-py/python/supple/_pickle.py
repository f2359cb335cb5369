"""Pickling: things are stored as the calls that made them, and made again by these. Arrays are copied when they are given."""
from __future__ import annotations

import hashlib
import os
import pathlib
from typing import Any, Callable

import numpy as np

from ._supple import Body, Material, Simulation


def plain(value: Any) -> Any:
    """What was given to a call: arrays copied, bodies as their numbers."""
    if isinstance(value, Body):
        return value.index
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    return value


def call(made_by: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a recipe with names does."""
    return made_by(*given, **named)


def called(made_by: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The recipe of what a class makes."""
    return call, (made_by, tuple(map(plain, given)), plain(named))


def _preset(name: str) -> Material:
    return Material.preset(name)[0]


def preset(name: str) -> Any:
    """The recipe of a material that is known by name."""
    return _preset, (name,)


def _simulation(scene: Any, state: bytes) -> Simulation:
    make, given = scene
    sim: Simulation = Simulation._restored(make(*given), state)
    return sim


def simulation(scene: Any, state: bytes) -> Any:
    """The recipe of a simulation: that of its scene, and its state."""
    return _simulation, (scene, state)


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Of a file."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()

"""Scenes that remember how they were made."""
from __future__ import annotations

import functools
import os
from typing import Any, Mapping, Sequence

from . import _pickle
from ._supple import Scene as _Scene, Simulation

#: What changes a scene.
CALLS = (
    "add_solid", "add_cloth", "add_springs", "add_obstacle", "pin", "anchor", "limit", "damp", "set_wind", "slide", "attach", "stitch", "collide",
)


def _again(given: dict[str, Any], file: tuple[Any, ...] | None, calls: Sequence[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> Scene:
    """The scene that these calls make."""
    if file is not None:
        path, overrides, allowed, was = file
        scene = load(path, overrides=overrides, allow_dirs=allowed)
        if scene._file is None or scene._file[3] != was:
            raise ValueError(f"{path} has changed since the scene was pickled")
        return scene
    scene = Scene(**given)
    for name, args, named in calls:
        getattr(scene, name)(*args, **named)
    return scene


class Scene(_Scene):
    __doc__ = _Scene.__doc__

    def __init__(self, **given: Any) -> None:
        self._file: tuple[Any, ...] | None = None
        file = given.pop("_file", None)
        if file is not None:
            path, overrides, allowed = file
            self._file = (os.path.abspath(path), overrides, [os.path.abspath(a) for a in allowed], _pickle.fingerprint(path))
        self._given: dict[str, Any] = _pickle.plain(given)
        self._calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def _recipe(self) -> Any:
        return _again, (self._given, self._file, tuple(self._calls))

    def __reduce__(self) -> Any:
        return self._recipe()


def _remembered(name: str) -> Any:
    method = getattr(_Scene, name)

    @functools.wraps(method)
    def remembered(self: Scene, *given: Any, **named: Any) -> Any:
        made = method(self, *given, **named)
        # Only what was accepted.
        self._calls.append((name, _pickle.plain(given), _pickle.plain(named)))
        return made

    return remembered


@functools.wraps(_Scene.build)
def _build(self: Scene, **options: Any) -> Simulation:
    sim = _Scene.build(self, **options)
    sim._of(self._recipe())
    return sim


# Names and types are those of the class that Scene extends.
for _name in CALLS:
    setattr(Scene, _name, _remembered(_name))
setattr(Scene, "build", _build)


def load(
    path: str | os.PathLike[str], *, overrides: Mapping[str, Any] | None = None, allow_dirs: Sequence[str | os.PathLike[str]] = ()
) -> Scene:
    """Reads a scene file (TOML). Meshes are read from its folder and from allow_dirs, never from elsewhere.

    overrides: a dict of dotted keys, such as {"solve.iterations": 50, "body.beam.material.young": 2e5}.
    """
    return Scene(_file=(path, dict(overrides or {}), list(allow_dirs)))

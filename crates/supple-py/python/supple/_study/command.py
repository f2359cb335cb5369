"""The command line: `python -m supple study study.toml`."""
from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
from typing import Any, Sequence

from . import Study, study

KEYS = {
    "scene", "store", "design", "samples", "seed", "frames", "keep", "engine", "workers", "address", "parameters", "options",
}


def _toml(path: pathlib.Path) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:
        try:
            import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise SystemExit("error: Python before 3.11 needs tomli to read TOML: pip install tomli") from None
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        raise SystemExit(f"error: {path}: {e}") from None


def _scene(given: Any, folder: pathlib.Path) -> Any:
    """A scene file, or `file.py:function`, below the folder of the study."""
    if not isinstance(given, str):
        raise SystemExit("error: scene must be the path of a scene file, or file.py:function")
    file, _, function = given.partition(".py:")
    if not function:
        return folder / given
    path = folder / (file + ".py")
    # Processes import it by its name, from there.
    sys.path.insert(0, str(path.parent.resolve()))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise SystemExit(f"error: there is no {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    try:
        return getattr(module, function)
    except AttributeError:
        raise SystemExit(f"error: there is no {function!r} in {path}") from None


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Keys with dots, quoted or not; a table of low, high and log is a range."""
    out: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and not set(value) <= {"low", "high", "log"}:
            out |= _flat(value, f"{prefix}{key}.")
        else:
            out[prefix + key] = value
    return out


def _shard(text: str) -> tuple[int, int]:
    try:
        i, n = (int(p) for p in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"write it like 3/10, not {text!r}") from None
    if not 1 <= i <= n:
        raise argparse.ArgumentTypeError(f"{i}/{n}: the first number goes from 1 to the second")
    return i, n


def load_study(path: pathlib.Path, **changes: Any) -> Study:
    """The study that a file says, not started."""
    given = _toml(path)
    unknown = set(given) - KEYS
    if unknown:
        raise SystemExit(f"error: {path}: unknown key {sorted(unknown)[0]!r}; there are {', '.join(sorted(KEYS))}")
    for key in ("scene", "parameters"):
        if key not in given:
            raise SystemExit(f"error: {path}: {key} is missing")
    settings: dict[str, Any] = {k: v for k, v in given.items() if k not in ("scene", "parameters", "options", "store")}
    settings |= {k: v for k, v in changes.items() if v is not None}
    settings.setdefault("store", path.parent / given.get("store", path.stem))
    try:
        return study(
            _scene(given["scene"], path.parent),
            _flat(given["parameters"]),
            start=False,
            **settings,
            **given.get("options", {}),
        )
    except (ValueError, TypeError, OSError) as e:
        raise SystemExit(f"error: {path}: {e}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when all runs are done and none has failed, 1 when some have."""
    parser = argparse.ArgumentParser(prog="supple study", description="Run a scene for many parameters and keep the results.")
    parser.add_argument("file", type=pathlib.Path, help="the study, a TOML file")
    parser.add_argument("--store", type=pathlib.Path, help="the folder of results, instead of the file's")
    parser.add_argument("--engine", choices=("local", "ray"), help="local processes or a Ray cluster")
    parser.add_argument("--address", help="of the Ray cluster")
    parser.add_argument("--workers", type=int, help="runs at a time")
    parser.add_argument("--shard", type=_shard, metavar="I/N", help="every N-th run from the I-th on")
    parser.add_argument("--merge", type=pathlib.Path, nargs="+", metavar="STORE", help="take the runs of these stores, and run nothing")
    parser.add_argument("--failed", action="store_true", help="run again what has failed")
    parser.add_argument("--report", action="store_true", help="write report.html into the store")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    given = parser.parse_args(arguments)
    made = load_study(
        given.file, store=given.store, engine=given.engine, address=given.address, workers=given.workers, shard=given.shard,
        progress=not given.quiet,
    )
    if given.merge:
        made.merge(*given.merge)
    else:
        try:
            made.resume(failed=given.failed)
        except KeyboardInterrupt:
            print(f"stopped: {len(made) - made.missing} of {len(made)} runs are kept in {made.store}", file=sys.stderr)
            return 130
    if given.report:
        made.report()
    failed = made.failed
    for f in failed[:10]:
        print(f"failed: {f['parameters']}: {f['error']}", file=sys.stderr)
    print(f"{len(made) - made.missing} of {len(made)} runs in {made.store}, {len(failed)} failed")
    return 1 if failed else 0

"""A folder that holds a study: data only. Nothing in it is ever unpickled.

    study.json          what is run, for people
    runs/<hash>/        one run: result.json with parameters, row, failure and time; arrays.npz
    table.parquet       one row for each run, where pyarrow is there; else table.csv

A run is written to a temporary folder and renamed: it is there whole or not at all, whoever is killed.
"""
from __future__ import annotations

import csv
import io
import json
import math
import os
import pathlib
import shutil
import tempfile
import time
from typing import Any, Iterable, Iterator, Mapping

import numpy as np

from .task import Outcome


class Store:
    """A folder of runs."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = pathlib.Path(folder)
        self.runs = self.folder / "runs"

    def create(self, description: Mapping[str, Any]) -> None:
        self.runs.mkdir(parents=True, exist_ok=True)
        write(self.folder / "study.json", json.dumps(description, indent=1, sort_keys=True).encode())

    def path(self, key: str) -> pathlib.Path:
        return self.runs / key

    def has(self, key: str) -> bool:
        return (self.path(key) / "result.json").is_file()

    def keep(self, key: str, parameters: Mapping[str, Any], outcome: Outcome) -> None:
        """Writes a run. One that is there already stays: it is the same."""
        self.runs.mkdir(parents=True, exist_ok=True)
        part = pathlib.Path(tempfile.mkdtemp(prefix=".part-", dir=self.runs))
        try:
            result = {
                "parameters": dict(parameters),
                "row": outcome.row,
                "error": outcome.error,
                "trace": outcome.trace,
                "seconds": outcome.seconds,
                "arrays": sorted(outcome.arrays),
            }
            if outcome.arrays:
                with open(part / "arrays.npz", "wb") as f:
                    arrays: dict[str, Any] = {k: np.asarray(v) for k, v in outcome.arrays.items()}
                    np.savez(f, **arrays)
                    f.flush()
                    os.fsync(f.fileno())
            write(part / "result.json", json.dumps(result, sort_keys=True).encode())
            try:
                os.replace(part, self.path(key))
            except OSError:
                if not self.has(key):
                    raise
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def forget(self, key: str) -> None:
        """Takes a run away, so that it is run again."""
        shutil.rmtree(self.path(key), ignore_errors=True)

    def read(self, key: str) -> dict[str, Any] | None:
        """A run's result, or none if it is not there or not whole."""
        try:
            with open(self.path(key) / "result.json", encoding="utf-8") as f:
                found = json.load(f)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and "row" in found else None

    def arrays(self, key: str) -> dict[str, Any]:
        """A run's arrays."""
        path = self.path(key) / "arrays.npz"
        if not path.is_file():
            return {}
        with np.load(path, allow_pickle=False) as z:
            return {name: z[name] for name in z.files}

    def keys(self) -> list[str]:
        if not self.runs.is_dir():
            return []
        return sorted(p.name for p in self.runs.iterdir() if not p.name.startswith("."))

    def sweep(self) -> None:
        """Removes what killed processes left behind; what is younger than an hour may be another's that is at work."""
        if self.runs.is_dir():
            for part in self.runs.glob(".part-*"):
                try:
                    old = time.time() - part.stat().st_mtime > 3600.0
                except OSError:
                    continue
                if old:
                    shutil.rmtree(part, ignore_errors=True)

    def merge(self, other: Store) -> int:
        """Takes the runs of another store that are not here; how many."""
        count = 0
        for key in other.keys():
            if self.has(key) or other.read(key) is None:
                continue
            self.runs.mkdir(parents=True, exist_ok=True)
            part = pathlib.Path(tempfile.mkdtemp(prefix=".part-", dir=self.runs))
            try:
                for name in ("arrays.npz", "result.json"):
                    if (other.path(key) / name).is_file():
                        shutil.copyfile(other.path(key) / name, part / name)
                os.replace(part, self.path(key))
                count += 1
            finally:
                shutil.rmtree(part, ignore_errors=True)
        return count


def write(path: pathlib.Path, data: bytes) -> None:
    """Whole or not at all."""
    handle, part = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    except BaseException:
        pathlib.Path(part).unlink(missing_ok=True)
        raise


def columns(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Names of all rows in the order in which they come first."""
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return list(names)


def table(folder: pathlib.Path, rows: list[dict[str, Any]]) -> pathlib.Path:
    """One table in Parquet, or in CSV where pyarrow is missing."""
    names = columns(rows)
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        text = io.StringIO()
        out = csv.writer(text, lineterminator="\n")
        out.writerow(names)
        out.writerows([_cell(row.get(n)) for n in names] for row in rows)
        write(folder / "table.csv", text.getvalue().encode())
        return folder / "table.csv"
    data = {n: pyarrow.array(_column([row.get(n) for row in rows])) for n in names}
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(data), sink)
    write(folder / "table.parquet", sink.getvalue())
    return folder / "table.parquet"


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return "" if value is None else value


def _column(values: list[Any]) -> list[Any]:
    """Values of one kind: whole numbers beside others become numbers, all else beside numbers becomes words."""
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {int, float} and float in kinds:
        return [None if v is None else float(v) for v in values]
    if len(kinds) > 1 or kinds & {list, dict}:
        return [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
    return values


def numbers(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[float]]]:
    """The columns that are numbers, not all the same."""
    for name in columns(rows):
        values = [row.get(name) for row in rows]
        floats = [float(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else math.nan for v in values]
        finite = [v for v in floats if math.isfinite(v)]
        if finite and min(finite) < max(finite):
            yield name, floats

"""Plots of a study as SVG, and a page with them and the table. Nothing on the page comes from outside."""
from __future__ import annotations

import html
import math
import pathlib
from typing import TYPE_CHECKING, Any

from .store import columns, numbers, write

if TYPE_CHECKING:
    from . import Study

#: From low to high, told apart by the colour-blind too (viridis at five places).
_COLOURS = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]


def _colour(share: float) -> str:
    at = min(max(share, 0.0), 1.0) * (len(_COLOURS) - 1)
    k = min(int(at), len(_COLOURS) - 2)
    rgb = [round(a + (at - k) * (b - a)) for a, b in zip(_COLOURS[k], _COLOURS[k + 1])]
    return f"rgb({rgb[0]},{rgb[1]},{rgb[2]})"


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _svg(width: int, height: int, parts: list[str]) -> str:
    style = "text{font:12px sans-serif;fill:#222}line{stroke:#888}polyline{fill:none;stroke-opacity:.6}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="{width}" height="{height}" fill="white"/>' + "".join(parts) + "</svg>"
    )


def _shares(values: list[float]) -> tuple[list[float | None], float, float]:
    """Where values lie between the least and the greatest."""
    finite = [v for v in values if math.isfinite(v)]
    low, high = min(finite), max(finite)
    return [(v - low) / (high - low) if math.isfinite(v) else None for v in values], low, high


def parallel(rows: list[dict[str, Any]], names: list[str]) -> str:
    """Parallel coordinates: an axis for each name, a line for each run, coloured by the last."""
    known = dict(numbers(rows))
    names = [n for n in names if n in known]
    if len(names) < 2:
        raise ValueError("parallel coordinates need two columns of numbers that are not all the same")
    width, height, top, bottom = max(160 * len(names), 400), 360, 40, 320
    axes = [_shares(known[n]) for n in names]
    xs = [80 + k * (width - 160) / (len(names) - 1) for k in range(len(names))]
    parts = []
    for i in range(len(rows)):
        shares = [a[0][i] for a in axes]
        if any(s is None for s in shares):
            continue
        points = " ".join(f"{x:.1f},{bottom - (s or 0.0) * (bottom - top):.1f}" for x, s in zip(xs, shares))
        parts.append(f'<polyline points="{points}" stroke="{_colour(shares[-1] or 0.0)}"/>')
    for x, name, (_, low, high) in zip(xs, names, axes):
        parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        parts += [_text(x, top - 22, name), _text(x, top - 6, f"{high:.4g}"), _text(x, bottom + 16, f"{low:.4g}")]
    return _svg(width, height, parts)


def against(rows: list[dict[str, Any]], x: str, y: str) -> str:
    """One column against another, a dot for each run."""
    known = dict(numbers(rows))
    for n in (x, y):
        if n not in known:
            raise ValueError(f"{n!r} is not a column of numbers that vary")
    (xs, x0, x1), (ys, y0, y1) = _shares(known[x]), _shares(known[y])
    parts = ['<line x1="70" y1="280" x2="400" y2="280"/>', '<line x1="70" y1="20" x2="70" y2="280"/>']
    for a, b in zip(xs, ys):
        if a is not None and b is not None:
            parts.append(f'<circle cx="{70 + 330 * a:.1f}" cy="{280 - 260 * b:.1f}" r="3" fill="{_colour(b)}" fill-opacity=".8"/>')
    parts += [_text(70, 296, f"{x0:.4g}"), _text(400, 296, f"{x1:.4g}"), _text(235, 312, x)]
    parts += [_text(64, 284, f"{y0:.4g}", "end"), _text(64, 24, f"{y1:.4g}", "end"), _text(80, 14, y, "start")]
    return _svg(420, 320, parts)


def picture(positions: Any) -> str:
    """The last state of a run from the side: its nodes as dots."""
    spans = positions.max(axis=0) - positions.min(axis=0)
    size = float(max(spans[0], spans[1])) or 1.0
    low = positions.min(axis=0)
    step = max(1, len(positions) // 2000)
    parts = [
        f'<circle cx="{10 + 280 * float((p[0] - low[0]) / size):.1f}" cy="{290 - 280 * float((p[1] - low[1]) / size):.1f}" r="1.5" fill="#355"/>'
        for p in positions[::step]
    ]
    return _svg(300, 300, parts)


def write_page(study: Study, path: pathlib.Path) -> pathlib.Path:
    """Plots as files beside the page, and in it; a picture of each run that kept its last state, which the table links to."""
    rows = study.table()
    path.parent.mkdir(parents=True, exist_ok=True)
    names = columns(study._runs.values())
    known = [n for n, _ in numbers(rows)]
    inputs = [n for n in names if n in known]
    results = [n for n in known if n not in names and n not in ("seconds", "frames", "iterations", "force_residual")]
    plots: list[tuple[str, str]] = []
    if len(inputs) + len(results) >= 2:
        plots.append(("parallel.svg", parallel(rows, inputs + results[:4])))
    for a in inputs[:4]:
        for b in results[:4]:
            plots.append((f"against-{len(plots)}.svg", against(rows, a, b)))
    folder = path.parent / (path.stem + "-plots")
    folder.mkdir(exist_ok=True)
    for name, svg in plots:
        write(folder / name, svg.encode())
    links = {}
    for row in rows:
        arrays = study.arrays(row["run"])
        if "positions" in arrays and len(arrays["positions"]):
            name = f"run-{row['run']}.svg"
            write(folder / name, picture(arrays["positions"]).encode())
            links[row["run"]] = f"{folder.name}/{name}"
    head = columns(rows)
    body = []
    for row in rows:
        cells = []
        for n in head:
            value = row.get(n)
            text = html.escape(f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value))
            if n == "run" and value in links:
                text = f'<a href="{html.escape(links[value])}">{text[:8]}</a>'
            cells.append(f"<td>{text}</td>")
        kind = ' class="failed"' if row.get("error") else ""
        body.append(f"<tr{kind}>{''.join(cells)}</tr>")
    failed = len(study.failed)
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Study</title>'
        "<style>body{font:15px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .5em;"
        "text-align:right}.failed{background:#fdd}svg{margin:.5em}</style>"
        f"<h1>{len(study)} runs</h1><p>{len(rows)} done, {study.missing} missing, {failed} failed.</p>"
        + "".join(svg for _, svg in plots)
        + "<table><tr>"
        + "".join(f"<th>{html.escape(n)}</th>" for n in head)
        + "</tr>"
        + "".join(body)
        + "</table></html>"
    )
    write(path, page.encode())
    return path

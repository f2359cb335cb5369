"""The stream in Python: decodes what the server sent and compares it with what the library computed. Nothing but the standard
library: usage: stream_test.py FOLDER"""
import json
import math
import struct
import sys
from pathlib import Path

FIELDS = ("stretch", "stress", "velocity")


def model(data):
    """A model message: its number, what it says, and the arrays of each body."""
    magic, version, kind, number, length = struct.unpack_from("<4sHHII", data)
    assert (magic, version, kind) == (b"SUPL", 1, 1), (magic, version, kind)
    about = json.loads(data[16:16 + length])
    at, bodies = 16 + length, []
    for body in about["bodies"]:
        arrays = {}
        for name, width in (("drawn", 1), ("triangles", 3), ("edges", 2), ("pins", 1), ("anchors", 1)):
            count = width * body[name]
            arrays[name] = struct.unpack_from(f"<{count}I", data, at)
            at += 4 * count
        bodies.append(arrays)
    assert at == len(data), (at, len(data))
    return number, about, bodies


def frame(data):
    """A frame message: numbers, positions, fields."""
    head = struct.unpack_from("<4sHHIIQdfIfBBHIIIffI", data)
    magic, version, kind, of, count, number, time, ms, iterations, residual, status, mask = head[:12]
    assert (magic, version, kind) == (b"SUPL", 1, 2), (magic, version, kind)
    numbers = {"model": of, "frame": number, "time": time, "ms": ms, "iterations": iterations, "residual": residual, "status": status,
               "iteration": head[13], "inverted": head[14], "limit": head[15], "elastic": head[16], "kinetic": head[17]}
    at = struct.calcsize("<4sHHIIQdfIfBBHIIIffI")
    assert at == 72
    values = struct.unpack_from(f"<{3 * count}f", data, at)
    at += 12 * count
    fields = {}
    for bit, name in enumerate(FIELDS):
        if mask >> bit & 1:
            fields[name] = struct.unpack_from(f"<{count}f", data, at)
            at += 4 * count
    assert at == len(data), (at, len(data))
    return numbers, [values[i:i + 3] for i in range(0, 3 * count, 3)], fields


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def main():
    folder = Path(sys.argv[1])
    truth = json.loads((folder / "truth.json").read_text())
    number, about, bodies = model((folder / "model.bin").read_bytes())
    numbers, positions, fields = frame((folder / "frame.bin").read_bytes())
    assert [b["name"] for b in about["bodies"]] == truth["bodies"]
    assert [len(b["pins"]) for b in bodies] == truth["pins"]
    assert len(bodies[0]["triangles"]) == 3 * truth["triangles"]
    assert list(bodies[1]["edges"]) == [v for e in truth["edges"] for v in e]
    assert numbers["model"] == number and len(positions) == sum(b["vertices"] for b in about["bodies"])
    for key in ("frame", "time", "iterations", "limit"):
        assert numbers[key] == truth[key], key
    for key in ("residual", "elastic", "kinetic"):
        assert numbers[key] == single(truth[key]), key
    net = positions[about["bodies"][0]["vertices"]:]
    assert net == [tuple(single(c) for c in p) for p in truth["positions"]]
    assert tuple(fields) == FIELDS and math.isnan(fields["stretch"][-1]) and fields["velocity"][-1] >= 0
    print("stream_test.py: a model and a frame are what the library computed")


main()

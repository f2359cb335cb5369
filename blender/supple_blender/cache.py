"""PointCache2 files: the program writes one with all bodies, Blender's modifier Mesh Cache reads one for each object. Knows nothing of Blender."""

import array
import os
import struct
import sys

from .scene import inverse

HEADER = struct.Struct("<12siiffi")
MARK = b"POINTCACHE2\0"


class CacheError(Exception):
    """A file that is not what it should be."""


class Cache:
    """Samples of a PointCache2 file, read one by one."""

    def __init__(self, path):
        self._file = open(path, "rb")
        try:
            self._read_header(path)
        except CacheError:
            self._file.close()
            raise

    def _read_header(self, path):
        head = self._file.read(HEADER.size)
        if len(head) < HEADER.size:
            raise CacheError(f"{path}: too short for a point cache")
        mark, version, self.points, self.start, self.rate, self.samples = HEADER.unpack(head)
        if mark != MARK or version != 1 or self.points < 0 or self.samples < 0:
            raise CacheError(f"{path}: not a point cache of version 1")
        if os.path.getsize(path) != HEADER.size + 12 * self.points * self.samples:
            raise CacheError(f"{path}: {self.samples} samples of {self.points} points are {12 * self.points * self.samples} bytes, not what is there")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __iter__(self):
        """Each sample as 3·points numbers."""
        for number in range(self.samples):
            self._file.seek(HEADER.size + 12 * self.points * number)
            sample = array.array("f", self._file.read(12 * self.points))
            if sys.byteorder == "big":
                sample.byteswap()
            yield sample


def split(path, parts):
    """Cuts a cache into one for each part (path, points, world matrices by frame), with points in the coordinates of its object. Returns the
    number of samples."""
    with Cache(path) as cache:
        wanted = sum(points for _, points, _ in parts)
        if cache.points != wanted:
            raise CacheError(f"{path}: {cache.points} points, but the objects have {wanted} vertices")
        files = [open(part[0] + ".new", "wb") for part in parts]
        try:
            for file, (_, points, _) in zip(files, parts):
                file.write(HEADER.pack(MARK, 1, points, 0.0, 1.0, cache.samples))
            for frame, sample in enumerate(cache):
                first = 0
                for file, (_, points, matrices) in zip(files, parts):
                    own = sample[3 * first : 3 * (first + points)]
                    first += points
                    _into_object(own, matrices[min(frame, len(matrices) - 1)])
                    if sys.byteorder == "big":
                        own.byteswap()
                    file.write(own.tobytes())
        finally:
            for file in files:
                file.close()
        for path, _, _ in parts:
            os.replace(path + ".new", path)
        return cache.samples


def _into_object(points, matrix):
    """World coordinates to those of an object with this world matrix, in place."""
    (a, b, c), (d, e, f), (g, h, i) = inverse("object", [row[:3] for row in matrix[:3]])
    ox, oy, oz = (row[3] for row in matrix[:3])
    for k in range(0, len(points), 3):
        x, y, z = points[k] - ox, points[k + 1] - oy, points[k + 2] - oz
        points[k], points[k + 1], points[k + 2] = a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z

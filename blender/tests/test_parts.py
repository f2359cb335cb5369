"""The parts of the add-on that know nothing of Blender: python3 -m unittest."""

import math
import os
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from supple_blender import cache, run, scene  # noqa: E402

STILL = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
TETRAHEDRON = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def turned(axis, angle, way=(0.0, 0.0, 0.0)):
    """A rigid motion by Rodrigues' formula."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    rows = [
        [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
        [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
        [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
    ]
    return [[*row, w] for row, w in zip(rows, way)] + [[0.0, 0.0, 0.0, 1.0]]


def thing(role, **more):
    given = {"name": "Körper \"1\"\n", "vertices": TETRAHEDRON, "triangles": FACES, "matrices": [STILL, STILL], **more}
    return scene.Object(role=role, **given)


class Scene(unittest.TestCase):
    def written(self, objects, world=None):
        with tempfile.TemporaryDirectory() as folder:
            path, bodies = scene.write(folder, world or scene.World(frames=1), objects)
            with open(path, "rb") as file:
                return tomllib.load(file), bodies, sorted(os.listdir(folder))

    def test_names_of_all_kinds_and_every_key(self):
        body = thing(scene.SOFT, pinned=[0, 3], velocity=(1.0, 0.0, 0.0))
        toml, bodies, files = self.written([body, thing(scene.COLLIDER, name="floor")])
        self.assertEqual(toml["body"][0]["name"], body.name)
        self.assertEqual(toml["body"][0]["fill"], {"tets": 5000})
        self.assertEqual(toml["body"][0]["start"], {"velocity": [1.0, 0.0, 0.0]})
        self.assertEqual(toml["pin"], [{"body": body.name, "select": {"skin": True, "ids": [0, 3]}}])
        self.assertEqual(toml["obstacle"][0]["shape"], {"kind": "mesh", "file": "collider0.obj"})
        self.assertEqual((bodies, files), ([body], ["body0.obj", "collider0.obj", "scene.toml"]))

    def test_no_bodies(self):
        with self.assertRaisesRegex(scene.SceneError, "nothing to simulate"):
            self.written([thing(scene.COLLIDER)])

    def test_flat_colliders_are_half_spaces(self):
        square = thing(scene.COLLIDER, vertices=[(0, 0, 2), (1, 0, 2), (1, 1, 2), (0, 1, 2)], triangles=[(0, 1, 2), (0, 2, 3)])
        toml, _, _ = self.written([thing(scene.CLOTH), square])
        self.assertEqual(toml["obstacle"][0]["shape"], {"kind": "half_space", "point": [0, 0, 2], "normal": [0, 0, 1]})
        # A closed box that is pressed flat looks both ways.
        square.triangles += [(0, 2, 1), (0, 3, 2)]
        self.assertIsNone(scene.flat(square))

    def test_motion(self):
        axis, angle = (2 / 3, -1 / 3, 2 / 3), 2.0
        mover = thing(scene.COLLIDER, matrices=[STILL, turned(axis, angle, (1.0, 2.0, 3.0))])
        toml, _, _ = self.written([thing(scene.CLOTH), mover])
        first, last = toml["obstacle"][0]["motion"]
        self.assertEqual(first["translate"], [0.0, 0.0, 0.0])
        self.assertEqual(last["translate"], [1.0, 2.0, 3.0])
        self.assertAlmostEqual(last["rotate"]["angle"], math.degrees(angle), 10)
        for given, wanted in zip(last["rotate"]["axis"], axis):
            self.assertAlmostEqual(given, wanted, 12)

    def test_half_turns_and_no_turn(self):
        for axis in [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.0, -0.8), (2 / 3, 2 / 3, 1 / 3)]:
            found, angle = scene.axis_angle([row[:3] for row in turned(axis, math.pi)[:3]])
            self.assertAlmostEqual(angle, math.pi, 12)
            self.assertAlmostEqual(abs(sum(a * b for a, b in zip(found, axis))), 1.0, 12)
        self.assertEqual(scene.axis_angle([row[:3] for row in STILL[:3]])[1], 0.0)

    def test_scaling_is_refused(self):
        bigger = [[2.0 * x for x in row[:3]] + [0.0] for row in STILL[:3]] + [STILL[3]]
        with self.assertRaisesRegex(scene.SceneError, "its scale changes"):
            self.written([thing(scene.CLOTH), thing(scene.COLLIDER, matrices=[STILL, bigger])])

    def test_numbers_that_are_not_finite(self):
        with self.assertRaisesRegex(scene.SceneError, "finite"):
            self.written([thing(scene.CLOTH, young=math.inf)])


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "all.pc2")

    def write(self, points, samples):
        with open(self.path, "wb") as file:
            file.write(cache.HEADER.pack(cache.MARK, 1, points, 0.0, 1.0, len(samples)))
            for sample in samples:
                file.write(cache.array.array("f", sample).tobytes())

    def test_parts_in_their_objects_own_coordinates(self):
        self.write(2, [[0, 0, 0, 1, 2, 3], [0, 0, 1, 1, 2, 5]])
        moved = turned((0.0, 0.0, 1.0), math.pi / 2, (1.0, 1.0, 1.0))
        parts = [(os.path.join(self.folder.name, f"{k}.pc2"), 1, m) for k, m in enumerate([[STILL], [STILL, moved]])]
        self.assertEqual(cache.split(self.path, parts), 2)
        with cache.Cache(parts[0][0]) as first, cache.Cache(parts[1][0]) as second:
            self.assertEqual([list(s) for s in first], [[0, 0, 0], [0, 0, 1]])
            samples = [list(s) for s in second]
        self.assertEqual(samples[0], [1, 2, 3])
        # (1, 2, 5) − (1, 1, 1) = (0, 1, 4), turned back by a quarter about z: (1, 0, 4).
        for given, wanted in zip(samples[1], (1, 0, 4)):
            self.assertAlmostEqual(given, wanted, 6)

    def test_what_is_no_cache_and_what_does_not_fit(self):
        with open(self.path, "wb") as file:
            file.write(b"POINTCACHE2")
        with self.assertRaisesRegex(cache.CacheError, "too short"):
            cache.Cache(self.path)
        self.write(2, [[0] * 6])
        with open(self.path, "ab") as file:
            file.write(b"more")
        with self.assertRaisesRegex(cache.CacheError, "not what is there"):
            cache.Cache(self.path)
        self.write(2, [[0] * 6])
        with self.assertRaisesRegex(cache.CacheError, "2 points, but the objects have 3"):
            cache.split(self.path, [(self.path + "x", 3, [STILL])])


class Run(unittest.TestCase):
    def test_programs_that_are_not_there(self):
        with self.assertRaisesRegex(run.RunError, "not a program"):
            run.find_program(os.path.join(tempfile.gettempdir(), "no such program"))

    def test_the_programs_own_words(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.toml")
            with open(path, "w") as file:
                file.write("version = 1\n[[body]]\nname = 3\n")
            job = run.Run(run.find_program(os.environ.get("SUPPLE", "")), path)
            job.wait(60)
            with self.assertRaisesRegex(run.RunError, "scene.toml:3"):
                job.summary()


if __name__ == "__main__":
    unittest.main()

"""glTF: Khronos' validator, the positions of each frame from base, targets and weights, and what three.js shows."""
import json
import subprocess

import numpy as np
import pygltflib

from checks import BODIES, FRAMES, OUT, SINGLE, TIMES, TOOLS, TRUTH, X, cells as all_cells, close, equal, linear

VALIDATE = """
const validator = require('gltf-validator'), fs = require('fs');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])), { maxIssues: 20 })
  .then(report => console.log(JSON.stringify(report)));
"""


# Corners of all triangles at the times given, as the loader and the animation mixer of three.js make them.
SHOW = """
import { readFileSync } from 'fs';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
const [file, ...times] = process.argv.slice(1);
const bytes = new Uint8Array(readFileSync(file));
const gltf = await new GLTFLoader().parseAsync(bytes.buffer, '');
const mixer = new AnimationMixer(gltf.scene);
mixer.clipAction(gltf.animations[0]).play();
console.log(JSON.stringify(times.map(time => {
  mixer.setTime(Number(time));
  const corners = [], p = new Vector3();
  gltf.scene.traverse(o => {
    if (o.isMesh) for (const i of o.geometry.index.array) corners.push(o.getVertexPosition(i, p).toArray());
  });
  return corners;
})));
"""


def node(*arguments):
    done = subprocess.run(["node", *arguments], cwd=TOOLS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def validate(file):
    report = node("-e", VALIDATE, str(OUT / file))
    issues = report["issues"]
    assert issues["numErrors"] == 0 and issues["numWarnings"] == 0, issues["messages"]
    return report["info"]


class Glb:
    """A file with its accessors as arrays."""

    def __init__(self, file):
        self.gltf = pygltflib.GLTF2().load(str(OUT / file))
        self.blob = self.gltf.binary_blob()

    def view(self, view, offset, kind, count, width):
        view = self.gltf.bufferViews[view]
        start = (view.byteOffset or 0) + (offset or 0)
        assert (view.byteStride or 0) in (0, 4 * width), "tightly packed"
        return np.frombuffer(self.blob, dtype=kind, count=count * width, offset=start)

    def array(self, index):
        a = self.gltf.accessors[index]
        kind = {5126: "<f4", 5125: "<u4"}[a.componentType]
        width = {"SCALAR": 1, "VEC3": 3}[a.type]
        if a.bufferView is None:
            values = np.zeros(a.count * width, dtype=kind)
        else:
            values = self.view(a.bufferView, a.byteOffset, kind, a.count, width).copy()
        if a.sparse is not None:
            s = a.sparse
            at = self.view(s.indices.bufferView, s.indices.byteOffset, "<u4", s.count, 1)
            values.reshape(-1, width)[at] = self.view(s.values.bufferView, s.values.byteOffset, kind, s.count,
                                                      width).reshape(-1, width)
        return values.reshape(-1, width) if width > 1 else values

    def weights(self, frames, times):
        """Rows of weights, one per frame."""
        animation, = self.gltf.animations
        sampler, = animation.samplers
        assert sampler.interpolation == "LINEAR"
        assert all(c.sampler == 0 and c.target.path == "weights" for c in animation.channels)
        close(self.array(sampler.input), times, 1e-5, "times")
        return self.array(sampler.output).reshape(frames, frames - 1), [c.target.node for c in animation.channels]

    def morphed(self, primitive, attribute, weights):
        """Values of an attribute in each frame."""
        base = self.array(getattr(primitive.attributes, attribute)).astype(float)
        targets = [self.array(t[attribute]).astype(float) for t in primitive.targets or []]
        for row in weights:
            yield base + sum((w * t for w, t in zip(row, targets) if w), np.zeros_like(base))


def check_file(file, frames):
    info = validate(file)
    glb = Glb(file)
    shown = [b for b in BODIES if b["surface"] or b["edges"]]
    nodes = [n for n in glb.gltf.nodes if n.mesh is not None]
    equal([n.name for n in glb.gltf.nodes], [b["name"] for b in BODIES], "names")
    assert len(nodes) == len(shown)
    assert info["hasMorphTargets"] == (frames > 1)
    weights = np.zeros((1, 0))
    if frames > 1:
        weights, animated = glb.weights(frames, TIMES[:frames])
        equal(animated, [k for k, n in enumerate(glb.gltf.nodes) if n.mesh is not None], "animated nodes")
    for node, body in zip(nodes, shown):
        mesh = glb.gltf.meshes[node.mesh]
        for primitive, kind in zip(mesh.primitives, [k for k in ("surface", "edges") if body[k]], strict=True):
            colour = glb.gltf.materials[primitive.material].pbrMetallicRoughness.baseColorFactor
            close(colour[:3], linear(body["colour"]), 1e-6, "colour")
            cells = glb.array(primitive.indices).reshape(-1, 3 if kind == "surface" else 2)
            assert primitive.mode == (4 if kind == "surface" else 1)
            positions = list(glb.morphed(primitive, "POSITION", weights))
            normals = list(glb.morphed(primitive, "NORMAL", weights))
            assert len(positions) == frames
            for k in range(frames):
                here = X[k][body["first_node"]:body["first_node"] + body["nodes"]]
                expected = here[body[kind]]
                close(positions[k][cells], expected, 2 * SINGLE, f"{kind} of {body['name']!r} in frame {k}")
                if kind == "surface":
                    faces = np.cross(expected[:, 1] - expected[:, 0], expected[:, 2] - expected[:, 0])
                    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
                    close(np.linalg.norm(normals[k][cells], axis=2), np.ones(cells.shape), 1e-6, "unit normals")
                    # Bodies bend a little: normals stay near those of their faces, edges sharp.
                    assert np.all(np.einsum("fck,fk->fc", normals[k][cells], faces) > 0.9)


def check_long():
    """A sparse accessor for the weights."""
    validate("long.glb")
    glb = Glb("long.glb")
    frames = len(TRUTH["long"])
    weights, _ = glb.weights(frames, np.arange(frames) / TRUTH["fps"])
    primitive = glb.gltf.meshes[0].primitives[0]
    for found, expected in zip(glb.morphed(primitive, "POSITION", weights), np.array(TRUTH["long"]), strict=True):
        for corner in found:
            # Coordinates up to some 20 m.
            assert np.min(np.abs(expected - corner).max(axis=1)) < 4e-6


def check_three(file, truth, corners):
    """At frames and half-way between them."""
    times, expected = [], []
    for k in [0, 1, len(truth) // 2, len(truth) - 2]:
        for part in (0, 0.5):
            times.append((k + part) / TRUTH["fps"])
            expected.append((1 - part) * truth[k][corners] + part * truth[k + 1][corners])
    shown = np.array(node("--input-type=module", "-e", SHOW, str(OUT / file), *map(str, times)))
    # Weights depend on times in single precision: at 44 s, by 2e-6 s of frames that last 0.04 s.
    size = np.abs(truth).max()
    close(shown, np.array(expected).reshape(len(times), -1, 3), (4 * SINGLE + 1e-4 * (len(truth) > 100)) * size, "three.js")


def check_glb():
    import trimesh
    check_file("run.glb", FRAMES)
    check_file("still.glb", 1)
    check_long()
    check_three("run.glb", X, all_cells("surface", 3))
    check_three("long.glb", np.array(TRUTH["long"]), np.array(TRUTH["long_surface"]))
    scene = trimesh.load(str(OUT / "run.glb"))
    low = np.min([X[0][b["first_node"]:b["first_node"] + b["nodes"]].min(axis=0) for b in BODIES if b["surface"]], axis=0)
    assert np.all(scene.bounds[0] <= low + SINGLE), "by trimesh"

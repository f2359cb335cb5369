"""What Blender has, as a scene file of supple and a mesh file per object. Knows nothing of Blender.

Coordinates stay as they are in Blender's world, in metres, z up: gravity says where down is.
"""

import json
import math
import os
from dataclasses import dataclass, field

SOFT, CLOTH, COLLIDER = "SOFT", "CLOTH", "COLLIDER"
# Below this share of an object's size its vertices count as lying in one plane, and its matrix as that of a rigid motion.
FLAT = 1e-5


class SceneError(Exception):
    """Something in the scene that cannot be simulated, in words for the person who made it."""


@dataclass
class Object:
    """An object of the scene: its mesh at the first frame, in world coordinates, and what it is made of."""

    name: str
    role: str
    vertices: list  # (x, y, z) in m
    triangles: list  # (a, b, c)
    # World matrix at each frame, four rows of four numbers.
    matrices: list
    pinned: list = field(default_factory=list)
    material: str = "stable_neo_hookean"
    young: float = 1e5
    poisson: float = 0.4
    density: float = 1000.0
    tets: int = 5000
    thickness: float = 0.002
    friction: float = 0.5
    velocity: tuple = (0.0, 0.0, 0.0)


@dataclass
class World:
    """What holds for all objects."""

    fps: float = 24.0
    frames: int = 100
    substeps: int = 1
    gravity: tuple = (0.0, 0.0, -9.81)
    tolerance: float = 1e-4
    collide: bool = True
    self_contact: bool = False
    friction: float = 0.3


def write(folder, world, objects):
    """Writes `scene.toml` and the meshes into a folder; returns the path of the scene and the bodies in the order of their results."""
    bodies = [o for o in objects if o.role in (SOFT, CLOTH)]
    if not bodies:
        raise SceneError("nothing to simulate: make an object a soft body or a cloth (Sidebar, tab supple)")
    os.makedirs(folder, exist_ok=True)
    parts = [_head(world, bodies)]
    for number, body in enumerate(bodies):
        _write_obj(os.path.join(folder, f"body{number}.obj"), body)
        parts.append(_body(world, number, body))
    for number, collider in enumerate(o for o in objects if o.role == COLLIDER):
        parts.append(_collider(folder, world, number, collider))
    path = os.path.join(folder, "scene.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    return path, bodies


def _head(world, bodies):
    lines = [
        "version = 1",
        "",
        "[time]",
        f"fps = {_number(world.fps)}",
        f"frames = {world.frames}",
        f"substeps = {world.substeps}",
        "",
        "[world]",
        f"gravity = {_list(world.gravity)}",
        "",
        "[solve]",
        f"tolerance = {_number(world.tolerance)}",
    ]
    if (world.collide and len(bodies) > 1) or world.self_contact:
        lines += ["", "[collide]", f"friction = {_number(world.friction)}", f"self = {_flag(world.self_contact)}"]
    return "\n".join(lines) + "\n"


def _body(world, number, body):
    lines = [
        "[[body]]",
        f"name = {_text(body.name)}",
        f'mesh = "body{number}.obj"',
        "material = { "
        + f"kind = {_text(body.material)}, young = {_number(body.young)}, poisson = {_number(body.poisson)}, density = {_number(body.density)}"
        + " }",
    ]
    if body.role == SOFT:
        lines += [f"fill = {{ tets = {body.tets} }}", "skin = true"]
    else:
        lines += [f"cloth = {{ thickness = {_number(body.thickness)} }}"]
    if any(body.velocity):
        lines += [f"start = {{ velocity = {_list(body.velocity)} }}"]
    if body.pinned:
        skin = "skin = true, " if body.role == SOFT else ""
        lines += ["", "[[pin]]", f"body = {_text(body.name)}", f"select = {{ {skin}ids = [{', '.join(map(str, body.pinned))}] }}"]
        lines += _motion(world, body)
    return "\n".join(lines) + "\n"


def _collider(folder, world, number, collider):
    lines = ["[[obstacle]]", f"name = {_text(collider.name)}"]
    plane = flat(collider)
    if plane:
        point, normal = plane
        lines += [f'shape = {{ kind = "half_space", point = {_list(point)}, normal = {_list(normal)} }}']
    else:
        _write_obj(os.path.join(folder, f"collider{number}.obj"), collider)
        lines += [f'shape = {{ kind = "mesh", file = "collider{number}.obj" }}']
    lines += [f"friction = {_number(collider.friction)}"] + _motion(world, collider)
    return "\n".join(lines) + "\n"


def flat(collider):
    """A point and the normal of an object whose triangles lie in one plane and look one way, else None: it is a floor or a wall without end."""
    normals = []
    for a, b, c in collider.triangles:
        a, b, c = (collider.vertices[i] for i in (a, b, c))
        n = _cross(_minus(b, a), _minus(c, a))
        size = math.sqrt(_dot(n, n))
        if size > 0.0:
            normals.append((size, n))
    if not normals:
        raise SceneError(f"{collider.name}: a collider needs faces")
    size, normal = max(normals)
    normal = tuple(x / size for x in normal)
    point = collider.vertices[collider.triangles[0][0]]
    extent = max(math.dist(v, point) for v in collider.vertices)
    in_plane = all(abs(_dot(_minus(v, point), normal)) <= FLAT * extent for v in collider.vertices)
    return (point, normal) if in_plane and all(_dot(n, normal) > 0.0 for _, n in normals) else None


def _motion(world, thing):
    """Keyframes of an object's rigid motion from its place at the first frame; none if it stays there."""
    first = thing.matrices[0]
    if all(_apart(m, first) == 0.0 for m in thing.matrices):
        return []
    origin = [row[3] for row in first[:3]]
    keys = []
    for frame, matrix in enumerate(thing.matrices):
        turn = _timesinverse(thing.name, matrix, first)
        axis, angle = axis_angle(turn)
        way = [row[3] - o for row, o in zip(matrix, origin)]
        key = f"{{ time = {_number(frame / world.fps)}, translate = {_list(way)}"
        if angle:
            key += f", rotate = {{ axis = {_list(axis)}, angle = {_number(math.degrees(angle))} }}"
        keys.append(f"  {key}, centre = {_list(origin)} }},")
    return ["motion = [", *keys, "]"]


def _timesinverse(name, now, first):
    """The rotation from one matrix to another that differs by a rigid motion."""
    now, first = ([row[:3] for row in m[:3]] for m in (now, first))
    turn = _product(now, inverse(name, first))
    gram = _product(turn, [list(column) for column in zip(*turn)])
    off = max(abs(gram[i][j] - (i == j)) for i in range(3) for j in range(3))
    if off > 100 * FLAT:
        raise SceneError(f"{name}: its scale changes during the animation; colliders and pins can be moved and turned only")
    return turn


def axis_angle(turn):
    """The axis and the angle in radians (0 to π) of a rotation matrix."""
    cosine = max(-1.0, min(1.0, (turn[0][0] + turn[1][1] + turn[2][2] - 1.0) / 2.0))
    axis = [turn[2][1] - turn[1][2], turn[0][2] - turn[2][0], turn[1][0] - turn[0][1]]
    length = math.sqrt(_dot(axis, axis))
    angle = math.atan2(length / 2.0, cosine)
    if length > 1e-6:
        return [a / length for a in axis], angle
    if cosine > 0.0:
        return [0.0, 0.0, 1.0], 0.0
    # Half a turn: R + 1 = 2 n nᵀ, of which the longest column is the safest.
    column = max(range(3), key=lambda i: turn[i][i])
    axis = [turn[i][column] + (i == column) for i in range(3)]
    length = math.sqrt(_dot(axis, axis))
    return [a / length for a in axis], math.pi


def _write_obj(path, thing):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in thing.vertices)
        file.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in thing.triangles)


def inverse(name, m):
    (a, b, c), (d, e, f), (g, h, i) = m
    minors = [[e * i - f * h, c * h - b * i, b * f - c * e], [f * g - d * i, a * i - c * g, c * d - a * f], [d * h - e * g, b * g - a * h, a * e - b * d]]
    det = a * minors[0][0] + b * minors[1][0] + c * minors[2][0]
    if det == 0.0:
        raise SceneError(f"{name}: its scale is 0 along an axis")
    return [[x / det for x in row] for row in minors]


def _product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def _apart(a, b):
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))


def _minus(a, b):
    return tuple(x - y for x, y in zip(a, b))


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _number(x):
    if not math.isfinite(x):
        raise SceneError(f"{x} is not a finite number")
    return repr(float(x))


def _list(numbers):
    return "[" + ", ".join(map(_number, numbers)) + "]"


def _flag(on):
    return "true" if on else "false"


def _text(text):
    # A string of JSON is a basic string of TOML but for DEL, which no name needs.
    return json.dumps(text.replace("\x7f", " "))

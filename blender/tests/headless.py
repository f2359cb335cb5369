"""The add-on within Blender: blender --background --factory-startup --python blender/tests/headless.py -- [PICTURE.png]

The program is that of the environment variable SUPPLE. Expected values are closed forms, or follow from the scene.
"""

import math
import os
import sys
import tempfile
import time
import traceback

import bpy
from mathutils import Vector

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import supple_blender  # noqa: E402
from supple_blender import operators, run, scene  # noqa: E402

TESTS = []


def test(function):
    TESTS.append(function)
    return function


def new_scene(frames=20, fps=25):
    """An empty scene of its own folder."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    s = bpy.context.scene
    s.frame_start, s.frame_end, s.render.fps, s.render.fps_base = 1, 1 + frames, fps, 1.0
    s.gravity = (0.0, 0.0, -10.0)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(tempfile.mkdtemp(), "test.blend"))
    return s


def role(thing, name, **settings):
    thing.supple.role = name
    for key, value in settings.items():
        setattr(thing.supple, key, value)
    return thing


def cube(name, size, place, turn=(0.0, 0.0, 0.0)):
    bpy.ops.mesh.primitive_cube_add(size=size, location=place, rotation=turn)
    bpy.context.object.name = name
    return bpy.context.object


def plane(name, size, place):
    bpy.ops.mesh.primitive_plane_add(size=size, location=place)
    bpy.context.object.name = name
    return bpy.context.object


def grid(name, cells, size, place):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=size, location=place)
    bpy.context.object.name = name
    return bpy.context.object


def points(thing, frame):
    """World coordinates of an object's vertices as Blender shows them at a frame."""
    bpy.context.scene.frame_set(frame)
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    found = [shown.matrix_world @ v.co for v in mesh.vertices]
    shown.to_mesh_clear()
    return found


def simulate():
    return bpy.ops.supple.simulate()


def refused(words):
    """The operator ends with an error that says so."""
    try:
        simulate()
    except RuntimeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


@test
def a_soft_cube_falls_and_lands_on_a_plane():
    new_scene(frames=25)
    body = role(cube("Cube", 0.2, (0.1, 0.0, 0.5), (0.3, 0.2, 0.1)), "SOFT", young=2e5, tets=600)
    # An object with a scale and a modifier that follows the simulation.
    body.scale = (1.0, 0.5, 1.0)
    role(plane("Floor", 2.0, (0.0, 0.0, 0.0)), "COLLIDER")
    before = points(body, 1)
    assert simulate() == {"FINISHED"}
    assert [m.type for m in body.modifiers] == ["MESH_CACHE"]
    shown = points(body, 1)
    assert max((a - b).length for a, b in zip(before, shown)) < 1e-6
    # Backward Euler in free fall: −g Δt² n(n + 1)/2, until the lowest point has fallen to the floor.
    lowest, dt, n = min(p.z for p in before), 1 / 25, 1
    while 10.0 * dt * dt * n * (n + 1) / 2 < lowest - 0.01:
        fall = Vector((0.0, 0.0, -10.0 * dt * dt * n * (n + 1) / 2))
        off = max((a + fall - b).length for a, b in zip(before, points(body, 1 + n)))
        assert off < 1e-5, (n, off)
        n += 1
    assert n > 3
    # By default the nodes within, not the skin, touch the floor: it may sink in by a cell.
    cell = 0.2 / 5
    assert all(p.z > -cell for frame in range(1, 27) for p in points(body, frame))
    assert max(p.z for p in points(body, 26)) < 0.3


@test
def a_cloth_hangs_from_pins_that_follow_the_animation():
    s = new_scene(frames=12)
    cloth = role(grid("Cloth", 8, 1.0, (0.0, 0.0, 1.0)), "CLOTH", young=1e5, pins="top")
    held = [v.index for v in cloth.data.vertices if v.co.y > 0.49]
    cloth.vertex_groups.new(name="top").add(held, 1.0, "REPLACE")
    cloth.keyframe_insert("location", frame=1)
    cloth.keyframe_insert("rotation_euler", frame=1)
    cloth.location = (0.2, 0.0, 1.1)
    cloth.rotation_euler = (0.0, 0.0, math.radians(40.0))
    cloth.keyframe_insert("location", frame=13)
    cloth.keyframe_insert("rotation_euler", frame=13)
    s.frame_set(1)
    assert simulate() == {"FINISHED"}
    for frame in range(1, 14):
        now = points(cloth, frame)
        for i in held:
            wanted = cloth.matrix_world @ cloth.data.vertices[i].co
            assert (now[i] - wanted).length < 1e-5, (frame, i)
    # Without wind or contact the free edge hangs below the pins.
    assert min(p.z for p in now) < 0.75


@test
def an_animated_collider_carries_a_cloth_and_nothing_passes_through():
    s = new_scene(frames=15)
    cloth = role(grid("Cloth", 10, 0.8, (0.0, 0.0, 0.33)), "CLOTH", thickness=0.01)
    box = role(cube("Box", 0.3, (0.0, 0.0, 0.15)), "COLLIDER", friction=0.6)
    box.keyframe_insert("location", frame=1)
    box.location = (0.0, 0.0, 0.45)
    box.keyframe_insert("location", frame=16)
    s.frame_set(1)
    assert simulate() == {"FINISHED"}
    for frame in range(1, 17):
        for p in points(cloth, frame):
            inside = box.matrix_world.inverted() @ p
            assert max(abs(x) for x in inside) > 0.15 - 1e-4, (frame, inside)
    # The top of the box ends at 0.6 m, and the cloth lies on it.
    assert max(p.z for p in points(cloth, 16)) > 0.6 - 1e-4


@test
def two_bodies_touch_each_other():
    new_scene(frames=20)
    lower = role(cube("Lower", 0.2, (0.0, 0.0, 0.11)), "SOFT", tets=300)
    upper = role(cube("Upper", 0.2, (0.02, 0.01, 0.35)), "SOFT", tets=300)
    role(plane("Floor", 2.0, (0.0, 0.0, 0.0)), "COLLIDER")
    assert simulate() == {"FINISHED"}
    mean = lambda thing: sum(p.z for p in points(thing, 21)) / len(thing.data.vertices)  # noqa: E731
    # Each is about a fifth of a metre high and soft; if they passed through each other both would lie at 0.1.
    assert mean(upper) - mean(lower) > 0.15


@test
def a_mirrored_object_is_not_inside_out():
    new_scene(frames=3)
    body = role(cube("Mirrored", 0.2, (0.0, 0.0, 1.0)), "SOFT", tets=300)
    body.scale = (-1.0, 1.0, 1.0)
    before = points(body, 1)
    assert simulate() == {"FINISHED"}
    off = max((a - b).length for a, b in zip(before, points(body, 1)))
    assert off < 1e-6, off


@test
def an_interrupted_run_keeps_its_frames():
    new_scene(frames=3000)
    body = role(grid("Cloth", 30, 1.0, (0.0, 0.0, 1.0)), "CLOTH", pins="corner")
    body.vertex_groups.new(name="corner").add([0], 1.0, "REPLACE")
    path, bodies = scene.write(operators.folder_of(bpy.context), operators.world_of(bpy.context), operators.gather(bpy.context))
    job = run.Run(run.find_program(os.environ["SUPPLE"]), path)
    begin = time.monotonic()
    while job.frames < 3:
        assert time.monotonic() - begin < 60 and not job.finished, job.log
        time.sleep(0.02)
    job.interrupt()
    summary = job.summary()
    assert summary["interrupted"] and 3 <= summary["frames"] < 3000, summary
    assert operators.play(bpy.context, job.folder, bodies) == summary["frames"] + 1
    assert min(p.z for p in points(body, 4)) < 1.0 - 1e-4


@test
def clear_gives_the_mesh_back():
    new_scene(frames=3)
    body = role(cube("Cube", 0.2, (0.0, 0.0, 1.0)), "SOFT", tets=200)
    before = points(body, 1)
    assert simulate() == {"FINISHED"}
    assert max((a - b).length for a, b in zip(before, points(body, 4))) > 0.01
    assert bpy.ops.supple.clear() == {"FINISHED"}
    assert len(body.modifiers) == 0
    assert points(body, 4) == before


@test
def what_cannot_be_simulated_is_said():
    s = new_scene(frames=3)
    refused("nothing to simulate")
    body = role(cube("Cube", 0.2, (0.0, 0.0, 1.0)), "SOFT", tets=200)
    s.frame_end = s.frame_start
    refused("one frame only")
    s.frame_end = s.frame_start + 3
    body.supple.pins = "none"
    refused("no vertex group none")
    body.supple.pins = ""
    role(body, "CLOTH")
    body.supple.role = "SOFT"
    bpy.ops.object.select_all(action="DESELECT")
    flat = role(plane("Sheet", 1.0, (0.0, 0.0, 2.0)), "SOFT")
    refused("Sheet: ")
    flat.supple.role = "NONE"
    pole = role(cube("Pole", 0.1, (1.0, 0.0, 0.0)), "COLLIDER")
    pole.keyframe_insert("scale", frame=1)
    pole.scale = (2.0, 2.0, 2.0)
    pole.keyframe_insert("scale", frame=4)
    s.frame_set(1)
    refused("its scale changes")


def picture(path):
    """A figure for the documentation: a cloth on an animated ball."""
    s = new_scene(frames=40, fps=50)
    cloth = role(grid("Cloth", 40, 1.2, (0.0, 0.0, 0.62)), "CLOTH", thickness=0.006, young=5e4, density=300.0)
    s.supple.self_contact = True
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.25, location=(0.0, 0.0, 0.3), subdivisions=4)
    ball = role(bpy.context.object, "COLLIDER")
    floor = role(plane("Floor", 8.0, (0.0, 0.0, 0.0)), "COLLIDER")
    assert simulate() == {"FINISHED"}
    for thing, colour in ((cloth, (0.75, 0.2, 0.1, 1)), (ball, (0.3, 0.35, 0.4, 1)), (floor, (0.55, 0.55, 0.55, 1))):
        material = bpy.data.materials.new(thing.name)
        material.diffuse_color = colour
        material.use_nodes = True
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
        thing.data.materials.append(material)
    for polygon in cloth.data.polygons:
        polygon.use_smooth = True
    bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.2, 0.5))
    bpy.context.object.data.energy = 3.0
    s.world = bpy.data.worlds.new("sky")
    s.world.use_nodes = True
    s.world.node_tree.nodes["Background"].inputs[0].default_value = (0.7, 0.8, 0.9, 1)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (1.5, -1.9, 1.25)
    camera.rotation_euler = (Vector((0.0, 0.0, 0.22)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    s.collection.objects.link(camera)
    s.camera = camera
    s.frame_set(s.frame_end)
    s.render.engine, s.cycles.samples = "CYCLES", 48
    s.cycles.use_denoising = False
    s.render.resolution_x, s.render.resolution_y, s.render.resolution_percentage = 960, 540, 100
    s.render.filepath = path
    bpy.ops.render.render(write_still=True)


def main():
    given = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    # As a person would have it found: on the search path.
    os.environ["PATH"] = os.path.dirname(os.environ["SUPPLE"]) + os.pathsep + os.environ["PATH"]
    supple_blender.register()
    if given:
        return picture(os.path.abspath(given[0]))
    failed = 0
    for function in TESTS:
        try:
            function()
            print(f"test {function.__name__} ... ok")
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f"test {function.__name__} ... FAILED")
    print(f"{len(TESTS) - failed} passed, {failed} failed", flush=True)
    sys.exit(1 if failed else 0)


main()

"""Simulate, with progress and cancel, and clear."""

import os
import re

import bpy

from . import cache, run, scene

# Name of the modifier that plays the result.
MODIFIER = "supple"


def gather(context):
    """All objects that have a role, with their meshes at the first frame and their matrices at each."""
    found = [o for o in context.scene.objects if o.type == "MESH" and o.supple.role != "NONE"]
    frames = range(context.scene.frame_start, context.scene.frame_end + 1)
    now = context.scene.frame_current
    matrices = {o.name: [] for o in found}
    try:
        for frame in frames:
            context.scene.frame_set(frame)
            for o in found:
                matrices[o.name].append([list(row) for row in o.matrix_world])
    finally:
        context.scene.frame_set(now)
    return [_object(o, matrices[o.name]) for o in found]


def _object(thing, matrices):
    mesh, settings = thing.data, thing.supple
    mesh.calc_loop_triangles()
    first = matrices[0]
    place = lambda v: tuple(sum(m * x for m, x in zip(row, v)) + row[3] for row in first)  # noqa: E731
    # A mirrored object's triangles would look inwards.
    (a, b, c), (d, e, f), (g, h, i) = (row[:3] for row in first[:3])
    mirrored = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0
    triangles = [tuple(t.vertices)[:: -1 if mirrored else 1] for t in mesh.loop_triangles]
    soft = settings.role == scene.SOFT
    return scene.Object(
        name=thing.name,
        role=settings.role,
        vertices=[place(v.co)[:3] for v in mesh.vertices],
        triangles=triangles,
        matrices=matrices,
        pinned=_pinned(thing),
        material=settings.solid if soft else settings.sheet,
        young=_short(settings.young),
        poisson=_short(settings.poisson),
        density=_short(settings.density),
        tets=settings.tets,
        thickness=_short(settings.thickness),
        friction=_short(settings.friction),
        velocity=tuple(map(_short, settings.velocity)),
    )


def _short(x):
    """A number as it was typed: Blender keeps single precision."""
    return float(f"{x:.7g}")


def _pinned(thing):
    name = thing.supple.pins
    if not name or thing.supple.role == scene.COLLIDER:
        return []
    group = thing.vertex_groups.get(name)
    if group is None:
        raise scene.SceneError(f"{thing.name}: no vertex group {name}")
    return [v.index for v in thing.data.vertices if any(g.group == group.index and g.weight > 0.5 for g in v.groups)]


def world_of(context):
    s = context.scene
    return scene.World(
        fps=s.render.fps / s.render.fps_base,
        frames=s.frame_end - s.frame_start,
        substeps=s.supple.substeps,
        gravity=tuple(map(_short, s.gravity)) if s.use_gravity else (0.0, 0.0, 0.0),
        tolerance=_short(s.supple.tolerance),
        collide=s.supple.collide,
        self_contact=s.supple.self_contact,
        friction=_short(s.supple.friction),
    )


def folder_of(context):
    """Beside the blend file; in Blender's own temporary folder, which goes with it, if there is none yet."""
    name = "supple_" + re.sub(r"[^\w-]+", "_", context.scene.name)
    return os.path.join(bpy.path.abspath("//") if bpy.data.filepath else bpy.app.tempdir, name)


def play(context, folder, bodies):
    """Gives each body a modifier that plays its part of the result; returns the number of frames."""
    parts = [(os.path.join(folder, f"body{k}.pc2"), len(b.vertices), b.matrices) for k, b in enumerate(bodies)]
    samples = cache.split(os.path.join(folder, "scene.pc2"), parts)
    for (path, _, _), body in zip(parts, bodies):
        thing = context.scene.objects[body.name]
        modifier = thing.modifiers.get(MODIFIER) or thing.modifiers.new(MODIFIER, "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.filepath = bpy.path.relpath(path) if bpy.data.filepath else path
        modifier.frame_start = context.scene.frame_start
        modifier.time_mode, modifier.play_mode, modifier.deform_mode = "FRAME", "SCENE", "OVERWRITE"
        # The file has the object's own axes.
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        modifier.show_viewport = modifier.show_render = True
        # What else deforms the mesh acts on the result.
        if hasattr(thing.modifiers, "move"):
            thing.modifiers.move(thing.modifiers.find(MODIFIER), 0)
    return samples


class SUPPLE_OT_simulate(bpy.types.Operator):
    """Simulate the scene's frames and play them; Esc keeps what has been simulated"""

    bl_idname = "supple.simulate"
    bl_label = "Simulate"
    bl_options = {"REGISTER"}

    def invoke(self, context, _event):
        if not self._start(context):
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, max(self._frames, 1))
        self._timer = manager.event_timer_add(0.2, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._run.interrupt()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        done = self._run.frames
        context.window_manager.progress_update(done)
        context.workspace.status_text_set(f"supple: frame {done} of {self._frames}; Esc keeps what there is")
        if not self._run.finished:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return self._end(context)

    def execute(self, context):
        """Without a window, as from a script: waits."""
        if not self._start(context):
            return {"CANCELLED"}
        self._run.wait()
        return self._end(context)

    def _start(self, context):
        try:
            self._world = world_of(context)
            if self._world.frames < 1:
                raise scene.SceneError("the scene has one frame only: set its end (Output, Frame range)")
            # Modifiers of an earlier run play while matrices are sampled, but meshes are taken without them.
            path, self._bodies = scene.write(folder_of(context), self._world, gather(context))
            addon = context.preferences.addons.get(__package__)
            self._run = run.Run(run.find_program(addon.preferences.program if addon else ""), path)
        except (scene.SceneError, run.RunError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return False
        self._frames = self._world.frames
        return True

    def _end(self, context):
        try:
            summary = self._run.summary()
            samples = play(context, self._run.folder, self._bodies)
        except (run.RunError, cache.CacheError, scene.SceneError, OSError) as error:
            self.report({"ERROR"}, self._named(str(error)))
            return {"CANCELLED"}
        for warning in summary.get("warnings") or []:
            self.report({"WARNING"}, warning if isinstance(warning, str) else str(warning))
        words = f"{samples - 1} frames, {summary['converged']} converged"
        if summary.get("advice"):
            self.report({"WARNING"}, summary["advice"]["text"])
        self.report({"INFO"}, words + (", interrupted" if summary.get("interrupted") else ""))
        context.scene.frame_set(context.scene.frame_current)
        return {"FINISHED"}


    def _named(self, words):
        """The program's words with the name of the object that they are about in front: it speaks of `body[1]`."""
        words = words.removeprefix("error: ")
        key = re.search(r"^key: body\[(\d+)\]", words, re.MULTILINE)
        return f"{self._bodies[int(key[1])].name}: {words}" if key and int(key[1]) < len(self._bodies) else words


class SUPPLE_OT_clear(bpy.types.Operator):
    """Take the simulated motion off all objects again"""

    bl_idname = "supple.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        for thing in context.scene.objects:
            modifier = thing.modifiers.get(MODIFIER) if thing.type == "MESH" else None
            if modifier and modifier.type == "MESH_CACHE":
                thing.modifiers.remove(modifier)
        return {"FINISHED"}


CLASSES = (SUPPLE_OT_simulate, SUPPLE_OT_clear)


def register():
    for c in CLASSES:
        bpy.utils.register_class(c)


def unregister():
    for c in reversed(CLASSES):
        bpy.utils.unregister_class(c)

"""Soft bodies, cloth and colliders of Blender, simulated by the program `supple`.

Map: `scene.py` writes what Blender has as a scene file and meshes, `run.py` runs the program, `cache.py` cuts its result into a file per object
(these three know nothing of Blender); `properties.py`, `operators.py` and `panel.py` are Blender's side.
"""

bl_info = {
    "name": "supple: elastic bodies",
    "author": "The supple developers",
    "version": (0, 2, 0),
    "blender": (3, 3, 0),
    "location": "3D View > Sidebar > supple",
    "description": "Solids and cloth by implicit time integration, with contact that cannot pass through",
    "category": "Physics",
}

# Without Blender only the three modules that do not need it can be used: by their tests.
try:
    import bpy
except ImportError:
    bpy = None

if bpy is not None:
    from . import operators, panel, properties

    PARTS = (properties, operators, panel)

    def register():
        for part in PARTS:
            part.register()

    def unregister():
        for part in reversed(PARTS):
            part.unregister()

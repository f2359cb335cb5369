"""What a person sets: of each object, of the scene, of the add-on."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty

from . import scene

ROLES = (
    ("NONE", "None", "Not part of the simulation"),
    (scene.SOFT, "Soft body", "An elastic solid: a closed surface, filled with tetrahedra; the surface rides on them"),
    (scene.CLOTH, "Cloth", "An elastic sheet, its vertices are simulated"),
    (scene.COLLIDER, "Collider", "What bodies cannot enter: a closed surface, or a flat one, which is a floor or a wall without end; may be animated"),
)
SOLIDS = (
    ("stable_neo_hookean", "Stable neo-Hookean", "Rubber, flesh; recovers from anything"),
    ("neo_hookean", "Neo-Hookean", "Rubber; infinitely stiff against being pressed flat"),
    ("corotated", "Corotated", "Linear but for rotations"),
    ("fixed_corotated", "Fixed corotated", "Corotated, with a volume term that holds for large strain"),
)
SHEETS = (
    ("st_venant_kirchhoff", "St. Venant–Kirchhoff", "Cloth, paper"),
    ("neo_hookean", "Neo-Hookean", "Rubber sheet"),
    ("corotated", "Corotated", "Linear but for rotations"),
)


class ObjectSettings(bpy.types.PropertyGroup):
    role: EnumProperty(name="Role", items=ROLES, default="NONE")
    solid: EnumProperty(name="Material", items=SOLIDS, default="stable_neo_hookean")
    sheet: EnumProperty(name="Material", items=SHEETS, default="st_venant_kirchhoff")
    young: FloatProperty(name="Young's modulus", description="Stiffness in Pa: jelly 1e4, rubber 1e6, cloth 1e5", default=1e5, min=1.0, max=1e12)
    poisson: FloatProperty(name="Poisson's ratio", description="How much it keeps its volume: 0 not at all, 0.5 entirely", default=0.4, min=0.0, max=0.49)
    density: FloatProperty(name="Density", description="kg/m³", default=1000.0, min=1e-3, max=1e5)
    tets: IntProperty(name="Tetrahedra", description="How many fill the body: more is finer and slower", default=4000, min=50, max=500_000)
    thickness: FloatProperty(name="Thickness", description="Of the cloth, in m; also the distance that it keeps", default=0.002, min=1e-5, max=1.0)
    friction: FloatProperty(name="Friction", description="Coulomb's coefficient on this collider", default=0.5, min=0.0, max=10.0)
    velocity: FloatVectorProperty(name="Start velocity", description="m/s", subtype="VELOCITY", default=(0.0, 0.0, 0.0))
    pins: StringProperty(name="Pins", description="Vertex group of what is held, and goes along with the object's animation (weights above one half)")


class SceneSettings(bpy.types.PropertyGroup):
    substeps: IntProperty(name="Substeps", description="Time steps per frame", default=1, min=1, max=100)
    tolerance: FloatProperty(name="Tolerance", description="Error of a step, relative to the size of the bodies", default=1e-4, min=1e-10, max=1e-2, precision=6)
    collide: BoolProperty(name="Bodies collide", description="Bodies touch each other", default=True)
    self_contact: BoolProperty(name="Self-collision", description="Bodies touch themselves", default=False)
    friction: FloatProperty(name="Friction", description="Coulomb's coefficient between bodies", default=0.3, min=0.0, max=10.0)


class Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(name="Program", description="Path of supple; empty: found by itself", subtype="FILE_PATH")

    def draw(self, _context):
        self.layout.prop(self, "program")


CLASSES = (ObjectSettings, SceneSettings, Preferences)


def register():
    for c in CLASSES:
        bpy.utils.register_class(c)
    bpy.types.Object.supple = PointerProperty(type=ObjectSettings)
    bpy.types.Scene.supple = PointerProperty(type=SceneSettings)


def unregister():
    del bpy.types.Scene.supple
    del bpy.types.Object.supple
    for c in reversed(CLASSES):
        bpy.utils.unregister_class(c)

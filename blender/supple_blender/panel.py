"""The tab in the sidebar of the 3D view."""

import bpy

from . import scene


class SUPPLE_PT_panel(bpy.types.Panel):
    bl_label = "supple"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "supple"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        thing = context.object
        if thing and thing.type == "MESH":
            self.draw_object(layout.box(), thing)
        world = context.scene.supple
        box = layout.box()
        box.label(text="Scene")
        for name in ("substeps", "tolerance", "collide", "self_contact", "friction"):
            box.prop(world, name)
        layout.operator("supple.simulate", icon="PLAY")
        layout.operator("supple.clear", icon="TRASH")

    @staticmethod
    def draw_object(layout, thing):
        settings = thing.supple
        layout.label(text=thing.name)
        layout.prop(settings, "role")
        if settings.role == scene.COLLIDER:
            layout.prop(settings, "friction")
        elif settings.role in (scene.SOFT, scene.CLOTH):
            soft = settings.role == scene.SOFT
            for name in ("solid" if soft else "sheet", "young", "poisson", "density", "tets" if soft else "thickness", "velocity"):
                layout.prop(settings, name)
            layout.prop_search(settings, "pins", thing, "vertex_groups")


def register():
    bpy.utils.register_class(SUPPLE_PT_panel)


def unregister():
    bpy.utils.unregister_class(SUPPLE_PT_panel)

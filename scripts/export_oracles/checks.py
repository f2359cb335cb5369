"""The comparisons; run by scripts/export-oracles with the folder of the files and that of the tools.

Tolerances: formats in doubles must agree to the last bit. Single precision rounds coordinates up to 2 m by 1.2e-7 at
most; glTF rounds twice, once for the mesh and once for the difference.
"""
import json
import sys
import traceback
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

OUT = Path(sys.argv[1])
TOOLS = Path(sys.argv[2])
TRUTH = json.loads((OUT / "truth.json").read_text())
BODIES, FPS = TRUTH["bodies"], TRUTH["fps"]
TIMES = [f["time"] for f in TRUTH["frames"]]
X = np.array([f["positions"] for f in TRUTH["frames"]])
V = np.array([f["velocities"] for f in TRUTH["frames"]])
FRAMES, NODES = X.shape[:2]
SINGLE = 1.2e-7


def cells(kind, width, of=lambda body: True):
    """Cells of the bodies by nodes counted over all bodies."""
    found = [[b["first_node"] + n for n in cell] for b in BODIES if of(b) for cell in b[kind]]
    return np.array(found, dtype=np.int64).reshape(-1, width)


def close(a, b, tolerance, what):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    error = np.max(np.abs(a - b), initial=0.0)
    assert error <= tolerance, f"{what}: differs by {error}, {tolerance} allowed"


def equal(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    assert np.array_equal(a, b), f"{what} differ in {np.count_nonzero(a != b)} of {a.size}"


def name(frame, extension):
    return str(OUT / f"run-{frame:04}.{extension}")


def linear(srgb):
    c = np.asarray(srgb, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def npz():
    for file, frames in [("run.npz", FRAMES), ("still.npz", 1)]:
        with np.load(OUT / file) as a:
            assert sorted(a.files) == ["springs", "surface", "tets", "time", "x"], a.files
            assert a["x"].dtype == np.float64 and a["tets"].dtype == np.uint32
            equal(a["x"], X[:frames], "x")
            equal(a["time"], TIMES[:frames], "time")
            equal(a["tets"], cells("tets", 4), "tets")
            equal(a["surface"], cells("surface", 3), "surface")
            equal(a["springs"], cells("edges", 2), "springs")
    import zipfile
    assert zipfile.ZipFile(OUT / "run.npz").testzip() is None


def obj():
    import meshio
    import trimesh
    for k in range(FRAMES):
        loaded = trimesh.load(name(k, "obj"), process=False, maintain_order=True)
        meshes = loaded.geometry.values() if isinstance(loaded, trimesh.Scene) else [loaded]
        corners = np.concatenate([m.vertices[m.faces] for m in meshes if isinstance(m, trimesh.Trimesh)])
        equal(corners, X[k][cells("surface", 3)], "corners by trimesh")
        mesh = meshio.read(name(k, "obj"))
        equal(mesh.points, X[k], "points by meshio")
        equal(np.concatenate([c.data for c in mesh.cells if c.type == "triangle"]), cells("surface", 3), "faces")


def ply():
    import trimesh
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    colours = np.concatenate([np.tile(np.array(b["colour"]) * 255, (b["nodes"], 1)) for b in BODIES])
    for k in range(FRAMES):
        mesh = trimesh.load(name(k, "ply"), process=False, maintain_order=True)
        close(mesh.vertices, X[k], SINGLE, "vertices by trimesh")
        equal(mesh.faces, cells("surface", 3), "faces by trimesh")
        close(mesh.visual.vertex_colors[:, :3], colours, 0.5001, "colours by trimesh, rounded")
        edges = mesh.metadata["_ply_raw"]["edge"]["data"]
        equal(np.stack([edges["vertex1"], edges["vertex2"]], axis=1).reshape(-1, 2), cells("edges", 2), "edges")
        reader = vtk.vtkPLYReader()
        reader.SetFileName(name(k, "ply"))
        reader.Update()
        points = reader.GetOutput().GetPoints()
        close(vtk_to_numpy(points.GetData()), X[k], SINGLE, "points by VTK")
        assert reader.GetOutput().GetNumberOfPolys() == len(cells("surface", 3))


def stl():
    import meshio
    import trimesh
    for k in range(FRAMES):
        expected = X[k][cells("surface", 3)]
        mesh = trimesh.load(name(k, "stl"), process=False)
        close(mesh.triangles, expected, SINGLE, "triangles by trimesh")
        normals = np.cross(expected[:, 1] - expected[:, 0], expected[:, 2] - expected[:, 0])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        close(mesh.face_normals, normals, 1e-5, "normals by trimesh")
        other = meshio.read(name(k, "stl"))
        close(other.points[other.cells[0].data], expected, SINGLE, "triangles by meshio")
    solids = trimesh.load(name(0, "stl")).split(only_watertight=True)
    assert len(solids) == 2 and all(s.volume > 0 for s in solids), "two closed bodies, outside out"


def vtu():
    import meshio
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    tets, lines = cells("tets", 4), cells("edges", 2)
    cloth = cells("surface", 3, lambda b: not b["tets"])
    listed = ElementTree.parse(OUT / "run.pvd").getroot().findall("Collection/DataSet")
    equal([float(d.get("timestep")) for d in listed], TIMES, "times of the collection")
    for k, entry in enumerate(listed):
        file = str(OUT / entry.get("file"))
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(file)
        reader.Update()
        assert reader.GetErrorCode() == 0
        grid = reader.GetOutput()
        equal(vtk_to_numpy(grid.GetPoints().GetData()), X[k], "points by VTK")
        equal(vtk_to_numpy(grid.GetPointData().GetArray("velocity")), V[k], "velocity by VTK")
        equal(np.flatnonzero(vtk_to_numpy(grid.GetPointData().GetArray("pinned"))), sorted(TRUTH["pins"]), "pins")
        kinds = [grid.GetCellType(c) for c in range(grid.GetNumberOfCells())]
        equal(kinds, [10] * len(tets) + [5] * len(cloth) + [3] * len(lines), "kinds of cells")
        equal(vtk_to_numpy(grid.GetCells().GetConnectivityArray()),
              np.concatenate([tets.ravel(), cloth.ravel(), lines.ravel()]), "connectivity")
        assert vtk_to_numpy(grid.GetFieldData().GetArray("TimeValue")) == [TIMES[k]]
        for field, values in TRUTH["frames"][k]["fields"].items():
            data = vtk_to_numpy(grid.GetCellData().GetArray(field))
            equal(data[:len(tets)], values, f"{field} by VTK")
            assert np.all(np.isnan(data[len(tets):])), f"{field} on cells without it"
        quality = vtk.vtkCellSizeFilter()
        quality.SetInputData(grid)
        quality.Update()
        volumes = vtk_to_numpy(quality.GetOutput().GetCellData().GetArray("Volume"))
        assert np.all(volumes[:len(tets)] > 0), "tetrahedra are not inside out"
        mesh = meshio.read(file)
        equal(mesh.points, X[k], "points by meshio")
        equal(mesh.cells_dict["tetra"], tets, "tetrahedra by meshio")
        equal(mesh.cells_dict["line"], lines, "springs by meshio")
        equal(mesh.cell_data_dict["stress"]["tetra"], TRUTH["frames"][k]["fields"]["stress"], "stress by meshio")


def glb():
    from export_glb import check_glb
    check_glb()


def usda():
    from pxr import Gf, Usd, UsdGeom, UsdValidation
    # What usdchecker runs.
    validators = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    for file, frames in [("run.usda", FRAMES), ("still.usda", 1)]:
        stage = Usd.Stage.Open(str(OUT / file))
        wrong = [e.GetMessage() for e in validators.Validate(stage)]
        assert not wrong, wrong
        assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
        assert stage.GetTimeCodesPerSecond() == FPS and stage.GetFramesPerSecond() == FPS
        assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, frames - 1)
        prims = list(stage.GetDefaultPrim().GetChildren())
        shown = [(b, kind) for b in BODIES for kind in ("surface", "edges") if b[kind]]
        assert [p.GetTypeName() for p in prims] == ["Mesh" if k == "surface" else "BasisCurves" for _, k in shown]
        for prim, (body, kind) in zip(prims, shown):
            assert prim.GetDisplayName() == body["name"], prim.GetDisplayName()
            shape = UsdGeom.PointBased(prim)
            assert shape.GetPointsAttr().GetTimeSamples() == list(range(frames))
            close(shape.GetDisplayColorAttr().Get(), [linear(body["colour"])], 1e-6, "colour")
            for k in range(frames):
                points = np.array(shape.GetPointsAttr().Get(k))
                here = X[k][body["first_node"]:body["first_node"] + body["nodes"]]
                extent = np.array(shape.GetExtentAttr().Get(k))
                if kind == "surface":
                    mesh = UsdGeom.Mesh(prim)
                    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
                    valid = UsdGeom.Mesh.ValidateTopology(mesh.GetFaceVertexIndicesAttr().Get(),
                                                          mesh.GetFaceVertexCountsAttr().Get(), len(points))
                    assert valid if isinstance(valid, bool) else valid[0], valid
                    close(points[faces], here[body["surface"]], SINGLE, "points")
                    close(extent, UsdGeom.PointBased.ComputeExtent(points), SINGLE, "extent")
                else:
                    curves = UsdGeom.BasisCurves(prim)
                    equal(curves.GetCurveVertexCountsAttr().Get(), [2] * len(body["edges"]), "curves")
                    close(points.reshape(-1, 2, 3), here[body["edges"]], SINGLE, "ends of springs")
                    widths = curves.GetWidthsAttr().Get()
                    close(extent, UsdGeom.Curves.ComputeExtent(points, widths), 2 * SINGLE, "extent of springs")
        box = UsdGeom.BBoxCache(frames - 1, [UsdGeom.Tokens.default_]).ComputeWorldBound(stage.GetPseudoRoot())
        assert not box.ComputeAlignedRange().IsEmpty() and isinstance(box, Gf.BBox3d)


def pc2():
    """By the layout that Blender's and 3ds Max' readers share; there is no reader to install."""
    import struct
    for file, frames in [("run.pc2", FRAMES), ("still.pc2", 1)]:
        data = (OUT / file).read_bytes()
        mark, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
        assert (mark, version, points, start, rate, samples) == (b"POINTCACHE2\0", 1, NODES, 0, 1, frames)
        x = np.frombuffer(data[32:], dtype="<f4").reshape(frames, NODES, 3)
        close(x, X[:frames], SINGLE, "points")


def png():
    from PIL import Image
    for k in range(FRAMES):
        with Image.open(name(k, "png")) as image:
            image.load()
            assert image.size == (320, 240) and image.mode == "RGB"
            seen = {tuple(p) for p in np.asarray(image).reshape(-1, 3)}
            assert len(seen) > 500, "a picture with shades"


def frames_of(file):
    from PIL import Image, ImageSequence
    with Image.open(OUT / file) as movie:
        return [(np.asarray(f.convert("RGB"), dtype=float), f.info.get("duration")) for f in ImageSequence.Iterator(movie)]


def pictures():
    from PIL import Image
    return [np.asarray(Image.open(name(k, "png")), dtype=float) for k in range(FRAMES)]


def movie(file, tolerance):
    found = frames_of(file)
    assert len(found) == FRAMES, f"{len(found)} frames"
    for k, (image, duration) in enumerate(found):
        assert duration == 1000 / FPS, duration
        errors = [np.mean(np.abs(image - picture)) for picture in pictures()]
        assert errors[k] <= tolerance, f"mean error of {errors[k]} levels"
        assert np.argmin(errors) == k, "another frame is nearer"


def gif():
    movie("run.gif", 3)


def apng():
    movie("run.apng", 0)


def mp4():
    import imageio_ffmpeg
    # The default conversion back to RGB is fast rather than right: it darkens all by one or two levels.
    exactly = ["-sws_flags", "accurate_rnd+full_chroma_int"]
    reader = imageio_ffmpeg.read_frames(str(OUT / "run.mp4"), output_params=exactly)
    info = next(reader)
    assert info["codec"].startswith("h264") and info["pix_fmt"].startswith("yuv420p"), info
    assert info["size"] == (320, 240) and info["fps"] == FPS, info
    images = [np.frombuffer(f, dtype=np.uint8).reshape(240, 320, 3).astype(float) for f in reader]
    assert len(images) == FRAMES, f"{len(images)} frames"
    for image, picture in zip(images, pictures()):
        error = np.mean(np.abs(image - picture))
        assert error <= 4, f"mean error of {error} levels"
        drift = np.abs(np.mean(image - picture, axis=(0, 1)))
        assert np.all(drift < 0.75), f"colours drift by {drift}"
        # A wrong colour matrix would shift saturated colours by 7 levels; the quality chosen, by 2.
        for more, less in [(0, 2), (2, 0)]:
            saturated = picture[..., more] - picture[..., less] > 100
            drift = np.abs(np.mean((image - picture)[saturated], axis=0))
            assert np.all(drift < 3.5), f"saturated colours drift by {drift}"


def main():
    checks = [npz, obj, ply, stl, vtu, glb, usda, pc2, png, gif, apng, mp4]
    asked = sys.argv[3:] or [c.__name__ for c in checks]
    unknown = set(asked) - {c.__name__ for c in checks}
    if unknown:
        sys.exit(f"export-oracles: no such format: {', '.join(sorted(unknown))}")
    failed = []
    for check in checks:
        if check.__name__ not in asked:
            continue
        try:
            check()
            print(f"{check.__name__:5} agrees")
        except Exception:  # noqa: BLE001: every check must run
            failed.append(check.__name__)
            traceback.print_exc()
            print(f"{check.__name__:5} DIFFERS")
    sys.exit(f"export-oracles: failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

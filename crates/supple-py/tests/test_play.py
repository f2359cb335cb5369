"""Recorded runs as pages: what is inside of them, read back by docs/stream-format.md; and meshes for other packages."""
import base64
import json
import re
import struct

import meshio
import numpy as np
import pytest
import pyvista

import supple


def messages(page):
    """The messages in a page."""
    data = base64.b64decode(re.search(r'id="data">([^<]*)</script>', page).group(1))
    at, out = 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        out.append(data[at + 4:at + 4 + length])
        at += 4 + length
    return out


def test_a_page_has_every_frame_to_half_a_step():
    mesh = supple.box_mesh((1, 0.2, 0.3), (5, 2, 2))
    rng = np.random.default_rng(1)
    x = mesh.vertices + rng.normal(scale=0.01, size=(7, 1, 1)) + rng.normal(scale=0.001, size=(7, *mesh.vertices.shape))
    player = supple.play(x, tets=mesh.tets, fps=30, title="a <box> & more")
    model, *frames = messages(player.page)
    assert player.frames == len(frames) == 7 and model[:4] == b"SUPL" and struct.unpack_from("<HH", model, 4) == (1, 1)
    (length,) = struct.unpack_from("<I", model, 12)
    about = json.loads(model[16:16 + length])
    body = about["bodies"][0]
    arrays = np.frombuffer(model[16 + length:], "<u4")
    origin, triangles = arrays[:body["drawn"]], arrays[body["drawn"]:].reshape(-1, 3)
    assert len(triangles) == body["triangles"] and triangles.max() < body["drawn"] and origin.max() < body["vertices"]
    seen = np.unique(supple.surface(mesh.tets))
    assert body["vertices"] == len(seen) < len(mesh.vertices)
    # Drawn triangles are those of the surface, whichever vertices are split.
    assert {tuple(sorted(t)) for t in seen[origin[triangles]]} == {tuple(sorted(t)) for t in supple.surface(mesh.tets)}
    for k, frame in enumerate(frames):
        assert struct.unpack_from("<HHII", frame, 4) == (1, 3, 1, len(seen))
        assert struct.unpack_from("<Qd", frame, 16) == (k, k / 30)
        box = np.array(struct.unpack_from("<6d", frame, 72))
        steps = np.frombuffer(frame, "<u2", 3 * len(seen), 120).reshape(-1, 3)
        read = box[:3] + steps * box[3:]
        assert np.abs(read - x[k][seen]).max() <= 0.5 * box[3:].max() * (1 + 1e-9)
        assert len(frame) == 120 + -(-6 * len(seen) // 4) * 4
    assert "<title>a &lt;box&gt; &amp; more</title>" in player.page
    # Nothing from outside, and what a notebook's file gets.
    assert "connect-src 'none'" in player.page and "http://" not in player.page.split("<script")[0]
    shown = player._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and "<script" not in shown and player.size == len(shown.encode())


def test_a_cube_is_drawn_with_its_edges_and_a_ball_without():
    for mesh, most in ((supple.box_mesh(cells=(3, 3, 3)), None), (supple.ball_mesh(cells=10), 1.0)):
        model = messages(supple.play(mesh.vertices, tets=mesh.tets).page)[0]
        (length,) = struct.unpack_from("<I", model, 12)
        body = json.loads(model[16:16 + length])["bodies"][0]
        if most is None:
            # Each of six faces has its own 16.
            assert body["drawn"] == 6 * 16
        else:
            assert body["drawn"] == body["vertices"]


def test_what_cannot_be_played_says_why(tmp_path):
    x = np.zeros((3, 4, 3))
    x[:, 1, 0] = x[:, 2, 1] = x[:, 3, 2] = 1
    tets = [[0, 1, 2, 3]]
    with pytest.raises(ValueError, match="nothing is seen"):
        supple.play(x)
    with pytest.raises(ValueError, match="finite"):
        supple.play(x * np.nan, tets=tets)
    with pytest.raises(ValueError, match="there are 4"):
        supple.play(x, triangles=[[0, 1, 4]])
    with pytest.raises(ValueError, match=r"\(frames, n, 3\)"):
        supple.play(x[:, :, :2], tets=tets)
    with pytest.raises(ValueError, match="most_megabytes"):
        supple.play(np.repeat(x, 200, axis=0), tets=tets, most_megabytes=0.01)
    with pytest.raises(ValueError, match="fps"):
        supple.play(x, tets=tets, fps=0)
    player = supple.play(x, tets=tets, edges=[[0, 1]])
    player.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == player.page
    assert "3 frames" in repr(player)


def test_meshes_for_other_packages():
    mesh = supple.box_mesh(cells=(2, 1, 1))
    grid = mesh.to_pyvista()
    assert np.isclose(grid.volume, 1.0) and np.array_equal(grid.points, mesh.vertices)
    sheet = supple.cloth_mesh().to_pyvista()
    assert isinstance(sheet, pyvista.PolyData) and np.isclose(sheet.area, 1.0)
    other = mesh.to_meshio()
    assert isinstance(other, meshio.Mesh) and np.array_equal(other.cells_dict["tetra"], mesh.tets)


def two_bodies():
    mesh = supple.box_mesh((1, 0.2, 0.2), (4, 1, 1))
    scene = supple.Scene(dt=0.02)
    beam = scene.add_solid(mesh.vertices, mesh.tets, material=supple.Arap(stiffness=1e5), density=1000.0)
    scene.pin(beam, mesh.vertices[:, 0] == 0)
    line = np.column_stack([np.linspace(0, 1, 5), np.ones(5), np.zeros(5)])
    rope = scene.add_springs(line, [[i, i + 1] for i in range(4)], stiffness=100.0, masses=np.full(5, 0.1))
    scene.pin(rope, [0])
    return scene.build(), mesh, len(mesh.vertices)


def test_a_simulation_knows_what_is_seen_of_it():
    sim, mesh, n = two_bodies()
    (faces, none), (nothing, edges) = sim._seen()
    assert np.array_equal(faces, supple.surface(mesh.tets)) and none.shape == (0, 2) and nothing.shape == (0, 3)
    assert np.array_equal(edges, n + np.array([[0, 1], [1, 2], [2, 3], [3, 4]]))
    positions, _ = supple.run(sim, 4, progress=False)
    by_hand = supple.play(positions, triangles=faces, edges=edges)
    assert supple.play(positions, sim).page == by_hand.page
    with pytest.raises(TypeError, match="alone"):
        supple.play(positions, sim, edges=edges)


def test_a_picture_of_the_present_state():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sim, mesh, _ = two_bodies()
    sim.step()
    ax = sim.plot()
    solid, rope = ax.collections
    ax.figure.canvas.draw()
    assert len(solid.get_paths()) == len(supple.surface(mesh.tets))
    ends = np.array(rope._segments3d)
    assert np.allclose(ends.reshape(-1, 3)[0], sim.positions[len(mesh.vertices)][[2, 0, 1]])
    assert sim.plot(ax) is ax
    with pytest.raises(TypeError, match="three-dimensional"):
        sim.plot(plt.figure().add_subplot())
    plt.close("all")

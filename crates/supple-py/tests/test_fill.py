"""Surfaces that become bodies, and skins."""
import numpy as np
import pytest

import supple


def ball(n=16):
    mesh = supple.ball_mesh(1.0, n)
    triangles = supple.surface(mesh.tets)
    return mesh.vertices, triangles


def volume(vertices, tets, fill):
    a, b, c, d = (vertices[tets[:, i]] for i in range(4))
    return float(np.sum(fill * np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a)) / 6)


@pytest.mark.parametrize("kind", ["conform", "grow", "cage"])
def test_a_ball_of_each_kind(kind):
    vertices, triangles = ball()
    filled = supple.fill(vertices, triangles, tets=3000, kind=kind)
    assert abs(len(filled.tets) / 3000 - 1) <= 0.1
    assert filled.vertices.shape[1] == 3 and filled.tets.shape[1] == 4 and filled.fill.shape == (len(filled.tets),)
    assert np.all((filled.fill > 0) & (filled.fill <= 1))
    r = filled.report
    assert r["tets"] == len(filled.tets) and r["nodes"] == len(filled.vertices) and r["kind"] == kind
    assert r["min_dihedral"] > 9 and r["max_dihedral"] < 165 and r["closed"] and r["parts"] == 1
    assert np.isclose(volume(filled.vertices, filled.tets, filled.fill), r["volume"], rtol=1e-12)
    assert abs(r["volume_error"]) < (0.03 if kind == "conform" else 0.005)
    assert isinstance(r["notes"], list)


def test_size_and_default():
    vertices, triangles = ball()
    assert supple.fill(vertices, triangles, size=0.2).report["size"] == 0.2
    assert np.isclose(supple.fill(vertices, triangles).report["size"], np.sqrt(12) / 30, rtol=0.01)
    with pytest.raises(ValueError, match="size or tets"):
        supple.fill(vertices, triangles, size=0.2, tets=100)
    with pytest.raises(ValueError, match="kind must be one of"):
        supple.fill(vertices, triangles, kind="cube")
    with pytest.raises(ValueError, match="flat"):
        supple.fill([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    bad = vertices.copy()
    bad[triangles[0, 0], 1] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        supple.fill(bad, triangles)


def test_the_skin_follows_affine_motion_exactly():
    vertices, triangles = ball()
    used = np.unique(triangles)
    for kind in ["conform", "cage"]:
        filled = supple.fill(vertices, triangles, tets=2000, kind=kind)
        skin = supple.Skin(filled, vertices)
        assert np.abs(skin.weights.sum(axis=1) - 1).max() < 1e-14
        if kind == "cage":
            inner = supple.Skin(filled, vertices[used])
            assert inner.outside == 0
        f = np.array([[1.2, 0.1, 0.0], [-0.3, 0.9, 0.2], [0.1, 0.0, 1.1]])
        x = filled.vertices @ f.T + [1, 2, 3]
        assert np.abs(skin.positions(x) - (vertices @ f.T + [1, 2, 3])).max() < 1e-12
        # cof(F) n, of unit length.
        cofactor = np.linalg.det(f) * np.linalg.inv(f).T
        rest = skin.normals(filled.vertices)
        expected = rest @ cofactor.T
        expected[used] /= np.linalg.norm(expected[used], axis=1)[:, None]
        assert np.abs(skin.normals(x)[used] - expected[used]).max() < 1e-9
    with pytest.raises(ValueError):
        skin.positions(x[1:])
    with pytest.raises(ValueError, match="triangles or normals"):
        supple.Skin(filled, vertices[:5]).normals(x)


def test_a_filled_body_falls_with_g():
    vertices, triangles = ball()
    filled = supple.fill(vertices, triangles, tets=1500, kind="cage")
    scene = supple.Scene(dt=0.04)
    scene.add_solid(
        filled.vertices, filled.tets, fill=filled.fill, material=supple.NeoHookean(young=1e5, poisson=0.4), density=1000.0
    )
    sim = scene.build()
    skin = supple.Skin(filled, vertices)
    for _ in range(5):
        sim.step()
    way = -9.8 * 0.04**2 * 15
    assert np.abs(skin.positions(sim.positions) - (vertices + [0, way, 0])).max() < 1e-9


def test_a_skin_of_order_two_rides_between_all_nodes():
    vertices, triangles = ball()
    filled = supple.fill(vertices, triangles, tets=500, kind="cage")
    scene = supple.Scene(gravity=(0, 0, 0))
    material = supple.NeoHookean(young=1e5, poisson=0.4)
    scene.add_solid(filled.vertices, filled.tets, fill=filled.fill, material=material, density=1000.0, order=2)
    sim = scene.build()
    one, two = supple.Skin(filled, vertices), supple.Skin(filled, vertices, order=2)
    assert np.array_equal(two.positions(sim.positions), vertices) and (two.tets // 8 < len(filled.tets)).all()
    used = np.unique(triangles)
    bend = lambda p: p + 0.2 * np.c_[-p[:, 0] * p[:, 1], p[:, 0] ** 2, 0 * p[:, 0]]  # noqa: E731
    off = lambda skin, x: np.linalg.norm(skin.positions(bend(x)) - bend(vertices), axis=1)[used].mean()  # noqa: E731
    # Chords of half the length: a quarter of the error.
    assert 2.5 < off(one, filled.vertices) / off(two, sim.positions) < 5.5
    with pytest.raises(ValueError, match="positions"):
        two.positions(filled.vertices)
    with pytest.raises(ValueError, match="order"):
        supple.Skin(filled, vertices, order=3)

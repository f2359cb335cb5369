"""Sliding constraints, attachments and stitches, as users write them."""
import numpy as np
import pytest

import supple

RUBBER = dict(material=supple.Corotated(young=1e5, poisson=0.3), density=1000.0)


def bead(**options):
    scene = supple.Scene(dt=0.01)
    body = scene.add_springs([(0, 0, 0)], np.zeros((0, 2), int), stiffness=1.0, masses=2.0)
    return scene, body


@pytest.mark.parametrize("method", ["auto", "admm", "newton", "quasi_newton"])
def test_a_rail(method):
    angle = np.radians(26.565)
    along = np.array([np.cos(angle), -np.sin(angle), 0])
    for on in (
        dict(plane=((0, 0, 0), (np.sin(angle), np.cos(angle), 0))),
        dict(line=((0, 0, 0), along)),
        dict(curve=[-along, along, 3 * along]),
    ):
        scene, body = bead()
        assert scene.slide(body, [0], **on) == 0
        sim = scene.build(method=method)
        for frame in range(1, 31):
            report = sim.step()
            assert report.converged and report.link_gap < 1e-9
            assert abs(sim.velocities[0] @ along / (0.01 * frame) - 4.382685) < 5e-6
        assert np.linalg.norm(sim.link_forces(0)[0]) == pytest.approx(19.6 * np.cos(angle), rel=1e-6)


def test_attachments_move_and_break():
    scene, body = bead()
    number = scene.attach(body, [0], breaking_force=100.0)
    sim = scene.build()
    sim.move_link(number, translation=(0.001, 0, 0))
    report = sim.step()
    assert report.links_broken == 0 and np.allclose(sim.positions[0], (0.001, 0, 0), atol=1e-9)
    # 2 kg by a metre in 10 ms: more than 100 N.
    sim.move_link(number, translation=(1, 0, 0))
    assert sim.step().links_broken == 1
    assert sim.broken_links(number).tolist() == [True]
    height = sim.positions[0, 1]
    sim.step()
    assert sim.positions[0, 1] < height and not sim.link_forces(number).any()


def test_bodies_hang_together():
    mesh = supple.box_mesh((0.1, 0.1, 0.1), (1, 1, 1))
    for way in ("pairs", "ids", "to", "obstacle"):
        scene = supple.Scene(dt=0.01)
        top = scene.add_solid(mesh.vertices, mesh.tets, **RUBBER)
        low = scene.add_solid(mesh.vertices - (0, 0.1, 0), mesh.tets, **RUBBER)
        high = np.flatnonzero(mesh.vertices[:, 1] == 0.1)
        bottom = np.flatnonzero(mesh.vertices[:, 1] == 0.0)
        shelf = scene.add_obstacle(supple.HalfSpace((0, -9, 0), (0, 1, 0)))
        hold = scene.attach(top, high, obstacle=shelf)
        if way == "pairs":
            scene.stitch(low, top, pairs=np.stack([high, bottom], axis=1))
        elif way == "ids":
            scene.stitch(low, top, ids=high)
        elif way == "to":
            scene.attach(low, high, to=top)
        else:
            scene.attach(low, high, obstacle=shelf)
        sim = scene.build()
        for _ in range(20):
            report = sim.step()
            assert report.converged and report.link_gap < 1e-6
        assert sim.link_forces(hold).shape == (4, 3) and sim.positions[:, 1].min() > -0.2
        assert np.allclose(sim.reactions[0], sim.link_forces(hold).sum(0) + (sim.link_forces(1).sum(0) if way == "obstacle" else 0))


def test_skin_slides_over_muscle():
    mesh = supple.box_mesh((0.4, 0.1, 0.2), (4, 1, 2))
    scene = supple.Scene(dt=0.01, gravity=(1, 5, 0))
    muscle = scene.add_solid(mesh.vertices, mesh.tets, **RUBBER)
    scene.pin(muscle, np.arange(len(mesh.vertices)))
    corners = np.array([(0.1, 0.11, 0.05), (0.2, 0.11, 0.05), (0.1, 0.11, 0.15), (0.2, 0.11, 0.15)])
    skin = scene.add_cloth(corners, [(0, 2, 1), (1, 2, 3)], material=supple.Corotated(young=1e5, poisson=0.3))
    scene.slide(skin, [0, 1, 2, 3], surface=muscle)
    sim = scene.build()
    for _ in range(20):
        assert sim.step().converged
    x = sim.positions[skin.slice]
    assert np.allclose(x[:, 1], 0.11, atol=1e-9) and (x[:, 0] > corners[:, 0]).all()


def test_what_is_wrong():
    scene, body = bead()
    for call, words in (
        (lambda: scene.slide(body, [0]), "one of"),
        (lambda: scene.slide(body, [0], plane=((0, 0, 0), (0, 1, 0)), line=((0, 0, 0), (0, 1, 0))), "one of"),
        (lambda: scene.slide(body, [1], plane=((0, 0, 0), (0, 1, 0))), "1"),
        (lambda: scene.slide(body, [0], plane=((0, 0, 0), (0, 0, 0))), "direction"),
        (lambda: scene.slide(body, [0], curve=[(0, 0, 0)]), "two points"),
        (lambda: scene.slide(body, [0], surface=body), "own surface"),
        (lambda: scene.attach(body, [0], breaking_force=-1.0), "breaking force"),
        (lambda: scene.attach(body, [0], obstacle=3), "obstacle number 3"),
        (lambda: scene.attach(body, [0], to=body), "itself"),
        (lambda: scene.attach(body, [0], to=body, obstacle=0), "not both"),
        (lambda: scene.stitch(body, body), "pairs or ids"),
        (lambda: scene.stitch(body, body, pairs=[(0, 5)]), "5"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError):
        scene.slide(body, [0], plane=3)
    scene.slide(body, [0], plane=((0, 0, 0), (0, 1, 0)))
    for method in ("position", "projective"):
        with pytest.raises(ValueError, match=method):
            scene.build(method=method)
    sim = scene.build()
    for call in (lambda: sim.link_forces(1), lambda: sim.broken_links(1), lambda: sim.move_link(1)):
        with pytest.raises(ValueError, match="number 1"):
            call()

"""Handles of obstacles and links: objects with methods that still work as numbers."""
import numpy as np
import pytest

import supple


def scene():
    made = supple.Scene(dt=0.01)
    bead = made.add_springs([(0, 0.005, 0)], np.zeros((0, 2), int), stiffness=1.0, masses=2.0)
    return made, bead


def test_an_obstacle_moves_and_tells_its_force():
    made, _ = scene()
    wall = made.add_obstacle(supple.HalfSpace((0, -9, 0), (0, 1, 0)))
    floor = made.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0)), name="floor")
    assert (wall.index, floor.index, floor.name, wall.name) == (0, 1, "floor", "obstacle0")
    sim = made.build()
    for _ in range(10):
        sim.step()
    # The weight of 2 kg, at rest.
    assert np.allclose(floor.reaction(sim), (0, 19.6, 0), atol=1e-6) and not wall.reaction(sim).any()
    # As numbers.
    assert np.array_equal(floor.reaction(sim), sim.reactions[floor]) and np.array_equal(sim.reactions[1], sim.reactions[floor])
    # The same motion by handle, name and number.
    ways = [lambda s: floor.move(s, translation=(0, 0.1, 0)), lambda s: s.move_obstacle("floor", translation=(0, 0.1, 0)),
            lambda s: s.move_obstacle(1, translation=(0, 0.1, 0)), lambda s: s.move_obstacle(floor, translation=(0, 0.1, 0))]
    heights = []
    for way in ways:
        sim = made.build()
        way(sim)
        sim.step()
        heights.append(sim.positions[0, 1])
    assert len(set(heights)) == 1 and heights[0] == pytest.approx(0.1, abs=1e-9)


def test_links_move_and_break():
    made, bead = scene()
    other = made.add_springs([(1, 0, 0)], np.zeros((0, 2), int), stiffness=1.0, masses=1.0)
    hook = made.attach(bead, [0], breaking_force=100.0)
    rail = made.slide(other, [0], line=((0, 0, 0), (1, 0, 0)))
    assert (hook.index, hook.kind, rail.index, rail.kind) == (0, "attach", 1, "slide")
    sim = made.build()
    hook.move(sim, translation=(0.001, 0, 0))
    sim.step()
    assert np.allclose(sim.positions[0], (0.001, 0.005, 0), atol=1e-9)
    assert np.array_equal(hook.forces(sim), sim.link_forces(0)) and hook.forces(sim).shape == (1, 3)
    assert np.allclose(rail.forces(sim), (0, 9.8, 0), atol=1e-6)
    # 2 kg by a metre in 10 ms: more than 100 N.
    hook.move(sim, translation=(1, 0, 0))
    assert sim.step().links_broken == 1 and hook.broken(sim).tolist() == [True] and rail.broken(sim).tolist() == [False]


def test_handles_are_numbers_but_not_each_others():
    made, bead = scene()
    floor = made.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0)))
    hook = made.attach(bead, [0])
    assert floor == 0 and hook == 0 and floor != 1 and floor != hook and int(hook) == 0
    assert {floor: "a"}[0] == "a" and [5, 6][hook] == 5
    assert repr(floor) == "ObstacleHandle(index=0, name='obstacle0')" and repr(hook) == "LinkHandle(index=0, kind='attach')"
    sim = made.build()
    for wrong in (lambda: sim.move_obstacle(hook), lambda: sim.move_link(floor), lambda: sim.link_forces(floor)):
        with pytest.raises(TypeError):
            wrong()


def test_handles_of_another_scene_are_refused():
    made, bead = scene()
    floor = made.add_obstacle(supple.HalfSpace((0, 0, 0), (0, 1, 0)))
    hook = made.attach(bead, [0])
    foreign, other_bead = scene()
    sim = foreign.build()
    for wrong in (
        lambda: floor.move(sim), lambda: floor.reaction(sim), lambda: hook.move(sim), lambda: hook.forces(sim),
        lambda: hook.broken(sim), lambda: foreign.attach(other_bead, [0], obstacle=floor),
    ):
        with pytest.raises(supple.BuildError, match="another scene"):
            wrong()


@pytest.mark.parametrize("shape", [supple.Capsule, supple.Cylinder])
def test_old_names_of_ends_work_with_a_note(shape):
    points = np.array([(0, 0.3, 0), (2, 0, 0)])
    new = shape(start=(-1, 0, 0), end=(1, 0, 0), radius=0.5, friction=0.2)
    with pytest.warns(DeprecationWarning, match=r"\(a=…\) is now .*\(start=…\)"):
        old = shape(a=(-1, 0, 0), b=(1, 0, 0), radius=0.5, friction=0.2)
    assert np.array_equal(old.distance(points), new.distance(points)) and old.friction == new.friction == 0.2
    for wrong in (dict(start=(0, 0, 0), radius=1), dict(start=(0, 0, 0), end=(1, 0, 0)), dict(start=(0, 0, 0), a=(0, 0, 0), end=(1, 0, 0), radius=1)):
        with pytest.raises(TypeError):
            shape(**wrong)

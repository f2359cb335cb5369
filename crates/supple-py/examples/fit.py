"""A material fitted to data: Young's modulus from how far a beam hangs down, by bisection on the static tip."""
import supple

mesh = supple.box_mesh((1.0, 0.2, 0.2), (10, 2, 2))


def tip(young):
    """Height of the tip at rest: long steps of backward Euler are soon there."""
    scene = supple.Scene(dt=10.0)
    rubber = supple.NeoHookean(young=young, poisson=0.4)
    body = scene.add_solid(mesh.vertices, mesh.tets, material=rubber, density=1000.0)
    scene.pin(body, mesh.vertices[:, 0] == 0)
    sim = scene.build(tolerance=1e-8, iterations=2000)
    for _ in range(4):
        sim.step()
    return sim.positions[-1, 1]


measured = tip(3.3e5)  # as if it came from an experiment
low, high = 1e5, 1e6
while high - low > 1.0:
    middle = (low * high) ** 0.5
    low, high = (middle, high) if tip(middle) < measured else (low, middle)
print(f"measured tip {measured:.4f} m, fitted Young's modulus {low:.0f} Pa")
assert abs(low - 3.3e5) < 10

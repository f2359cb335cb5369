"""A beam that hangs from a wall, in ten lines."""
import supple

mesh = supple.box_mesh((1.0, 0.2, 0.2), (10, 2, 2))
scene = supple.Scene(dt=1 / 24)
rubber = supple.NeoHookean(young=1e5, poisson=0.4)
beam = scene.add_solid(mesh.vertices, mesh.tets, material=rubber, density=1000.0)
scene.pin(beam, mesh.vertices[:, 0] == 0)
sim = scene.build()
for _ in range(24):
    report = sim.step()
    print(f"{report.time:.2f} s: {report.status} after {report.iterations}, tip at {sim.positions[-1, 1]:.3f} m")

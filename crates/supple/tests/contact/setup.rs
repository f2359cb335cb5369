//! Scenes of these tests.

use supple::contact::HalfSpace;
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Material, MaterialKind, Method, Obstacle, Scene, Settings, Simulation};

/// The methods that take obstacles and every material.
pub const METHODS: [Method; 4] = [Method::Auto, Method::Admm, Method::QuasiNewton, Method::Newton];

pub fn settings(method: Method, dt: f64) -> Settings {
    let mut s = Settings::default();
    s.time.dt = dt;
    s.solve.method = method;
    s.solve.threads = 1;
    s.solve.iterations = 2000;
    s.solve.tolerance = 1e-8;
    s
}

pub fn floor(friction: f64) -> Obstacle {
    Obstacle::new("floor", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap()).with_friction(friction)
}

/// A box of `size` with `cells` per side whose lowest corner is at `at`.
pub fn cube(
    s: Settings,
    (kind, young, poisson): (MaterialKind, f64, f64),
    size: [f64; 3],
    cells: [usize; 3],
    at: [f64; 3],
    obstacles: Vec<Obstacle>,
) -> Simulation {
    let mesh =
        box_mesh(size, cells, Split::Six).unwrap().map(|p| std::array::from_fn(|c| p[c] + at[c])).unwrap();
    let mut scene = Scene::new(s);
    scene.add_solid("cube", mesh, Material::new(kind, young, poisson).unwrap(), 1000.0).unwrap();
    for o in obstacles {
        scene.add_obstacle(o).unwrap();
    }
    scene.build().unwrap()
}

/// Velocity of the centre of mass.
pub fn drift(sim: &Simulation) -> [f64; 3] {
    let (m, v) = (sim.masses(), sim.velocities());
    let all: f64 = m.iter().sum();
    std::array::from_fn(|c| m.iter().zip(&v).map(|(m, v)| m * v[c]).sum::<f64>() / all)
}

/// Centre of mass.
pub fn centre(sim: &Simulation) -> [f64; 3] {
    let (m, x) = (sim.masses(), sim.positions());
    let all: f64 = m.iter().sum();
    std::array::from_fn(|c| m.iter().zip(&x).map(|(m, x)| m * x[c]).sum::<f64>() / all)
}

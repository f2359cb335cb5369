//! The methods by name, bodies that the tests share, and one step of library and oracle.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, bar, extent, max_distance, tet_volume};
use supple::{Acceleration, Method, Settings, Simulation, SolveSettings, StepReport, Sweep, WeightRule};

pub const GRAVITY: V3 = V3::new(0.3, -9.8, 0.2);

/// Defaults but for: the time step, no gravity, one thread, and what `change` does.
pub fn settings(h: f64, change: impl Fn(&mut SolveSettings)) -> Settings {
    let mut s = Settings::default();
    s.time.dt = h;
    s.world.gravity = [0.0; 3];
    s.solve.threads = 1;
    change(&mut s.solve);
    s
}

/// The same under [`GRAVITY`].
pub fn heavy(h: f64, change: impl Fn(&mut SolveSettings)) -> Settings {
    let mut s = settings(h, change);
    s.world.gravity = [GRAVITY.x, GRAVITY.y, GRAVITY.z];
    s
}

pub type Named = (&'static str, fn(&mut SolveSettings));

/// ADMM with every acceleration.
pub const ADMM: [Named; 4] = [
    ("admm", |s| {
        s.method = Method::Admm;
        s.acceleration = Acceleration::None;
    }),
    ("admm, anderson", |s| {
        s.method = Method::Admm;
        s.acceleration = Acceleration::Anderson;
    }),
    ("admm, over-relaxation", |s| {
        s.method = Method::Admm;
        s.acceleration = Acceleration::OverRelaxation;
        s.relaxation = 1.5;
    }),
    ("admm, chebyshev", |s| {
        s.method = Method::Admm;
        s.acceleration = Acceleration::Chebyshev;
        s.spectral_radius = 0.8;
        s.weight_rule = WeightRule::Bulk;
    }),
];

/// Those whose tolerance is a length.
pub const DESCENT: [Named; 3] = [
    ("newton", |s| s.method = Method::Newton),
    ("quasi_newton", |s| s.method = Method::QuasiNewton),
    ("auto", |s| s.method = Method::Auto),
];

pub const PROJECTIVE: Named = ("projective", |s| s.method = Method::Projective);

pub const POSITION: [Named; 2] = [
    ("position", |s| s.method = Method::Position),
    ("position, jacobi", |s| {
        s.method = Method::Position;
        s.sweep = Sweep::Jacobi;
    }),
];

/// Those that find the minimum of every material's step.
pub fn minimisers() -> impl Iterator<Item = Named> {
    ADMM.into_iter().chain(DESCENT)
}

/// All that exist; `projective` takes only arap, springs and anchors.
pub fn everyone() -> impl Iterator<Item = Named> {
    minimisers().chain([PROJECTIVE]).chain(POSITION)
}

/// A held bar with an anchor, and a net of springs beside it with a pin and an anchor; 16 + 5 nodes.
pub fn furnished(material: RefMaterial) -> RefBody {
    let mut random = Random::new(201);
    let mut body = RefBody::new(&bar(3, 0.4), material, 1000.0);
    hold(&mut body);
    let first = body.rest.len();
    for i in 0..5 {
        body.rest.push(V3::new(0.5 * i as f64, 1.0 + 0.1 * i as f64, 0.3));
        body.masses.push(random.uniform(5.0, 20.0));
    }
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (4, 1)] {
        let (a, b) = (first + a, first + b);
        let length = (body.rest[a] - body.rest[b]).norm() * random.uniform(0.9, 1.1);
        body.springs.push(RefSpring { a, b, k: random.uniform(1e3, 6e3), length });
    }
    body.pins.push(RefPin { node: first, target: body.rest[first] });
    for node in [3, first + 4] {
        let target = body.rest[node] + random.vector(0.05);
        body.anchors.push(RefAnchor { node, target, k: random.uniform(1e3, 5e3) });
    }
    body
}

/// Pins all nodes with x = 0.
pub fn hold(body: &mut RefBody) {
    for node in 0..body.rest.len() {
        if body.rest[node].x == 0.0 {
            body.pins.push(RefPin { node, target: body.rest[node] });
        }
    }
}

/// Sheared, bent and moving, pins where they are.
pub fn disturbed(body: &RefBody, seed: u64) -> (Vec<V3>, Vec<V3>) {
    let mut random = Random::new(seed);
    let size = extent(&body.rest);
    let mut x: Vec<V3> = body
        .rest
        .iter()
        .map(|p| {
            V3::new(1.05 * p.x, p.y + 0.15 * p.x, p.z - 0.05 * p.x * p.x / size) + random.vector(0.01 * size)
        })
        .collect();
    body.put_pins(&mut x);
    let v = body.rest.iter().map(|p| V3::new(0.3, 1.5 * p.x, 0.2) + random.vector(0.3)).collect();
    (x, v)
}

/// A bar twisted about its axis, held at x = 0.
pub fn twisted(material: RefMaterial, cells: usize, angle: f64, held: bool) -> (RefBody, Vec<V3>) {
    let mut body = RefBody::new(&bar(cells, 0.25), material, 1000.0);
    if held {
        hold(&mut body);
    }
    let length = 0.25 * cells as f64;
    let x = body
        .rest
        .iter()
        .map(|p| {
            let (s, c) = (angle * p.x / length).sin_cos();
            let (y, z) = (p.y - 0.125, p.z - 0.125);
            V3::new(p.x, 0.125 + c * y - s * z, 0.125 + s * y + c * z)
        })
        .collect();
    (body, x)
}

/// The library's simulation in the state (x, v).
pub fn simulation(body: &RefBody, s: Settings, x: &[V3], v: &[V3]) -> Simulation {
    simulation_of(body, s, lame_of(body), x, v)
}

pub fn simulation_of(
    body: &RefBody,
    s: Settings,
    lame: super::reference::material::Lame,
    x: &[V3],
    v: &[V3],
) -> Simulation {
    let mut sim = bridge::simulation(body, s, lame);
    bridge::put(&mut sim, body, x, v);
    sim
}

/// The constants that the weights follow.
fn lame_of(body: &RefBody) -> super::reference::material::Lame {
    match body.materials.first() {
        Some(
            RefMaterial::Linear(l)
            | RefMaterial::Corotated(l)
            | RefMaterial::NeoHookean(l)
            | RefMaterial::StVenantKirchhoff(l)
            | RefMaterial::More(_, l),
        ) => *l,
        _ => lame(),
    }
}

pub fn still(body: &RefBody) -> Vec<V3> {
    vec![V3::zeros(); body.node_count()]
}

pub fn inverted(body: &RefBody, x: &[V3]) -> usize {
    body.tets.iter().filter(|t| tet_volume(x, t) <= 0.0).count()
}

pub fn positions(sim: &Simulation) -> Vec<V3> {
    bridge::points(&sim.positions())
}

/// The minimum of the step's problem that is near to x, to rounding.
pub fn minimum_near(body: &RefBody, near: &[V3], x: &[V3], v: &[V3], h: f64, a: &V3) -> Vec<V3> {
    let xtilde = body.predicted(x, v, h, a);
    body.minimise(near, &xtilde, h).x
}

/// One step of the library from (x, v), and how far its end is from the nearest minimum, over the extent.
pub fn error_of_step(
    body: &RefBody,
    sim: &mut Simulation,
    (x, v): (&[V3], &[V3]),
    h: f64,
    a: &V3,
) -> (StepReport, f64) {
    let report = sim.step().unwrap();
    let end = positions(sim);
    let exact = minimum_near(body, &end, x, v, h, a);
    (report, max_distance(&end, &exact) / extent(&body.rest))
}

/// What was measured, for those who ask with `SHOW=1 … -- --nocapture`.
#[allow(clippy::print_stdout)]
pub fn show(lines: &[String]) {
    if std::env::var_os("SHOW").is_some() {
        println!("{}", lines.join("\n"));
    }
}

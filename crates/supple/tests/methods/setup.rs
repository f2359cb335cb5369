//! The methods by name, bodies that the tests share, and one step of library and oracle.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, bar, extent, max_distance, tet_volume};
use nalgebra::{DMatrix, DVector};
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

/// An element that the wall at σ3 = 0 pushes.
pub struct Pressed {
    pub element: usize,
    pub third: f64,
    /// The force m in J and, at the four corners, ∂σ3/∂x.
    pub force: f64,
    slope: [(usize, V3); 4],
    /// −m ∂²σ3/∂F², columns of F stacked.
    bend: DMatrix<f64>,
}

/// Of forces that are left, what walls do not balance: elements of a material that does not see a reflection which are flatter than `near` push with
/// m ≥ 0 along their least stretch (projected Gauss–Seidel on the least squares). Also those that push.
pub fn wall_forces(body: &RefBody, x: &[V3], forces: &[V3], near: f64) -> (Vec<V3>, Vec<Pressed>) {
    let mut left = forces.to_vec();
    let mut all = Vec::new();
    let walled = |e: &(usize, &[usize; 4])| body.materials[e.0].name() == "st_venant_kirchhoff";
    for (element, tet) in body.tets.iter().enumerate().filter(walled) {
        let svd = body.deformation(element, x).svd(true, true);
        let (u, vt) = (svd.u.unwrap(), svd.v_t.unwrap());
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| svd.singular_values[b].total_cmp(&svd.singular_values[a]));
        // By rotations: a reflection is told by the sign of σ3.
        let turned = if u.determinant() * vt.determinant() < 0.0 { -1.0 } else { 1.0 };
        let third = turned * svd.singular_values[order[2]];
        if third > near {
            continue;
        }
        let side = |k: usize| if k == 2 { turned } else { 1.0 };
        let (u, v) = (
            [0, 1, 2].map(|k| u.column(order[k]) * side(k)),
            [0, 1, 2].map(|k| vt.row(order[k]).transpose()),
        );
        let reduction = body.tet_reduction(element);
        let slope = [0, 1, 2, 3].map(|corner| {
            let g =
                V3::new(reduction[(0, 3 * corner)], reduction[(3, 3 * corner)], reduction[(6, 3 * corner)]);
            let pinned = body.pins.iter().any(|p| p.node == tet[corner]);
            (tet[corner], if pinned { V3::zeros() } else { u[2] * v[2].dot(&g) })
        });
        // ∂²σ3 on (u_i v₃ᵀ ± u₃ v_iᵀ)/√2.
        let mut bend = DMatrix::zeros(9, 9);
        for k in 0..2 {
            let own = svd.singular_values[order[k]];
            for sign in [1.0, -1.0] {
                let mode = (u[k] * v[2].transpose() + u[2] * v[k].transpose() * sign) / 2f64.sqrt();
                let mode = DVector::from_column_slice(mode.as_slice());
                bend += &mode * mode.transpose() * (sign / (own - sign * third));
            }
        }
        all.push(Pressed { element, third, force: 0.0, slope, bend });
    }
    for _ in 0..20000 {
        let mut most = 0.0f64;
        for p in &mut all {
            let size: f64 = p.slope.iter().map(|r| r.1.norm_squared()).sum();
            let along: f64 = p.slope.iter().map(|(i, a)| a.dot(&left[*i])).sum();
            if size == 0.0 {
                continue;
            }
            let step = (p.force + along / size).max(0.0) - p.force;
            p.force += step;
            p.slope.iter().for_each(|(i, a)| left[*i] -= a * step);
            most = most.max(step.abs() / (1.0 + p.force));
        }
        if most <= 1e-14 {
            break;
        }
    }
    all.retain(|p| p.force > 0.0);
    all.iter_mut().for_each(|p| p.bend *= p.force);
    (left, all)
}

/// How far the end of a step is from the nearest minimum of its problem, over the extent. Where walls push it is the step of Newton's method on the
/// conditions with multipliers (Nocedal & Wright, eq. 18.6), with the exact Hessian of the oracle and of the walls; elements at the wall stay where they
/// are in it, 2·`tolerance` of it at most. One on the wrong side by more than `tolerance` is infinitely far.
pub fn distance_to_minimum(
    body: &RefBody,
    end: &[V3],
    (x, v): (&[V3], &[V3]),
    (h, a): (f64, &V3),
    tolerance: f64,
) -> f64 {
    let xtilde = body.predicted(x, v, h, a);
    let gap = tolerance.clamp(1e-9, 1e-3);
    let (left, pressed) = wall_forces(body, end, &body.objective_gradient(end, &xtilde, h), 2.0 * gap);
    if pressed.is_empty() {
        return max_distance(end, &body.minimise(end, &xtilde, h).x) / extent(&body.rest);
    }
    if pressed.iter().any(|p| p.third < -gap) {
        return f64::INFINITY;
    }
    let free = body.free_nodes();
    let (n, m) = (3 * free.len(), pressed.len());
    let place = |node: usize| free.iter().position(|&f| f == node);
    let whole = body.hessian(end);
    let mut k = DMatrix::zeros(n + m, n + m);
    for (a, &i) in free.iter().enumerate() {
        for (b, &j) in free.iter().enumerate() {
            k.view_mut((3 * a, 3 * b), (3, 3)).copy_from(&whole.view((3 * i, 3 * j), (3, 3)));
        }
        for c in 0..3 {
            k[(3 * a + c, 3 * a + c)] += body.masses[i] / (h * h);
        }
    }
    let mut rhs = DVector::zeros(n + m);
    free.iter().enumerate().for_each(|(a, &i)| (0..3).for_each(|c| rhs[3 * a + c] = -left[i][c]));
    for (row, p) in pressed.iter().enumerate() {
        let reduction = body.tet_reduction(p.element);
        let block = reduction.transpose() * &p.bend * &reduction;
        for (v, &i) in body.tets[p.element].iter().enumerate() {
            let Some(a) = place(i) else { continue };
            for c in 0..3 {
                k[(n + row, 3 * a + c)] = p.slope[v].1[c];
                k[(3 * a + c, n + row)] = p.slope[v].1[c];
            }
            for (w, &j) in body.tets[p.element].iter().enumerate() {
                if let Some(b) = place(j) {
                    let mut target = k.view_mut((3 * a, 3 * b), (3, 3));
                    target += block.view((3 * v, 3 * w), (3, 3));
                }
            }
        }
    }
    // Elements that share all their corners that are free may say the same: least squares.
    let svd = k.svd(true, true);
    let d = svd.solve(&rhs, 1e-13 * svd.singular_values[0]).unwrap();
    (0..free.len()).map(|a| d.rows(3 * a, 3).norm()).fold(0.0, f64::max) / extent(&body.rest)
}

/// What was measured, for those who ask with `SHOW=1 … -- --nocapture`.
#[allow(clippy::print_stdout)]
pub fn show(lines: &[String]) {
    if std::env::var_os("SHOW").is_some() {
        println!("{}", lines.join("\n"));
    }
}

//! Quadratic g: anchors and springs of no length. Rates and the identity with projective dynamics are theorems there.

use super::bridge::{self, lame};
use super::common::settings;
use super::reference::V3;
use super::reference::admm_dense::{DenseSolver, Iterate, Weights};
use super::reference::body::{RefAnchor, RefBody, RefSpring};
use super::reference::shape::{Random, max_distance};
use nalgebra::{DMatrix, SymmetricEigen};
use supple::Control;

const H: f64 = 0.1;

/// A net of springs of no length between anchored nodes: every set is affine and every Hessian is k.
fn net(nodes: usize) -> (RefBody, Vec<V3>, Vec<V3>) {
    let mut random = Random::new(301);
    let rest: Vec<V3> = (0..nodes).map(|_| random.vector(1.0)).collect();
    let masses = (0..nodes).map(|_| random.uniform(0.5, 2.0)).collect();
    let mut body = RefBody::particles(rest, masses);
    for a in 0..nodes {
        let k = random.uniform(20.0, 90.0);
        body.springs.push(RefSpring { a, b: (a + 3) % nodes, k, length: 0.0 });
        body.anchors.push(RefAnchor { node: a, target: random.vector(1.0), k: random.uniform(20.0, 90.0) });
    }
    let x = body.rest.iter().map(|p| p + random.vector(0.5)).collect();
    let v = body.rest.iter().map(|_| random.vector(3.0)).collect();
    (body, x, v)
}

/// The library's iterates of one step with weights w² = s·k.
fn run(body: &RefBody, x: &[V3], v: &[V3], scale: f64, count: usize) -> Vec<Iterate> {
    let mut s = settings(H);
    s.solve.iterations = count;
    s.solve.tolerance = 0.0;
    s.solve.weight_scale = scale;
    let mut sim = bridge::simulation(body, s, lame());
    bridge::put(&mut sim, body, x, v);
    let mut out = Vec::new();
    sim.step_with(&mut |it| {
        out.push(bridge::iterate(it));
        Control::Continue
    })
    .unwrap();
    out
}

/// Error of (z, u) against the limit: z = Dx of the minimiser, u = H_g(z − p)/w² with p the nearest point of the set.
fn errors(body: &RefBody, found: &[Iterate], x: &[V3], v: &[V3], scale: f64) -> Vec<f64> {
    let xtilde = body.predicted(x, v, H, &V3::zeros());
    let exact = body.minimise(&xtilde, &xtilde, H).x;
    let solver = DenseSolver::new(body, H, Weights::stiffness(body, 0.0));
    let z = solver.local_coordinates(&exact);
    let mut u = z.clone();
    let first = 3 * body.springs.len();
    for (i, a) in body.anchors.iter().enumerate() {
        for c in 0..3 {
            u[first + 3 * i + c] -= a.target[c];
        }
    }
    u /= scale;
    // In the norm of W, where the iteration's matrix is symmetric.
    found
        .iter()
        .map(|f| solver.weighted_norm(&(&f.z - &z)).hypot(solver.weighted_norm(&(&f.u - &u))))
        .collect()
}

/// The TVCG supplement, App. A: with WᵀW = H_g the error of (z, u) halves in each iteration, 1e-6, and x is exact after
/// one update, 1e-12 m (Newton's minimiser).
#[test]
fn quadratic_energies_halve_the_error() {
    let (body, x, v) = net(8);
    let found = run(&body, &x, &v, 1.0, 25);
    let xtilde = body.predicted(&x, &v, H, &V3::zeros());
    let exact = body.minimise(&xtilde, &xtilde, H).x;
    for f in &found {
        assert!(max_distance(&f.x, &exact) <= 1e-12, "{:e}", max_distance(&f.x, &exact));
    }
    let e = errors(&body, &found, &x, &v, 1.0);
    assert!(e[0] > 0.1);
    for n in 1..20 {
        let rate = e[n + 1] / e[n];
        assert!((rate - 0.5).abs() <= 1e-6, "iteration {n}: {rate}");
    }
}

/// WᵀW = s·H_g: the rate tends to max_ν (1 + ν(s−1))/(1+s), ν the eigenvalues of W₁D(M/(s h²) + DᵀH_gD)⁻¹DᵀW₁ᵀ,
/// computed here with dense matrices; 1e-3 after 60 iterations.
#[test]
fn other_weights_have_the_rate_of_the_formula() {
    let (body, x, v) = net(5);
    let solver = DenseSolver::new(&body, H, Weights::stiffness(&body, 0.0));
    let (columns, rows) = (3 * body.node_count(), 3 * (body.springs.len() + body.anchors.len()));
    let mut d = DMatrix::zeros(rows, columns);
    for c in 0..columns {
        let mut unit = vec![V3::zeros(); body.node_count()];
        unit[c / 3][c % 3] = 1.0;
        d.set_column(c, &solver.local_coordinates(&unit));
    }
    let stiffness: Vec<f64> =
        body.springs.iter().map(|s| s.k).chain(body.anchors.iter().map(|a| a.k)).collect();
    let w1 = DMatrix::from_fn(rows, rows, |r, c| if r == c { stiffness[r / 3].sqrt() } else { 0.0 });
    let wd = w1 * d;
    for s in [0.5, 2.0, 4.0] {
        let mass =
            DMatrix::from_fn(
                columns,
                columns,
                |r, c| if r == c { body.masses[r / 3] / (s * H * H) } else { 0.0 },
            );
        let inverse = (mass + wd.transpose() * &wd).try_inverse().unwrap();
        let product = &wd * inverse * wd.transpose();
        let eigen = SymmetricEigen::new((&product + product.transpose()) * 0.5);
        let wanted =
            eigen.eigenvalues.iter().map(|nu| (1.0 + nu * (s - 1.0)) / (1.0 + s)).fold(0.0, f64::max);
        let found = run(&body, &x, &v, s, 61);
        let e = errors(&body, &found, &x, &v, s);
        // Before rounding is reached.
        let n = e.iter().position(|e| *e < 1e-9).unwrap_or(60) - 1;
        let rate = e[n] / e[n - 1];
        assert!((rate - wanted).abs() <= 1e-3, "s = {s}: {rate} instead of {wanted}");
    }
}

/// SCA App. A: on affine sets with w² = k, ADMM is projective dynamics; every x of 50 iterations, 1e-12 m. Expected:
/// (27)–(29) of the oracle, which has no z and no u.
#[test]
fn projective_dynamics_is_a_special_case() {
    let (body, x, v) = net(8);
    let xtilde = body.predicted(&x, &v, H, &V3::zeros());
    let solver = DenseSolver::new(&body, H, Weights::stiffness(&body, 0.0));
    let mut wanted = xtilde.clone();
    for f in run(&body, &x, &v, 1.0, 50) {
        wanted = solver.projective(&wanted, &xtilde).1;
        assert!(max_distance(&f.x, &wanted) <= 1e-12);
    }
}

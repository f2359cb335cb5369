//! Position-based dynamics: what a projection is, what it conserves, and what it does not know.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, extent, max_distance, single_tet};
use super::setup::{
    DESCENT, GRAVITY, POSITION, disturbed, furnished, heavy, positions, settings, simulation, still,
};
use supple::{Control, Method, Start, Status};

const H: f64 = 0.02;

/// Two nodes and a spring: after one sweep it has its length exactly (1e-15), the nodes moved along it by shares of
/// their inverse masses; a pinned node does not move at all.
#[test]
fn a_spring_is_projected_in_one_sweep() {
    let mut random = Random::new(901);
    for pinned in [false, true] {
        for _ in 0..20 {
            let rest = vec![random.vector(1.0), random.vector(1.0)];
            let masses = vec![random.uniform(0.01, 5.0), random.uniform(0.01, 5.0)];
            let mut body = RefBody::particles(rest, masses.clone());
            let (k, length) = (random.uniform(1.0, 1e9), random.uniform(0.1, 2.0));
            body.springs.push(RefSpring { a: 0, b: 1, k, length });
            if pinned {
                body.pins.push(RefPin { node: 0, target: body.rest[0] });
            }
            let s = settings(H, |s| {
                POSITION[0].1(s);
                (s.start, s.iterations, s.tolerance) = (Start::Inertia, 1, 0.0);
            });
            let mut v: Vec<V3> = still(&body);
            v[1] = random.vector(3.0);
            let mut sim = simulation(&body, s, &body.rest, &v);
            let report = sim.step().unwrap();
            assert_eq!((report.method, report.iterations), (Method::Position, 1));
            let x = positions(&sim);
            let start = body.predicted(&body.rest, &v, H, &V3::zeros());
            let d = start[1] - start[0];
            let (n, c) = (d.normalize(), d.norm() - length);
            let w = if pinned { [0.0, 1.0] } else { [1.0 / masses[0], 1.0 / masses[1]] };
            let wanted =
                [start[0] + n * (c * w[0] / (w[0] + w[1])), start[1] - n * (c * w[1] / (w[0] + w[1]))];
            assert!(max_distance(&x, &wanted) <= 1e-14, "{}", max_distance(&x, &wanted));
            assert!(((x[1] - x[0]).norm() - length).abs() <= 1e-14);
        }
    }
}

/// An anchored node is at its target after a sweep.
#[test]
fn an_anchor_is_reached_in_one_sweep() {
    let mut body = RefBody::particles(vec![V3::zeros()], vec![2.0]);
    body.anchors.push(RefAnchor { node: 0, target: V3::new(1.0, 2.0, -0.5), k: 1e-3 });
    let s = settings(H, |s| {
        POSITION[0].1(s);
        (s.iterations, s.tolerance) = (1, 0.0);
    });
    let mut sim = simulation(&body, s, &body.rest, &still(&body));
    sim.step().unwrap();
    assert!((positions(&sim)[0] - body.anchors[0].target).norm() <= 1e-15);
}

/// Gauss–Seidel conserves linear momentum, 1e-12 of the momenta that there are, whatever the number of iterations (the
/// Jacobi form does not, by nature: it averages with weights that are no masses); a single projection also conserves angular
/// momentum about the mass centre.
#[test]
fn momentum_is_conserved() {
    for material in RefMaterial::all(lame()) {
        let mut body = furnished(material);
        body.pins.clear();
        body.anchors.clear();
        let (x, v) = disturbed(&body, 902);
        for iterations in [1, 3, 10] {
            let s = settings(H, |s| {
                POSITION[0].1(s);
                (s.iterations, s.tolerance) = (iterations, 0.0);
            });
            let mut sim = simulation(&body, s, &x, &v);
            sim.step().unwrap();
            let after = bridge::points(&sim.velocities());
            let sum = |v: &[V3]| v.iter().zip(&body.masses).map(|(v, m)| v * *m).sum::<V3>();
            let size: f64 = after.iter().zip(&body.masses).map(|(v, m)| v.norm() * m).sum();
            let change = (sum(&after) - sum(&v)).norm();
            assert!(change <= 1e-12 * size, "{} {iterations}: {change:e} of {size:e}", material.name());
        }
        if material.is_isotropic() {
            let body = RefBody::new(&single_tet(), material, 1000.0);
            let (x, v) = disturbed(&body, 903);
            let s = settings(H, |s| {
                POSITION[0].1(s);
                (s.start, s.iterations, s.tolerance) = (Start::Inertia, 1, 0.0);
            });
            let mut sim = simulation(&body, s, &x, &v);
            sim.step().unwrap();
            let start = body.predicted(&x, &v, H, &V3::zeros());
            let moved: Vec<V3> = positions(&sim).iter().zip(&start).map(|(p, q)| p - q).collect();
            let centre = start.iter().zip(&body.masses).map(|(p, m)| p * *m).sum::<V3>()
                / body.masses.iter().sum::<f64>();
            let turn: V3 = (0..4).map(|i| (start[i] - centre).cross(&moved[i]) * body.masses[i]).sum();
            let size: f64 =
                (0..4).map(|i| (start[i] - centre).norm() * moved[i].norm() * body.masses[i]).sum();
            assert!(
                size > 1e-3 && turn.norm() <= 1e-12 * size,
                "{}: {:e}",
                material.name(),
                turn.norm() / size
            );
        }
    }
}

/// How far a chain of ten springs hangs down after `frames`, over its length.
fn sag(change: impl Fn(&mut supple::SolveSettings), k: f64) -> f64 {
    let rest: Vec<V3> = (0..11).map(|i| V3::new(0.0, -0.1 * i as f64, 0.0)).collect();
    let mut body = RefBody::particles(rest, vec![0.1; 11]);
    for a in 0..10 {
        body.springs.push(RefSpring { a, b: a + 1, k, length: 0.1 });
    }
    body.pins.push(RefPin { node: 0, target: V3::zeros() });
    let mut s = settings(H, change);
    s.world.gravity = [0.0, -9.8, 0.0];
    let mut sim = simulation(&body, s, &body.rest, &still(&body));
    for _ in 0..400 {
        sim.step().unwrap();
    }
    -positions(&sim)[10].y - 1.0
}

/// A hanging chain. By position-based dynamics it stretches less the more often it is projected, and how stiff it is makes
/// no difference; by converged methods what it stretches is Σ weight/k whatever the iterations, 1e-6 of the length.
#[test]
fn stiffness_is_a_matter_of_iterations() {
    let by_position = |iterations: usize, k: f64| {
        sag(
            |s| {
                POSITION[0].1(s);
                (s.start, s.iterations, s.tolerance) = (Start::Inertia, iterations, 0.0);
            },
            k,
        )
    };
    let sags: Vec<f64> = [2, 5, 10, 40].map(|n| by_position(n, 1e3)).to_vec();
    assert!(sags.windows(2).all(|s| s[1] < 0.7 * s[0]) && sags[3] > 0.0, "{sags:?}");
    assert!((by_position(5, 1e3) - by_position(5, 1e5)).abs() <= 1e-9);
    for (name, method) in DESCENT.into_iter().chain([super::setup::ADMM[1]]) {
        for k in [1e3, 1e4] {
            let wanted: f64 = (1..=10).map(|n| 0.1 * 9.8 * n as f64 / k).sum();
            for iterations in [200, 1000] {
                let found = sag(
                    |s| {
                        method(s);
                        (s.iterations, s.tolerance) = (iterations, 1e-9);
                    },
                    k,
                );
                assert!((found - wanted).abs() <= 1e-5, "{name} {iterations}: {found} {wanted}");
            }
        }
    }
}

/// The Jacobi form, 20 iterations, 1e-12 of the extent: x_v ← (m/h² x̃ + Σ κ p)/(m/h² + Σ κ), κ = w²|g_v|², and p the
/// mass-weighted projection of the term from x.
#[test]
fn jacobi_is_the_formula() {
    for material in RefMaterial::all(lame()) {
        let body = furnished(material);
        let (x, v) = disturbed(&body, 904);
        let s = heavy(H, |s| {
            POSITION[1].1(s);
            (s.start, s.weight_rule) = (Start::Inertia, supple::WeightRule::Bulk);
            (s.iterations, s.tolerance) = (20, 0.0);
        });
        let mut sim = simulation(&body, s, &x, &v);
        let mut found = Vec::new();
        sim.step_with(&mut |it| {
            found.push(bridge::points(&it.positions()));
            Control::Continue
        })
        .unwrap();
        let xtilde = body.predicted(&x, &v, H, &GRAVITY);
        let mut wanted = xtilde.clone();
        for (n, f) in found.iter().enumerate() {
            wanted = jacobi(&body, &wanted, &xtilde);
            let error = max_distance(f, &wanted) / extent(&body.rest);
            assert!(error <= 1e-12, "{} iteration {}: {error:e}", material.name(), n + 1);
        }
        assert!(max_distance(&found[0], &found[19]) > 1e-4);
    }
}

fn jacobi(body: &RefBody, x: &[V3], xtilde: &[V3]) -> Vec<V3> {
    let free = body.free_nodes();
    let inverse = |i: usize| if free.contains(&i) { 1.0 / body.masses[i] } else { 0.0 };
    let mut top: Vec<V3> = (0..x.len()).map(|i| xtilde[i] * (body.masses[i] / (H * H))).collect();
    let mut bottom: Vec<f64> = body.masses.iter().map(|m| m / (H * H)).collect();
    // (nodes, energy, gradient at each, κ of each)
    let mut terms: Vec<(Vec<usize>, f64, Vec<V3>, Vec<f64>)> = Vec::new();
    let gradients = body.term_gradients(x);
    let mut at = 0;
    let mut take = |count: usize| -> Vec<V3> {
        at += count;
        gradients[at - count..at].iter().map(|g| g.1).collect()
    };
    for (e, tet) in body.tets.iter().enumerate() {
        let energy = body.volumes[e] * body.materials[e].energy(&body.deformation(e, x));
        let w2 = lame().bulk() * body.volumes[e];
        let kappa = body.gradients[e].iter().map(|g| w2 * g.norm_squared()).collect();
        terms.push((tet.to_vec(), energy, take(4), kappa));
    }
    for s in &body.springs {
        let c = (x[s.b] - x[s.a]).norm() - s.length;
        terms.push((vec![s.a, s.b], 0.5 * s.k * c * c, take(2), vec![s.k; 2]));
    }
    for a in &body.anchors {
        let energy = 0.5 * a.k * (x[a.node] - a.target).norm_squared();
        terms.push((vec![a.node], energy, take(1), vec![a.k]));
    }
    for (nodes, energy, gradient, kappa) in terms {
        let size: f64 = nodes.iter().zip(&gradient).map(|(&i, g)| inverse(i) * g.norm_squared()).sum();
        let factor = if size > 0.0 { -2.0 * energy / size } else { 0.0 };
        for ((&i, g), k) in nodes.iter().zip(&gradient).zip(kappa) {
            top[i] += (x[i] + g * (factor * inverse(i))) * k;
            bottom[i] += k;
        }
    }
    let mut out = x.to_vec();
    for i in free {
        out[i] = top[i] / bottom[i];
    }
    out
}

/// Position-based dynamics does not minimise (5): it says so.
#[test]
fn it_does_not_claim_convergence() {
    let body = furnished(RefMaterial::NeoHookean(lame()));
    let (x, v) = disturbed(&body, 905);
    for (name, method) in POSITION {
        let s = heavy(H, |s| {
            method(s);
            (s.iterations, s.tolerance) = (500, 1e-6);
        });
        let mut sim = simulation(&body, s, &x, &v);
        let report = sim.step().unwrap();
        assert!(report.status != Status::Converged && report.force_residual > 1e-3, "{name}: {report:?}");
    }
}

//! Motion known on paper: falling, swinging, and what is conserved.

use super::bridge::{self, lame};
use super::common::settings;
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::closed_form::{free_fall, spring_oscillator};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, bar, extent, twist_about_z, unit_box_1_1_2};
use supple::{Simulation, Status};

/// A box that is bent, turning and moving; free.
pub fn tumbling(material: RefMaterial) -> (RefBody, Vec<V3>, Vec<V3>) {
    let body = RefBody::new(&unit_box_1_1_2(), material, 1000.0);
    let x = twist_about_z(&body.rest, &V3::new(0.5, 0.5, 0.0), 0.3);
    let spin = V3::new(0.7, -0.4, 1.1);
    let mut random = Random::new(401);
    let v = x.iter().map(|p| V3::new(1.0, 2.0, -0.5) + spin.cross(p) + random.vector(0.3)).collect();
    (body, x, v)
}

/// Free fall: x0 + n h v0 + g h² n(n+1)/2 for every material and h from 1e-5 to 1, 20 steps, 1e-12 of the distance
/// travelled and the extent (positions carry rounding of the latter). Expected: the closed form of backward Euler.
#[test]
fn free_fall_is_exact() {
    let (v0, g) = (V3::new(0.5, 3.0, -1.0), V3::new(0.3, -9.8, 0.1));
    for material in RefMaterial::all(lame()) {
        let body = RefBody::new(&bar(2, 0.5), material, 1000.0);
        for h in [1e-5, 1e-3, 0.04, 1.0] {
            let mut s = settings(h);
            s.world.gravity = [g.x, g.y, g.z];
            let mut sim = bridge::simulation(&body, s, lame());
            bridge::put(&mut sim, &body, &body.rest, &vec![v0; body.rest.len()]);
            for n in 1..=20 {
                let report = sim.step().unwrap();
                assert_eq!(report.status, Status::Converged, "{} h {h}: {report:?}", material.name());
                let travelled = free_fall(&V3::zeros(), &v0, &g, h, n).norm();
                for (p, x0) in bridge::points(&sim.positions()).iter().zip(&body.rest) {
                    let error = (p - free_fall(x0, &v0, &g, h, n)).norm();
                    let size = travelled + extent(&body.rest);
                    assert!(error <= 1e-12 * size, "{} h {h} step {n}: {error:e}", material.name());
                }
            }
        }
    }
}

/// A particle on an anchor, on a spring of no length, and on one with a length swung along its axis:
/// (1+ω²h²)^(−n/2)[x0 cos nφ + (v0/ω) sin nφ], φ = atan ωh, 1e-10 over 60 steps.
#[test]
fn an_oscillator_is_exact() {
    let (m, k, h, x0, v0) = (2.0, 50.0, 0.03, 0.3, 0.8);
    let omega = f64::sqrt(k / m);
    for kind in ["anchor", "spring of no length", "spring"] {
        let length = if kind == "spring" { 2.0 } else { 0.0 };
        let origin = V3::new(1.0, -2.0, 0.5);
        let axis = V3::new(2.0, 1.0, -2.0) / 3.0;
        let rest = vec![origin, origin + axis * length];
        let mut body = RefBody::particles(rest, vec![m; 2]);
        body.pins.push(RefPin { node: 0, target: origin });
        if kind == "anchor" {
            body.anchors.push(RefAnchor { node: 1, target: origin, k });
        } else {
            body.springs.push(RefSpring { a: 0, b: 1, k, length });
        }
        let mut s = settings(h);
        s.solve.tolerance = 1e-14;
        let mut sim = bridge::simulation(&body, s, lame());
        let start = [origin, origin + axis * (length + x0)];
        bridge::put(&mut sim, &body, &start, &[V3::zeros(), axis * v0]);
        for n in 1..=60 {
            sim.step().unwrap();
            let x = bridge::points(&sim.positions());
            let wanted = origin + axis * (length + spring_oscillator(x0, v0, omega, h, n));
            let error = (x[1] - wanted).norm();
            assert!(error <= 1e-10, "{kind} step {n}: {error:e}");
            assert_eq!(x[0], origin);
        }
    }
}

fn momentum(sim: &Simulation) -> V3 {
    bridge::points(&sim.velocities()).iter().zip(sim.masses()).map(|(v, m)| v * m).sum()
}

/// Linear momentum of a free body under gravity grows by M g h in each step, 1e-12 of Σ m|v|, with 3 iterations only,
/// and stays without gravity. Nothing need have converged: forces are differences.
#[test]
fn linear_momentum_is_exact_without_convergence() {
    for material in RefMaterial::all(lame()) {
        for gravity in [V3::zeros(), V3::new(0.0, -9.8, 0.0)] {
            let (body, x, v) = tumbling(material);
            let mut s = settings(0.02);
            s.world.gravity = [gravity.x, gravity.y, gravity.z];
            s.solve.iterations = 3;
            let mut sim = bridge::simulation(&body, s, lame());
            bridge::put(&mut sim, &body, &x, &v);
            let mass: f64 = body.masses.iter().sum();
            let first = momentum(&sim);
            for n in 1..=30 {
                let report = sim.step().unwrap();
                assert!(n > 1 || report.status == Status::IterationLimit);
                let size: f64 = sim
                    .velocities()
                    .iter()
                    .zip(sim.masses())
                    .map(|(v, m)| m * v.map(f64::abs).iter().sum::<f64>())
                    .sum();
                let error = (momentum(&sim) - first - gravity * (mass * 0.02 * n as f64)).norm() / size;
                assert!(error <= 1e-12, "{} step {n}: {error:e}", material.name());
            }
        }
    }
}

/// L⁺ − L = h Σ m v⁺×v + h Σ x⁺×f_ext at convergence, 1e-7 of Σ m|x||v|, with gravity and other forces. Exempt: `linear`,
/// which is not objective.
#[test]
fn angular_momentum_obeys_its_identity() {
    let (h, gravity) = (0.02, V3::new(0.0, -9.8, 0.0));
    for material in RefMaterial::all(lame()).into_iter().filter(RefMaterial::is_isotropic) {
        let (body, x, v) = tumbling(material);
        let mut s = settings(h);
        s.world.gravity = [gravity.x, gravity.y, gravity.z];
        s.solve.weight_scale = 1.2;
        let mut sim = bridge::simulation(&body, s, lame());
        bridge::put(&mut sim, &body, &x, &v);
        let mut random = Random::new(402);
        let forces: Vec<V3> = body.rest.iter().map(|_| random.vector(500.0)).collect();
        sim.set_forces(&bridge::rows(&forces)).unwrap();
        let angular =
            |x: &[V3], v: &[V3]| -> V3 { (0..x.len()).map(|i| x[i].cross(&v[i]) * body.masses[i]).sum() };
        let (mut x, mut v) = (x, v);
        for n in 1..=20 {
            assert_eq!(sim.step().unwrap().status, Status::Converged, "{}", material.name());
            let (xp, vp) = (bridge::points(&sim.positions()), bridge::points(&sim.velocities()));
            let turned: V3 = (0..x.len())
                .map(|i| {
                    let force = gravity * body.masses[i] + forces[i];
                    (vp[i].cross(&v[i]) * body.masses[i] + xp[i].cross(&force)) * h
                })
                .sum();
            let size: f64 = (0..x.len()).map(|i| body.masses[i] * xp[i].norm() * vp[i].norm()).sum();
            let error = (angular(&xp, &vp) - angular(&x, &v) - turned).norm() / size;
            assert!(error <= 1e-7, "{} step {n}: {error:e}", material.name());
            (x, v) = (xp, vp);
        }
    }
}

/// Elastic and kinetic energy together never grow at convergence without gravity, 1e-12 of them; backward Euler takes
/// some away in every step. Energies recomputed by the oracle.
#[test]
fn energy_does_not_grow() {
    for material in RefMaterial::all(lame()) {
        let (body, x, v) = tumbling(material);
        let mut s = settings(0.02);
        s.solve.weight_scale = 1.2;
        let mut sim = bridge::simulation(&body, s, lame());
        bridge::put(&mut sim, &body, &x, &v);
        let energy = |sim: &Simulation| {
            let kinetic: f64 = bridge::points(&sim.velocities())
                .iter()
                .zip(&body.masses)
                .map(|(v, m)| 0.5 * m * v.norm_squared())
                .sum();
            kinetic + body.energy(&bridge::points(&sim.positions()))
        };
        let first = energy(&sim);
        let mut last = first;
        for n in 1..=40 {
            assert_eq!(sim.step().unwrap().status, Status::Converged, "{}", material.name());
            let now = energy(&sim);
            assert!(now <= last * (1.0 + 1e-12), "{} step {n}: {last} to {now}", material.name());
            last = now;
        }
        assert!(last < 0.99 * first, "{}: nothing was lost", material.name());
    }
}

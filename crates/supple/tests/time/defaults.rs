//! With everything at its default, solver's tolerance included, trajectories converge to those of the equations of motion at the order of the integrator as Δt goes to nothing.

use super::bridge::{self, lame};
use super::common::settings;
use super::reference::V3;
use super::reference::body::{RefBody, RefPin};
use super::reference::material::RefMaterial;
use super::reference::shape::{bar, max_distance, rotation};
use supple::{Integrator, Method, SolveSettings, Status};

struct Motion {
    name: &'static str,
    body: RefBody,
    start: super::bdf2::State,
    gravity: V3,
    /// The longest Δt at which the order shows: a fraction of the shortest period that matters.
    longest: f64,
}

/// A bar that is let go from 0.65 mm of deflection, one that swings down, one that rings along its axis, one that spins.
fn motions() -> Vec<Motion> {
    let make = |held: bool| {
        let mut body = RefBody::new(&bar(4, 0.1), RefMaterial::NeoHookean(lame()), 1000.0);
        if held {
            for node in 0..body.rest.len() {
                if body.rest[node].x == 0.0 {
                    body.pins.push(RefPin { node, target: body.rest[node] });
                }
            }
        }
        body
    };
    let still = |b: &RefBody| vec![V3::zeros(); b.rest.len()];
    let (held, free) = (make(true), make(false));
    let bent = held.rest.iter().map(|p| V3::new(p.x, p.y - 0.65e-3 * (p.x / 0.4).powi(2), p.z)).collect();
    let stretched = held.rest.iter().map(|p| V3::new(p.x * 1.01, p.y, p.z)).collect();
    let turn = rotation(&V3::new(1.0, 2.0, 0.5).normalize(), 0.4);
    let turned: Vec<V3> = free.rest.iter().map(|p| turn * p).collect();
    let spin = V3::new(0.7, -3.0, 1.1);
    let speeds = turned.iter().map(|p| spin.cross(p)).collect();
    let down = V3::new(0.0, -9.8, 0.0);
    let (v, rest) = (still(&held), held.rest.clone());
    let of = |name, body: &RefBody, start, gravity, longest| Motion {
        name,
        body: body.clone(),
        start,
        gravity,
        longest,
    };
    vec![
        of("release", &held, (bent, v.clone()), V3::zeros(), 1e-4),
        of("swing", &held, (rest, v.clone()), down, 4e-4),
        of("wave", &held, (stretched, v), V3::zeros(), 4e-5),
        of("spin", &free, (turned, speeds), V3::zeros(), 1e-4),
    ]
}

/// Release, swing, wave and spin by every method that minimises, over Δt, Δt/2 and Δt/4: backward Euler's error falls as Δt to 0.9 … 1.1, BDF2's as Δt to 1.9 … 2.1, against Runge and
/// Kutta's method on the oracle's forces. A solver that leaves a thousandth of the acceleration in each step would end that at a thousandth of the way; errors here are far below.
#[test]
fn order_is_kept_with_all_defaults() {
    let time = 0.02;
    for m in motions() {
        let exact = super::bdf2::runge_kutta(&m.body, &m.start, m.gravity, time, 2000, &|_, _| {});
        let way = max_distance(&exact, &m.start.0);
        for integrator in Integrator::ALL {
            let (low, high) = if integrator == Integrator::Bdf2 { (1.9, 2.1) } else { (0.9, 1.1) };
            for method in [Method::Auto, Method::Newton, Method::QuasiNewton, Method::Admm] {
                let mut errors = Vec::new();
                for part in [1.0, 2.0, 4.0] {
                    let steps = (time / m.longest * part).round();
                    let mut s = settings(time / steps);
                    s.solve = SolveSettings { threads: 1, method, ..SolveSettings::default() };
                    s.time.integrator = integrator;
                    s.world.gravity = [m.gravity.x, m.gravity.y, m.gravity.z];
                    let mut sim = bridge::simulation(&m.body, s, lame());
                    bridge::put(&mut sim, &m.body, &m.start.0, &m.start.1);
                    for n in 0..steps as usize {
                        let r = sim.step().unwrap();
                        assert_eq!(r.status, Status::Converged, "{} {method} step {n}: {r:?}", m.name);
                    }
                    errors.push(max_distance(&bridge::points(&sim.positions()), &exact) / way);
                }
                let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
                println!("{:8} {integrator} {method}: errors {errors:?}, orders {orders:?}", m.name);
                assert!(
                    orders.iter().all(|o| (low..=high).contains(o)),
                    "{} {integrator} {method}: errors {errors:?}, orders {orders:?}",
                    m.name
                );
            }
        }
    }
}

//! Trajectories against an independent Newton solver of the same equations, 1e-6 of the extent in every frame.

use super::bridge::{self, lame};
use super::common::settings;
use super::reference::V3;
use super::reference::body::{RefAnchor, RefBody, RefPin, RefSpring};
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, RefMesh, bar, box_mesh, extent, max_distance};
use supple::Status;

const GRAVITY: V3 = V3::new(0.0, -9.8, 0.0);

/// Runs both from x, v; before each frame `change` may move targets. The largest error relative to the extent.
fn compare(
    name: &str,
    mut body: RefBody,
    (x, v): (Vec<V3>, Vec<V3>),
    (h, frames): (f64, usize),
    forces: Option<&[V3]>,
    change: impl Fn(usize, &mut RefBody),
) {
    let mut s = settings(h);
    s.world.gravity = [GRAVITY.x, GRAVITY.y, GRAVITY.z];
    s.solve.weight_scale = 1.2;
    let mut sim = bridge::simulation(&body, s, lame());
    bridge::put(&mut sim, &body, &x, &v);
    if let Some(f) = forces {
        sim.set_forces(&bridge::rows(f)).unwrap();
    }
    let (start, size) = (x.clone(), extent(&body.rest));
    let (mut x, mut v) = (x, v);
    for frame in 0..frames {
        change(frame, &mut body);
        bridge::move_targets(&mut sim, &body);
        match forces {
            None => body.advance(&mut x, &mut v, h, &GRAVITY),
            Some(f) => {
                let mut xtilde = body.predicted(&x, &v, h, &GRAVITY);
                for i in body.free_nodes() {
                    xtilde[i] += f[i] * (h * h / body.masses[i]);
                }
                let next = body.minimise(&x, &xtilde, h).x;
                v = next.iter().zip(&x).map(|(p, q)| (p - q) / h).collect();
                x = next;
            }
        }
        let report = sim.step().unwrap();
        assert_eq!(report.status, Status::Converged, "{name}, frame {frame}: {report:?}");
        let found = bridge::points(&sim.positions());
        for pin in &body.pins {
            assert_eq!(found[pin.node], pin.target, "{name}, frame {frame}: a pin is not at its target");
        }
        let error = max_distance(&found, &x) / size;
        assert!(error <= 1e-6, "{name}, frame {frame}: {error:e}");
        let speed = max_distance(&bridge::points(&sim.velocities()), &v) * h / size;
        assert!(speed <= 1e-6, "{name}, frame {frame}: velocity {speed:e}");
    }
    assert!(max_distance(&x, &start) > 0.02 * size, "{name}: nothing happened");
}

/// Pins all nodes with x = 0.
fn hold(body: &mut RefBody) {
    for node in 0..body.rest.len() {
        if body.rest[node].x == 0.0 {
            body.pins.push(RefPin { node, target: body.rest[node] });
        }
    }
}

/// Sheared, stretched and moving.
fn disturbed(body: &RefBody) -> (Vec<V3>, Vec<V3>) {
    let mut random = Random::new(601);
    let size = extent(&body.rest);
    let x = body
        .rest
        .iter()
        .map(|p| {
            V3::new(1.05 * p.x, p.y + 0.15 * p.x, p.z - 0.05 * p.x * p.x / size) + random.vector(0.01 * size)
        })
        .collect();
    let v = body.rest.iter().map(|p| V3::new(0.3, 1.5 * p.x, 0.2) + random.vector(0.3)).collect();
    (x, v)
}

fn meshes() -> [(&'static str, RefMesh); 2] {
    [("bar", bar(3, 0.3)), ("cube", box_mesh([2, 2, 2], V3::repeat(0.25)))]
}

/// Bars and cubes, free and held, every material, 12 frames of 20 ms under gravity.
#[test]
fn solids() {
    for material in RefMaterial::all(lame()).into_iter().chain(RefMaterial::more(lame())) {
        for (shape, mesh) in meshes() {
            for held in [false, true] {
                let mut body = RefBody::new(&mesh, material, 1000.0);
                if held {
                    hold(&mut body);
                }
                let state = disturbed(&body);
                let name = format!("{} {shape}, held {held}", material.name());
                compare(&name, body, state, (0.02, 12), None, |_, _| {});
            }
        }
    }
}

/// Pins that travel and turn: exactly at their targets after each step, the rest as Newton's.
#[test]
fn moving_pins() {
    for material in RefMaterial::all(lame()) {
        let mut body = RefBody::new(&bar(3, 0.3), material, 1000.0);
        hold(&mut body);
        let state = (body.rest.clone(), vec![V3::zeros(); body.rest.len()]);
        let rest = body.rest.clone();
        compare(
            &format!("{} moved by pins", material.name()),
            body,
            state,
            (0.02, 15),
            None,
            |frame, body| {
                let t = 0.02 * (frame + 1) as f64;
                for pin in &mut body.pins {
                    let p = rest[pin.node];
                    pin.target = V3::new(
                        0.3 * t,
                        p.y * t.cos() - p.z * t.sin(),
                        p.y * t.sin() + p.z * t.cos() + t * t,
                    );
                }
            },
        );
    }
}

/// Soft anchors that travel.
#[test]
fn moving_anchors() {
    for material in RefMaterial::all(lame()) {
        let mut body = RefBody::new(&bar(3, 0.3), material, 1000.0);
        for (node, k) in [(0, 2e3), (5, 1e5), (12, 3e4)] {
            body.anchors.push(RefAnchor { node, target: body.rest[node], k });
        }
        let state = (body.rest.clone(), vec![V3::zeros(); body.rest.len()]);
        compare(&format!("{} on anchors", material.name()), body, state, (0.02, 15), None, |_, body| {
            body.anchors[1].target += V3::new(0.01, 0.02, -0.01);
            body.anchors[2].target -= V3::new(0.005, 0.0, 0.0);
        });
    }
}

/// A net of springs, pinned at two corners and anchored at one; stretched springs, so that Newton's Hessian is
/// definite.
#[test]
fn a_net_of_springs() {
    let n = 4;
    let rest: Vec<V3> = (0..n * n).map(|i| V3::new((i % n) as f64, 0.0, (i / n) as f64) * 0.3).collect();
    let mut body = RefBody::particles(rest.clone(), vec![0.4; n * n]);
    for i in 0..n * n {
        let mut tie = |j: usize| {
            let length = 0.85 * (rest[i] - rest[j]).norm();
            body.springs.push(RefSpring { a: i, b: j, k: 900.0 + 10.0 * i as f64, length });
        };
        if i % n + 1 < n {
            tie(i + 1);
        }
        if i + n < n * n {
            tie(i + n);
        }
        if i % n + 1 < n && i + n < n * n {
            tie(i + n + 1);
        }
    }
    for node in [0, n - 1] {
        body.pins.push(RefPin { node, target: rest[node] });
    }
    body.anchors.push(RefAnchor { node: n * n - 1, target: rest[n * n - 1], k: 300.0 });
    let v = vec![V3::new(0.2, 0.0, 0.5); n * n];
    compare("net", body, (rest, v), (0.02, 20), None, |frame, body| {
        body.pins[1].target += V3::new(0.004, 0.001 * frame as f64, 0.0);
    });
}

/// Forces of the user's on each node, besides gravity, on a free and on a held body.
#[test]
fn forces_from_outside() {
    let mut random = Random::new(602);
    for material in RefMaterial::all(lame()) {
        for held in [false, true] {
            let mut body = RefBody::new(&bar(2, 0.3), material, 1000.0);
            if held {
                hold(&mut body);
            }
            let forces: Vec<V3> = body.rest.iter().map(|_| random.vector(150.0)).collect();
            let state = (body.rest.clone(), vec![V3::new(0.0, 1.0, 0.0); body.rest.len()]);
            let name = format!("{} pushed, held {held}", material.name());
            compare(&name, body, state, (0.02, 12), Some(&forces), |_, _| {});
        }
    }
}

/// Small and large steps: h 1e-3 and 0.1; a bar held at one end and thrown.
#[test]
fn small_and_large_steps() {
    for material in RefMaterial::all(lame()) {
        for h in [1e-3, 0.1] {
            let mut body = RefBody::new(&bar(2, 0.3), material, 1000.0);
            hold(&mut body);
            let state =
                (body.rest.clone(), body.rest.iter().map(|p| V3::new(0.0, 2.0, -1.0) * p.x).collect());
            let frames = if h < 0.01 { 60 } else { 8 };
            compare(&format!("{} h {h}", material.name()), body, state, (h, frames), None, |_, _| {});
        }
    }
}

//! The same motion seen from elsewhere: turned, renumbered, in other units. Expected: the first run, transformed.

use super::bridge::{self, lame};
use super::common::settings;
use super::laws::tumbling;
use super::reference::body::{RefAnchor, RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{Random, RefMesh, extent, max_distance, rotation};
use super::reference::{M3, V3};
use supple::Status;

/// All that makes a run.
struct Run {
    body: RefBody,
    x: Vec<V3>,
    v: Vec<V3>,
    gravity: V3,
    h: f64,
    lame: Lame,
}

/// A tumbling box with a pin and an anchor.
fn base(material: RefMaterial, held: bool) -> Run {
    let (mut body, x, v) = tumbling(material);
    if held {
        body.pins.push(RefPin { node: 0, target: x[0] });
        body.anchors.push(RefAnchor { node: 11, target: x[11] + V3::new(0.1, 0.0, 0.2), k: 3e4 });
    }
    Run { body, x, v, gravity: V3::new(0.0, -9.8, 0.0), h: 0.02, lame: lame() }
}

/// Positions in each of eight frames.
fn run(r: &Run) -> Vec<Vec<V3>> {
    let mut s = settings(r.h);
    s.world.gravity = [r.gravity.x, r.gravity.y, r.gravity.z];
    s.solve.weight_scale = 1.2;
    s.solve.tolerance = 1e-12;
    let mut sim = bridge::simulation(&r.body, s, r.lame);
    bridge::put(&mut sim, &r.body, &r.x, &r.v);
    (0..8)
        .map(|_| {
            let report = sim.step().unwrap();
            assert_eq!(report.status, Status::Converged, "{report:?}");
            bridge::points(&sim.positions())
        })
        .collect()
}

/// A body of the same kind on another mesh.
fn remade(old: &RefBody, mesh: RefMesh, material: RefMaterial, density: f64) -> RefBody {
    RefBody { anchors: old.anchors.clone(), pins: old.pins.clone(), ..RefBody::new(&mesh, material, density) }
}

fn compare(what: &str, material: RefMaterial, found: &[Vec<V3>], wanted: &[Vec<V3>], size: f64) {
    for (n, (f, w)) in found.iter().zip(wanted).enumerate() {
        let error = max_distance(f, w) / size;
        assert!(error <= 1e-9, "{what}, {}, frame {n}: {error:e}", material.name());
    }
}

/// The whole scene turned and moved, rest shape included: 1e-9 of the extent, every material.
#[test]
fn a_turned_scene_moves_alike() {
    let (r, t) = (rotation(&V3::new(1.0, 2.0, -0.7), 1.1), V3::new(0.4, -0.3, 0.8));
    for material in RefMaterial::all(lame()) {
        for held in [false, true] {
            let one = base(material, held);
            let there = |p: &V3| r * p + t;
            let all = |x: &[V3]| x.iter().map(there).collect::<Vec<_>>();
            let mesh = RefMesh { rest: all(&one.body.rest), tets: one.body.tets.clone() };
            let mut body = remade(&one.body, mesh, material, 1000.0);
            body.pins.iter_mut().for_each(|p| p.target = there(&p.target));
            body.anchors.iter_mut().for_each(|a| a.target = there(&a.target));
            let other = Run {
                body,
                x: all(&one.x),
                v: one.v.iter().map(|v| r * v).collect(),
                gravity: r * one.gravity,
                ..base(material, held)
            };
            let wanted: Vec<Vec<V3>> = run(&one).iter().map(|x| all(x)).collect();
            compare("turned scene", material, &run(&other), &wanted, extent(&one.body.rest));
        }
    }
}

/// The state turned and moved, the rest shape left as it is: 1e-9 of the extent. Exempt: `linear`, for which a rotation
/// is a strain.
#[test]
fn a_turned_state_moves_alike() {
    let (r, t) = (rotation(&V3::new(-0.3, 1.0, 0.7), 2.3), V3::new(-0.7, 0.2, 0.5));
    for material in RefMaterial::all(lame()).into_iter().filter(RefMaterial::is_isotropic) {
        let one = base(material, false);
        let all = |x: &[V3]| x.iter().map(|p| r * p + t).collect::<Vec<_>>();
        let other = Run {
            x: all(&one.x),
            v: one.v.iter().map(|v| r * v).collect(),
            gravity: r * one.gravity,
            ..base(material, false)
        };
        let wanted: Vec<Vec<V3>> = run(&one).iter().map(|x| all(x)).collect();
        compare("turned state", material, &run(&other), &wanted, extent(&one.body.rest));
    }
}

/// A random order of 0…n−1.
fn shuffled(random: &mut Random, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (random.uniform(0.0, 1.0) * (i + 1) as f64) as usize);
    }
    order
}

/// Nodes and tetrahedra in another order, corners of each tetrahedron turned evenly: 1e-9 of the extent.
#[test]
fn renumbering_changes_nothing() {
    let mut random = Random::new(501);
    for material in RefMaterial::all(lame()) {
        let one = base(material, true);
        let n = one.x.len();
        let new_of_old = shuffled(&mut random, n);
        let moved = |x: &[V3]| {
            let mut out = vec![V3::zeros(); n];
            (0..n).for_each(|i| out[new_of_old[i]] = x[i]);
            out
        };
        let tets = shuffled(&mut random, one.body.tets.len())
            .into_iter()
            .map(|e| {
                let [a, b, c, d] = one.body.tets[e].map(|v| new_of_old[v]);
                [[a, b, c, d], [b, c, a, d], [c, d, a, b], [d, c, b, a]][e % 4]
            })
            .collect();
        let mut body = remade(&one.body, RefMesh { rest: moved(&one.body.rest), tets }, material, 1000.0);
        body.pins.iter_mut().for_each(|p| p.node = new_of_old[p.node]);
        body.anchors.iter_mut().for_each(|a| a.node = new_of_old[a.node]);
        let other = Run { body, x: moved(&one.x), v: moved(&one.v), ..base(material, true) };
        let wanted: Vec<Vec<V3>> = run(&one).iter().map(|x| moved(x)).collect();
        compare("renumbered", material, &run(&other), &wanted, extent(&one.body.rest));
    }
}

/// Other units of length, mass and time: positions times the unit of length, 1e-9 of the extent. E has the unit
/// mass/(length time²), stiffness mass/time², density mass/length³.
#[test]
fn units_do_not_matter() {
    for (length, mass, time) in [(1e3, 1.0, 1.0), (1e-3, 1e-6, 1.0), (0.3048, 0.4536, 60.0), (7.0, 1e4, 1e-3)]
    {
        for (i, material) in RefMaterial::all(lame()).into_iter().enumerate() {
            let one = base(material, true);
            let modulus = mass / (length * time * time);
            let scaled = Lame { mu: lame().mu * modulus, lambda: lame().lambda * modulus };
            let all = |x: &[V3]| x.iter().map(|p| p * length).collect::<Vec<_>>();
            let mesh = RefMesh { rest: all(&one.body.rest), tets: one.body.tets.clone() };
            let mut body = remade(
                &one.body,
                mesh,
                RefMaterial::all(scaled)[i],
                1000.0 * mass / (length * length * length),
            );
            body.pins.iter_mut().for_each(|p| p.target *= length);
            body.anchors.iter_mut().for_each(|a| {
                a.target *= length;
                a.k *= mass / (time * time);
            });
            let other = Run {
                body,
                x: all(&one.x),
                v: one.v.iter().map(|v| v * (length / time)).collect(),
                gravity: one.gravity * (length / (time * time)),
                h: one.h * time,
                lame: scaled,
            };
            let wanted: Vec<Vec<V3>> = run(&one).iter().map(|x| all(x)).collect();
            compare("other units", material, &run(&other), &wanted, length * extent(&one.body.rest));
        }
    }
}

/// A mirror image of scene and state moves as a mirror image: 1e-9 of the extent, every material. The rest shape is
/// mirrored too, so no element is inverted.
#[test]
fn a_mirrored_scene_moves_alike() {
    let mirror = M3::from_diagonal(&V3::new(1.0, -1.0, 1.0));
    for material in RefMaterial::all(lame()) {
        let one = base(material, true);
        let all = |x: &[V3]| x.iter().map(|p| mirror * p).collect::<Vec<_>>();
        let tets = one.body.tets.iter().map(|&[a, b, c, d]| [a, b, d, c]).collect();
        let mut body = remade(&one.body, RefMesh { rest: all(&one.body.rest), tets }, material, 1000.0);
        body.pins.iter_mut().for_each(|p| p.target = mirror * p.target);
        body.anchors.iter_mut().for_each(|a| a.target = mirror * a.target);
        let other = Run {
            body,
            x: all(&one.x),
            v: all(&one.v),
            gravity: mirror * one.gravity,
            ..base(material, true)
        };
        let wanted: Vec<Vec<V3>> = run(&one).iter().map(|x| all(x)).collect();
        compare("mirrored scene", material, &run(&other), &wanted, extent(&one.body.rest));
    }
}

//! Statics: against the dense reference on the same mesh, closed forms of uniaxial bars, and what cannot be at rest.

use super::bridge;
use super::common::{bar, settings, wall};
use super::reference::V3;
use super::reference::body::{RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{box_mesh, extent, max_distance};
use supple::contact::HalfSpace;
use supple::sim::Static;
use supple::{
    Material, MaterialKind, Obstacle, Scene, Settings, Simulation, SolveSettings, Spring, SpringKind, Status,
};

fn default() -> Settings {
    let mut s = settings(0.04);
    s.solve = SolveSettings { threads: 1, ..SolveSettings::default() };
    s.world.gravity = [0.0, -9.8, 0.0];
    s
}

/// The oracle's equilibrium: its Newton's method on a step so long that inertia is 1e-14 of stiffness, again from where it ends.
fn oracle(body: &RefBody, start: &[V3], gravity: &V3) -> Vec<V3> {
    let mut x = start.to_vec();
    for h in [0.3, 1.0, 10.0, 100.0, 1000.0, 1000.0, 1000.0] {
        let xtilde = body.predicted(&x, &vec![V3::zeros(); x.len()], h, gravity);
        x = body.minimise(&x, &xtilde, h).x;
    }
    x
}

/// A cantilever that bends under its weight and a bar twisted by its end: the dense reference on the same mesh, 1e-8 of the extent.
#[test]
fn cantilever_and_torsion_are_those_of_the_dense_reference() {
    let lame = Lame::from_young(2e5, 0.3);
    for (name, angle) in [("cantilever", 0.0), ("torsion", 1.2)] {
        for material in [RefMaterial::NeoHookean(lame), RefMaterial::Corotated(lame)] {
            let mut body = RefBody::new(&box_mesh([6, 2, 2], V3::repeat(0.1)), material, 1000.0);
            let mut x = body.rest.clone();
            for node in 0..x.len() {
                let p = body.rest[node];
                if p.x == 0.0 {
                    body.pins.push(RefPin { node, target: p });
                } else if angle > 0.0 && (p.x - 0.6).abs() < 1e-9 {
                    let (s, c) = f64::sin_cos(angle);
                    let (y, z) = (p.y - 0.1, p.z - 0.1);
                    let target = V3::new(p.x, 0.1 + c * y - s * z, 0.1 + s * y + c * z);
                    body.pins.push(RefPin { node, target });
                }
            }
            let mut sim = bridge::simulation(&body, default(), lame);
            let report = sim.equilibrium(&Static::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{name}: {report:?}");
            assert!(report.force_residual <= 1e-9 && report.rigid_modes.is_empty(), "{report:?}");
            assert_eq!((sim.frame(), sim.time()), (0, 0.0));
            let found = bridge::points(&sim.positions());
            body.put_pins(&mut x);
            let wanted = oracle(&body, &found, &V3::new(0.0, -9.8, 0.0));
            let error = max_distance(&found, &wanted) / extent(&body.rest);
            assert!(error <= 1e-8, "{name} {}: {error:e} {report:?}", material.name());
            assert!(max_distance(&found, &body.rest) > 0.01, "nothing happened");
            // The oracle started there; its own way leads to the same place.
            let alone = oracle(&body, &x, &V3::new(0.0, -9.8, 0.0));
            let apart = max_distance(&found, &alone) / extent(&body.rest);
            assert!(apart <= 1e-8, "{name} {}: another equilibrium, {apart:e} away", material.name());
        }
    }
}

/// Uniaxial bars of every material on three planes of symmetry, stretched by 1.5: lateral stretch and stress of the closed forms of
/// where they are known; for all, the stress is that of the energy, dΨ/dλ by the reaction, and the bar is
/// homogeneous, 1e-8.
#[test]
fn uniaxial_bars_of_every_material() {
    let known = |kind: MaterialKind| match kind {
        MaterialKind::NeoHookean => Some((0.846028, 36529.4478)),
        MaterialKind::StVenantKirchhoff => Some((std::f64::consts::FRAC_1_SQRT_2, 93750.0)),
        MaterialKind::Corotated => Some((0.8, 50000.0)),
        _ => None,
    };
    for kind in MaterialKind::ALL {
        let mesh = bar([3, 2, 2], 0.1);
        let mut s = default();
        s.world.gravity = [0.0; 3];
        let mut scene = Scene::new(s);
        let material = Material::new(kind, 1e5, 0.4).unwrap();
        let body = scene.add_solid("bar", mesh.clone(), material, 1000.0).unwrap();
        let at = |c: usize, v: f64| -> Vec<u32> {
            let close = |i: &u32| (mesh.vertices()[*i as usize][c] - v).abs() < 1e-9;
            (0..mesh.vertices().len() as u32).filter(close).collect()
        };
        for c in 0..3 {
            scene.pin_axes(body, &at(c, 0.0), std::array::from_fn(|k| k == c)).unwrap();
        }
        let end = at(0, 0.3);
        scene.pin_axes(body, &end, [true, false, false]).unwrap();
        let mut sim = scene.build().unwrap();
        let mut pull = |stretch: f64| {
            let to: Vec<[f64; 3]> = end.iter().map(|_| [0.3 * stretch, 0.0, 0.0]).collect();
            sim.move_pins(body.0, &end, &to).unwrap();
            let report = sim.equilibrium(&Static::default()).unwrap();
            assert_eq!(report.status, Status::Converged, "{kind:?}: {report:?}");
            let (x, forces) = (sim.positions(), sim.pin_forces());
            let lateral = x[at(1, 0.2)[0] as usize][1] / 0.2;
            for (p, q) in mesh.vertices().iter().zip(&x) {
                let wanted = [stretch * p[0], lateral * p[1], lateral * p[2]];
                assert!((0..3).all(|c| (q[c] - wanted[c]).abs() < 1e-8), "{kind:?}: {q:?} {wanted:?}");
            }
            let force: f64 = end.iter().map(|&i| forces[i as usize][0]).sum();
            (lateral, force / 0.04, sim.energy().elastic / (0.3 * 0.04))
        };
        let (lateral, stress, _) = pull(1.5);
        if let Some((a, b)) = known(kind) {
            assert!(
                (lateral - a).abs() <= 1e-6 && (stress / b - 1.0).abs() <= 1e-8,
                "{kind:?}: {lateral} {stress}"
            );
        }
        let (plus, minus) = (pull(1.5 + 1e-4).2, pull(1.5 - 1e-4).2);
        let slope = (plus - minus) / 2e-4;
        assert!((slope / stress - 1.0).abs() <= 1e-5, "{kind:?}: {slope} is not {stress}");
    }
}

/// A bar pressed to half and to a fifth of its length, all at once: the end is pushed through what it presses, and one load step finds no rest. Load steps double until they do; what
/// they find is an equilibrium of the dense reference, 1e-8 of the extent, with no element inverted.
#[test]
fn loads_are_parted_where_they_must_be() {
    let lame = Lame::from_young(2e5, 0.3);
    for (share, most) in [(0.5, 8), (0.2, 16)] {
        let mut body =
            RefBody::new(&box_mesh([6, 2, 2], V3::repeat(0.1)), RefMaterial::NeoHookean(lame), 1000.0);
        let mut end = Vec::new();
        for node in 0..body.rest.len() {
            let p = body.rest[node];
            if p.x == 0.0 || (p.x - 0.6).abs() < 1e-9 {
                body.pins.push(RefPin { node, target: p });
            }
            if (p.x - 0.6).abs() < 1e-9 {
                end.push(node);
            }
        }
        let mut s = default();
        s.world.gravity = [0.0; 3];
        let mut sim = bridge::simulation(&body, s, lame);
        for pin in body.pins.iter_mut().filter(|p| end.contains(&p.node)) {
            pin.target.x *= share;
        }
        bridge::move_targets(&mut sim, &body);
        let start = sim.snapshot();
        let once = sim.equilibrium(&Static { load_steps: Some(1), ..Static::default() }).unwrap();
        assert_ne!(once.status, Status::Converged, "the test shows nothing: {once:?}");
        sim.rewind(&start).unwrap();
        let r = sim.equilibrium(&Static::default()).unwrap();
        assert_eq!((r.status, r.inverted), (Status::Converged, 0), "{share}: {r:?}");
        assert!(r.load_steps > 1 && r.load_steps <= most, "{share}: {r:?}");
        let found = bridge::points(&sim.positions());
        let wanted = oracle(&body, &found, &V3::zeros());
        let error = max_distance(&found, &wanted) / extent(&body.rest);
        assert!(error <= 1e-8, "{share}: {error:e} {r:?}");
        for &node in &end {
            assert_eq!(found[node].x, share * body.rest[node].x);
        }
    }
}

/// A chain of 20 rigid links of 0.1 m over a span of 1 m: sag 0.798273.
#[test]
fn a_hanging_chain() {
    let mut scene = Scene::new(default());
    let nodes: Vec<[f64; 3]> = (0..=20)
        .map(|i| {
            let u = f64::from(i) / 20.0;
            [u, -3.4 * u * (1.0 - u), 0.0]
        })
        .collect();
    let rods = (0..20).map(|i| Spring {
        rest_length: Some(0.1),
        kind: SpringKind::Rod,
        ..Spring::new([i, i + 1], 1.0)
    });
    let body = scene.add_springs("chain", nodes, vec![0.1; 21], rods.collect()).unwrap();
    scene.pin(body, &[0, 20]).unwrap();
    let mut sim = scene.build().unwrap();
    let report = sim.equilibrium(&Static::default()).unwrap();
    let sag = -sim.positions()[10][1];
    assert!((sag - 0.798273).abs() <= 2e-6, "{sag} {report:?}");
    assert_eq!(report.status, Status::Converged, "{report:?}");
}

/// A block on a floor: drop ρgH²/2E within 2e-3 of itself where sides are free (ν = 0), and the floor bears the weight, 1e-6.
#[test]
fn a_block_on_a_floor() {
    let mesh = bar([2, 4, 2], 0.1);
    let mut scene = Scene::new(default());
    let material = Material::new(MaterialKind::Linear, 1e6, 0.0).unwrap();
    scene.add_solid("block", mesh.clone(), material, 1000.0).unwrap();
    scene.add_obstacle(Obstacle::new("floor", HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap())).unwrap();
    let mut sim = scene.build().unwrap();
    let report = sim.equilibrium(&Static::default()).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let weight = 16.0 * 9.8;
    assert!((sim.reactions()[0][1] / weight - 1.0).abs() <= 1e-6, "{:?}", sim.reactions());
    let top = mesh.vertices().iter().zip(sim.positions()).filter(|(p, _)| p[1] > 0.39);
    let (mut mean, mut count) = (0.0, 0.0);
    top.for_each(|(p, q)| (mean, count) = (mean + p[1] - q[1], count + 1.0));
    let drop = 1000.0 * 9.8 * 0.4 * 0.4 / (2.0 * 1e6);
    // Lumped masses: half of the top cell's weight acts at the top, which adds nothing in a uniform mesh.
    assert!((mean / count / drop - 1.0).abs() <= 2e-3, "{} {drop}", mean / count);
}

/// A block that starts 2 cm deep in a floor comes out by a fifth of that in each step of continuation: slowly, but it does, and that is no standstill.
#[test]
fn a_block_comes_out_of_a_floor() {
    let mesh = bar([4, 4, 4], 0.1).map(|p| [p[0], p[1] - 0.02, p[2]]).unwrap();
    let mut scene = Scene::new(default());
    let material = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
    scene.add_solid("block", mesh, material, 1000.0).unwrap();
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    scene.add_obstacle(Obstacle::new("floor", floor).with_friction(0.5)).unwrap();
    let mut sim = scene.build().unwrap();
    let r = sim.equilibrium(&Static::default()).unwrap();
    assert_eq!(r.status, Status::Converged, "{r:?}");
    let lowest = sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    assert!(lowest.abs() <= 1e-6 * 0.4 * 3f64.sqrt() * 10.0, "{lowest}");
    let weight = 64.0 * 9.8;
    assert!((sim.reactions()[0][1] / weight - 1.0).abs() <= 1e-6, "{:?}", sim.reactions());
}

/// What nothing holds has no equilibrium: its motions are named, and it says so at once; without a load it stays as it is.
#[test]
fn rigid_modes_are_named() {
    let mesh = bar([2, 1, 1], 0.1);
    let build = |gravity: f64, pins: &dyn Fn(&mut Scene, supple::BodyId)| {
        let mut s = default();
        s.world.gravity = [0.0, -gravity, 0.0];
        let mut scene = Scene::new(s);
        let m = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
        let body = scene.add_solid("bar", mesh.clone(), m, 1000.0).unwrap();
        pins(&mut scene, body);
        scene.build().unwrap()
    };
    let tell = |sim: &mut Simulation| {
        let r = sim.equilibrium(&Static::default()).unwrap();
        (r.status, r.rigid_modes.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let (status, modes) = tell(&mut build(9.8, &|_, _| {}));
    assert_eq!((status, modes.len()), (Status::Stalled, 6), "{modes:?}");
    assert!(modes.contains(&"body `bar` can move along y".to_string()), "{modes:?}");
    let (status, modes) = tell(&mut build(0.0, &|_, _| {}));
    assert_eq!((status, modes.len()), (Status::Converged, 6));
    // Pinned on the plane x = 0 along x: it may still move along y and z and turn about x.
    let (status, modes) =
        tell(&mut build(9.8, &|s, b| s.pin_axes(b, &wall(&mesh), [true, false, false]).unwrap()));
    assert_eq!(status, Status::Stalled);
    assert_eq!(modes.len(), 3, "{modes:?}");
    assert!(modes.iter().any(|m| m.starts_with("body `bar` can turn about x")), "{modes:?}");
    assert!(modes.contains(&"body `bar` can move along z".to_string()), "{modes:?}");
    // By one edge along z: it hangs and turns about it.
    let edge: Vec<u32> = wall(&mesh).into_iter().filter(|&i| mesh.vertices()[i as usize][1] == 0.0).collect();
    let mut sim = build(9.8, &|s, b| s.pin(b, &edge).unwrap());
    let (status, modes) = tell(&mut sim);
    assert_eq!(modes, ["body `bar` can turn about z through (0.000, 0.000, 0.050)"]);
    assert_eq!(status, Status::Converged);
    // It hangs: its middle is below the edge.
    let x = sim.positions();
    let middle = x.iter().map(|p| p[0]).sum::<f64>() / x.len() as f64;
    assert!(middle.abs() < 1e-3, "{middle}");
}

/// Whoever is asked may end it between two steps of continuation: the status says so, and everything is as it was before, settings and clock too; left alone it goes on to rest.
#[test]
fn an_equilibrium_can_be_stopped() {
    let mesh = bar([6, 2, 2], 0.1);
    let mut scene = Scene::new(default());
    let material = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
    let body = scene.add_solid("bar", mesh.clone(), material, 1000.0).unwrap();
    scene.pin(body, &wall(&mesh)).unwrap();
    let mut sim = scene.build().unwrap();
    sim.step().unwrap();
    let before = (sim.positions(), sim.velocities(), sim.frame(), sim.settings().clone());
    for most in [0, 1, 3] {
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked <= most
        };
        let r = sim.equilibrium_while(&Static::default(), &mut go_on).unwrap();
        assert_eq!((r.status, r.steps, asked), (Status::Stopped, most, most + 1), "{r:?}");
        assert!(before == (sim.positions(), sim.velocities(), sim.frame(), sim.settings().clone()));
        let r = sim.rest(1, &mut || false).unwrap();
        assert_eq!((r.status, sim.frame()), (Status::Stopped, before.2), "{r:?}");
    }
    assert_eq!(sim.equilibrium(&Static::default()).unwrap().status, Status::Converged);
}

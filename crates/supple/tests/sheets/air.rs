//! Wind, drag and damping.

use super::bending::grid;
use supple::energy::check::Random;
use supple::energy::lagged::{Drag, StrainRate};
use supple::energy::lagged_sheet::SheetStrainRate;
use supple::energy::{Element, Potential};
use supple::mesh::shapes::{Split, box_mesh};
use supple::settings::Wind;
use supple::{Bending, Cloth, Damping, Material, MaterialKind, Scene, Settings, Spring};

/// Stress against differences of the energy, and a proximal operator that nothing is lower than.
fn sound<P: Potential<D>, const D: usize>(p: P, e: &Element<f64>, random: &mut Random) {
    let mut z = [[0.0; 3]; D];
    z.iter_mut().flatten().for_each(|a| *a = random.between(-1.5, 1.5));
    let stress = p.stress(e, &z);
    for j in 0..D {
        for i in 0..3 {
            let at = |h: f64| {
                let mut y = z;
                y[j][i] += h;
                p.energy(e, &y)
            };
            // A quadratic: central differences are exact.
            let d = (at(0.5) - at(-0.5)) / 1.0;
            assert!((d - stress[j][i]).abs() < 1e-9 * (1.0 + stress[j][i].abs()), "{d} {}", stress[j][i]);
        }
    }
    let y = z;
    let objective = |z: &[[f64; 3]; D]| {
        let d: f64 = (0..3 * D).map(|q| (z[q / 3][q % 3] - y[q / 3][q % 3]).powi(2)).sum();
        p.energy(e, z) + 0.5 * e.k * d
    };
    let z = p.prox(e, &y, &mut 0.0);
    for _ in 0..50 {
        let mut other = z;
        let size = 10f64.powf(random.between(-5.0, 0.0));
        other.iter_mut().flatten().for_each(|a| *a += size * random.between(-1.0, 1.0));
        assert!(objective(&z) <= objective(&other) + 1e-12 * objective(&z).abs());
    }
}

#[test]
fn lagged_terms_are_what_they_say() {
    let mut random = Random(4);
    for _ in 0..50 {
        // C = nnᵀ + small, at a random place.
        let n: [f64; 3] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let c =
            [n[0] * n[0] + 0.1, n[1] * n[1] + 0.1, n[2] * n[2] + 0.1, n[0] * n[1], n[0] * n[2], n[1] * n[2]];
        let mut e = Element::new(random.between(0.1, 10.0), &c);
        let at = [std::array::from_fn(|_| random.between(-1.0, 1.0))];
        Drag.lag(&mut e, &at, 25.0);
        assert_eq!(Drag.energy(&e, &at), 0.0);
        sound(Drag, &e, &mut random);

        let mut e =
            Element::new(random.between(0.1, 100.0), &[random.between(1.0, 10.0), random.between(0.0, 20.0)]);
        let (u, v) = (random.rotation(), random.rotation());
        let f = supple::math::small::compose(&u, [1.3, 0.9, 0.7], &v);
        StrainRate.lag(&mut e, &f, 25.0);
        assert!(StrainRate.energy(&e, &f) < 1e-25);
        sound(StrainRate, &e, &mut random);
        // A small rotation on top is no strain, to second order; an equal strain is.
        let turn = |angle: f64| {
            let (s, c) = angle.sin_cos();
            let r = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]];
            StrainRate.energy(&e, &supple::math::small::mul(&r, &f))
        };
        assert!(turn(1e-3) < 1e-3 * StrainRate.energy(&e, &f.map(|c| c.map(|a| a * 1.001))));
    }
}

#[test]
fn damping_of_a_membrane_is_what_it_says() {
    let mut random = Random(6);
    for round in 0..50 {
        let mut e = Element::new(
            random.between(0.1, 100.0),
            &[random.between(1.0, 10.0), random.between(-0.5, 20.0)],
        );
        let f: [[f64; 3]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.between(-1.0, 1.0)));
        SheetStrainRate.lag(&mut e, &f, 25.0);
        assert_eq!(SheetStrainRate.energy(&e, &f), 0.0);
        sound(SheetStrainRate, &e, &mut random);
        // Stretched alike: ε = δ FᵀF, so the energy follows from F alone.
        let d = |a: usize, b: usize| (0..3).map(|i| f[a][i] * f[b][i]).sum::<f64>();
        let (mu, lambda, delta) = (25.0 * e.param[0], 25.0 * e.param[1], 1e-3);
        let squares = d(0, 0).powi(2) + d(1, 1).powi(2) + 2.0 * d(0, 1).powi(2);
        let expected = delta * delta * (mu * squares + 0.5 * lambda * (d(0, 0) + d(1, 1)).powi(2));
        let stretched = SheetStrainRate.energy(&e, &f.map(|c| c.map(|a| (1.0 + delta) * a)));
        assert!((stretched / expected - 1.0).abs() < 1e-9, "{round} {stretched} {expected}");
        // A small rotation about any axis is no strain, to second order.
        let (r, s) = (random.rotation(), delta.sin());
        let axis = r[0];
        let turned = f.map(|c| {
            let cross = [
                axis[1] * c[2] - axis[2] * c[1],
                axis[2] * c[0] - axis[0] * c[2],
                axis[0] * c[1] - axis[1] * c[0],
            ];
            let along: f64 = (0..3).map(|i| axis[i] * c[i]).sum();
            let cos = delta.cos();
            std::array::from_fn(|i| cos * c[i] + s * cross[i] + (1.0 - cos) * along * axis[i])
        });
        assert!(SheetStrainRate.energy(&e, &turned) < 1e-3 * delta * delta * (mu + lambda.abs()) * 20.0);
    }
}

#[test]
fn damping_by_stiffness_ends_the_vibration_of_a_membrane() {
    let run = |beta: f64| {
        let mesh = grid([1.0, 0.5], [8, 4]);
        let n = mesh.vertices().len();
        let start: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [1.05 * p[0], p[1], p[2]]).collect();
        // Falls at 3 m/s and turns about the axis across.
        let spin: Vec<[f64; 3]> = start.iter().map(|p| [0.0, p[0] - 0.525, 3.0]).collect();
        let mut settings = Settings::default();
        settings.time.dt = 0.005;
        settings.world.gravity = [0.0; 3];
        let mut scene = Scene::new(settings);
        let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
        let cloth = Cloth { bending: Bending::None, ..Cloth::new(rubber, 1e-3, 1000.0) };
        let body = scene.add_cloth("sheet", mesh, cloth).unwrap();
        scene.damp(body, Damping { mass: 0.0, stiffness: beta }).unwrap();
        let mut sim = scene.build().unwrap();
        sim.set_state(&start, &spin).unwrap();
        for _ in 0..60 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, supple::Status::Converged);
        }
        let v = sim.velocities();
        let mean = v.iter().map(|v| v[2]).sum::<f64>() / n as f64;
        // Turning: the ends go up and down against each other.
        (sim.energy().elastic, mean, v[8][1] - v[0][1])
    };
    let (free, mean_free, turn_free) = run(0.0);
    let (damped, mean, turn) = run(0.02);
    assert!((mean_free - 3.0).abs() < 1e-6 && (mean - 3.0).abs() < 1e-6, "{mean_free} {mean}");
    assert!(damped < 0.1 * free, "{damped} {free}");
    assert!(turn > 0.8 && turn > 0.9 * turn_free, "{turn} {turn_free}");
    // A sheet without a material has no stiffness to go by.
    let mut scene = Scene::new(Settings::default());
    let mut cloth = Cloth::new(Material::new(MaterialKind::Arap, 1.0, 0.0).unwrap(), 1e-3, 1.0);
    (cloth.material, cloth.threads) = (None, [1.0, 1.0]);
    let body = scene.add_cloth("net", grid([1.0, 1.0], [1, 1]), cloth).unwrap();
    let error = scene.damp(body, Damping { mass: 0.0, stiffness: 1.0 }).unwrap_err();
    assert!(error.to_string().contains("with a material"), "{error}");
}

#[test]
fn damping_by_mass_slows_a_free_node() {
    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    settings.time.dt = 0.1;
    settings.solve.tolerance = 1e-12;
    let mut scene = Scene::new(settings);
    let body = scene
        .add_springs("pair", vec![[0.0; 3], [1.0, 0.0, 0.0]], vec![2.0, 3.0], vec![Spring::new([0, 1], 10.0)])
        .unwrap();
    scene.damp(body, Damping { mass: 0.7, stiffness: 0.0 }).unwrap();
    let mut sim = scene.build().unwrap();
    sim.set_state(&[[0.0; 3], [1.0, 0.0, 0.0]], &[[0.0, 4.0, 0.0]; 2]).unwrap();
    for n in 1..20 {
        sim.step().unwrap();
        let expected = 4.0 / 1.07f64.powi(n);
        for v in sim.velocities() {
            assert!((v[1] - expected).abs() < 1e-9, "{n} {v:?} {expected}");
        }
    }
}

#[test]
fn damping_by_stiffness_ends_a_vibration_and_lets_a_body_fall_and_turn() {
    let kinetic = |beta: f64| {
        let mesh = box_mesh([1.0, 0.3, 0.3], [6, 2, 2], Split::Six).unwrap();
        let n = mesh.vertices().len();
        let mut settings = Settings::default();
        settings.time.dt = 0.005;
        settings.world.gravity = [0.0; 3];
        let mut scene = Scene::new(settings);
        let rubber = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
        let start: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [1.05 * p[0], p[1], p[2]]).collect();
        let middle = 0.525;
        let spin: Vec<[f64; 3]> = start.iter().map(|p| [-(p[1] - 0.15), p[0] - middle, 3.0]).collect();
        let body = scene.add_solid("bar", mesh, rubber, 1000.0).unwrap();
        scene.damp(body, Damping { mass: 0.0, stiffness: beta }).unwrap();
        let mut sim = scene.build().unwrap();
        sim.set_state(&start, &spin).unwrap();
        for _ in 0..60 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, supple::Status::Converged);
        }
        let e = sim.energy();
        // The rigid motion: 90 kg at 3 m/s, turning at nearly 1 rad/s; and what vibrates.
        let v = sim.velocities();
        let mean: f64 = v.iter().map(|v| v[2]).sum::<f64>() / n as f64;
        (e.elastic, e.kinetic, mean)
    };
    let (free, _, mean_free) = kinetic(0.0);
    let (damped, moving, mean) = kinetic(0.02);
    assert!((mean_free - 3.0).abs() < 1e-6 && (mean - 3.0).abs() < 1e-6, "{mean_free} {mean}");
    // What is left of the elastic energy is that of the spin.
    assert!(damped < 0.1 * free, "{damped} {free}");
    assert!(moving > 0.5 * 90.0 * 9.0 + 0.5 * 7.0 * 0.8, "{moving}");
}

fn sheet(scene: &mut Scene, cells: usize) -> supple::BodyId {
    let linen = Material::new(MaterialKind::Corotated, 1e5, 0.3).unwrap();
    let cloth = Cloth { bending: Bending::Flat(1e-3), ..Cloth::new(linen, 1e-3, 300.0) };
    scene.add_cloth("sheet", grid([1.0, 1.0], [cells, cells]), cloth).unwrap()
}

#[test]
fn a_sheet_falls_at_its_terminal_speed() {
    // m g = ½ρ c A v², flat on the air.
    let mut settings = Settings::default();
    settings.world.wind = Some(Wind::default());
    let mut scene = Scene::new(settings);
    sheet(&mut scene, 4);
    let mut sim = scene.build().unwrap();
    for _ in 0..100 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, supple::Status::Converged, "{r:?}");
    }
    let mean = sim.velocities().iter().map(|v| v[1]).sum::<f64>() / sim.node_count() as f64;
    let expected = (2.0 * 0.3 * 9.8 / (1.2 * 1.2f64)).sqrt();
    assert!((mean + expected).abs() < 1e-3 * expected, "{mean} {expected}");
}

#[test]
fn wind_pushes_with_its_pressure() {
    // A sheet held all around but for its middle: the force on a pinned frame is not seen, the speed of a free sheet is.
    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    settings.time.dt = 1e-4;
    settings.world.wind = Some(Wind { velocity: [0.0, 10.0, 0.0], ..Wind::default() });
    let mut scene = Scene::new(settings);
    sheet(&mut scene, 4);
    let mut sim = scene.build().unwrap();
    sim.step().unwrap();
    let momentum: f64 = sim.velocities().iter().zip(sim.masses()).map(|(v, m)| v[1] * m).sum();
    let force = 0.5 * 1.2 * 1.2 * 1.0 * 100.0;
    assert!((momentum / (force * 1e-4) - 1.0).abs() < 1e-2, "{momentum}");
    // In the end it goes with the wind, however long the steps.
    let mut settings = sim.settings().clone();
    settings.time.dt = 1.0;
    sim.update_settings(settings).unwrap();
    for _ in 0..400 {
        sim.step().unwrap();
    }
    let mean = sim.velocities().iter().map(|v| v[1]).sum::<f64>() / sim.node_count() as f64;
    assert!((mean - 10.0).abs() < 0.1, "{mean}");
}

#[test]
fn gusts_repeat_and_stay_within_their_bounds() {
    let run = |seed: u64, threads: usize| {
        let mut settings = Settings::default();
        settings.solve.threads = threads;
        settings.solve.iterations = 30;
        settings.world.wind = Some(Wind { velocity: [8.0, 0.0, 1.0], gust: 0.8, seed, ..Wind::default() });
        let mut scene = Scene::new(settings);
        let body = sheet(&mut scene, 8);
        scene.pin(body, &[0, 9, 18]).unwrap();
        let mut sim = scene.build().unwrap();
        for _ in 0..20 {
            sim.step().unwrap();
        }
        let saved = sim.checkpoint();
        let mut other = scene.build().unwrap();
        other.restore(&saved).unwrap();
        sim.step().unwrap();
        other.step().unwrap();
        assert_eq!(sim.positions(), other.positions());
        sim.positions()
    };
    assert_eq!(run(1, 1), run(1, 2));
    assert_ne!(run(1, 1), run(2, 1));
}

//! Strain limits.

use super::bending::grid;
use supple::energy::check::Random;
use supple::energy::plane::plane_stress;
use supple::energy::project::{Lengths, SheetStrains, SolidStrains};
use supple::energy::{
    Arap, Corotated, Element, Isotropic, Lame, Limited, Manifold, Membrane, NeoHookean, Potential,
    StVenantKirchhoff,
};
use supple::{Along, Cloth, Limit, Material, MaterialKind, Scene, Settings, Status, TetMesh};

fn norm<const D: usize>(a: &[[f64; 3]; D], b: &[[f64; 3]; D]) -> f64 {
    (0..3 * D).map(|q| (a[q / 3][q % 3] - b[q / 3][q % 3]).powi(2)).sum::<f64>().sqrt()
}

/// Idempotent, inside is not touched, and no other point of the set is nearer.
fn projection<C: Manifold<D>, const D: usize>(set: C, shape: &[f64], inside: impl Fn(&[[f64; 3]; D]) -> f64) {
    let mut random = Random(11);
    for round in 0..500 {
        let spread = [0.3, 1.0, 3.0, 1e-9, 1e9][round % 5];
        let mut y = [[0.0; 3]; D];
        y.iter_mut().flatten().for_each(|a| *a = spread * random.between(-1.0, 1.0));
        let p = set.project(shape, &y);
        assert!(inside(&p) <= 1e-14, "{y:?} {p:?}");
        assert!(norm(&set.project(shape, &p), &p) <= 1e-14);
        if inside(&y) <= 0.0 {
            assert_eq!(p, y);
        }
        for _ in 0..60 {
            let size = 10f64.powf(random.between(-4.0, 0.5));
            let mut q = p;
            q.iter_mut().flatten().for_each(|a| *a += size * random.between(-1.0, 1.0));
            let q = set.project(shape, &q);
            assert!(norm(&y, &p) <= norm(&y, &q) * (1.0 + 1e-14) + 1e-14);
        }
    }
}

fn singular<const D: usize>(f: &[[f64; 3]; D]) -> (f64, f64) {
    let m = nalgebra::DMatrix::from_fn(3, D, |r, c| f[c][r]);
    let s = m.svd(false, false).singular_values;
    (s.min(), s.max())
}

#[test]
fn projections_are_nearest() {
    let length = |c: &[f64; 3]| c.iter().map(|a| a * a).sum::<f64>().sqrt();
    let strains = |(least, most): (f64, f64)| (most - 1.1).max(0.9 - least);
    projection::<_, 1>(Lengths(""), &[0.0, 1.3], |z| length(&z[0]) - 1.3);
    projection::<_, 1>(Lengths(""), &[0.9, 1.3], |z| (length(&z[0]) - 1.3).max(0.9 - length(&z[0])));
    projection::<_, 1>(Lengths(""), &[0.9, 0.9], |z| (length(&z[0]) - 0.9).abs());
    projection::<_, 2>(SheetStrains::Threads, &[0.9, 1.1], |z| {
        let (a, b) = (length(&z[0]), length(&z[1]));
        strains((a.min(b), a.max(b)))
    });
    projection::<_, 2>(SheetStrains::Stretches, &[0.9, 1.1], |z| strains(singular(z)));
    projection::<_, 3>(SolidStrains, &[0.9, 1.1], |z| strains(singular(z)));
}

fn hanging(along: Along, material: bool, weight: f64) -> supple::Simulation {
    let mesh = grid([0.4, 0.4], [6, 6]);
    let n = mesh.vertices().len() as u32;
    let top: Vec<u32> = (0..n).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
    let mut settings = Settings::default();
    settings.solve.tolerance = 1e-5;
    settings.solve.iterations = 4000;
    let mut scene = Scene::new(settings);
    let soft = Material::new(MaterialKind::Corotated, 1e4, 0.3).unwrap();
    let mut cloth = Cloth::new(soft, 1e-3, weight);
    cloth.limit = Some(Limit { range: [0.9, 1.05], along, stiffness: None });
    if !material {
        cloth.material = None;
    }
    let body = scene.add_cloth("cloth", mesh, cloth).unwrap();
    scene.pin(body, &top).unwrap();
    scene.build().unwrap()
}

#[test]
fn limits_hold_where_the_weight_would_tear() {
    for along in [Along::Stretches, Along::Threads] {
        for material in [true, false] {
            let mut sim = hanging(along, material, 1e4);
            let mut worst = 0.0f64;
            for _ in 0..40 {
                let r = sim.step().unwrap();
                worst = worst.max(r.violation);
                assert_eq!(r.status, Status::Converged, "{along:?} {material} {r:?}");
            }
            assert!(worst < 1e-3, "{along:?} {worst}");
            let lowest = sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            assert!(lowest > -0.4 * 1.0512, "{lowest}");
        }
    }
}

#[test]
fn solids_have_limits_too() {
    // One cube pulled by its weight to more than its limit.
    let mesh = supple::mesh::shapes::box_mesh([1.0; 3], [2; 3], supple::mesh::shapes::Split::Six).unwrap();
    let n = mesh.vertices().len() as u32;
    let top: Vec<u32> = (0..n).filter(|&i| mesh.vertices()[i as usize][1] == 1.0).collect();
    let run = |limit: Option<Limit>, mesh: TetMesh| {
        let mut settings = Settings::default();
        settings.solve.tolerance = 1e-6;
        settings.solve.iterations = 4000;
        let mut scene = Scene::new(settings);
        let soft = Material::new(MaterialKind::NeoHookean, 2e4, 0.3).unwrap();
        let body = scene.add_solid("cube", mesh, soft, 1000.0).unwrap();
        scene.pin(body, &top).unwrap();
        if let Some(limit) = limit {
            scene.limit(body, limit).unwrap();
        }
        let mut sim = scene.build().unwrap();
        let mut worst = 0.0f64;
        for _ in 0..25 {
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{r:?}");
            worst = worst.max(r.violation);
        }
        (-sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min), worst, sim.inverted())
    };
    let (free, none, _) = run(None, mesh.clone());
    let limit = Limit { range: [0.8, 1.1], along: Along::Stretches, stiffness: None };
    let (held, worst, inverted) = run(Some(limit), mesh);
    assert!(none == 0.0 && free > 0.15, "{free}");
    assert!(held < 0.1 * 1.001 && held > 0.05 && worst < 1e-3 && inverted == 0, "{held} {worst}");
}

#[test]
fn wrong_limits_are_refused() {
    for range in [[0.9, 0.95], [1.1, 1.2], [-0.1, 1.1], [0.9, f64::INFINITY], [f64::NAN, 1.1]] {
        let limit = Limit { range, along: Along::Stretches, stiffness: None };
        assert!(limit.check().is_err(), "{range:?}");
    }
    assert!(Limit { range: [0.9, 1.1], along: Along::Threads, stiffness: Some(0.0) }.check().is_err());
}

/// The proximal operator of a membrane with its limit: on a fine grid of the allowed stretches nothing is lower than what it finds,
/// and with several lanes it finds the same. True if
/// minimising first and limiting then is worse somewhere.
fn together<M: Isotropic<2>>(m: M, params: &[f64], k: f64) -> bool {
    let mut random = Random(5);
    let mut blended_is_worse = false;
    for (least, most) in [(0.9, 1.05), (0.5, 1.0), (0.0, 1.2), (1.0, 1.0), (1.0, 1.4)] {
        let numbers = [params, &[least, most]].concat();
        let e = Element::new(k, &numbers);
        let p = Limited(m.clone());
        for _ in 0..60 {
            let s = [random.between(0.0, 2.5), random.between(0.0, 2.5)];
            let f = [[s[0], 0.0, 0.0], [0.0, s[1], 0.0]];
            let value =
                |z: [f64; 2]| m.density(&e, &z) + 0.5 * k * ((z[0] - s[0]).powi(2) + (z[1] - s[1]).powi(2));
            let z = p.prox(&e, &f, &mut p.cold(&e));
            let found = [z[0][0].abs(), z[1][1].abs()];
            assert!(norm(&z, &[[z[0][0], 0.0, 0.0], [0.0, z[1][1], 0.0]]) < 1e-12, "{z:?}");
            assert!(found.iter().all(|a| *a >= least - 1e-12 && *a <= most + 1e-12), "{found:?}");
            let lowest = value(found);
            let steps = 60;
            let grid = |i: usize| least + (most - least) * i as f64 / steps as f64;
            for i in 0..=steps {
                for j in 0..=steps {
                    let there = value([grid(i), grid(j)]);
                    assert!(
                        lowest <= there + 1e-10 * k,
                        "{s:?} {least} {most}: {found:?} {} {}",
                        grid(i),
                        grid(j)
                    );
                }
            }
            let free = Membrane(m.clone()).prox(&e, &f, &mut p.cold(&e));
            let blended = [free[0][0].abs().clamp(least, most), free[1][1].abs().clamp(least, most)];
            blended_is_worse |= value(blended) > lowest + 1e-3 * k;
        }
    }
    blended_is_worse
}

#[test]
fn a_membrane_and_its_limit_are_minimised_together() {
    for k in [3e3, 3e4, 3e5] {
        assert!(!together(Arap, &[2e4], k));
        assert!(together(Corotated, &[1e4, 3e4], k));
        assert!(together(StVenantKirchhoff, &[1e4, 3e4], k));
        assert!(together(NeoHookean, &[1e4, 6e4], k));
    }
    for (young, poisson) in [(1e4, 0.0), (1e4, 0.1), (3e5, 0.3), (1e2, 0.4), (1e4, 0.49)] {
        let l = Lame::from_young(young, poisson).unwrap();
        let (solid, plane) = ([l.mu, l.lambda], [l.mu, plane_stress(l)]);
        for k in [0.2 * young, 5.0 * young] {
            together(Arap, &[2.0 * l.mu], k);
            together(Corotated, &plane, k);
            together(StVenantKirchhoff, &plane, k);
            together(NeoHookean, &solid, k);
        }
    }
}

//! Stretch and stress of elements against closed forms.

use super::bending::grid;
use supple::energy::Fibres;
use supple::mesh::shapes::{Split, box_mesh};
use supple::{Along, Bending, Cloth, Limit, Material, MaterialKind, Scene, Settings, Simulation};

/// A strip of E = 1e5 Pa and ν = 0.4 pulled to 1.5 times its length, its sides free: σ2 = 0.8 and P = E/2 for `corotated`.
fn strip(change: impl Fn(&mut Cloth)) -> Simulation {
    let mesh = grid([1.0, 0.5], [4, 3]);
    let pulled: Vec<[f64; 3]> = mesh.vertices().iter().map(|p| [1.5 * p[0], p[1], 0.8 * p[2]]).collect();
    let mut scene = Scene::new(Settings::default());
    let mut cloth = Cloth::new(Material::new(MaterialKind::Corotated, 1e5, 0.4).unwrap(), 2e-3, 1000.0);
    cloth.bending = Bending::None;
    change(&mut cloth);
    scene.add_cloth("strip", mesh, cloth).unwrap();
    let mut sim = scene.build().unwrap();
    sim.set_state(&pulled, &vec![[0.0; 3]; pulled.len()]).unwrap();
    sim
}

fn all(sim: &Simulation, elements: usize, stretch: f64, stress: f64) {
    let fields = sim.element_fields();
    assert_eq!(fields.len(), elements);
    for f in fields {
        assert!(
            (f[0] - stretch).abs() < 1e-12 && (f[1] / stress - 1.0).abs() < 1e-9,
            "{f:?} {stretch} {stress}"
        );
    }
}

#[test]
fn a_strip_pulled_along_has_the_stress_of_its_force() {
    // Over the width that is left: P/σ2.
    all(&strip(|_| ()), 24, 1.5, 0.5e5 / 0.8);
    // Threads along the strip add k(σ1 − 1) to the force, a limit that joins the membrane nothing.
    all(&strip(|c| c.threads = [3e4, 0.0]), 24, 1.5, (0.5e5 + 0.5 * 3e4) / 0.8);
    let limit = Limit { range: [0.5, 1.2], along: Along::Stretches, stiffness: None };
    all(&strip(|c| c.limit = Some(limit)), 24, 1.5, 0.5e5 / 0.8);
    // A soft limit pulls back with its stiffness times what is beyond.
    let soft = Limit { stiffness: Some(1e5), ..limit };
    all(&strip(|c| c.limit = Some(soft)), 24, 1.5, (0.5e5 + 0.3 * 1e5) / 0.8);
    // Damping is no stress of the state, and without a material nothing is known but the stretch.
    let bare = strip(|c| (c.material, c.limit) = (None, Some(limit)));
    assert!(bare.element_fields().iter().all(|f| (f[0] - 1.5).abs() < 1e-12 && f[1].is_nan()));
    let threads = strip(|c| (c.material, c.threads) = (None, [1e4, 1e4]));
    assert!(threads.element_fields().len() == 24 && threads.element_fields()[0][0].is_nan());
}

#[test]
fn fibres_have_their_share_and_sheets_come_after_solids() {
    // F = diag(1.2, 1, 1): P = 2μ·0.2 + λ·0.2 + k·0.2 along, λ·0.2 across; Cauchy's stress across is P/1.2.
    let base = Material::new(MaterialKind::Corotated, 1e5, 0.25).unwrap();
    let (mu, lambda) = (4e4, 4e4);
    let stiffness = 2e5;
    let muscle = base.clone().with_fibres(Fibres::new([1.0, 0.0, 0.0], stiffness).unwrap());
    let von_mises = |k: f64| (2.0 * mu + lambda + k) * 0.2 - lambda * 0.2 / 1.2;
    let solid = || box_mesh([1.0; 3], [2, 1, 1], Split::Six).unwrap();
    let cloth = Cloth::new(base.clone(), 1e-3, 1000.0);
    let mut scene = Scene::new(Settings::default());
    scene.add_cloth("sheet", grid([1.0, 1.0], [2, 2]), cloth).unwrap();
    scene.add_solid("muscle", solid(), muscle, 1000.0).unwrap();
    scene.add_solid("plain", solid(), base, 1000.0).unwrap();
    let mut sim = scene.build().unwrap();
    let pulled: Vec<[f64; 3]> = sim.positions().iter().map(|p| [1.2 * p[0], p[1], p[2]]).collect();
    sim.set_state(&pulled, &vec![[0.0; 3]; pulled.len()]).unwrap();
    let (fields, n) = (sim.element_fields(), solid().tets().len());
    assert_eq!(fields.len(), 2 * n + 8);
    for (i, f) in fields[..2 * n].iter().enumerate() {
        let expected = von_mises(if i < n { stiffness } else { 0.0 });
        assert!((f[0] - 1.2).abs() < 1e-12 && (f[1] / expected - 1.0).abs() < 1e-9, "{i} {f:?} {expected}");
    }
    // The sheet, in plane stress: λ̄ = 2μλ/(λ + 2μ), and von Mises of two stresses and none across.
    let flat = 2.0 * mu * lambda / (lambda + 2.0 * mu);
    let (a, b) = ((2.0 * mu + flat) * 0.2, flat * 0.2 / 1.2);
    let expected = (a * a - a * b + b * b).sqrt();
    assert!(fields[2 * n..].iter().all(|f| (f[1] / expected - 1.0).abs() < 1e-9), "{fields:?} {expected}");
}

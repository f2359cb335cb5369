//! A material of the user's own: energy and derivatives only, everything else by default.

use super::bridge::{self, lame};
use super::common;
use super::reference::V3;
use super::reference::body::RefBody;
use super::reference::material::RefMaterial;
use super::reference::shape::{bar, extent, max_distance};
use supple::energy::{Domain, Element, Isotropic, Solid};
use supple::math::real::Real;
use supple::{Material, MaterialKind, Scene, Simulation, Status};

/// Neo-Hookean written once more.
#[derive(Clone, Copy)]
struct Mine;

fn ln_j<R: Real>(s: &[R; 3]) -> R {
    s[0].ln() + s[1].ln() + s[2].ln()
}

impl Isotropic<3> for Mine {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "mine";
    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let (mu, lambda, l) = (e.param[0], e.param[1], ln_j(s));
        let squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
        R::splat(0.5) * mu * (squares - R::splat(3.0)) - mu * l + R::splat(0.5) * lambda * l * l
    }
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let (mu, lambda, l) = (e.param[0], e.param[1], ln_j(s));
        let mut g = *s;
        for i in 0..3 {
            g[i] = mu * s[i] + (lambda * l - mu) / s[i];
        }
        g
    }
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (mu, lambda, l) = (e.param[0], e.param[1], ln_j(s));
        let mut h = [*s; 3];
        for i in 0..3 {
            for j in 0..3 {
                h[i][j] = lambda / (s[i] * s[j]);
            }
            h[i][i] += mu - (lambda * l - mu) / (s[i] * s[i]);
        }
        h
    }
}

impl Solid for Mine {}

/// Twenty steps of a held bar.
fn run(material: Material) -> (Vec<Vec<V3>>, f64) {
    let reference = RefBody::new(&bar(3, 0.3), RefMaterial::NeoHookean(lame()), 1000.0);
    let mesh = bridge::mesh(&reference);
    let mut s = common::settings(0.02);
    s.world.gravity = [0.0, -9.8, 0.0];
    s.solve.weight_scale = 1.2;
    let mut scene = Scene::new(s);
    let body = scene.add_solid("body", mesh.clone(), material, 1000.0).unwrap();
    scene.pin(body, &common::wall(&mesh)).unwrap();
    let mut sim: Simulation = scene.build().unwrap();
    let mut frames = Vec::new();
    for _ in 0..20 {
        let report = sim.step().unwrap();
        assert_eq!(report.status, Status::Converged);
        frames.push(bridge::points(&sim.positions()));
    }
    (frames, extent(&reference.rest))
}

/// The trajectory of the built-in material, 1e-8 of the extent in every frame.
#[test]
fn an_own_material_is_as_good_as_a_built_in_one() {
    let l = lame();
    let (built_in, size) = run(common::material(MaterialKind::NeoHookean));
    let (own, _) = run(Material::own(Mine, &[l.mu, l.lambda]).unwrap());
    let fallen = max_distance(&built_in[0], &built_in[19]) / size;
    assert!(fallen > 0.05, "nothing happened: {fallen}");
    for (n, (a, b)) in built_in.iter().zip(&own).enumerate() {
        let error = max_distance(a, b) / size;
        assert!(error <= 1e-8, "frame {n}: {error:e}");
    }
}

/// Its constants at rest are found from its second derivative, 1e-12; wrong numbers are refused with its name.
#[test]
fn an_own_material_is_checked() {
    let l = lame();
    let material = Material::own(Mine, &[l.mu, l.lambda]).unwrap();
    assert_eq!(material.name(), "mine");
    assert!((material.lame().mu - l.mu).abs() <= 1e-12 * l.mu);
    assert!((material.lame().lambda - l.lambda).abs() <= 1e-12 * l.lambda);
    for numbers in [&[1.0][..], &[1.0, 2.0, 3.0], &[1.0, f64::NAN], &[-1.0, 1.0]] {
        let text = Material::own(Mine, numbers).err().unwrap();
        assert!(text.reason.contains("mine"), "{text}");
    }
}

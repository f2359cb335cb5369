//! A material of your own: Hencky's, quadratic in the logarithms of the stretches.
//!
//! One `impl` gives the density and its first two derivatives; the proximal operator, stress and weights follow. The
//! checkers of the library say whether they agree. Run with `cargo run --release --example own_material`.
#![allow(clippy::print_stdout)]

use supple::energy::Real;
use supple::energy::{Domain, Element, Isotropic, Lame, Solid, check};
use supple::mesh::shapes;
use supple::{Material, Scene, Settings};

/// Ψ = μ Σ ln²σ_i + λ/2 (Σ ln σ_i)². Numbers of an element: μ, λ.
#[derive(Clone, Copy)]
struct Hencky;

impl Isotropic<3> for Hencky {
    const PARAMS: usize = 2;
    const DOMAIN: Domain = Domain::Barrier;
    const NAME: &'static str = "hencky";

    fn density<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> R {
        let l = [s[0].ln(), s[1].ln(), s[2].ln()];
        let t = l[0] + l[1] + l[2];
        e.param[0] * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]) + R::splat(0.5) * e.param[1] * t * t
    }
    fn gradient<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [R; 3] {
        let l = [s[0].ln(), s[1].ln(), s[2].ln()];
        let p = e.param[1] * (l[0] + l[1] + l[2]);
        let two_mu = e.param[0] + e.param[0];
        [(two_mu * l[0] + p) / s[0], (two_mu * l[1] + p) / s[1], (two_mu * l[2] + p) / s[2]]
    }
    fn hessian<R: Real>(&self, e: &Element<R>, s: &[R; 3]) -> [[R; 3]; 3] {
        let (mu, lambda) = (e.param[0], e.param[1]);
        let g = self.gradient(e, s);
        let mut h = [[R::zero(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                h[i][j] = lambda / (s[i] * s[j]);
            }
            h[i][i] = (mu + mu + lambda) / (s[i] * s[i]) - g[i] / s[i];
        }
        h
    }
}

// Nothing to override: energy and stress of a matrix follow from the stretches.
impl Solid for Hencky {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lame = Lame::from_young(1e6, 0.4)?;
    let numbers = [lame.mu, lame.lambda];
    check::derivatives(&Hencky, &numbers)?;
    check::symmetry(&Hencky, &numbers)?;
    check::small_strain(&Hencky, &numbers, lame)?;

    let mesh = shapes::box_mesh([1.0, 0.2, 0.2], [10, 2, 2], shapes::Split::default())?;
    let wall: Vec<u32> =
        (0..mesh.vertices().len() as u32).filter(|&i| mesh.vertices()[i as usize][0] == 0.0).collect();
    let tip = mesh.vertices().len() - 1;
    let mut settings = Settings::default();
    settings.solve.iterations = 100;
    let mut scene = Scene::new(settings);
    let body = scene.add_solid("beam", mesh, Material::own(Hencky, &numbers)?, 1000.0)?;
    scene.pin(body, &wall)?;
    let mut simulation = scene.build()?;
    let start = simulation.position(tip).unwrap_or_default()[1];
    for _ in 0..10 {
        let report = simulation.step()?;
        println!("{:.2} s: {} residual {:.1e}", report.time, report.status, report.force_residual);
    }
    let fall = start - simulation.position(tip).unwrap_or_default()[1];
    println!("the tip fell by {fall:.3} m");
    // It bends under its weight and does not fall freely (0.86 m in ten steps).
    if !(0.02..0.6).contains(&fall) {
        return Err(format!("a fall of {fall} m is wrong").into());
    }
    Ok(())
}

#[test]
fn example() {
    main().unwrap();
}

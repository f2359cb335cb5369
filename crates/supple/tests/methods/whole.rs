//! Whatever a step leaves undone: the mass centre of what nothing holds falls.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::RefBody;
use super::reference::closed_form::free_fall;
use super::reference::material::RefMaterial;
use super::reference::shape::{Random, bar, extent};
use super::setup::{GRAVITY, everyone, heavy, show, simulation, twisted};
use supple::Status;

/// Starts from which no method can get far in a few iterations, by name.
fn starts(material: RefMaterial) -> Vec<(&'static str, RefBody, Vec<V3>)> {
    let body = RefBody::new(&bar(4, 0.25), material, 1000.0);
    let mut random = Random::new(71);
    let shaken = body.rest.iter().map(|p| p + random.vector(0.06)).collect();
    let squeezed = body.rest.iter().map(|p| V3::new(0.15 * p.x, p.y, p.z)).collect();
    let flat = body.rest.iter().map(|p| V3::new(p.x, p.y, 0.0)).collect();
    let mirrored = body.rest.iter().map(|p| V3::new(-p.x, p.y, p.z)).collect();
    let wrung = twisted(material, 4, 4.0, false).1;
    let all = [
        ("shaken", shaken),
        ("squeezed", squeezed),
        ("flat", flat),
        ("mirrored", mirrored),
        ("wrung", wrung),
    ];
    all.into_iter().map(|(name, x)| (name, body.clone(), x)).collect()
}

/// The mass centre of a free body falls by g, 1e-9 of the body and its way (the bound that is asked for; rounding is 1e-13), whatever the
/// method, the material, the shape at the start, the number of iterations and the status. A step that is rolled back as `diverged` does not count.
#[test]
fn no_free_body_hangs_in_the_air() {
    let mut lines = Vec::new();
    let mut wrong = Vec::new();
    for (name, method) in everyone() {
        let all = RefMaterial::all(lame());
        for material in if name == "projective" { vec![all[1]] } else { all.to_vec() } {
            for (start, body, x) in starts(material) {
                for iterations in [1, 4, 40] {
                    let h = 0.04;
                    let s = heavy(h, |s| {
                        method(s);
                        s.iterations = iterations;
                    });
                    let v0 = V3::new(0.4, -0.2, 1.0);
                    let mut sim = simulation(&body, s, &x, &vec![v0; x.len()]);
                    let mass: f64 = body.masses.iter().sum();
                    let centre =
                        |x: &[V3]| x.iter().zip(&body.masses).map(|(x, m)| x * *m).sum::<V3>() / mass;
                    let from = centre(&x);
                    let (mut worst, mut done, mut unconverged) = (0.0_f64, 0, 0);
                    for _ in 0..12 {
                        let report = sim.step().unwrap();
                        if report.status == Status::Diverged {
                            break;
                        }
                        done += 1;
                        unconverged += usize::from(report.status != Status::Converged);
                        let wanted = free_fall(&from, &v0, &GRAVITY, h, done);
                        let off = (centre(&bridge::points(&sim.positions())) - wanted).norm();
                        worst = worst.max(off / (extent(&body.rest) + (wanted - from).norm()));
                    }
                    let line = format!(
                        "{name} {} {start}, {iterations} iterations: {worst:.1e} over {done} steps, {unconverged} not converged",
                        material.name()
                    );
                    if !(worst <= 1e-9) {
                        wrong.push(line.clone());
                    }
                    lines.push(line);
                }
            }
        }
    }
    show(&lines);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

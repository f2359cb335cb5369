//! Steps and trajectories at tolerance 1e-10. Expected: the oracle's Newton with exact dense Hessians, to rounding.

use super::bridge::{self, lame};
use super::reference::V3;
use super::reference::body::{RefBody, RefPin};
use super::reference::material::{Lame, RefMaterial};
use super::reference::shape::{box_mesh, extent, max_distance};
use super::setup::{
    ADMM, DESCENT, GRAVITY, Named, PROJECTIVE, disturbed, furnished, heavy, hold, minimisers, simulation,
};
use supple::{Status, WeightRule};

const H: f64 = 0.02;

/// Both from the same state for `frames` frames, each on from its own; the largest distance over the extent.
fn compare(
    (name, method): Named,
    body: &RefBody,
    (x, v): &(Vec<V3>, Vec<V3>),
    frames: usize,
    mut move_pins: impl FnMut(usize, &mut RefBody),
) -> f64 {
    let settings = heavy(H, |s| {
        (s.iterations, s.tolerance) = (5000, 1e-10);
        method(s);
    });
    let mut body = body.clone();
    let mut sim = simulation(&body, settings, x, v);
    let (mut x, mut v) = (x.clone(), v.clone());
    let mut worst = 0.0_f64;
    for frame in 0..frames {
        move_pins(frame, &mut body);
        bridge::move_targets(&mut sim, &body);
        let report = sim.step().unwrap();
        let what = body.materials.first().map_or("springs", |m| m.name());
        assert_eq!(report.status, Status::Converged, "{name} {what} frame {frame}: {report:?}");
        body.advance(&mut x, &mut v, H, &GRAVITY);
        let end = bridge::points(&sim.positions());
        for pin in &body.pins {
            assert!(end[pin.node] == pin.target, "{name} {what}: a pin is off its target");
        }
        worst = worst.max(max_distance(&end, &x) / extent(&body.rest));
    }
    worst
}

/// A held bar beside a net, with pins, anchors, springs and gravity; 8 frames; pins travel and turn from the third on.
fn trajectory(named: Named, material: RefMaterial) -> f64 {
    let body = furnished(material);
    let rest = body.rest.clone();
    let state = disturbed(&body, 601);
    compare(named, &body, &state, 8, |frame, body| {
        let t = 0.02 * frame.saturating_sub(2) as f64;
        for RefPin { node, target } in &mut body.pins {
            let p = rest[*node];
            *target = V3::new(p.x + 0.3 * t, p.y * t.cos() - p.z * t.sin(), p.y * t.sin() + p.z * t.cos());
        }
    })
}

/// Every material, every minimiser, 8 frames: 1e-8 of the extent.
#[test]
fn trajectories_are_those_of_newton() {
    let mut lines = Vec::new();
    for material in RefMaterial::all(lame()) {
        for named in minimisers() {
            let error = trajectory(named, material);
            lines.push(format!("{:20} {:22} {error:.1e}", material.name(), named.0));
            assert!(error <= 1e-8, "{} {}: {error:e}", material.name(), named.0);
        }
    }
    let error = trajectory(PROJECTIVE, RefMaterial::arap(lame()));
    lines.push(format!("{:20} {:22} {error:.1e}", "arap", "projective"));
    assert!(error <= 1e-8, "projective: {error:e}");
    super::setup::show(&lines);
}

/// Nearly incompressible and with no Poisson's ratio at all; one step of a held cube: 1e-8 of the extent.
#[test]
fn any_poisson_ratio() {
    for poisson in [0.0, 0.3, 0.49] {
        let l = Lame::from_young(1e5, poisson);
        for material in [RefMaterial::NeoHookean(l), RefMaterial::Corotated(l), RefMaterial::Linear(l)] {
            let mut body = RefBody::new(&box_mesh([2, 1, 1], V3::repeat(0.3)), material, 1000.0);
            hold(&mut body);
            let state = disturbed(&body, 602);
            for named in DESCENT.into_iter().chain([ADMM[1]]) {
                let error = compare(named, &body, &state, 3, |_, _| {});
                assert!(error <= 1e-8, "{} ν {poisson} {}: {error:e}", material.name(), named.0);
            }
        }
    }
}

/// Weights by any rule and scale change the way, not the end: quasi-Newton and ADMM, 1e-8 of the extent.
#[test]
fn weights_do_not_change_the_minimum() {
    let body = furnished(RefMaterial::NeoHookean(lame()));
    let state = disturbed(&body, 603);
    const RULES: [Named; 5] = [
        ("bulk", |s| s.weight_rule = WeightRule::Bulk),
        ("auto", |s| s.weight_rule = WeightRule::Auto),
        ("shear", |s| s.weight_rule = WeightRule::Shear),
        ("half", |s| s.weight_scale = 0.5),
        ("four", |s| s.weight_scale = 4.0),
    ];
    for (name, method) in [ADMM[1], DESCENT[1], DESCENT[2]] {
        for (rule, change) in RULES {
            let settings = heavy(H, |s| {
                (s.iterations, s.tolerance) = (5000, 1e-10);
                method(s);
                change(s);
            });
            let mut sim = simulation(&body, settings, &state.0, &state.1);
            let report = sim.step().unwrap();
            assert_eq!(report.status, Status::Converged, "{name} {rule}: {report:?}");
            let wanted = body.step(&state.0, &state.1, H, &GRAVITY);
            let error = max_distance(&bridge::points(&sim.positions()), &wanted) / extent(&body.rest);
            assert!(error <= 1e-8, "{name} {rule}: {error:e}");
        }
    }
}

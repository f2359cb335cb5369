//! Rods and ropes: hard constraints of edges.

use supple::settings::Method;
use supple::{Scene, Settings, Simulation, Spring, SpringKind, Status};

fn chain(
    kind: SpringKind,
    links: usize,
    span: f64,
    length: f64,
    change: impl Fn(&mut Settings),
) -> Simulation {
    let mut settings = Settings::default();
    settings.time.dt = 0.1;
    settings.solve.tolerance = 1e-8;
    settings.solve.iterations = 3000;
    change(&mut settings);
    let mut scene = Scene::new(settings);
    // A zigzag of the right lengths between the two ends.
    let step = span / links as f64;
    let rise = (length * length - step * step).max(0.0).sqrt();
    let positions: Vec<[f64; 3]> =
        (0..=links).map(|i| [step * i as f64, if i % 2 == 1 { -rise } else { 0.0 }, 0.0]).collect();
    let springs =
        (0..links as u32).map(|i| Spring { kind, rest_length: Some(length), ..Spring::new([i, i + 1], 1e3) });
    let masses = vec![0.1; links + 1];
    let body = scene.add_springs("chain", positions, masses, springs.collect()).unwrap();
    scene.pin(body, &[0, links as u32]).unwrap();
    scene.build().unwrap()
}

#[test]
fn rigid_links_hang_in_the_discrete_catenary() {
    for kind in [SpringKind::Rod, SpringKind::Rope] {
        let mut sim = chain(kind, 20, 1.0, 0.1, |s| s.time.dt = 0.5);
        let mut iterations = 0;
        for _ in 0..60 {
            let r = sim.step().unwrap();
            iterations += r.iterations;
            assert_eq!(r.status, Status::Converged, "{r:?}");
            assert!(r.violation < 1e-7, "{r:?}");
        }
        let sag = -sim.positions().iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        assert!((sag - 0.798273).abs() < 1e-5, "{kind:?} {sag} {iterations}");
    }
}

#[test]
fn a_rod_between_pins_too_far_apart_says_so() {
    let mut settings = Settings::default();
    settings.solve.iterations = 500;
    let mut scene = Scene::new(settings);
    let positions = vec![[0.0; 3], [2.0, 0.0, 0.0]];
    let rod = Spring { rest_length: Some(1.0), ..Spring::rod([0, 1]) };
    let body = scene.add_springs("rod", positions, vec![1.0; 2], vec![rod]).unwrap();
    scene.pin(body, &[0, 1]).unwrap();
    let mut sim = scene.build().unwrap();
    for _ in 0..3 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Infeasible);
        assert!((r.violation - 1.0).abs() < 1e-12 && r.iterations <= 1, "{r:?}");
        let worst = sim.violations(3);
        assert_eq!((worst.len(), worst[0].body.as_str(), worst[0].element), (1, "rod", 0), "{worst:?}");
    }
}

#[test]
fn a_rope_is_slack_until_it_is_taut() {
    // A mass that falls 1 m on a rope of 1 m, then hangs.
    let mut settings = Settings::default();
    settings.time.dt = 0.01;
    settings.solve.tolerance = 1e-9;
    settings.solve.iterations = 2000;
    let mut scene = Scene::new(settings);
    let rope = Spring { rest_length: Some(1.0), ..Spring::rope([0, 1]) };
    let body = scene.add_springs("rope", vec![[0.0; 3]; 2], vec![1.0; 2], vec![rope]).unwrap();
    scene.pin(body, &[0]).unwrap();
    let mut sim = scene.build().unwrap();
    let (mut y, mut v) = (0.0f64, 0.0);
    for _ in 0..100 {
        let r = sim.step().unwrap();
        assert_eq!(r.status, Status::Converged);
        // Backward Euler of a particle under y ≥ −1.
        let next = (y + 0.01 * v - 9.8e-4).max(-1.0);
        (v, y) = ((next - y) / 0.01, next);
        assert!((sim.positions()[1][1] - y).abs() < 1e-8, "{} {y} {r:?}", sim.positions()[1][1]);
    }
    assert_eq!(y, -1.0);
}

#[test]
fn tension_only_springs_do_not_push() {
    let mut settings = Settings::default();
    settings.world.gravity = [0.0; 3];
    let mut scene = Scene::new(settings);
    let spring = Spring { rest_length: Some(1.0), kind: SpringKind::Tension, ..Spring::new([0, 1], 50.0) };
    let body = scene.add_springs("t", vec![[0.0; 3], [0.5, 0.0, 0.0]], vec![1.0; 2], vec![spring]).unwrap();
    scene.pin(body, &[0]).unwrap();
    let mut sim = scene.build().unwrap();
    sim.step().unwrap();
    assert_eq!(sim.positions()[1], [0.5, 0.0, 0.0]);
    sim.set_state(&[[0.0; 3], [1.5, 0.0, 0.0]], &[[0.0; 3]; 2]).unwrap();
    sim.step().unwrap();
    // (1 + ω²h²) x⁺ = x for the stretch: h = 0.04, ω² = 50.
    let expected = 1.0 + 0.5 / (1.0 + 50.0 * 0.0016);
    assert!((sim.positions()[1][0] - expected).abs() < 1e-9);
}

#[test]
fn methods_that_cannot_take_constraints_refuse_them() {
    for method in [Method::Newton, Method::QuasiNewton, Method::Position, Method::Projective] {
        let mut settings = Settings::default();
        settings.solve.method = method;
        let mut scene = Scene::new(settings);
        scene
            .add_springs("chain", vec![[0.0; 3], [1.0; 3]], vec![1.0; 2], vec![Spring::rod([0, 1])])
            .unwrap();
        let error = scene.build().err().unwrap().to_string();
        assert!(
            error.contains("rod") && error.contains("chain") && error.contains(method.as_str()),
            "{error}"
        );
    }
}

#[test]
fn a_checkpoint_continues_bit_for_bit_with_constraints() {
    let make = || chain(SpringKind::Rod, 12, 0.8, 0.1, |s| s.solve.iterations = 15);
    let (mut a, mut b) = (make(), make());
    for _ in 0..7 {
        a.step().unwrap();
    }
    b.restore(&a.checkpoint()).unwrap();
    for _ in 0..7 {
        a.step().unwrap();
        b.step().unwrap();
        assert_eq!(a.positions(), b.positions());
    }
}

#[test]
fn forces_of_rods_are_kept_over_steps() {
    // At rest nothing is left to do: a step takes few iterations.
    let mut sim = chain(SpringKind::Rod, 20, 1.0, 0.1, |s| s.time.dt = 0.5);
    let mut last = 0;
    for _ in 0..200 {
        last = sim.step().unwrap().iterations;
    }
    assert!(last <= 20, "{last}");
}

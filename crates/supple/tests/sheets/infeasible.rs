//! Hard constraints that cannot hold are named.
use supple::mesh::shapes;
use supple::{Along, Limit, Material, MaterialKind, Scene, Settings, Simulation, Spring, Status};

/// A chain of ten rods or ropes, 1 m in all, between pins `span` apart.
fn chain(span: f64, rope: bool) -> Simulation {
    let mut settings = Settings::default();
    settings.solve.iterations = 2000;
    settings.solve.tolerance = 1e-5;
    let mut scene = Scene::new(settings);
    let positions = (0..=10).map(|i| [span * i as f64 / 10.0, 0.0, 0.0]).collect();
    let link = |i| if rope { Spring::rope([i, i + 1]) } else { Spring::rod([i, i + 1]) };
    let links = (0..10).map(|i| Spring { rest_length: Some(0.1), ..link(i) }).collect();
    let body = scene.add_springs("chain", positions, vec![0.1; 11], links).unwrap();
    scene.pin(body, &[0, 10]).unwrap();
    scene.build().unwrap()
}

#[test]
fn a_chain_that_is_too_short_is_infeasible() {
    for rope in [false, true] {
        for span in [1.05, 2.0] {
            let mut sim = chain(span, rope);
            for _ in 0..3 {
                let r = sim.step().unwrap();
                assert_eq!(r.status, Status::Infeasible, "{rope} {span} {r:?}");
                assert!(r.iterations <= 500, "{rope} {span} {r:?}");
                // The excess is shared: no link can be off by less than a tenth of it.
                let excess = (span - 1.0) / 10.0;
                assert!(r.violation >= 0.999 * excess && r.violation <= 2.0 * excess, "{rope} {span} {r:?}");
                assert_eq!(sim.violations(100).len(), 10);
            }
        }
        // Long enough, if only just: never.
        for span in [0.5, 0.9, 0.99] {
            let mut sim = chain(span, rope);
            for _ in 0..20 {
                assert_ne!(sim.step().unwrap().status, Status::Infeasible, "{rope} {span}");
            }
        }
    }
}

#[test]
fn a_chain_that_was_too_short_recovers() {
    let mut sim = chain(1.2, true);
    assert_eq!(sim.step().unwrap().status, Status::Infeasible);
    sim.move_pins(0, &[10], &[[0.9, 0.0, 0.0]]).unwrap();
    let mut last = sim.step().unwrap();
    (0..10).for_each(|_| last = sim.step().unwrap());
    assert!(last.status == Status::Converged && last.violation < 1e-4, "{last:?}");
}

#[test]
fn tetrahedra_pulled_beyond_their_limit_are_infeasible() {
    for (pull, feasible) in [(1.06, true), (1.3, false)] {
        let mut settings = Settings::default();
        settings.solve.iterations = 2000;
        settings.solve.tolerance = 1e-4;
        settings.world.gravity = [0.0; 3];
        let mut scene = Scene::new(settings);
        let mesh = shapes::box_mesh([1.0, 0.25, 0.25], [8, 2, 2], shapes::Split::Six).unwrap();
        let ends: Vec<u32> = (0..mesh.vertices().len() as u32)
            .filter(|&i| [0.0, 1.0].contains(&mesh.vertices()[i as usize][0]))
            .collect();
        let targets: Vec<[f64; 3]> = ends
            .iter()
            .map(|&i| {
                let p = mesh.vertices()[i as usize];
                [pull * p[0], p[1], p[2]]
            })
            .collect();
        let material = Material::new(MaterialKind::NeoHookean, 1e5, 0.3).unwrap();
        let body = scene.add_solid("bar", mesh, material, 1000.0).unwrap();
        scene.limit(body, Limit { range: [0.8, 1.1], along: Along::default(), stiffness: None }).unwrap();
        scene.pin(body, &ends).unwrap();
        let mut sim = scene.build().unwrap();
        sim.move_pins(0, &ends, &targets).unwrap();
        let mut last = sim.step().unwrap();
        (0..3).for_each(|_| last = sim.step().unwrap());
        assert_eq!(last.status == Status::Infeasible, !feasible, "{pull}: {last:?}");
        if !feasible {
            assert!(last.iterations <= 1000 && last.violation >= 0.15, "{last:?}");
            assert_eq!(sim.violations(1)[0].body, "bar");
        }
    }
}

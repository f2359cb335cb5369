//! The papers' ways to contact beside the exact one.

use super::setup::{cube, drift, floor, settings};
use supple::{
    BuildError, ContactMethod, MaterialKind, Method, Obstacle, Scene, Settings, Simulation, SlideOn, Status,
};

const RUBBER: (MaterialKind, f64, f64) = (MaterialKind::NeoHookean, 1e5, 0.4);
const WAYS: [ContactMethod; 3] = [ContactMethod::Local, ContactMethod::Uzawa, ContactMethod::Nodal];

fn way(contact: ContactMethod, h: f64) -> Settings {
    let mut s = settings(Method::Admm, h);
    s.solve.contact = contact;
    s
}

fn drop(contact: ContactMethod) -> Simulation {
    cube(way(contact, 0.01), RUBBER, [0.2; 3], [2; 3], [0.0, 0.002, 0.0], vec![floor(0.0)])
}

/// A cube dropped onto a plane: each way gives the trajectory of the exact one, and the plane's force.
#[test]
fn a_drop_is_the_same_by_every_way() {
    for contact in WAYS {
        let (mut exact, mut sim) = (drop(ContactMethod::Delassus), drop(contact));
        let mut touched = 0;
        for frame in 0..40 {
            let (a, b) = (exact.step().unwrap(), sim.step().unwrap());
            assert_eq!(a.status, Status::Converged, "{frame}: {a:?}");
            assert_eq!(b.status, Status::Converged, "{contact:?}, {frame}: {b:?}");
            assert!(b.max_penetration <= 2e-9 && b.contact_residual <= 2e-9, "{contact:?}, {frame}: {b:?}");
            let pairs = exact.positions().into_iter().zip(sim.positions());
            let off = pairs.flat_map(|(p, q)| (0..3).map(move |c| (p[c] - q[c]).abs())).fold(0.0, f64::max);
            assert!(off <= 2e-7, "{contact:?}, {frame}: off by {off}");
            touched += b.contacts;
        }
        assert!(touched > 100, "{contact:?}: {touched}");
        let (want, got) = (exact.reactions()[0], sim.reactions()[0]);
        assert!(
            (want[1] - got[1]).abs() <= 1e-3 * want[1].abs().max(1.0),
            "{contact:?}: {got:?}, not {want:?}"
        );
    }
}

/// On a stiff incline at μ = 0.51 a block must stick, at μ = 0.49 it must slide with 0.0876 m/s². Exactly so with the Delassus
/// operator; with a term per node, at the paper's 20 iterations, it sticks in both, and
/// trembles by a millimetre per second.
#[test]
fn local_terms_fail_on_a_stiff_incline() {
    let run = |contact: ContactMethod, mu: f64| {
        let angle = 0.5f64.atan();
        let mut s = way(contact, 0.01);
        (s.solve.iterations, s.solve.tolerance) = (20, 0.0);
        s.world.gravity = [9.8 * angle.sin(), -9.8 * angle.cos(), 0.0];
        let stiff = (MaterialKind::Corotated, 1e8, 0.3);
        let mut sim = cube(s, stiff, [0.4, 0.2, 0.4], [4, 2, 4], [0.0; 3], vec![floor(mu)]);
        for _ in 0..100 {
            sim.step().unwrap();
        }
        drift(&sim)[0]
    };
    let (slides, sticks) = (run(ContactMethod::Delassus, 0.49), run(ContactMethod::Delassus, 0.51));
    assert!((slides - 0.0876).abs() < 0.01 && sticks.abs() < 1e-3, "{slides} {sticks}");
    let (slow, fast) = (run(ContactMethod::Local, 0.49), run(ContactMethod::Local, 0.51));
    // It sticks where it must slide, and does not come to rest where it must stick.
    assert!(slow < 0.02 && fast.abs() > 1e-4, "{slow} {fast}");
}

#[test]
fn what_a_way_cannot_carry_is_named() {
    let reason = |e: BuildError| match e {
        BuildError::Setting { name: "solve.contact", reason } => reason,
        other => panic!("{other}"),
    };
    for contact in WAYS {
        let word = contact.as_str();
        for method in Method::ALL.into_iter().filter(|m| *m != Method::Admm) {
            let mut s = way(contact, 0.01);
            s.solve.method = method;
            let e = reason(s.validate().unwrap_err());
            assert!(e.contains(word) && e.contains(method.as_str()), "{e}");
        }
        let scene = |friction: f64| {
            let mut scene = Scene::new(way(contact, 0.01));
            scene.add_springs("bead", vec![[0.0, 1.0, 0.0]], vec![1.0], vec![]).unwrap();
            scene.add_obstacle(floor(friction)).unwrap();
            scene
        };
        assert!(scene(0.0).build().is_ok());
        match contact {
            ContactMethod::Local => assert!(scene(0.5).build().is_ok()),
            _ => {
                let e = reason(scene(0.5).build().err().unwrap());
                assert!(e.contains("friction") && e.contains("`floor`") && e.contains(word), "{e}");
            }
        }
        let mut both = scene(0.0);
        both.collide(supple::scene::Collisions::default()).unwrap();
        let mesh =
            supple::mesh::shapes::box_mesh([0.1; 3], [1; 3], supple::mesh::shapes::Split::Six).unwrap();
        let rubber = supple::Material::new(MaterialKind::Arap, 1e5, 0.3).unwrap();
        both.add_solid("box", mesh, rubber, 1e3).unwrap();
        match both.build().err().unwrap() {
            BuildError::Setting { name: "solve.method", reason: e } => {
                assert!(e.contains("between bodies") && e.contains("`auto` or `newton`"), "{e}");
            }
            other => panic!("{other}"),
        }
        let mut linked = scene(0.0);
        linked.slide(supple::BodyId(0), &[0], SlideOn::Plane([0.0; 3], [0.0, 1.0, 0.0]), None).unwrap();
        let e = reason(linked.build().err().unwrap());
        assert!(e.contains("slide") && e.contains(word), "{e}");
    }
}

/// A change of the way while it runs is a change of the matrix, and the next step still is right.
#[test]
fn the_way_may_change_while_it_runs() {
    let mut sim = drop(ContactMethod::Delassus);
    let mut exact = drop(ContactMethod::Delassus);
    for contact in WAYS.into_iter().chain([ContactMethod::Delassus]) {
        let mut s = sim.settings().clone();
        s.solve.contact = contact;
        sim.update_settings(s).unwrap();
        for _ in 0..5 {
            assert_eq!(sim.step().unwrap().status, Status::Converged, "{contact:?}");
            exact.step().unwrap();
        }
        let pairs = exact.positions().into_iter().zip(sim.positions());
        let off = pairs.flat_map(|(p, q)| (0..3).map(move |c| (p[c] - q[c]).abs())).fold(0.0, f64::max);
        assert!(off <= 2e-7, "{contact:?}: {off}");
    }
}

/// Two planes at once, curved obstacles, and a start that turns: Uzawa and Gauss–Seidel over nodes against the exact way.
#[test]
fn corners_and_balls() {
    use supple::contact::{HalfSpace, Sphere};
    for contact in [ContactMethod::Uzawa, ContactMethod::Nodal] {
        let build = |contact: ContactMethod| {
            let wall = Obstacle::new("wall", HalfSpace::new([0.0; 3], [1.0, 0.3, 0.0]).unwrap());
            let ball = Obstacle::new("ball", Sphere::new([0.1, -0.1, 0.1], 0.1).unwrap());
            let mut s = way(contact, 0.01);
            s.world.gravity = [-5.0, -8.0, 0.0];
            cube(s, RUBBER, [0.2; 3], [2; 3], [0.002, 0.002, 0.0], vec![wall, ball, floor(0.0)])
        };
        let (mut exact, mut sim) = (build(ContactMethod::Delassus), build(contact));
        for frame in 0..15 {
            exact.step().unwrap();
            let r = sim.step().unwrap();
            assert_eq!(r.status, Status::Converged, "{contact:?}, {frame}: {r:?}");
            assert!(r.max_penetration <= 1e-7, "{contact:?}, {frame}: {r:?}");
            let pairs = exact.positions().into_iter().zip(sim.positions());
            let off = pairs.flat_map(|(p, q)| (0..3).map(move |c| (p[c] - q[c]).abs())).fold(0.0, f64::max);
            assert!(off <= 1e-6, "{contact:?}, {frame}: off by {off}");
        }
    }
}

//! Scenes in which bodies touch each other and themselves: after every step nothing crosses that did not before, by an independent test, and
//! at least 97 of 100 steps converge.

use super::crossing::{V, Watch};
use supple::scene::{Program, parse::parse};
use supple::{Simulation, Status};

/// How deep nodes may be in an obstacle, in m: 1e-6 of the extent of these scenes, about a metre. Where bodies may touch bodies that holds after
/// every step, else after every step that converged.
const SLACK: f64 = 1e-6;

fn text(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let place = match name {
        "wall" | "cards" => format!("{folder}/crates/supple-cli/src/commands/bench/scenes/{name}.toml"),
        _ => format!("{folder}/scenes/{name}.toml"),
    };
    std::fs::read_to_string(place).unwrap()
}

/// A scene, and whether bodies touch each other, and themselves.
fn program(name: &str, set: &[(&str, &str)]) -> Result<(Program, Option<bool>), supple::scene::SceneError> {
    let mut set: Vec<(String, String)> = set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    // Where bodies may touch each other; links are rows.
    let potential = text(name).contains("[collide]") && !set.iter().any(|(k, _)| k == "solve.method");
    if potential {
        set.push(("solve.contact".into(), "potential".into()));
    }
    let file = parse(&text(name), &set)?;
    let within = file.collide.as_ref().map(|c| c.within);
    Ok((Program::new(&file, &mut |_| Err("no files".into()))?, within))
}

/// The largest depth of a node that is not pinned in an obstacle, by the distance of its shape.
fn depth(sim: &Simulation) -> f64 {
    let (x, pinned) = (sim.positions(), sim.pinned());
    let mut most = 0.0_f64;
    for (i, o) in sim.obstacles().iter().enumerate() {
        let pose = sim.obstacle_pose(i).unwrap();
        for (p, _) in x.iter().zip(&pinned).filter(|(_, held)| !**held) {
            most = most.max(-o.shape.closest(pose.undo(*p)).distance);
        }
    }
    most
}

/// Runs a scene and looks at it after every step; returns how many steps converged.
fn run(name: &str, set: &[(&str, &str)], frames: usize) -> (Program, usize) {
    let (mut p, within) = program(name, set).unwrap();
    let mut watch = Watch::of_program(&p, within == Some(true), SLACK);
    assert_eq!(watch.known(), 0, "{name} starts with crossings");
    let (mut converged, mut touched) = (0, 0);
    for frame in 1..=frames {
        let r = p.frame().unwrap();
        converged += usize::from(r.status == Status::Converged);
        touched += r.contacts;
        let x: Vec<V> = p.simulation.positions();
        assert!(x.iter().flatten().all(|c| c.is_finite()), "{name}, {frame}: {r:?}");
        let new = watch.look(&p.simulation);
        assert!(new.is_empty(), "{name}, {frame}: {} crossings, {:?} for one, {r:?}", new.len(), new[0]);
        let deep = depth(&p.simulation);
        let exact = within.is_some() || r.status == Status::Converged;
        assert!(!exact || deep <= SLACK, "{name}, {frame}: {deep} m deep in an obstacle, {r:?}");
        let lines = watch.surfaces.nearest_lines(&x, 1.0);
        assert!(lines > 1e-6, "{name}, {frame}: ropes are {lines} m apart, {r:?}");
    }
    assert!(touched > 0, "{name}: nothing touches");
    (p, converged)
}

macro_rules! scenes {
    ($($test:ident: $name:expr, $frames:expr, $set:expr;)*) => {$(
        #[test]
        fn $test() {
            let frames: usize = $frames;
            let (_, converged) = run($name, $set, frames);
            println!("{}: {converged} of {frames} steps converged", stringify!($test));
            assert!(100 * converged >= 97 * frames, "{}: {converged} of {frames} steps converged", $name);
        }
    )*};
}

const FINE: &[(&str, &str)] = &[("body.cloth.shape.cells", "[40, 40]")];
const SIX: &[(&str, &str)] = &[
    ("body.lowest.shape.cells", "[6, 6, 6]"),
    ("body.second.shape.cells", "[6, 6, 6]"),
    ("body.third.shape.cells", "[6, 6, 6]"),
    ("body.heavy.shape.cells", "[6, 6, 6]"),
];

scenes! {
    drape_does_not_cross_and_converges: "drape", 100, &[];
    fine_drape_does_not_cross_and_converges: "drape", 30, FINE;
    strip_does_not_cross_and_converges: "strip", 60, &[];
    twist_does_not_cross_and_converges: "twist", 100, &[];
    stack_does_not_cross_and_converges: "stack", 60, &[];
    fine_stack_does_not_cross_and_converges: "stack", 40, SIX;
    wall_does_not_cross_and_converges: "wall", 60, &[];
    bowl_does_not_cross_and_converges: "bowl", 150, &[];
    knot_does_not_cross_and_converges: "knot", 150, &[];
    pile_does_not_cross_and_converges: "pile", 150, &[];
    ring_does_not_cross_and_converges: "ring", 50, &[];
    plates_do_not_cross_and_converge: "plates", 200, &[];
    cylinders_do_not_cross_and_converge: "cylinders", 100, &[];
    rollers_do_not_cross_and_converge: "rollers", 100, &[];
}

/// Skin has links only, and touches nothing by contact.
#[test]
fn skin_converges() {
    let (mut p, _) = program("skin", &[]).unwrap();
    let converged = (0..100).filter(|_| p.frame().unwrap().status == Status::Converged).count();
    assert!(converged >= 97, "{converged} of 100 steps converged");
}

/// The guarantee does not depend on convergence: with one or three iterations, or a millisecond, per step.
#[test]
fn budgets_that_are_far_too_small_do_not_cross() {
    for budget in [("solve.iterations", "1"), ("solve.iterations", "3"), ("solve.time_budget_ms", "1")] {
        for (name, frames) in [
            ("drape", 60),
            ("strip", 60),
            ("stack", 30),
            ("ring", 60),
            ("plates", 100),
            ("knot", 100),
            ("wall", 20),
        ] {
            run(name, &[budget], frames);
        }
    }
}

/// Other methods take a scene and keep the guarantee, or refuse it and name a method that takes it.
#[test]
fn every_method_keeps_the_guarantee_or_refuses() {
    for method in ["newton", "quasi_newton", "admm", "projective"] {
        for (name, frames) in [("stack", 10), ("strip", 25), ("plates", 40), ("bowl", 40), ("knot", 40)] {
            let set = [("solve.method", method), ("solve.iterations", "20")];
            match program(name, &set) {
                Ok(_) => drop(run(name, &set, frames)),
                Err(e) => {
                    let told = e.to_string();
                    let named = ["auto", "newton", "admm"].iter().any(|m| told.contains(&format!("`{m}`")));
                    assert!(named, "{name} by {method}: {told}");
                }
            }
        }
    }
}

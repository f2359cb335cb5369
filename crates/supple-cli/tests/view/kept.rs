//! What was: frames to go back to, values to take back; and two methods side by side.
use serde_json::json;
use supple::SolveSettings;
use supple_cli::view::decode::FrameMessage;

use crate::client::{Running, SCENE, Viewer, recipe};

/// Takes frames one by one, from the start: their positions, the start's first.
fn steps(viewer: &mut Viewer, count: u64) -> Vec<Vec<[f32; 3]>> {
    viewer.pause();
    viewer.send(json!({ "type": "reset" }));
    let mut all = vec![viewer.frame(|f| f.numbers.frame == 0).positions];
    for n in 1..=count {
        viewer.send(json!({ "type": "step" }));
        all.push(viewer.frame(|f| f.numbers.frame == n).positions);
    }
    all
}

fn seek(viewer: &mut Viewer, to: u64, lands: u64) -> FrameMessage {
    viewer.send(json!({ "type": "seek", "frame": to }));
    viewer.frame(|f| f.numbers.frame == lands)
}

#[test]
fn a_run_can_be_gone_back_to_and_repeats_itself() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    let seen = steps(&mut viewer, 12);
    // Back, forward again, and beyond the ends.
    for (to, lands) in [(7, 7), (3, 3), (12, 12), (0, 0), (u64::MAX, 12), (5, 5)] {
        let frame = seek(&mut viewer, to, lands);
        assert_eq!(frame.positions, seen[lands as usize], "frame {lands}");
        assert_eq!(frame.numbers.newest, 12);
        assert_eq!(frame.numbers.status, u8::from(lands > 0));
    }
    // What runs from there is the same run, bit for bit, and what was after it is no more.
    for n in 6..=8 {
        viewer.send(json!({ "type": "step" }));
        let frame = viewer.frame(|f| f.numbers.frame == n);
        assert_eq!((&frame.positions, frame.numbers.newest), (&seen[n as usize], n as u32));
    }
    // With another material the positions are those that were, and the way from there is another.
    viewer.send(json!({ "type": "set", "key": "young", "value": 3e4 }));
    viewer.until(|s| s["building"] == false && s["values"]["bodies"][0]["young"] == 3e4);
    assert_eq!(seek(&mut viewer, 5, 5).positions, seen[5]);
    assert_eq!(seek(&mut viewer, 8, 8).positions, seen[8]);
    assert_eq!(seek(&mut viewer, 5, 5).positions, seen[5]);
    viewer.send(json!({ "type": "step" }));
    let other = viewer.frame(|f| f.numbers.frame == 6);
    assert_ne!(other.positions, seen[6]);
    assert!((other.numbers.time - 0.06).abs() < 1e-12);
    // A running simulation is paused by it.
    viewer.send(json!({ "type": "run", "on": true }));
    viewer.frame(|f| f.numbers.frame > 20);
    seek(&mut viewer, 2, 2);
    viewer.until(|s| s["running"] == false);
}

#[test]
fn a_move_of_a_slider_is_taken_back_at_once() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.pause();
    assert!(viewer.state["undo"].is_null() && viewer.state["redo"].is_null());
    let young = |viewer: &mut Viewer, value: f64| {
        viewer.until(|s| s["values"]["bodies"][0]["young"] == value && s["building"] == false);
    };
    for (k, value) in [1.1e5, 1.3e5, 1.7e5].into_iter().enumerate() {
        viewer.send(json!({ "type": "set", "key": "young", "value": value, "body": "beam", "more": k > 0 }));
    }
    young(&mut viewer, 1.7e5);
    assert_eq!(viewer.state["undo"], "young of beam");
    viewer.send(json!({ "type": "set", "key": "gravity", "value": [0, -1, 0] }));
    viewer.send(json!({ "type": "set", "key": "gravity", "value": [0, -2, 0] }));
    viewer.until(|s| s["values"]["gravity"][1] == -2.0);
    // Two changes of gravity, one move of the other slider.
    for (gravity, undo) in [(-1.0, "gravity"), (-9.8, "young of beam")] {
        viewer.send(json!({ "type": "undo" }));
        viewer.until(|s| s["values"]["gravity"][1] == gravity);
        assert_eq!(viewer.state["undo"], undo);
    }
    viewer.send(json!({ "type": "undo" }));
    young(&mut viewer, 1e5);
    assert!(viewer.state["undo"].is_null());
    viewer.send(json!({ "type": "undo" }));
    viewer.send(json!({ "type": "redo" }));
    young(&mut viewer, 1.7e5);
    assert_eq!((&viewer.state["undo"], &viewer.state["redo"]), (&json!("young of beam"), &json!("gravity")));
    // What is refused is nothing to take back.
    viewer.send(json!({ "type": "set", "key": "method", "value": "projective" }));
    viewer.until(|s| s["note"]["text"].as_str().is_some_and(|t| t.contains("projective")));
    viewer.until(|s| s["building"] == false);
    assert_eq!(viewer.state["undo"], "young of beam");
}

/// The next frames of both sides; they come in pairs.
fn pair(viewer: &mut Viewer, number: u64) -> [FrameMessage; 2] {
    let of = |side: u8| move |f: &FrameMessage| f.numbers.frame == number && f.numbers.side == side;
    [viewer.frame(of(0)), viewer.frame(of(1))]
}

#[test]
fn two_methods_run_side_by_side() {
    let server = Running::start(SCENE);
    let mut viewer = server.viewer();
    viewer.pause();
    viewer.send(json!({ "type": "beside", "with": "admm_published" }));
    viewer.until(|s| s["beside"] == "admm_published" && s["building"] == false);
    let mut first = recipe(SCENE);
    let mut auto = first.build(&[]).unwrap();
    // As the paper has it, with this scene's own iterations, tolerance and threads.
    let own = first.file.solve.clone();
    first.file.solve = SolveSettings {
        iterations: own.iterations,
        tolerance: own.tolerance,
        threads: own.threads,
        ..SolveSettings::published()
    };
    let mut admm = first.build(&[]).unwrap();
    for n in 1..=4_u64 {
        viewer.send(json!({ "type": "step" }));
        let seen = pair(&mut viewer, n);
        for (frame, program) in seen.iter().zip([&mut auto, &mut admm]) {
            let report = program.frame().unwrap();
            assert_eq!(frame.numbers.iterations as usize, report.iterations, "frame {n}");
            assert_eq!(frame.numbers.energy[0], report.energy.elastic as f32);
            // The last vertex is the last node of the net.
            let last = program.simulation.positions().last().unwrap().map(|c| c as f32);
            assert_eq!(frame.positions.last(), Some(&last));
        }
    }
    assert!(auto.simulation.positions() != admm.simulation.positions(), "two methods, two ways");
    // Back on both sides; one iteration of both; a pull at either, which both follow.
    viewer.send(json!({ "type": "seek", "frame": 2 }));
    pair(&mut viewer, 2);
    viewer.send(json!({ "type": "iterate" }));
    let looked = pair(&mut viewer, 3);
    assert!(looked.iter().all(|f| f.numbers.iteration == 1));
    viewer.send(json!({ "type": "reset" }));
    let start = pair(&mut viewer, 0);
    let beam = viewer.model.as_ref().unwrap().about["bodies"][0]["vertices"].as_u64().unwrap() as usize;
    let tip =
        start[1].positions[..beam].iter().enumerate().max_by(|a, b| a.1[0].total_cmp(&b.1[0])).unwrap().0;
    let at = start[1].positions[tip].map(f64::from);
    viewer.send(json!({ "type": "grab", "vertices": [tip], "at": at, "side": 1 }));
    viewer.until(|s| s["held"] == 1 && s["building"] == false);
    viewer.send(json!({ "type": "drag", "to": [at[0], at[1] + 0.4, at[2]] }));
    viewer.send(json!({ "type": "run", "on": true }));
    let lifted =
        |side: u8| move |f: &FrameMessage| f.numbers.side == side && f.positions[tip][1] > at[1] as f32 + 0.2;
    viewer.frame(lifted(0));
    viewer.frame(lifted(1));
    viewer.send(json!({ "type": "release" }));
    // And no more.
    viewer.send(json!({ "type": "beside", "with": null }));
    viewer.until(|s| s["beside"].is_null() && s["held"] == 0);
    // A method that cannot take the scene is refused, and the first goes on.
    viewer.send(json!({ "type": "beside", "with": "projective" }));
    viewer.until(|s| s["note"]["text"].as_str().is_some_and(|t| t.contains("projective")));
    let now = viewer.frame(|f| f.numbers.side == 0).numbers.frame;
    viewer.frame(|f| f.numbers.frame > now);
    assert!(viewer.state["beside"].is_null());
}

#[test]
fn friction_wind_and_muscles_have_sliders() {
    let text = format!(
        "{SCENE}[[obstacle]]\nname = \"floor\"\nshape = {{ kind = \"half_space\", point = [0, -1, 0], normal = [0, 1, 0] }}\n\
         friction = 0.3\n[[body]]\nname = \"sheet\"\nshape = {{ kind = \"cloth\", size = [1, 1], cells = [2, 2] }}\n\
         cloth = {{ thickness = 0.01 }}\nmaterial = {{ kind = \"neo_hookean\", young = 1e5, poisson = 0.3, density = 100.0 }}\n\
         translate = [3, 0, 0]\n[[body]]\nname = \"arm\"\nshape = {{ kind = \"box\", size = [0.1, 0.3, 0.1], cells = [1, 3, 1] }}\n\
         material = {{ kind = \"fibre\", young = 1e5, poisson = 0.3, density = 1000.0, direction = [0, 1, 0], stiffness = 1e5 }}\n\
         translate = [-3, 0, 0]\n[[contract]]\nbody = \"arm\"\nmotion = [{{ time = 0.0, contraction = 0.0 }}, {{ time = 100.0, contraction = 0.4 }}]\n"
    );
    let server = Running::start(&text);
    let mut viewer = server.viewer();
    viewer.pause();
    let values = viewer.state["values"].clone();
    assert_eq!(
        (&values["friction"], &values["wind"], &values["scripted"]),
        (&json!(0.3), &json!(0.0), &json!(true))
    );
    for (key, value) in [("friction", 0.9), ("wind", 12.0), ("muscle", 0.35)] {
        viewer.send(json!({ "type": "set", "key": key, "value": value }));
        viewer.until(|s| s["values"][key] == value && s["building"] == false);
    }
    assert_eq!(viewer.state["values"]["scripted"], false);
    // The fibres shorten and the wind blows the sheet along x.
    viewer.send(json!({ "type": "reset" }));
    let start = viewer.frame(|f| f.numbers.frame == 0);
    viewer.send(json!({ "type": "speed", "factor": 0 }));
    viewer.send(json!({ "type": "run", "on": true }));
    let model = viewer.model.clone().unwrap();
    let count = |i: usize| model.about["bodies"][i]["vertices"].as_u64().unwrap() as usize;
    let (sheet, arm) = (count(0) + count(1), count(0) + count(1) + count(2));
    let height = |f: &FrameMessage| {
        let y = f.positions[arm..arm + count(3)].iter().map(|p| p[1]);
        y.clone().fold(f32::MIN, f32::max) - y.fold(f32::MAX, f32::min)
    };
    let later = viewer.frame(|f| f.numbers.frame >= 30);
    assert!(height(&later) < 0.9 * height(&start), "{} of {}", height(&later), height(&start));
    let x =
        |f: &FrameMessage| f.positions[sheet..arm].iter().map(|p| p[0]).sum::<f32>() / (arm - sheet) as f32;
    assert!(x(&later) > x(&start) + 0.05, "{} after {}", x(&later), x(&start));
    // All three can be taken back, to the keyframes of the scene too.
    viewer.send(json!({ "type": "undo" }));
    viewer.until(|s| s["values"]["scripted"] == true && s["building"] == false);
    // A scene without any of it says so.
    let plain = Running::start(SCENE);
    let mut viewer = plain.viewer();
    viewer.pause();
    for key in ["friction", "wind", "muscle"] {
        assert!(viewer.state["values"][key].is_null(), "{key}");
        viewer.send(json!({ "type": "set", "key": key, "value": 0.5 }));
        viewer.until(|s| s["note"]["text"].as_str().is_some_and(|t| t.starts_with(key)));
    }
}

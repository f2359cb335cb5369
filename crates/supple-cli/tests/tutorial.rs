//! The scenes of docs/tutorial.md do what the text beside them says.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use supple::Status;
use supple::scene::{Asset, Program, parse};
use supple_cli::advice;
use supple_files::load::Loaded;

/// The scenes in their order.
fn steps() -> Vec<String> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorial.md")).unwrap();
    text.split("```toml\n").skip(1).map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn program(scene: &str) -> Program {
    let loaded = Loaded::parse("tutorial", scene.to_owned(), None, &[]).unwrap();
    let (mut program, notes) = loaded.build(&[]).unwrap();
    assert_eq!((advice::before(&loaded, &mut program), notes), (Vec::new(), Vec::new()));
    let file = parse::parse(scene, &[]).unwrap();
    Program::new(&file, &mut |_| Err::<Asset, _>("no files here".into())).unwrap()
}

/// The mean of a body's nodes along an axis.
fn mean(p: &Program, body: usize, axis: usize) -> f64 {
    let b = &p.simulation.bodies()[body];
    let x = &p.simulation.positions()[b.first_node..b.first_node + b.nodes];
    x.iter().map(|p| p[axis]).sum::<f64>() / b.nodes as f64
}

#[test]
fn each_step_does_what_it_says() {
    let steps = steps();
    assert_eq!(steps.len(), 4);
    // 1: a free fall, by backward Euler ½gt(t + Δt) (nothing else acts).
    let mut p = program(&steps[0]);
    let start = mean(&p, 0, 1);
    for _ in 0..p.frames {
        assert_eq!(p.frame().unwrap().status, Status::Converged);
    }
    let (t, dt) = (0.3, 0.01);
    let fallen = start - mean(&p, 0, 1);
    assert!((fallen - 0.5 * 9.8 * t * (t + dt)).abs() < 1e-6, "{fallen}");
    // 2 and 3: the far side stays, the sheet hangs down from it and keeps above the floor.
    for scene in &steps[1..3] {
        let mut p = program(scene);
        for _ in 0..p.frames {
            assert_eq!(p.frame().unwrap().status, Status::Converged);
        }
        let x = p.simulation.positions();
        let (low, high) = x.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p[1]), h.max(p[1])));
        assert!((high - 1.0).abs() < 0.05 && low < 0.4 && low > -0.1, "{low} {high}");
    }
    // 4: the ball flies at the cloth, touches it and takes it along; nothing passes through anything.
    let mut p = program(&steps[3]);
    let (mut touched, mut converged) = (0, 0);
    let start = [mean(&p, 1, 1), mean(&p, 1, 2)];
    for _ in 0..p.frames {
        let r = p.frame().unwrap();
        touched += usize::from(r.contacts > 0);
        if r.time < 0.405 && r.time > 0.395 {
            // Above the floor still, so only the cloth can have turned the ball from its free flight.
            let x = p.simulation.positions();
            let ball = &x[p.simulation.bodies()[1].first_node..];
            assert!(ball.iter().all(|x| x[1] > 0.1));
            let free =
                [start[0] + 2.0 * r.time - 0.5 * 9.8 * r.time * (r.time + dt), start[1] - 3.0 * r.time];
            let off = (mean(&p, 1, 1) - free[0]).hypot(mean(&p, 1, 2) - free[1]);
            assert!(off > 0.02, "{off} m off its free flight");
        }
        converged += usize::from(r.status == Status::Converged);
        assert!(p.simulation.intersections().is_empty());
    }
    assert!(touched > 5, "{touched} frames with contact");
    assert!(10 * converged >= 9 * p.frames as usize, "{converged} of {} converged", p.frames);
}

/// Every picture that the text shows is there.
#[test]
fn the_pictures_are_there() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    for page in ["tutorial.md", "gallery.md"] {
        let text = std::fs::read_to_string(format!("{docs}{page}")).unwrap();
        let shown: Vec<&str> =
            text.split("](images/").skip(1).map(|part| part.split(')').next().unwrap()).collect();
        assert!(shown.len() >= 4, "{page}");
        for name in shown {
            assert!(std::path::Path::new(&format!("{docs}images/{name}")).is_file(), "{page}: {name}");
        }
    }
}

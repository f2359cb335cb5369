//! A budget of time for steps with contact: they end in time, free of intersections, and say how far they are.
//!
//! Bound: 20 % or 2 ms over the budget, in the median of the steps, since the machine may take the thread away from any one of them; and where an
//! iteration alone takes longer than that, two iterations of that run without a budget: the first is always made, and how long it takes is not known before.

use super::crossing::Watch;
use supple::Status;
use supple::scene::{Program, parse::parse};

fn program(name: &str, budget_ms: Option<f64>) -> Program {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let set: Vec<(String, String)> =
        budget_ms.iter().map(|ms| ("solve.time_budget_ms".to_string(), ms.to_string())).collect();
    let file = parse(&std::fs::read_to_string(path).unwrap(), &set).unwrap();
    Program::new(&file, &mut |_| Err("no files".into())).unwrap()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn steps_with_contact_end_in_time() {
    // From where things touch: the first frames are easy.
    for (name, frames, from) in [("drape", 70, 30), ("strip", 50, 25), ("stack", 30, 2)] {
        let mut free = program(name, None);
        let (mut each, mut needed) = (0.0f64, Vec::new());
        for frame in 0..frames {
            let r = free.frame().unwrap();
            each = each.max(1e3 * r.timings.total() / r.iterations.max(1) as f64);
            if frame >= from {
                needed.push(1e3 * r.timings.total());
            }
        }
        // Too little for every other step, whatever the machine.
        let budget = 0.5 * median(needed);
        let mut p = program(name, Some(budget));
        let mut watch = Watch::of_program(&p, name != "stack", 1e-6);
        let (mut times, mut late, mut lost) = (Vec::new(), 0, 0);
        for frame in 0..frames {
            let started = std::time::Instant::now();
            let r = p.frame().unwrap();
            if frame >= from {
                times.push(1e3 * started.elapsed().as_secs_f64());
            }
            let new = watch.look(&p.simulation);
            assert!(new.is_empty(), "{name}, {frame}: {:?}, {r:?}", new[0]);
            match r.status {
                Status::TimeLimit => {
                    late += 1;
                    // What is left is said.
                    assert!(r.force_residual.is_finite() && r.step > 0.0, "{name}, {frame}: {r:?}");
                }
                Status::Converged => {}
                // Which states the clock leads to is not known before; one in fifty steps may end otherwise, as without a budget.
                _ => lost += 1,
            }
        }
        let (all, most) = (times.clone(), (1.2 * budget).max(budget + 2.0).max(2.0 * each));
        assert!(50 * lost <= frames, "{name}: {lost} of {frames} neither converged nor cut");
        assert!(late > 0, "{name}: {budget} ms were enough for all steps: {all:?}");
        assert!(median(times) <= most, "{name}: a budget of {budget} ms, at most {most}: {all:?}");
    }
}

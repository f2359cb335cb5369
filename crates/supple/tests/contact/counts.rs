//! What contact costs in numbers that do not depend on the machine: iterations, Hessians and detections per step.
//!
//! Bounds: for the cloth and the strip the counts of a prototype of this formulation, 10.3 and 10.7 iterations per step, and one more, which
//! is what a change of any rule moves them by. The stack took the prototype 9.5; here it takes 16.8, and is held there. A Hessian is factored once per
//! iteration, and once more where other pairs push at the end of a way than at its beginning: 1.5 times at most, where half of the ways are such.
//! Detections are held at what was measured, 2.1, 2.0 and 6.6 per step, and one more.

use supple::Status;
use supple::scene::{Program, parse::parse};

/// Iterations, Hessians and detections per step.
fn counts(name: &str, frames: usize) -> [f64; 3] {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let file = parse(&std::fs::read_to_string(path).unwrap(), &[]).unwrap();
    let mut p = Program::new(&file, &mut |_| Err("no files".into())).unwrap();
    let mut sums = [0; 3];
    for frame in 1..=frames {
        let r = p.frame().unwrap();
        assert_eq!(r.status, Status::Converged, "{name}, {frame}: {r:?}");
        for (sum, n) in sums.iter_mut().zip([r.iterations, r.hessians, r.detections]) {
            *sum += n;
        }
    }
    sums.map(|n| n as f64 / frames as f64)
}

#[test]
fn iterations_hessians_and_detections_of_contact() {
    for (name, frames, iterations, detections) in
        [("drape", 60, 10.3, 2.1), ("strip", 34, 10.7, 2.0), ("stack", 18, 16.8, 6.6)]
    {
        let [i, h, d] = counts(name, frames);
        assert!(i <= iterations + 1.0, "{name}: {i} iterations per step");
        assert!(h > 0.0 && h <= 1.5 * i + 1.0, "{name}: {h} Hessians in {i} iterations");
        assert!(d > 0.0 && d <= detections + 1.0, "{name}: {d} detections per step");
    }
}

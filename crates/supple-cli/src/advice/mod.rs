//! What a user should know of a scene that is good by the letter: what looks wrong before the run, and which setting helps after it.
//!
//! | file | holds |
//! |---|---|
//! | `units` | time step, sizes, stiffness and density that do not make sense together |
//! | `shape` | surfaces that were meant as solids, bad or too few elements, thin sheets |
//! | `place` | bodies that start inside of obstacles or of each other |
//! | `after` | what the reports of a run say about the settings |
mod after;
#[allow(clippy::indexing_slicing, reason = "bodies and nodes of a program that was built")]
mod place;
mod shape;
mod units;

pub use after::{Remedy, Seen};

use supple::scene::Program;
use supple::scene::file::MaterialTable;
use supple_files::load::Loaded;

/// What looks wrong in a scene, one sentence or two each: what, why, and what to do. Empty for most scenes.
pub fn before(scene: &Loaded, program: &mut Program) -> Vec<String> {
    let mut all = units::look(&scene.file, program);
    all.extend(shape::look(&scene.file, program));
    all.extend(place::look(&scene.file, program));
    all
}

/// What was taken where the scene is silent, one sentence each.
pub fn defaults(scene: &Loaded) -> Vec<String> {
    let silent = |m: &MaterialTable| m.density.is_none() && m.preset.is_none();
    let bodies = scene.file.body.iter().filter(|b| b.material.as_ref().is_some_and(silent));
    bodies.map(|b| format!("{}: no density is given, so 1000 kg/m³ is taken", b.name)).collect()
}

/// The corners of the box around points.
fn corners(points: &[[f64; 3]]) -> [[f64; 3]; 2] {
    let both = |f: fn(f64, f64) -> f64| {
        move |[a, b, c]: [f64; 3], [x, y, z]: &[f64; 3]| [f(a, *x), f(b, *y), f(c, *z)]
    };
    [(f64::INFINITY, both(f64::min)), (f64::NEG_INFINITY, both(f64::max))]
        .map(|(from, f)| points.iter().fold([from; 3], f))
}

/// A number as people write it: at most three digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.1e}").replace(".0e", "e");
    }
    let digits = if size >= 100.0 || size == 0.0 { 0 } else { (2 - size.log10().floor() as i32).max(0) };
    let text = format!("{value:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod test {
    #[test]
    fn numbers_are_short() {
        let all = [5.0, 0.02, 300.0, 122.5, 0.0, 2e11, 1e-9, 0.005, 12.34].map(super::short);
        assert_eq!(all, ["5", "0.02", "300", "122", "0", "2e11", "1e-9", "0.005", "12.3"]);
    }
}
